//! Ponder searches.

use std::time::Instant;

use shakmaty::Move;

use super::position_command::PositionCommand;
use crate::executor::Pondered;

/// A search in the opponent's time (`go ponder`).
pub(super) struct PonderSearch {
    /// The opponent's move that the engine expects.
    pub(super) expected: Move,
    /// The `position` and `go ponder` that the engine was sent.
    pub(super) command: PositionCommand,
    pub(super) begun: Instant,
}

/// A ponder search that was ended when the opponent moved.
pub(super) struct EndedPondering {
    pub(super) command: PositionCommand,
    pub(super) end: Pondered,
}
