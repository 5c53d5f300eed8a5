//! Ranges on the command line: `LOW..HIGH`, both ends included, or one number.

use std::{fmt::Display, ops::RangeInclusive, str::FromStr};

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

/// Half-moves: 1 to 400.
pub(super) fn plies(text: &str) -> Result<RangeInclusive<usize>, String> {
    let plies = range(text)?;
    if *plies.start() == 0 || *plies.end() > 400 {
        return Err("plies are 1 to 400".to_owned());
    }
    Ok(plies)
}

/// Scores in centipawns.
pub(super) fn scores(text: &str) -> Result<RangeInclusive<i32>, String> {
    range(text)
}

#[cfg(test)]
mod tests {
    use super::*;

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
