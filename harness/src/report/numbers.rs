//! Numbers of a run in words, the same in every output.

use crate::stats::Estimate;
use crate::stats::summary::Interval;

/// What takes the place of a quantity that the pairs do not support.
pub(crate) const TOO_FEW: &str = "too few pairs";

/// `text`, or that there are too few pairs.
pub(super) fn supported(text: Option<String>) -> String {
    text.unwrap_or_else(|| TOO_FEW.to_string())
}

/// Elo with its interval, and which one that is if not the usual one.
pub(super) fn elo_text(elo: Option<Estimate>, interval: Interval) -> String {
    match (elo, interval) {
        (Some(elo), Interval::AlwaysValid) => format!(
            "{:.2} (always-valid 95 %: {:.2} to {:.2})",
            elo.estimate, elo.low, elo.high
        ),
        (Some(elo), Interval::FixedLength) => plus_minus(Some(elo)),
        (None, _) => supported(None),
    }
}

pub(super) fn plus_minus(estimate: Option<Estimate>) -> String {
    match estimate {
        Some(e) => format!("{:.2} +/- {:.2}", e.estimate, e.half_width()),
        None => "not defined".to_string(),
    }
}

pub(super) fn percent(share: Option<f64>) -> String {
    match share {
        Some(share) => format!("{:.2} %", 100.0 * share),
        None => "not defined".to_string(),
    }
}

pub(super) fn number(value: Option<f64>) -> String {
    match value {
        Some(value) => format!("{value:.2}"),
        None => "not defined".to_string(),
    }
}
