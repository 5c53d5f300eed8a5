//! Games in progress on other machines: pages request them, and the program
//! delivers them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hone_run::executor::LiveGame;

/// Time after the last request for which the games of a run are still requested.
const ASKED: Duration = Duration::from_secs(10);
/// Time without a message after which games count as ended, or their machine as unreachable.
const HEARD: Duration = Duration::from_secs(12);
/// Maximum number of games of a run on a page.
const MOST: usize = 64;

/// The games of the viewed runs, by their names on the fleet.
#[derive(Debug, Clone, Default)]
pub struct RemoteGames(Arc<Mutex<BTreeMap<String, Run>>>);

#[derive(Debug)]
struct Run {
    asked: Instant,
    /// Version number of the games.
    number: u64,
    machines: BTreeMap<String, (Instant, Vec<LiveGame>)>,
}

impl RemoteGames {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Run>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The known games of a run, and their version number. It also requests further ones.
    pub(super) fn of(&self, run: &str, now: Instant) -> (u64, Vec<LiveGame>) {
        let mut runs = self.lock();
        let run = runs.entry(run.to_string()).or_insert_with(|| Run {
            asked: now,
            number: 1,
            machines: BTreeMap::new(),
        });
        run.asked = now;
        let before = run.machines.len();
        run.machines
            .retain(|_, (heard, _)| now.duration_since(*heard) < HEARD);
        if run.machines.len() != before {
            run.number += 1;
        }
        let games = run.machines.values().flat_map(|(_, games)| games);
        (run.number, games.take(MOST).cloned().collect())
    }

    /// The runs whose games are requested.
    pub fn wanted(&self, now: Instant) -> Vec<String> {
        let mut runs = self.lock();
        runs.retain(|_, run| now.duration_since(run.asked) < ASKED);
        runs.keys().cloned().collect()
    }

    /// Stores the games of a run that a machine plays.
    pub fn take(&self, run: &str, machine: &str, games: Vec<LiveGame>, now: Instant) {
        if let Some(run) = self.lock().get_mut(run) {
            run.number += 1;
            run.machines.insert(machine.to_string(), (now, games));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(pair: u64) -> LiveGame {
        serde_json::from_value(serde_json::json!({
            "pair": pair, "game": 1, "players": [1, 0], "opening": 3, "fen": null,
            "moves": [], "left_ms": [null, 20], "thinking_since_ms": 5
        }))
        .expect("a game")
    }

    #[test]
    fn games_are_wanted_while_a_page_asks_and_shown_while_they_are_heard_of() {
        let remote = RemoteGames::default();
        let start = Instant::now();
        assert!(remote.wanted(start).is_empty());
        // They were not requested.
        remote.take("r", "a", vec![game(1)], start);
        let (first, games) = remote.of("r", start);
        assert_eq!(games, []);
        assert_eq!(remote.wanted(start), ["r"]);
        remote.take("r", "a", vec![game(1)], start);
        remote.take("r", "b", vec![game(2)], start + HEARD / 2);
        let (second, games) = remote.of("r", start + HEARD / 2);
        assert_eq!(games, [game(1), game(2)]);
        assert_ne!(first, second);
        let (third, games) = remote.of("r", start + HEARD);
        assert_eq!(games, [game(2)], "the first machine is away");
        assert_ne!(second, third);
        assert!(remote.wanted(start + HEARD + ASKED).is_empty());
    }
}
