//! The limit of a search of a single position.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

/// The end of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SearchLimit {
    Nodes(u64),
    Depth(u32),
    /// Milliseconds.
    MoveTime(u64),
}

/// Grace beyond a time limit.
const OVERRUN: Duration = Duration::from_secs(10);

impl SearchLimit {
    /// The `go` command.
    pub(super) fn go(self) -> String {
        match self {
            SearchLimit::Nodes(nodes) => format!("go nodes {nodes}\n"),
            SearchLimit::Depth(depth) => format!("go depth {depth}\n"),
            SearchLimit::MoveTime(ms) => format!("go movetime {ms}\n"),
        }
    }

    /// After this time without an answer an engine stalls: `untimed` for a
    /// search without a time limit.
    pub(super) fn patience(self, untimed: Duration) -> Duration {
        match self {
            SearchLimit::MoveTime(ms) => Duration::from_millis(ms) + OVERRUN,
            SearchLimit::Nodes(_) | SearchLimit::Depth(_) => untimed,
        }
    }
}

impl fmt::Display for SearchLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchLimit::Nodes(nodes) => write!(f, "nodes={nodes}"),
            SearchLimit::Depth(depth) => write!(f, "depth={depth}"),
            SearchLimit::MoveTime(ms) => write!(f, "movetime={ms}"),
        }
    }
}
