//! The reason for the end of a game in the words of each program.

use crate::OutputFormat;

/// The reason as the program prints it: only fastchess prints the overrun of a clock, only
/// cutechess-cli the maximum length and the illegal move.
pub(super) fn reason(format: OutputFormat, text: &str) -> String {
    // The reason up to the first text; the second replaces the rest.
    let ends: &[(&str, &str)] = match format {
        OutputFormat::Cutechess => &[(" loses on time (", " loses on time")],
        _ => &[(": maximal", ""), (" move: ", " move")],
    };
    let shortened = ends.iter().find_map(|(end, kept)| {
        let (before, _) = text.split_once(end)?;
        Some(format!("{before}{kept}"))
    });
    shortened.unwrap_or_else(|| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_overrun_of_a_clock_is_cut_for_cutechess() {
        for (text, cutechess, fastchess) in [
            (
                "White makes an illegal move: (none)",
                "White makes an illegal move: (none)",
                "White makes an illegal move",
            ),
            (
                "Black loses on time (12ms overrun)",
                "Black loses on time",
                "Black loses on time (12ms overrun)",
            ),
            (
                "Draw by adjudication: maximal game length",
                "Draw by adjudication: maximal game length",
                "Draw by adjudication",
            ),
            ("White mates", "White mates", "White mates"),
        ] {
            assert_eq!(reason(OutputFormat::Cutechess, text), cutechess);
            assert_eq!(reason(OutputFormat::Fastchess, text), fastchess);
        }
    }
}
