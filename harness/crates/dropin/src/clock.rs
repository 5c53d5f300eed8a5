//! Time controls in the notation of cutechess-cli and fastchess.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use anyhow::{anyhow, bail};

use hone_uci::rules::Limit;

/// Converts `tc=TEXT` to a limit of `hone`; `None` for no clock.
///
/// # Errors
/// If it is not a time control, or an unsupported one.
pub(super) fn clock(text: &str) -> anyhow::Result<Option<String>> {
    if matches!(text, "inf" | "infinite") {
        return Ok(None);
    }
    if text.contains("hg") {
        bail!("`tc={text}` is not supported: hone has no hourglass clock");
    }
    if text.contains(',') {
        bail!("`tc={text}` has a comma: write a decimal point, as in 8+0.08");
    }
    // Without a number of moves, the whole game is one stage.
    let (moves, rest) = match text.split_once('/') {
        Some(("inf" | "infinite" | "0", rest)) => (None, rest),
        Some((moves, rest)) => (Some(moves), rest),
        None => (None, text),
    };
    let (base, increment) = match rest.split_once('+') {
        Some((base, increment)) => (base, Some(increment)),
        None => (rest, None),
    };
    let has_moves = moves.is_none_or(|moves| moves.parse::<u32>().is_ok());
    if has_moves && is_zero(base) && increment.is_none_or(is_zero) {
        return Ok(None);
    }
    let mut clock = moves.map_or_else(String::new, |moves| format!("{moves}/"));
    clock.push_str(without_unit(base));
    if let Some(increment) = increment {
        clock.push('+');
        clock.push_str(without_unit(increment));
    }
    let limit: Limit = clock.parse().map_err(|_| {
        anyhow!(
            "`tc={text}` is not a time control: write for example 8+0.08, 40/60+0.5 or 1:30+0.5"
        )
    })?;
    Ok(Some(limit.to_string()))
}

/// Whether this time is zero, which fastchess interprets as no clock.
fn is_zero(time: &str) -> bool {
    let mut parts = without_unit(time).splitn(2, ':');
    parts.all(|part| part.parse::<f64>() == Ok(0.0))
}

/// fastchess allows an `s` after seconds.
fn without_unit(text: &str) -> &str {
    text.strip_suffix('s').unwrap_or(text)
}

/// Seconds of `st=TEXT` as milliseconds.
///
/// # Errors
/// If it is not a time above zero.
pub(super) fn milliseconds(text: &str) -> anyhow::Result<u64> {
    let seconds: f64 = without_unit(text).parse().unwrap_or(f64::NAN);
    if !(0.001..=1e9).contains(&seconds) {
        bail!("`st={text}` is not a time in seconds");
    }
    #[cfg_attr(
        not(test),
        expect(clippy::cast_possible_truncation, reason = "in range by the check above")
    )]
    Ok((seconds * 1000.0).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms() {
        for (text, expected) in [
            ("8+0.08", Some("8+0.08")),
            ("40/60", Some("40/60")),
            ("40/60+0.5", Some("40/60+0.5")),
            ("1:30+0.5", Some("90+0.5")),
            ("40/1:30", Some("40/90")),
            ("inf", None),
            ("infinite", None),
            ("0", None),
            ("0+0", None),
            ("0:00+0.0", None),
            ("40/0s", None),
            ("0+0.1", Some("0+0.1")),
            ("inf/10+0.1", Some("10+0.1")),
            ("0/10+0.1", Some("10+0.1")),
            ("10s+0.1s", Some("10+0.1")),
            ("0.6+0.006", Some("0.6+0.006")),
        ] {
            let clock = clock(text).expect(text);
            assert_eq!(clock.as_deref(), expected, "{text}");
        }
        for bad in [
            "", "x", "hg/10", "-5", "10+", "0+", "40/", "x/0", "10/1+0,1", "40/60,5",
        ] {
            assert!(clock(bad).is_err(), "{bad}");
        }
        assert_eq!(milliseconds("0.1").expect("a time"), 100);
        assert!(milliseconds("0").is_err() && milliseconds("x").is_err());
    }
}
