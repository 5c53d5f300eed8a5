//! The engine that is checked.

use std::time::Duration;

use crate::engine::uci::{Launch, Timeouts};

/// What is checked.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    pub launch: Launch,
    pub options: Vec<(String, String)>,
    /// Time limit for answers that must come at once.
    pub patience: Duration,
}

impl Subject {
    pub(super) fn timeouts(&self) -> Timeouts {
        Timeouts {
            startup: self.patience,
            ready: self.patience,
        }
    }
}
