//! What can be done with a run, and why it is refused.

use serde::Deserialize;

use crate::output::with_causes;

/// What can be done with a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    /// Finish the games in progress; keep the place in the queue.
    Pause,
    /// Continue, or start, when there is a place.
    Resume,
    /// End now, and leave the queue. The run can be resumed.
    Stop,
    /// Let a run be played that somebody else has submitted.
    Approve,
}

/// Why something cannot be done.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The run does not exist.
    Unknown(String),
    /// What was asked for makes no sense.
    Invalid(anyhow::Error),
    /// More was sent than is read.
    TooLarge(String),
    /// Not now.
    Conflict(String),
    /// A file of the queue cannot be read or written; nothing is changed.
    Failed(anyhow::Error),
}

impl Refusal {
    /// For people.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::Unknown(message) | Self::Conflict(message) | Self::TooLarge(message) => {
                message.clone()
            }
            Self::Invalid(error) | Self::Failed(error) => with_causes(error),
        }
    }

    /// Another process plays the run.
    pub(super) fn elsewhere(run: &str) -> Self {
        Self::Conflict(format!(
            "another process plays `{run}`: pause or stop it there"
        ))
    }
}
