//! Numbers of a run in words, the same in every output.

use crate::stats::Estimate;
use crate::stats::summary::Interval;

/// What takes the place of a quantity that the pairs do not support: there are
/// too few of them, or nearly all ended alike.
pub(crate) const TOO_FEW: &str = "too few different pairs";

/// `1 pair`, `2 pairs`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// A number with this many decimals; one that they show as zero has no sign.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|c| matches!(c, '0' | '.')) => digits.to_string(),
        _ => text,
    }
}

/// `text`, or that the pairs do not support it.
pub(super) fn supported(text: Option<String>) -> String {
    text.unwrap_or_else(|| TOO_FEW.to_string())
}

/// Elo with its interval, and which one that is if not the usual one.
pub(super) fn elo_text(elo: Option<Estimate>, interval: Interval) -> String {
    match (elo, interval) {
        (Some(elo), Interval::AlwaysValid) => format!(
            "{} (always-valid 95 %: {} to {})",
            fixed(elo.estimate, 2),
            fixed(elo.low, 2),
            fixed(elo.high, 2)
        ),
        (Some(elo), Interval::FixedLength) => plus_minus(Some(elo)),
        (None, _) => supported(None),
    }
}

pub(super) fn plus_minus(estimate: Option<Estimate>) -> String {
    match estimate {
        Some(e) => format!("{} +/- {:.2}", fixed(e.estimate, 2), e.half_width()),
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
        Some(value) => fixed(value, 2),
        None => "not defined".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{counted, fixed};

    #[test]
    fn zero_has_no_sign_and_one_no_plural() {
        let shown = [-0.0, -0.004, -0.005_1, 0.0, -2.0].map(|value| fixed(value, 2));
        assert_eq!(shown, ["0.00", "0.00", "-0.01", "0.00", "-2.00"]);
        assert_eq!(counted(1, "pair"), "1 pair");
        assert_eq!(counted(0, "pair"), "0 pairs");
    }
}
