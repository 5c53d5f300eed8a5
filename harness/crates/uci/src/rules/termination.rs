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

    /// Whether a game with this end can have this detail.
    pub fn allows(self, detail: &Detail) -> bool {
        match detail {
            Detail::None => self != Self::TimeForfeit,
            Detail::Overrun(_) | Detail::NoAnswer => self == Self::TimeForfeit,
            Detail::Move(text) => {
                self == Self::IllegalMove
                    && text.len() <= MAX_ANSWER
                    && text.bytes().all(is_allowed_in_answer)
            }
        }
    }

    /// The reason in the words of cutechess-cli and fastchess, which other programs parse.
    pub fn reason(self, outcome: Outcome, detail: &Detail) -> String {
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
            Self::TimeForfeit => write!(text, "{loser} loses on time"),
            Self::IllegalMove => write!(text, "{loser} makes an illegal move"),
            Self::Disconnect => write!(text, "{loser} disconnects"),
            Self::Stall => write!(text, "{loser}'s connection stalls"),
        };
        written
            .and_then(|()| match detail {
                Detail::None => Ok(()),
                Detail::Overrun(ms) => write!(text, " ({ms}ms overrun)"),
                Detail::NoAnswer => write!(text, " (no answer)"),
                Detail::Move(answer) => write!(text, ": {answer}"),
            })
            .expect("writing to a string cannot fail");
        text
    }

    /// Parses the result of [`Self::reason`] in a PGN. Ignores the detail.
    pub fn of_reason(text: &str, outcome: Outcome) -> Option<Self> {
        Self::ALL.into_iter().find(|termination| {
            let reason = termination.reason(outcome, &Detail::None);
            match termination {
                Self::TimeForfeit | Self::IllegalMove => text.starts_with(&reason),
                _ => text == reason,
            }
        })
    }
}

/// More about the end of a game than its termination.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    #[default]
    None,
    /// By how many milliseconds a move was late that lost on time.
    Overrun(u64),
    /// The engine that lost on time did not answer.
    NoAnswer,
    /// The illegal answer, as [`Detail::of_answer`] shortens it.
    Move(String),
}

/// Characters kept of an illegal answer.
const MAX_ANSWER: usize = 20;

/// A brace would end the comment of a PGN.
fn is_allowed_in_answer(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'{' | b'}')
}

impl Detail {
    /// The detail of an illegal answer.
    pub fn of_answer(answer: &[u8]) -> Self {
        let bytes = answer.iter().filter(|byte| is_allowed_in_answer(**byte));
        let clean: String = bytes
            .take(MAX_ANSWER)
            .map(|byte| char::from(*byte))
            .collect();
        if clean.is_empty() {
            Self::None
        } else {
            Self::Move(clean)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_those_that_other_tools_parse() {
        let reason = |t: Termination, o| match t {
            Termination::TimeForfeit => t.reason(o, &Detail::Overrun(12)),
            t => t.reason(o, &Detail::None),
        };
        assert_eq!(
            reason(Termination::TimeForfeit, Outcome::Black),
            "White loses on time (12ms overrun)"
        );
        let no_answer = Termination::TimeForfeit.reason(Outcome::Black, &Detail::NoAnswer);
        assert_eq!(no_answer, "White loses on time (no answer)");
        assert_eq!(
            Termination::of_reason(&no_answer, Outcome::Black),
            Some(Termination::TimeForfeit)
        );
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
