//! The limit of a search of a single position.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

/// The end of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Limit {
    Nodes(u64),
    Depth(u32),
    /// Milliseconds.
    MoveTime(u64),
}

/// Grace beyond the time limit, and the time limit itself where the limit has
/// none.
const OVERRUN: Duration = Duration::from_secs(10);
const UNTIMED: Duration = Duration::from_secs(600);

impl Limit {
    /// The `go` command.
    pub(super) fn go(self) -> String {
        match self {
            Limit::Nodes(nodes) => format!("go nodes {nodes}\n"),
            Limit::Depth(depth) => format!("go depth {depth}\n"),
            Limit::MoveTime(ms) => format!("go movetime {ms}\n"),
        }
    }

    /// After this an engine that has not answered never will.
    pub(super) fn patience(self) -> Duration {
        match self {
            Limit::MoveTime(ms) => Duration::from_millis(ms) + OVERRUN,
            Limit::Nodes(_) | Limit::Depth(_) => UNTIMED,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Nodes(nodes) => write!(f, "nodes={nodes}"),
            Limit::Depth(depth) => write!(f, "depth={depth}"),
            Limit::MoveTime(ms) => write!(f, "movetime={ms}"),
        }
    }
}
