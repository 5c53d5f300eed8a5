//! Tables of names and values.

use hone_base::out;
use hone_report::{TOO_FEW_RESULTS, fixed, probability};
pub(super) use hone_report::{number, percent};
use hone_stats::Estimate;
use hone_stats::summary::{Interval, MIN_DIFFERENT, MIN_UNITS};

/// Lines of a name and a value each.
#[derive(Debug, Default)]
pub(super) struct Lines(String);

impl Lines {
    pub(super) fn row(&mut self, name: &str, value: impl AsRef<str>) {
        self.0.push_str(&format!("{name:<14} {}\n", value.as_ref()));
    }

    pub(super) fn note(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }

    pub(super) fn print(&self) {
        out!("{}", self.0);
    }
}

/// A quantity, or [`TOO_FEW_RESULTS`] if the results do not support it.
pub(super) fn supported(text: Option<String>) -> String {
    text.unwrap_or_else(|| TOO_FEW_RESULTS.to_owned())
}

/// The sentence on how many results `quantities` need.
pub(super) fn needed(quantities: &str) -> String {
    format!(
        "{quantities} need {MIN_UNITS} pairs (or games), of which {MIN_DIFFERENT} differ from \
         the most frequent result."
    )
}

/// A likelihood of superiority (0 to 1) as a percentage, which is never 0 or 100 %.
pub(super) fn los(share: Option<f64>) -> String {
    share.map_or_else(|| "not defined".to_owned(), |share| probability(share, 2))
}

/// Elo with its interval, and the kind of interval if it is always-valid.
pub(super) fn elo(estimate: Option<Estimate>, kind: Interval) -> String {
    match (estimate, kind) {
        (Some(e), Interval::AlwaysValid) => {
            format!(
                "{} {} (always-valid 95 %)",
                fixed(e.estimate, 2),
                ends(e, 2)
            )
        }
        (estimate, _) => interval(estimate),
    }
}

/// An estimate with its interval, as `+/- margin` and as both ends.
pub(super) fn interval(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(
        || "not defined".to_owned(),
        |e| {
            let (estimate, half) = (fixed(e.estimate, 2), e.half_width());
            format!("{estimate} +/- {half:.2} {} (95 %)", ends(e, 2))
        },
    )
}

/// Both ends of an interval, with this many decimals.
pub(super) fn ends(estimate: Estimate, decimals: usize) -> String {
    let [low, high] = [estimate.low, estimate.high].map(|end| fixed(end, decimals));
    format!("[{low}, {high}]")
}
