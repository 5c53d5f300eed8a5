//! The result of a game.

use serde::{Deserialize, Serialize};

use super::{Outcome, Termination};

/// Sums over an engine's moves in a game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// Moves made.
    pub moves: u32,
    /// Reported depths and selective depths.
    pub depth: u64,
    pub seldepth: u64,
    /// Microseconds that were not charged to the engine: `hone` wrote commands, or was kept
    /// from reading an answer.
    pub latency_us: u64,
    /// Microseconds that the engine's threads waited for a processor during the move that
    /// lost on time, in sum; 0 if the overrun was longer, or without a time forfeit.
    pub starved_us: u64,
    /// Moves whose principal variation had an illegal move.
    pub illegal_pvs: u32,
    /// Failures of the engine after which the game was replayed, or after which the pair
    /// was replayed because the machine caused the time forfeit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replayed: u32,
    /// Microseconds of its moves whose processor time was measured, the processor time that
    /// it used in them, and the processor time that it used in such moves of its opponent.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub measured_us: u64,
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub cpu_us: u64,
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub idle_cpu_us: u64,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

fn is_nothing(time: &u64) -> bool {
    *time == 0
}

impl GameResult {
    /// The colour whose engine lost on time because the machine starved it: 0 for White, 1
    /// for Black.
    pub fn fault_of_machine(&self) -> Option<usize> {
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
    /// Further sums of White and Black.
    pub effort: [Effort; 2],
    /// Digest of the start position, the moves and the result.
    pub digest: u64,
    /// The same without the move counters of the start position; absent in old ledgers.
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
