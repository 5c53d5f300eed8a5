//! The reason for the end of a game in the words of each program.

use crate::OutputFormat;
use hone_uci::rules::{Detail, Outcome, Termination};

/// The reason as the program prints it: only fastchess prints the overrun of a clock, only
/// cutechess-cli the maximum length and the illegal move.
pub(super) fn reason(
    format: OutputFormat,
    termination: Termination,
    outcome: Outcome,
    detail: &Detail,
) -> String {
    let is_cutechess = format == OutputFormat::Cutechess;
    match termination {
        Termination::MaxMoves if !is_cutechess => {
            Termination::DrawAdjudication.reason(outcome, detail)
        }
        Termination::TimeForfeit if is_cutechess => termination.reason(outcome, &Detail::None),
        Termination::IllegalMove if !is_cutechess => termination.reason(outcome, &Detail::None),
        _ => termination.reason(outcome, detail),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_overrun_of_a_clock_is_cut_for_cutechess() {
        for (termination, outcome, detail, cutechess, fastchess) in [
            (
                Termination::IllegalMove,
                Outcome::Black,
                Detail::Move("(none)".to_string()),
                "White makes an illegal move: (none)",
                "White makes an illegal move",
            ),
            (
                Termination::TimeForfeit,
                Outcome::White,
                Detail::Overrun(12),
                "Black loses on time",
                "Black loses on time (12ms overrun)",
            ),
            (
                Termination::MaxMoves,
                Outcome::Draw,
                Detail::None,
                "Draw by adjudication: maximal game length",
                "Draw by adjudication",
            ),
            (
                Termination::Checkmate,
                Outcome::White,
                Detail::None,
                "White mates",
                "White mates",
            ),
        ] {
            let shown = |format| reason(format, termination, outcome, &detail);
            assert_eq!(shown(OutputFormat::Cutechess), cutechess);
            assert_eq!(shown(OutputFormat::Fastchess), fastchess);
        }
    }
}
