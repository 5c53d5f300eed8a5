//! Messages to the user about the connection to the server while a run is played.

use std::time::{Duration, Instant};

use crate::link::ConnectionChange;

/// Time that workers have to send their status after the run has connected.
const STATUS_WAIT: Duration = Duration::from_secs(2);

/// The connection of a run.
#[derive(Debug)]
pub(super) struct Connection {
    is_cut_off: bool,
    is_refused: bool,
    /// When it was last established.
    since: Instant,
}

impl Connection {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            is_cut_off: false,
            is_refused: false,
            since: now,
        }
    }

    /// Updates the state. Returns the message to the user, unless it was shown before.
    pub(super) fn changed(
        &mut self,
        change: ConnectionChange,
        now: Instant,
    ) -> Option<&'static str> {
        match change {
            ConnectionChange::Up => {
                self.since = now;
                self.is_refused = false;
                let was_cut_off = std::mem::take(&mut self.is_cut_off);
                was_cut_off.then_some("fleet: connected again")
            }
            ConnectionChange::Down => {
                let was_cut_off = std::mem::replace(&mut self.is_cut_off, true);
                (!was_cut_off).then_some(
                    "fleet: the server does not answer; the run connects again when it does",
                )
            }
            ConnectionChange::Refused => {
                self.is_cut_off = true;
                let was_refused = std::mem::replace(&mut self.is_refused, true);
                (!was_refused).then_some(
                    "warning: the server refuses the credential of this run: it may be expired or revoked\nhelp: if this lasts, interrupt the run and continue it with another credential: `hone fleet invite NAME --role submit` makes one, `hone resume RUN` continues",
                )
            }
        }
    }

    /// Whether the server does not answer, or refuses the credential.
    pub(super) fn is_cut_off(&self) -> bool {
        self.is_cut_off
    }

    /// Whether a missing worker has had the time to send its status.
    pub(super) fn is_settled(&self, now: Instant) -> bool {
        !self.is_cut_off && now.duration_since(self.since) >= STATUS_WAIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_is_shown_once_and_workers_have_time_to_report() {
        let start = Instant::now();
        let mut connection = Connection::new(start);
        assert!(!connection.is_settled(start));
        assert_eq!(connection.changed(ConnectionChange::Up, start), None);
        let later = start + STATUS_WAIT;
        assert!(connection.is_settled(later));
        let mut shown = |change| {
            let text = connection.changed(change, later).unwrap_or_default();
            (text.to_string(), connection.is_settled(later + STATUS_WAIT))
        };
        let (text, is_settled) = shown(ConnectionChange::Down);
        assert!(text.contains("does not answer") && !is_settled, "{text}");
        let (text, is_settled) = shown(ConnectionChange::Refused);
        assert!(text.contains("--role submit") && !is_settled, "{text}");
        for change in [ConnectionChange::Down, ConnectionChange::Refused] {
            assert_eq!(shown(change), (String::new(), false));
        }
        let (text, is_settled) = shown(ConnectionChange::Up);
        assert!(text.contains("connected again") && is_settled, "{text}");
        assert!(!connection.is_settled(later));
        let text = connection.changed(ConnectionChange::Refused, later);
        assert!(text.is_some(), "it is shown again");
    }
}
