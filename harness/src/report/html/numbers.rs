//! Numbers as people read them.

pub(crate) use crate::report::numbers::{counted, duration, real_minus};
use crate::report::numbers::{probability as in_words, signed as in_text};
use crate::stats::Estimate;

/// Three digits and a unit: `732 k` for 732035.43.
pub(crate) fn rounded(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        size if size >= 999.5e6 => (value / 1e9, " G"),
        size if size >= 999.5e3 => (value / 1e6, " M"),
        size if size >= 9_999.5 => (value / 1e3, " k"),
        _ => (value, ""),
    };
    let digits = match scaled.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    format!("{scaled:.digits$}{unit}")
}

/// The same, where there may be none.
pub(crate) fn rounded_or_dash(value: Option<f64>) -> String {
    value.map_or("–".to_string(), rounded)
}

/// `+4.2 ± 3.1`, with a real minus sign. Without the margin where the two sides
/// of the interval differ in the digits that are shown: its ends would be others.
pub(crate) fn with_margin(estimate: Estimate) -> String {
    let value = signed(estimate.estimate);
    match estimate.margin() {
        Some(margin) => format!("{value} ± {margin:.1}"),
        None => value,
    }
}

/// `+12.3 [+1.2, +20.4]`: of any interval.
pub(crate) fn with_ends(estimate: Estimate) -> String {
    let [value, low, high] = [estimate.estimate, estimate.low, estimate.high].map(signed);
    format!("{value} [{low}, {high}]")
}

/// `−1.2 to +3.4`.
pub(crate) fn ends(estimate: Estimate) -> String {
    format!("{} to {}", signed(estimate.low), signed(estimate.high))
}

/// One decimal with its sign; zero has none.
pub(crate) fn signed(value: f64) -> String {
    real_minus(&in_text(value))
}

/// A share as a percentage with one decimal.
pub(crate) fn percentage(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A probability with one decimal; none is certain.
pub(crate) fn probability(share: f64) -> String {
    in_words(share, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit() {
        for (value, text) in [
            (732_035.43, "732 k"),
            (409_336.0, "409 k"),
            (1_254_000.0, "1.25 M"),
            (999_700.0, "1.00 M"),
            (9_999.4, "9999"),
            (12_345.0, "12.3 k"),
            (5.436, "5.44"),
            (99.96, "100"),
            (0.0, "0.00"),
        ] {
            assert_eq!(rounded(value), text);
        }
        assert_eq!(rounded_or_dash(None), "–");
    }

    #[test]
    fn signs_are_shown_and_zero_has_none() {
        assert_eq!(signed(3.21), "+3.2");
        assert_eq!(signed(-3.21), "\u{2212}3.2");
        assert_eq!(signed(-0.01), "0.0");
    }

    #[test]
    fn only_a_symmetric_interval_has_a_margin() {
        let estimate = |low, high| Estimate {
            estimate: 12.3,
            low,
            high,
        };
        for (low, high, margin, ends) in [
            (9.2, 15.4, "+12.3 ± 3.1", "+12.3 [+9.2, +15.4]"),
            (9.17, 15.49, "+12.3 ± 3.2", "+12.3 [+9.2, +15.5]"),
            (-1.2, 20.4, "+12.3", "+12.3 [\u{2212}1.2, +20.4]"),
            (9.2, f64::INFINITY, "+12.3", "+12.3 [+9.2, +inf]"),
        ] {
            let estimate = estimate(low, high);
            assert_eq!(with_margin(estimate), margin);
            assert_eq!(with_ends(estimate), ends);
        }
    }
}
