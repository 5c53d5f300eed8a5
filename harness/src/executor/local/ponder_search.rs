//! Searches in the opponent's time, and how they end.

use std::time::Instant;

use shakmaty::Move;

use super::position_command::PositionCommand;
use crate::executor::Pondered;

/// A search in the opponent's time.
pub(super) struct PonderSearch {
    /// The opponent's move that is expected.
    pub(super) expected: Move,
    /// What the engine was sent.
    pub(super) command: PositionCommand,
    pub(super) begun: Instant,
}

/// Such a search that has been ended for the engine's turn.
pub(super) struct EndedPondering {
    pub(super) command: PositionCommand,
    pub(super) end: Pondered,
}
