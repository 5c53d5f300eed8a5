//! The part of a run that one machine plays, independently of the others.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Shard K of N, written `K/N`: pairs K, K + N, K + 2N, … of a run, counted from 1 as in its
/// ledger. Each pair belongs to exactly one of the N shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// From 1 to `of`.
    number: u32,
    of: u32,
}

impl Shard {
    /// All pairs.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// Whether it has all pairs.
    pub fn is_whole(&self) -> bool {
        self.of == 1
    }

    /// K of K/N.
    pub fn number(self) -> u32 {
        self.number
    }

    /// N of K/N: the distance between two of its pairs.
    pub fn of(self) -> u32 {
        self.of
    }

    /// A description: `shard 2 of 5`.
    pub fn words(self) -> String {
        format!("shard {} of {}", self.number, self.of)
    }

    /// All shards of this run, including this one.
    pub fn all(self) -> impl Iterator<Item = Self> {
        (1..=self.of).map(move |number| Self { number, ..self })
    }

    /// Its first pair, from 0.
    pub fn first(self) -> u64 {
        u64::from(self.number.saturating_sub(1))
    }

    /// Whether it has a pair, from 0.
    pub fn contains(self, pair: u64) -> bool {
        pair.checked_rem(u64::from(self.of)) == Some(self.first())
    }

    /// Number of its pairs with an index below `end`.
    pub fn pairs_below(self, end: u64) -> u64 {
        end.saturating_sub(self.first())
            .div_ceil(u64::from(self.of))
    }
}

impl Default for Shard {
    fn default() -> Self {
        Self::WHOLE
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.trim().split_once('/');
        let numbers =
            numbers.and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            Some((number, of)) => Err(format!(
                "there is no shard {number} of {of}: write K/N with K from 1 to N, as in 2/5"
            )),
            None => Err(format!("`{text}` is not a shard: write K/N, as in 2/5")),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl Serialize for Shard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Shard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_shards_that_exist_are_read() {
        for text in ["1/1", "2/5", "5/5", "4294967295/4294967295"] {
            assert_eq!(text.parse::<Shard>().unwrap().to_string(), text);
        }
        for text in [
            "0/5", "6/5", "1/0", "0/0", "5", "/", "2/", "a/b", "-1/5", "1/2/3",
        ] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn shards_divide_the_pairs_of_a_run(of in 1_u32..200, end in 0_u64..3000) {
            let whole: Shard = format!("1/{of}").parse().unwrap();
            let mut counted = 0;
            for shard in whole.all() {
                let pairs = (0..end).filter(|pair| shard.contains(*pair));
                let pairs: Vec<u64> = pairs.collect();
                prop_assert_eq!(pairs.len() as u64, shard.pairs_below(end));
                prop_assert!(pairs.first().is_none_or(|first| *first == shard.first()));
                counted += shard.pairs_below(end);
            }
            prop_assert_eq!(counted, end);
            for pair in 0..end {
                let owners = whole.all().filter(|shard| shard.contains(pair)).count();
                prop_assert_eq!(owners, 1, "pair {}", pair);
            }
        }
    }
}
