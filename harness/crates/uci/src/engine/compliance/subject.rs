//! The engine to check.

use std::time::Duration;

use crate::engine::uci::Launch;

/// An engine to check, and its time limit.
#[derive(Debug, Clone)]
pub struct Subject {
    pub launch: Launch,
    pub options: Vec<(String, String)>,
    /// Time limit for each answer after `uciok`.
    pub patience: Duration,
}

/// The least time that an engine has to send `uciok`: as long as in a match by default.
const STARTUP: Duration = Duration::from_secs(10);

impl Subject {
    /// Time limit for `uciok`.
    pub(super) fn startup(&self) -> Duration {
        self.patience.max(STARTUP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uciok_may_take_as_long_as_in_a_match() {
        let startup = |seconds| {
            let subject = Subject {
                launch: Launch::default(),
                options: Vec::new(),
                patience: Duration::from_secs(seconds),
            };
            subject.startup()
        };
        assert_eq!(startup(5), Duration::from_secs(10));
        assert_eq!(startup(30), Duration::from_secs(30));
    }
}
