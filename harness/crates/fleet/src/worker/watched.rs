//! The runs whose games are requested, and when the games are sent.

use std::time::{Duration, Instant};

use super::runs::Runs;
use crate::ids::Name;
use hone_run::executor::LiveGame;

/// Minimum time between two messages of a run.
const INTERVAL: Duration = Duration::from_secs(1);
/// Time after which games that have not changed are sent again, for new spectators.
const REPEAT: Duration = Duration::from_secs(5);
/// Time for which games are sent after a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);

/// A run whose games are requested.
#[derive(Debug)]
pub(super) struct Watching {
    requested: Instant,
    sent: Option<Instant>,
    games: Vec<LiveGame>,
}

impl Watching {
    fn is_due(&self, now: Instant) -> bool {
        let sent = self.sent;
        sent.is_none_or(|sent| now.duration_since(sent) >= INTERVAL)
    }
}

impl Runs {
    /// Records a request for the games of a run. A run that is not known has none here.
    pub(super) fn request_games(&mut self, run: &Name, now: Instant) {
        if let Some(state) = self.states.get_mut(run) {
            let watching = state.watching.get_or_insert(Watching {
                requested: now,
                sent: None,
                games: Vec::new(),
            });
            watching.requested = now;
        }
    }

    /// The runs whose games may be sent now.
    pub(super) fn due(&mut self, now: Instant) -> Vec<Name> {
        let is_old =
            |watching: &mut Watching| now.duration_since(watching.requested) >= REQUEST_TIMEOUT;
        for state in self.states.values_mut() {
            state.watching.take_if(is_old);
        }
        let watched = self.states.iter().filter(|(_, state)| {
            let watching = state.watching.as_ref();
            watching.is_some_and(|watching| watching.is_due(now))
        });
        watched.map(|(run, _)| run.clone()).collect()
    }

    /// Whether the games of a run must be sent now. They count as sent then.
    pub(super) fn must_send(&mut self, run: &Name, games: &[LiveGame], now: Instant) -> bool {
        let state = self.states.get_mut(run);
        let Some(watching) = state.and_then(|state| state.watching.as_mut()) else {
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
        let mut runs = Runs::default();
        let start = Instant::now();
        let run = name("r");
        runs.request_games(&name("unknown"), start);
        assert!(runs.due(start).is_empty());
        runs.allow(&run, start);
        runs.request_games(&run, start);
        assert_eq!(runs.due(start), std::slice::from_ref(&run));
        assert!(runs.must_send(&run, &[], start));
        assert!(runs.due(start + INTERVAL / 2).is_empty(), "too soon");
        assert_eq!(runs.due(start + INTERVAL), std::slice::from_ref(&run));
        assert!(!runs.must_send(&run, &[], start + INTERVAL), "nothing new");
        assert!(runs.must_send(&run, &[], start + REPEAT));
        assert!(runs.due(start + REQUEST_TIMEOUT).is_empty(), "no request");
    }
}
