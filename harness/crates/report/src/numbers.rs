//! Numbers as text, the same in every output.

pub use hone_base::text::counted;
use hone_base::text::unsigned_zero;
use hone_stats::Estimate;
use hone_stats::summary::Interval;

/// Shown instead of an estimate that the pairs do not support: there are too few of them,
/// or nearly all have the same result.
pub const TOO_FEW_PAIRS: &str = "too few different pairs";
/// The same where results may also be those of single games.
pub const TOO_FEW_RESULTS: &str = "too few different results";

/// Seconds in their two largest units: `7.3 s`, `1 min 1 s`, `30 min`, `2 h 1 min`, `2 d 7 h`.
pub fn duration(seconds: f64) -> String {
    let seconds = seconds.clamp(0.0, 1e10);
    // Tenths below ten seconds, whole minutes from a quarter of an hour on.
    match seconds.round() as u64 {
        0..10 => format!("{seconds:.1} s"),
        s @ 10..60 => format!("{s} s"),
        s @ 60..900 => format!("{} min {} s", s / 60, s % 60),
        s @ 900..3600 => format!("{} min", s / 60),
        s @ 3600..86_400 => format!("{} h {} min", s / 3600, s % 3600 / 60),
        s => format!("{} d {} h", s / 86_400, s % 86_400 / 3600),
    }
}

/// A number with `decimals` decimals. If it is rounded to zero, it has no sign.
pub fn fixed(value: f64, decimals: usize) -> String {
    unsigned_zero(format!("{value:.decimals$}"))
}

/// One decimal with its sign; zero has none.
pub fn signed(value: f64) -> String {
    signed_with(value, 1)
}

/// `decimals` decimals with their sign; a number that is rounded to zero has none.
pub fn signed_with(value: f64, decimals: usize) -> String {
    unsigned_zero(format!("{value:+.decimals$}"))
}

/// `-1.2 to +3.4`: the ends of the interval.
pub fn signed_ends(estimate: Estimate) -> String {
    format!("{} to {}", signed(estimate.low), signed(estimate.high))
}

/// The text with percent signs that stay on the line of their number.
pub(crate) fn keep_percent(text: &str) -> String {
    text.replace(" %", "\u{a0}%")
}

/// As [`keep_percent`], with a minus sign in place of each hyphen that begins a number.
pub(crate) fn real_minus(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let begins = matches!(before, ' ' | '\n' | '[' | '(');
        let is_minus = c == '-' && begins && rest.peek().is_some_and(char::is_ascii_digit);
        out.push(if is_minus { '\u{2212}' } else { c });
        before = c;
    }
    keep_percent(&out)
}

/// A probability (0 to 1) as a percentage. It never shows as certain: what would be
/// rounded to 0 % or 100 % is, for example, `<0.1 %` or `>99.9 %`.
pub fn probability(share: f64, decimals: usize) -> String {
    let shown = |percent: f64| format!("{percent:.decimals$} %");
    let step = 0.1f64.powi(decimals as i32);
    match shown(100.0 * share) {
        text if text == shown(0.0) => format!("<{}", shown(step)),
        text if text == shown(100.0) => format!(">{}", shown(100.0 - step)),
        text => text,
    }
}

/// `text`, or [`TOO_FEW_PAIRS`].
pub(super) fn supported(text: Option<String>) -> String {
    text.unwrap_or_else(|| TOO_FEW_PAIRS.to_string())
}

/// Elo with its interval, which is named if it is the always-valid one.
pub(super) fn elo_text(elo: Option<Estimate>, interval: Interval) -> String {
    match (elo, interval) {
        (Some(elo), Interval::AlwaysValid) => format!(
            "{} (always-valid 95 %: {})",
            fixed(elo.estimate, 2),
            ends(elo, 2)
        ),
        (Some(elo), Interval::FixedLength) => plus_minus(elo),
        (None, _) => supported(None),
    }
}

/// `-1.2 to 3.4`: the ends of the interval.
pub(super) fn ends(estimate: Estimate, decimals: usize) -> String {
    let [low, high] = [estimate.low, estimate.high].map(|end| fixed(end, decimals));
    format!("{low} to {high}")
}

/// `1.23 +/- 4.56`.
pub(super) fn plus_minus(estimate: Estimate) -> String {
    let half_width = estimate.half_width();
    format!("{} +/- {half_width:.2}", fixed(estimate.estimate, 2))
}

/// A share (0 to 1) as a percentage with two decimals.
pub fn percent(share: Option<f64>) -> String {
    match share {
        Some(share) => format!("{:.2} %", 100.0 * share),
        None => "not defined".to_string(),
    }
}

/// A number with two decimals.
pub fn number(value: Option<f64>) -> String {
    match value {
        Some(value) => fixed(value, 2),
        None => "not defined".to_string(),
    }
}

/// `of / by`; `None` if `by` is 0.
pub(super) fn ratio(of: f64, by: f64) -> Option<f64> {
    (by > 0.0).then(|| of / by)
}

/// The mean of a value that engines report; `None` if the sum is 0: none reports it.
pub(super) fn reported(sum: u64, by: f64) -> Option<f64> {
    ratio(sum as f64, by).filter(|_| sum > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_not_reported_has_no_mean() {
        let means = [(0, 20.0), (5, 0.0), (50, 20.0)].map(|(sum, moves)| reported(sum, moves));
        assert_eq!(means, [None, None, Some(2.5)]);
    }

    #[test]
    fn zero_has_no_sign_and_one_no_plural() {
        let shown = [-0.0, -0.004, -0.005_1, 0.0, -2.0].map(|value| fixed(value, 2));
        assert_eq!(shown, ["0.00", "0.00", "-0.01", "0.00", "-2.00"]);
        let shown = [-0.04, 0.04, -0.06, 2.0].map(signed);
        assert_eq!(shown, ["0.0", "0.0", "-0.1", "+2.0"]);
        let shown = [-0.4, 0.4, -0.6, 2.0].map(|value| signed_with(value, 0));
        assert_eq!(shown, ["0", "0", "-1", "+2"]);
        let estimate = Estimate {
            estimate: 1.0,
            low: -0.04,
            high: 2.0,
        };
        assert_eq!(ends(estimate, 1), "0.0 to 2.0");
        assert_eq!(signed_ends(estimate), "0.0 to +2.0");
        assert_eq!(counted(1, "pair"), "1 pair");
        assert_eq!(counted(0, "pair"), "0 pairs");
    }

    #[test]
    fn durations_have_one_or_two_units() {
        for (seconds, text) in [
            (0.4, "0.4 s"),
            (7.3, "7.3 s"),
            (9.6, "10 s"),
            (59.0, "59 s"),
            (61.0, "1 min 1 s"),
            (720.0, "12 min 0 s"),
            (1800.0, "30 min"),
            (4980.0, "1 h 23 min"),
            (12_000.0, "3 h 20 min"),
            (200_000.0, "2 d 7 h"),
            (f64::INFINITY, "115740 d 17 h"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }

    #[test]
    fn a_hyphen_before_a_number_becomes_a_minus_sign() {
        let text = "-1.5 to -0.3 [-2, 3] (-4): W-D-L 10-2-3, a-1, 2026-01-02, -x\n-5 %";
        let expected = "−1.5 to −0.3 [−2, 3] (−4): W-D-L 10-2-3, a-1, 2026-01-02, -x\n−5\u{a0}%";
        assert_eq!(real_minus(text), expected);
    }

    #[test]
    fn no_probability_is_certain() {
        let shown = [0.0, 0.000_4, 0.5, 0.999_4, 0.999_6, 1.0].map(|p| probability(p, 1));
        let expected = ["<0.1 %", "<0.1 %", "50.0 %", "99.9 %", ">99.9 %", ">99.9 %"];
        assert_eq!(shown, expected);
        assert_eq!(probability(0.999_96, 2), ">99.99 %");
    }
}
