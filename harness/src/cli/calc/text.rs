//! Tables of names and values.

use crate::report::fixed;
use crate::stats::Estimate;
use crate::stats::summary::Interval;

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

/// A number with two decimals, or that it is not defined.
pub(super) fn number(value: Option<f64>, unit: &str) -> String {
    value.map_or_else(|| "not defined".to_owned(), |value| fixed(value, 2) + unit)
}

/// A share as a percentage.
pub(super) fn percent(share: Option<f64>) -> String {
    number(share.map(|share| 100.0 * share), " %")
}

/// What takes the place of a quantity that the pairs or games do not support.
pub(super) const TOO_FEW: &str = "too few different results";

/// A quantity that needs enough pairs or games.
pub(super) fn supported(text: Option<String>) -> String {
    text.unwrap_or_else(|| TOO_FEW.to_owned())
}

/// Elo with its interval, and which one that is if not the usual one.
pub(super) fn elo(estimate: Option<Estimate>, kind: Interval) -> String {
    match (estimate, kind) {
        (Some(e), Interval::AlwaysValid) => format!(
            "{:.2} [{:.2}, {:.2}] (always-valid 95 %)",
            e.estimate, e.low, e.high
        ),
        (estimate, _) => interval(estimate),
    }
}

/// An estimate with its interval, both ways that testers write it.
pub(super) fn interval(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(
        || "not defined".to_owned(),
        |e| {
            let half = e.half_width();
            format!(
                "{:.2} +/- {half:.2} [{:.2}, {:.2}] (95 %)",
                e.estimate, e.low, e.high
            )
        },
    )
}
