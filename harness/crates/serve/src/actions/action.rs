//! Actions on runs, and the reasons for refusing them.

use serde::Deserialize;

use hone_base::text::with_causes;

/// An action on a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    /// Finish the games in progress and keep the place in the queue.
    Pause,
    /// Continue or start as soon as there is a free slot.
    Resume,
    /// End now and leave the queue. The run can be resumed.
    Stop,
    /// Allow a run that somebody else has submitted.
    Approve,
}

/// The reason why an action is refused.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The run does not exist.
    Unknown(String),
    /// The request is invalid.
    Invalid(anyhow::Error),
    /// The body of the request is too large.
    TooLarge(String),
    /// The action is not possible in the present state.
    Conflict(String),
    /// A file of the queue cannot be read or written; nothing is changed.
    Failed(anyhow::Error),
}

impl Refusal {
    /// The text of the answer.
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
