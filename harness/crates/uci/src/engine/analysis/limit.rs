//! The limit of a search of a single position.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

/// When a search ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchLimit {
    Nodes(u64),
    Depth(u32),
    /// Milliseconds.
    MoveTime(u64),
}

/// How much longer than `movetime` an answer may take.
const OVERRUN: Duration = Duration::from_secs(10);

impl SearchLimit {
    fn key_and_value(self) -> (&'static str, u64) {
        match self {
            SearchLimit::Nodes(nodes) => ("nodes", nodes),
            SearchLimit::Depth(depth) => ("depth", depth.into()),
            SearchLimit::MoveTime(ms) => ("movetime", ms),
        }
    }

    /// The `go` command, with its line end.
    pub(super) fn go(self) -> String {
        let (key, value) = self.key_and_value();
        format!("go {key} {value}\n")
    }

    /// The time limit for the answer: `untimed` for a search without `movetime`.
    pub(super) fn timeout(self, untimed: Duration) -> Duration {
        match self {
            SearchLimit::MoveTime(ms) => Duration::from_millis(ms) + OVERRUN,
            SearchLimit::Nodes(_) | SearchLimit::Depth(_) => untimed,
        }
    }
}

impl fmt::Display for SearchLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, value) = self.key_and_value();
        write!(f, "{key}={value}")
    }
}
