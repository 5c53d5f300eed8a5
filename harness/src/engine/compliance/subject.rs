//! The engine that is checked.

use std::time::Duration;

use crate::engine::uci::Launch;

/// What is checked.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    pub launch: Launch,
    pub options: Vec<(String, String)>,
    /// Time limit for answers that must come at once.
    pub patience: Duration,
}
