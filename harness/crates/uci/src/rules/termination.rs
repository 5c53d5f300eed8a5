//! Why a game ended, and the words for it.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::Outcome;

/// Why a game ended. The order is that of the ledger's documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Termination {
    Checkmate,
    Stalemate,
    InsufficientMaterial,
    Repetition,
    FiftyMoves,
    /// By the draw rule of the adjudication.
    DrawAdjudication,
    /// By the resign rule of the adjudication.
    ResignAdjudication,
    /// Adjudicated at the maximum length.
    MaxMoves,
    /// Adjudicated by a tablebase.
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

    /// The name in reports.
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

    /// Whether the losing engine failed.
    pub fn is_failure(self) -> bool {
        matches!(
            self,
            Self::TimeForfeit | Self::IllegalMove | Self::Disconnect | Self::Stall
        )
    }

    /// The reason in the words of cutechess-cli and fastchess, which other programs parse.
    /// `overrun_ms` is that of a time forfeit; `None` if the engine did not answer.
    pub fn reason(self, outcome: Outcome, overrun_ms: Option<u64>) -> String {
        let (winner, loser) = match outcome {
            Outcome::White => ("White", "Black"),
            _ => ("Black", "White"),
        };
        let mut text = String::new();
        let written = match self {
            Self::Checkmate => write!(text, "{winner} mates"),
            Self::Stalemate => write!(text, "Draw by stalemate"),
            Self::InsufficientMaterial => write!(text, "Draw by insufficient mating material"),
            Self::Repetition => write!(text, "Draw by 3-fold repetition"),
            Self::FiftyMoves => write!(text, "Draw by fifty moves rule"),
            Self::DrawAdjudication => write!(text, "Draw by adjudication"),
            Self::ResignAdjudication => write!(text, "{winner} wins by adjudication"),
            Self::MaxMoves => write!(text, "Draw by adjudication: maximal game length"),
            Self::Tablebase if outcome == Outcome::Draw => {
                write!(text, "Draw by adjudication: SyzygyTB")
            }
            Self::Tablebase => write!(text, "{winner} wins by adjudication: SyzygyTB"),
            Self::TimeForfeit => match overrun_ms {
                Some(ms) => write!(text, "{loser} loses on time ({ms}{OVERRUN})"),
                None => write!(text, "{loser} loses on time (no answer)"),
            },
            Self::IllegalMove => write!(text, "{loser} makes an illegal move"),
            Self::Disconnect => write!(text, "{loser} disconnects"),
            Self::Stall => write!(text, "{loser}'s connection stalls"),
        };
        written.expect("writing to a string cannot fail");
        text
    }

    /// Parses the result of [`Self::reason`]. Ignores the overrun of a time forfeit and text
    /// after an illegal move.
    pub fn of_reason(text: &str, outcome: Outcome) -> Option<Self> {
        Self::ALL.into_iter().find(|termination| {
            let reason = termination.reason(outcome, None);
            match termination {
                Self::TimeForfeit => {
                    let start = reason.split('(').next().unwrap_or(&reason);
                    text.starts_with(start)
                }
                Self::IllegalMove => text.starts_with(&reason),
                _ => text == reason,
            }
        })
    }
}

/// The text after the milliseconds of an overrun.
const OVERRUN: &str = "ms overrun";

/// The overrun of a time forfeit in milliseconds, from the result of
/// [`Termination::reason`].
pub fn overrun_ms(reason: &str) -> Option<u64> {
    let (_, text) = reason.split_once('(')?;
    let (ms, _) = text.split_once(OVERRUN)?;
    ms.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_those_that_other_tools_parse() {
        let reason = |t: Termination, o| t.reason(o, Some(12));
        assert_eq!(
            reason(Termination::TimeForfeit, Outcome::Black),
            "White loses on time (12ms overrun)"
        );
        let no_answer = Termination::TimeForfeit.reason(Outcome::Black, None);
        assert_eq!(no_answer, "White loses on time (no answer)");
        assert_eq!(
            Termination::of_reason(&no_answer, Outcome::Black),
            Some(Termination::TimeForfeit)
        );
        assert_eq!(overrun_ms("White loses on time (12ms overrun)"), Some(12));
        assert_eq!(overrun_ms(&no_answer), None);
        for outcome in [Outcome::White, Outcome::Draw, Outcome::Black] {
            for termination in Termination::ALL {
                let text = reason(termination, outcome);
                assert_eq!(Termination::of_reason(&text, outcome), Some(termination));
            }
        }
        let illegal = "Black makes an illegal move: e2e5";
        assert_eq!(
            Termination::of_reason(illegal, Outcome::White),
            Some(Termination::IllegalMove)
        );
        assert_eq!(Termination::of_reason(illegal, Outcome::Black), None);
        assert_eq!(
            reason(Termination::Stall, Outcome::White),
            "Black's connection stalls"
        );
        assert_eq!(
            reason(Termination::Checkmate, Outcome::Black),
            "Black mates"
        );
        assert_eq!(
            reason(Termination::Tablebase, Outcome::Draw),
            "Draw by adjudication: SyzygyTB"
        );
    }
}
