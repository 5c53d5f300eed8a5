//! Amounts of memory in configurations and messages.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// An amount of memory in whole MiB: `512M`, `2G`. One `M` is 1024 times 1024
/// bytes, as in the UCI option `Hash`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemorySize {
    mib: u64,
}

/// 1 PiB in MiB. Its number of bytes fits in 64 bits.
const LARGEST: u64 = 1 << 30;

impl MemorySize {
    /// The amount in MiB.
    pub fn mib(self) -> u64 {
        self.mib
    }

    /// The amount in bytes.
    pub fn bytes(self) -> u64 {
        self.mib.saturating_mul(1 << 20)
    }

    /// An amount in MiB, of which at most 1 PiB counts.
    pub fn of_mib(mib: u64) -> Self {
        Self {
            mib: mib.min(LARGEST),
        }
    }

    /// An amount in bytes, rounded up to whole MiB.
    pub fn of_bytes(bytes: u64) -> Self {
        Self {
            mib: bytes.div_ceil(1 << 20),
        }
    }
}

impl FromStr for MemorySize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refuse =
            || format!("`{text}` is not a valid amount of memory: write for example 512M or 2G");
        let (digits, unit) = match (text.strip_suffix('M'), text.strip_suffix('G')) {
            (Some(digits), _) => (digits, 1),
            (_, Some(digits)) => (digits, 1024),
            _ => return Err(refuse()),
        };
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(refuse());
        }
        let mib = digits.parse::<u64>().ok();
        let mib = mib.and_then(|count| count.checked_mul(unit));
        match mib {
            Some(mib @ 1..=LARGEST) => Ok(Self { mib }),
            _ => Err(format!(
                "`{text}` is out of range: 1M to {}G are allowed",
                LARGEST / 1024
            )),
        }
    }
}

impl fmt::Display for MemorySize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mib {
            mib if mib > 0 && mib.is_multiple_of(1024) => write!(f, "{}G", mib / 1024),
            mib => write!(f, "{mib}M"),
        }
    }
}

impl Serialize for MemorySize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MemorySize {
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
        for (text, mib, written) in [
            ("1M", 1, "1M"),
            ("512M", 512, "512M"),
            ("2048M", 2048, "2G"),
            ("2G", 2048, "2G"),
            ("1048576G", LARGEST, "1048576G"),
        ] {
            let size: MemorySize = text.parse().expect(text);
            assert_eq!((size.mib(), size.to_string()), (mib, written.to_string()));
        }
        for text in [
            "",
            "M",
            "2",
            "0G",
            "2g",
            "2GB",
            "2 G",
            "-1M",
            "+1M",
            "1.5G",
            "1048577G",
            "99999999999999999999G",
        ] {
            assert!(text.parse::<MemorySize>().is_err(), "{text}");
        }
        assert_eq!(MemorySize::of_bytes((3 << 20) + 1).mib(), 4);
    }
}
