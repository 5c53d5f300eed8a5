//! The result of the verifying test of tuned values, in words.

use std::path::Path;

use hone_base::platform::quoted;
use hone_report::html::{counted, with_ends};
use hone_report::{RunFacts, TestVerdict, fixed};
use hone_stats::Estimate;
use hone_stats::summary::Interval;

/// Why nothing is tested.
pub(super) const UNCHANGED: &str =
    "The values did not change: the tuned engine is the start, so there is nothing to test";

const REJECTED: &str = "The verifying test accepted H0: it did not find the engine stronger. \
     Keep the old values.";

/// The result of a test and what to do; `run` is the folder of the tuning.
pub(super) fn finding(test: &RunFacts, run: &Path) -> String {
    match test.verdict {
        TestVerdict::H1 => {
            let elo0 = test.sprt.as_ref().map_or(0.0, |sprt| sprt.elo0);
            accepted(elo0)
        }
        TestVerdict::H0 => REJECTED.to_string(),
        TestVerdict::None if test.withheld.is_some() => {
            "The verdict of the verifying test is withheld because of its findings.".to_string()
        }
        TestVerdict::None if test.is_finished => {
            "The verifying test ended without a decision: it did not find the engine stronger."
                .to_string()
        }
        TestVerdict::None => format!(
            "The verifying test has not decided. Resume it with `hone resume {}`.",
            quoted(run)
        ),
    }
}

/// The meaning of H1, which depends on `elo0`.
fn accepted(elo0: f64) -> String {
    if elo0 < 0.0 {
        return format!(
            "The verifying test accepted H1: the engine is not weaker than before by more than \
             elo0 = {elo0}."
        );
    }
    "The verifying test accepted H1: the engine got stronger.".to_string()
}

/// The state of a test: pairs, Elo, LLR.
pub(super) fn standing(test: &RunFacts) -> String {
    let mut text = format!("{} at {}", counted(test.pairs, "pair"), test.limit);
    if let Some((elo, interval)) = elo(test) {
        let kind = match interval {
            Interval::FixedLength => "95 %",
            Interval::AlwaysValid => "always-valid 95 %",
        };
        text += &format!(": Elo {} ({kind})", with_ends(elo));
    }
    if let Some(sprt) = &test.sprt {
        text += &llr_part([sprt.llr, sprt.lower, sprt.upper]);
    }
    text + "."
}

/// The LLR and its bounds.
fn llr_part(numbers: [f64; 3]) -> String {
    let [llr, lower, upper] = numbers.map(|number| fixed(number, 2));
    format!(", LLR {llr} (bounds {lower} and {upper})").replace('-', "\u{2212}")
}

/// Elo corrected for the stopping rule; after too few pairs, with an
/// always-valid interval.
pub(super) fn elo(test: &RunFacts) -> Option<(Estimate, Interval)> {
    let corrected = test.sprt.as_ref().and_then(|sprt| sprt.elo.as_ref());
    match corrected {
        Some(corrected) => Some((corrected.elo, Interval::FixedLength)),
        None => test.elo.map(|elo| (elo, test.interval)),
    }
}

#[cfg(test)]
mod tests {
    use super::{accepted, llr_part};

    #[test]
    fn only_bounds_from_zero_show_that_the_engine_is_stronger() {
        assert!(accepted(0.0).ends_with("the engine got stronger."));
        assert!(accepted(2.0).ends_with("the engine got stronger."));
        let text = accepted(-5.0);
        assert!(
            text.ends_with("not weaker than before by more than elo0 = -5."),
            "{text}"
        );
    }

    #[test]
    fn an_llr_that_is_rounded_to_zero_has_no_sign() {
        let text = llr_part([-0.004, -2.944, 2.944]);
        assert_eq!(text, ", LLR 0.00 (bounds \u{2212}2.94 and 2.94)");
    }
}
