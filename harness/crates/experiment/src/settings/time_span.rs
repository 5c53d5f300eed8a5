//! Durations in human notation.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A duration above zero, in whole seconds: `90s`, `30m`, `1h30m`, `7d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimeSpan(Duration);

/// Maximum duration: a hundred years, so that a deadline stays representable.
const LONGEST: u64 = 36_500 * 86_400;

const UNITS: [(char, u64); 4] = [('d', 86_400), ('h', 3600), ('m', 60), ('s', 1)];

impl TimeSpan {
    pub fn duration(self) -> Duration {
        self.0
    }
}

impl FromStr for TimeSpan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refuse =
            || format!("`{text}` is not a valid time: write for example 90s, 30m, 1h30m or 7d");
        let mut seconds: u64 = 0;
        let mut digits = String::new();
        let mut units = UNITS.iter();
        for c in text.trim().chars() {
            if c.is_ascii_digit() {
                digits.push(c);
                continue;
            }
            // Each unit once, the largest first.
            let (_, of_unit) = units.find(|(unit, _)| *unit == c).ok_or_else(refuse)?;
            let count: u64 = digits.parse().map_err(|_| refuse())?;
            seconds = count
                .checked_mul(*of_unit)
                .and_then(|more| seconds.checked_add(more))
                .ok_or_else(refuse)?;
            digits.clear();
        }
        if !digits.is_empty() || seconds == 0 {
            return Err(refuse());
        }
        if seconds > LONGEST {
            return Err(format!("`{text}` is too long: at most 36500d is allowed"));
        }
        Ok(Self(Duration::from_secs(seconds)))
    }
}

impl fmt::Display for TimeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = self.0.as_secs();
        for (unit, of_unit) in UNITS {
            if let (Some(count @ 1..), Some(rest)) =
                (left.checked_div(of_unit), left.checked_rem(of_unit))
            {
                write!(f, "{count}{unit}")?;
                left = rest;
            }
        }
        Ok(())
    }
}

impl Serialize for TimeSpan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TimeSpan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes() {
        for (text, seconds) in [
            ("90s", 90),
            ("30m", 1800),
            ("1h30m", 5400),
            ("7d", 604_800),
            ("36500d", LONGEST),
        ] {
            let span: TimeSpan = text.parse().expect(text);
            assert_eq!(span.duration().as_secs(), seconds, "{text}");
            assert_eq!(span.to_string().parse(), Ok(span), "{text}");
        }
        assert_eq!(
            "90m".parse::<TimeSpan>().expect("valid").to_string(),
            "1h30m"
        );
        for text in [
            "",
            "5",
            "0s",
            "m",
            "30m1h",
            "1h2h",
            "-3m",
            "1.5h",
            "99999999999999999d",
            "18446744073709551615s",
            "36501d",
        ] {
            assert!(text.parse::<TimeSpan>().is_err(), "{text}");
        }
    }
}
