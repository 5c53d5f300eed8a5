//! The result of a game.

use serde::{Deserialize, Serialize};

/// Who won a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Outcome {
    White,
    Draw,
    Black,
}

impl Outcome {
    /// The result as PGN and the ledger write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::White => "1-0",
            Outcome::Draw => "1/2-1/2",
            Outcome::Black => "0-1",
        }
    }

    /// Reads what [`Self::as_str`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let all = [Self::White, Self::Draw, Self::Black];
        all.into_iter().find(|outcome| outcome.as_str() == text)
    }

    /// White's half points, 0 to 2.
    pub fn white_half_points(self) -> usize {
        match self {
            Self::White => 2,
            Self::Draw => 1,
            Self::Black => 0,
        }
    }

    /// The loser's colour: 0 for White, 1 for Black, none in a draw.
    pub fn loser(self) -> Option<usize> {
        match self {
            Outcome::White => Some(1),
            Outcome::Draw => None,
            Outcome::Black => Some(0),
        }
    }
}

/// Why a game ended. The order is that of the ledger's documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Termination {
    Checkmate,
    Stalemate,
    InsufficientMaterial,
    Repetition,
    FiftyMoves,
    /// Adjudicated: both scores near zero for long enough.
    DrawAdjudication,
    /// Adjudicated: one side's score hopeless for long enough.
    ResignAdjudication,
    /// Adjudicated: the maximum length was reached.
    MaxMoves,
    /// Adjudicated by an endgame tablebase.
    Tablebase,
    TimeForfeit,
    IllegalMove,
    /// The engine's process ended or closed its output.
    Disconnect,
    /// The engine did not answer in time where no clock runs.
    Stall,
}

impl Termination {
    /// All of them, in their order.
    pub const ALL: [Self; 13] = [
        Self::Checkmate,
        Self::Stalemate,
        Self::InsufficientMaterial,
        Self::Repetition,
        Self::FiftyMoves,
        Self::DrawAdjudication,
        Self::ResignAdjudication,
        Self::MaxMoves,
        Self::Tablebase,
        Self::TimeForfeit,
        Self::IllegalMove,
        Self::Disconnect,
        Self::Stall,
    ];

    /// As a reader names it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::InsufficientMaterial => "insufficient material",
            Self::Repetition => "threefold repetition",
            Self::FiftyMoves => "the fifty-move rule",
            Self::DrawAdjudication => "draw adjudication",
            Self::ResignAdjudication => "resign adjudication",
            Self::MaxMoves => "maximum length",
            Self::Tablebase => "tablebase",
            Self::TimeForfeit => "time forfeit",
            Self::IllegalMove => "illegal move",
            Self::Disconnect => "crash",
            Self::Stall => "stall",
        }
    }

    /// Whether the losing engine failed rather than was outplayed.
    pub fn is_failure(self) -> bool {
        matches!(
            self,
            Self::TimeForfeit | Self::IllegalMove | Self::Disconnect | Self::Stall
        )
    }
}

/// What one engine put into a game: sums over its moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// Moves made.
    pub moves: u32,
    /// Sums of the depths and selective depths it reported.
    pub depth: u64,
    pub seldepth: u64,
    /// Microseconds of its time that were the harness's own: writing to it,
    /// and being kept from reading its answer.
    pub latency_us: u64,
    /// Microseconds in which the machine gave its threads no processor during
    /// the move that lost it the game on time; 0 if it overran by more than
    /// that, or did not lose on time.
    pub starved_us: u64,
    /// Moves whose principal variation held an illegal move.
    pub illegal_pvs: u32,
    /// Its failures in this game that did not count: after each the game was played
    /// again, or the pair after a time forfeit that the machine caused.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replayed: u32,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl GameResult {
    /// The colour that lost on time because the machine gave its engine no
    /// processor: 0 for White, 1 for Black.
    pub(crate) fn fault_of_machine(&self) -> Option<usize> {
        let loser = self.outcome.loser()?;
        let is_fault =
            self.termination == Termination::TimeForfeit && self.effort[loser].starved_us > 0;
        is_fault.then_some(loser)
    }
}

/// One finished game: a row of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameResult {
    pub outcome: Outcome,
    pub termination: Termination,
    /// Plies played after the opening.
    pub plies: u32,
    /// Thinking time of White and Black, in milliseconds.
    pub ms: [u64; 2],
    /// Nodes searched by White and Black, as the engines reported them.
    pub nodes: [u64; 2],
    /// What White and Black put into it.
    pub effort: [Effort; 2],
    /// Digest of the start position, the moves and the result, no timings.
    pub digest: u64,
    /// The same without the start position's move counters; absent in older
    /// ledgers.
    pub line: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_forfeit_of_a_starved_loser_is_the_machines_fault() {
        let game = |outcome, termination, starved_us: [u64; 2]| GameResult {
            outcome,
            termination,
            plies: 1,
            ms: [0; 2],
            nodes: [0; 2],
            effort: starved_us.map(|starved_us| Effort {
                starved_us,
                ..Effort::default()
            }),
            digest: 0,
            line: None,
        };
        let forfeit = Termination::TimeForfeit;
        for (outcome, termination, starved, fault) in [
            (Outcome::Black, forfeit, [9, 0], Some(0)),
            (Outcome::White, forfeit, [0, 9], Some(1)),
            (Outcome::White, forfeit, [0, 0], None),
            (Outcome::White, forfeit, [9, 0], None),
            (Outcome::White, Termination::Disconnect, [0, 9], None),
            (Outcome::Draw, Termination::Stalemate, [9, 9], None),
        ] {
            let result = game(outcome, termination, starved);
            assert_eq!(result.fault_of_machine(), fault, "{result:?}");
        }
    }
}
