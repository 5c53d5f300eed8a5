//! Numbers as pages show them.

pub use crate::numbers::counted;
pub(crate) use crate::numbers::duration;
pub(crate) use crate::numbers::real_minus;
use crate::numbers::{probability as with_decimals, signed as with_hyphen, signed_ends};
use hone_stats::Estimate;

/// Three significant digits with a unit prefix: `732 k` for 732035.43.
pub fn rounded(value: f64) -> String {
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

/// As [`rounded`]; a dash for `None`.
pub(crate) fn rounded_or_dash(value: Option<f64>) -> String {
    value.map_or("–".to_string(), rounded)
}

/// `+4.2 ± 3.1`, with a real minus sign. Without the margin if the interval is not
/// symmetric in the decimal that is shown.
pub fn with_margin(estimate: Estimate) -> String {
    let value = signed(estimate.estimate);
    match estimate.margin() {
        Some(margin) => format!("{value} ± {margin:.1}"),
        None => value,
    }
}

/// `+12.3 [+1.2, +20.4]`: for intervals that may be asymmetric.
pub fn with_ends(estimate: Estimate) -> String {
    let [value, low, high] = [estimate.estimate, estimate.low, estimate.high].map(signed);
    format!("{value} [{low}, {high}]")
}

/// `−1.2 to +3.4`: the ends of the interval.
pub fn ends(estimate: Estimate) -> String {
    real_minus(&signed_ends(estimate))
}

/// One decimal with its sign; zero has none.
pub fn signed(value: f64) -> String {
    real_minus(&with_hyphen(value))
}

/// A share (0 to 1) as a percentage with one decimal.
pub fn percentage(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A probability (0 to 1) as a percentage with one decimal, never 0 % or 100 %.
pub fn probability(share: f64) -> String {
    with_decimals(share, 1)
}

/// A p-value: `0.123`, or `4e-5` below 0.001; a dash for `None`.
pub fn p_value(p: Option<f64>) -> String {
    match p {
        None => "–".to_string(),
        Some(p) if p < 0.001 => format!("{p:.0e}"),
        Some(p) => format!("{p:.3}"),
    }
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
    fn small_p_values_are_not_zero() {
        let shown = [None, Some(0.25), Some(0.000_04)].map(p_value);
        assert_eq!(shown, ["–", "0.250", "4e-5"]);
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
