//! The runs that somebody watches, and when their games are sent.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::executor::LiveGame;
use crate::fleet::ids::Name;

/// Between two messages.
const EVERY: Duration = Duration::from_secs(1);
/// Who watches asks more often than this.
const ASKED: Duration = Duration::from_secs(20);
/// Runs that are watched at once.
const RUNS: usize = 16;

/// The runs that are watched.
#[derive(Debug, Default)]
pub(super) struct Watched(BTreeMap<Name, Watching>);

#[derive(Debug)]
struct Watching {
    asked: Instant,
    sent: Option<Instant>,
    games: Vec<LiveGame>,
}

impl Watched {
    /// Somebody watches a run.
    pub(super) fn asked(&mut self, run: Name, now: Instant) {
        if self.0.len() < RUNS || self.0.contains_key(&run) {
            let watching = self.0.entry(run).or_insert(Watching {
                asked: now,
                sent: None,
                games: Vec::new(),
            });
            watching.asked = now;
        }
    }

    /// The runs whose games are to be sent now.
    pub(super) fn due(&mut self, now: Instant) -> Vec<Name> {
        self.0
            .retain(|_, watching| now.duration_since(watching.asked) < ASKED);
        let is_due = |watching: &Watching| {
            let sent = watching.sent;
            sent.is_none_or(|sent| now.duration_since(sent) >= EVERY)
        };
        let due = self.0.iter().filter(|(_, watching)| is_due(watching));
        due.map(|(run, _)| run.clone()).collect()
    }

    /// Whether these games are news.
    pub(super) fn is_news(&mut self, run: &Name, games: &[LiveGame], now: Instant) -> bool {
        let Some(watching) = self.0.get_mut(run) else {
            return false;
        };
        // Somebody who has just begun to watch has seen nothing yet.
        let is_old = watching
            .sent
            .is_some_and(|sent| now.duration_since(sent) < 5 * EVERY && watching.games == games);
        if !is_old {
            watching.sent = Some(now);
            watching.games = games.to_vec();
        }
        !is_old
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::samples::name;

    #[test]
    fn games_are_sent_while_somebody_asks_and_only_when_they_change() {
        let mut watched = Watched::default();
        let start = Instant::now();
        let run = name("r");
        assert!(watched.due(start).is_empty());
        watched.asked(run.clone(), start);
        assert_eq!(watched.due(start), std::slice::from_ref(&run));
        assert!(watched.is_news(&run, &[], start));
        assert!(watched.due(start + EVERY / 2).is_empty(), "too soon");
        assert_eq!(watched.due(start + EVERY), std::slice::from_ref(&run));
        assert!(!watched.is_news(&run, &[], start + EVERY), "nothing new");
        assert!(watched.is_news(&run, &[], start + 5 * EVERY));
        assert!(watched.due(start + ASKED).is_empty(), "nobody asks");
        for number in 0..2 * RUNS {
            watched.asked(name(&format!("r{number}")), start);
        }
        assert_eq!(watched.0.len(), RUNS);
    }
}
