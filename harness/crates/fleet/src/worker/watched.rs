//! The runs whose games are requested, and when the games are sent.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::ids::Name;
use hone_run::executor::LiveGame;

/// Minimum time between two messages of a run.
const INTERVAL: Duration = Duration::from_secs(1);
/// Time after which games that have not changed are sent again, for new spectators.
const REPEAT: Duration = Duration::from_secs(5);
/// Time for which games are sent after a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum number of watched runs.
const MAX_RUNS: usize = 16;

/// The watched runs.
#[derive(Debug, Default)]
pub(super) struct Watched(BTreeMap<Name, Watching>);

#[derive(Debug)]
struct Watching {
    requested: Instant,
    sent: Option<Instant>,
    games: Vec<LiveGame>,
}

impl Watched {
    /// Records a request for the games of a run.
    pub(super) fn requested(&mut self, run: Name, now: Instant) {
        if self.0.len() < MAX_RUNS || self.0.contains_key(&run) {
            let watching = self.0.entry(run).or_insert(Watching {
                requested: now,
                sent: None,
                games: Vec::new(),
            });
            watching.requested = now;
        }
    }

    /// The runs whose games may be sent now.
    pub(super) fn due(&mut self, now: Instant) -> Vec<Name> {
        self.0
            .retain(|_, watching| now.duration_since(watching.requested) < REQUEST_TIMEOUT);
        let is_due = |watching: &Watching| {
            let sent = watching.sent;
            sent.is_none_or(|sent| now.duration_since(sent) >= INTERVAL)
        };
        let due = self.0.iter().filter(|(_, watching)| is_due(watching));
        due.map(|(run, _)| run.clone()).collect()
    }

    /// Whether the games of a run must be sent now. They count as sent then.
    pub(super) fn must_send(&mut self, run: &Name, games: &[LiveGame], now: Instant) -> bool {
        let Some(watching) = self.0.get_mut(run) else {
            return false;
        };
        let is_known = watching
            .sent
            .is_some_and(|sent| now.duration_since(sent) < REPEAT && watching.games == games);
        if !is_known {
            watching.sent = Some(now);
            watching.games = games.to_vec();
        }
        !is_known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::name;

    #[test]
    fn games_are_sent_while_they_are_requested_and_when_they_change() {
        let mut watched = Watched::default();
        let start = Instant::now();
        let run = name("r");
        assert!(watched.due(start).is_empty());
        watched.requested(run.clone(), start);
        assert_eq!(watched.due(start), std::slice::from_ref(&run));
        assert!(watched.must_send(&run, &[], start));
        assert!(watched.due(start + INTERVAL / 2).is_empty(), "too soon");
        assert_eq!(watched.due(start + INTERVAL), std::slice::from_ref(&run));
        assert!(
            !watched.must_send(&run, &[], start + INTERVAL),
            "nothing new"
        );
        assert!(watched.must_send(&run, &[], start + REPEAT));
        assert!(
            watched.due(start + REQUEST_TIMEOUT).is_empty(),
            "no request"
        );
        for number in 0..2 * MAX_RUNS {
            watched.requested(name(&format!("r{number}")), start);
        }
        assert_eq!(watched.0.len(), MAX_RUNS);
    }
}
