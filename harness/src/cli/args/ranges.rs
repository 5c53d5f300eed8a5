//! Numbers from 1 on the command line, and ranges: `LOW..HIGH` with both ends included, or one
//! number.

use std::{
    fmt::Display,
    num::{IntErrorKind, ParseIntError},
    ops::RangeInclusive,
    str::FromStr,
};

/// Parses a whole number from 1, as one of the `NonZero` types.
pub(in crate::cli) fn from_one<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|error: ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => {
                let bits = 8 * size_of::<T>();
                format!("must be at most {}", u64::MAX >> (64 - bits))
            }
            _ => "must be a whole number from 1".to_owned(),
        })
}

/// A share from 0 to 1.
pub(in crate::cli) fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok();
    share
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "must be a number from 0 to 1".to_owned())
}

/// A range of whole numbers.
fn range<T: FromStr + PartialOrd + Copy + Display>(
    text: &str,
) -> Result<RangeInclusive<T>, String> {
    let number = |part: &str| {
        part.trim()
            .parse::<T>()
            .map_err(|_| format!("`{}` is not a whole number in range", part.trim()))
    };
    let (low, high) = match text.split_once("..") {
        Some((low, high)) => (
            number(low)?,
            number(high.strip_prefix('=').unwrap_or(high))?,
        ),
        None => {
            let only = number(text)?;
            (only, only)
        }
    };
    if low > high {
        return Err(format!("{low} is above {high}"));
    }
    Ok(low..=high)
}

/// Plies: 1 to 400.
pub(in crate::cli) fn plies(text: &str) -> Result<RangeInclusive<usize>, String> {
    let plies = range(text)?;
    if *plies.start() == 0 || *plies.end() > 400 {
        return Err(format!(
            "`{text}` is out of range: 1 to 400 plies are allowed"
        ));
    }
    Ok(plies)
}

/// Scores in centipawns.
pub(in crate::cli) fn scores(text: &str) -> Result<RangeInclusive<i32>, String> {
    range(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_from_one_is_asked_for_in_words() {
        let read = from_one::<std::num::NonZeroU32>;
        assert_eq!(read("7").map(u32::from), Ok(7));
        for text in ["0", "-1", "x", "", "1.5"] {
            let error = read(text).expect_err(text);
            assert_eq!(error, "must be a whole number from 1", "{text}");
        }
        assert_eq!(
            read("4294967296"),
            Err("must be at most 4294967295".to_owned())
        );
    }

    #[test]
    fn a_share_is_from_zero_to_one() {
        assert_eq!(share("0.5"), Ok(0.5));
        assert_eq!(share("1"), Ok(1.0));
        for text in ["-0.1", "1.5", "nan", "10 %"] {
            share(text).expect_err(text);
        }
    }

    #[test]
    fn ranges_include_both_ends() {
        assert_eq!(plies("6..10"), Ok(6..=10));
        assert_eq!(plies("8"), Ok(8..=8));
        assert_eq!(scores("-25..25"), Ok(-25..=25));
        assert_eq!(scores("80..=120"), Ok(80..=120));
        for text in ["", "..", "3..", "9..8", "0", "1..401", "x"] {
            assert!(plies(text).is_err(), "{text}");
        }
    }
}
