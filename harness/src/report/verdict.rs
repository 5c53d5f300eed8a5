//! The verdict of a sequential test, as the contract names it.

use std::fmt;

use serde::Serialize;

use crate::experiment::Verdict;

/// What a sequential test has decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) enum TestVerdict {
    H1,
    H0,
    /// No decision, or not a test.
    #[serde(rename = "none")]
    None,
}

impl From<Option<Verdict>> for TestVerdict {
    fn from(verdict: Option<Verdict>) -> Self {
        match verdict {
            Some(Verdict::H1) => Self::H1,
            Some(Verdict::H0) => Self::H0,
            Some(Verdict::Complete | Verdict::Inconclusive) | None => Self::None,
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
