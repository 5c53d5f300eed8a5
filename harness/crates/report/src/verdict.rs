//! The verdict of a sequential test, as reports name it.

use std::fmt;

use serde::Serialize;

use hone_experiment::Verdict;

/// The decision of a sequential test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum TestVerdict {
    H1,
    H0,
    /// No decision, or not a test.
    #[serde(rename = "none")]
    None,
}

/// Why a run ended early and without a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// Its games only repeat earlier games.
    RepeatedGames,
}

impl EndReason {
    /// The reason for a verdict; `None` if the run was not ended early.
    pub fn of(verdict: Option<Verdict>) -> Option<Self> {
        (verdict == Some(Verdict::Repeated)).then_some(Self::RepeatedGames)
    }

    /// What it means, and what to do.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::RepeatedGames => {
                "Undecided: the run ended because every new pair repeats earlier games. With a limit of nodes or depth a repeated game does not count as evidence.\nhelp: use a larger book (`openings = \"default\"` is the built-in one), or a time control"
            }
        }
    }
}

impl From<Option<Verdict>> for TestVerdict {
    fn from(verdict: Option<Verdict>) -> Self {
        match verdict {
            Some(Verdict::H1) => Self::H1,
            Some(Verdict::H0) => Self::H0,
            Some(
                Verdict::Complete
                | Verdict::Inconclusive
                | Verdict::Repeated
                | Verdict::ShardPlayed,
            )
            | None => Self::None,
        }
    }
}

impl fmt::Display for TestVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::H1 => "H1",
            Self::H0 => "H0",
            Self::None => "none",
        })
    }
}
