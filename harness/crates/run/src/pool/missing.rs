//! The missing pairs of a pool.

use serde::Serialize;

use crate::{Fold, Manifest};
use hone_experiment::Experiment;
use hone_experiment::settings::Shard;

/// Most ranges in a line.
const NAMED: usize = 5;

/// The missing pairs of a pool, or of one of its shards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingPairs {
    /// `None` if the run is not divided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The first one, from 1.
    pub first: u64,
    /// Their number.
    pub count: u64,
    /// The same as a line of text.
    #[serde(skip)]
    pub text: String,
}

/// The missing pairs of a pool without a verdict; empty after it. In a divided run, those of
/// each incomplete shard; else those before the last pair.
pub fn missing<E: Experiment>(manifest: &Manifest, fold: &Fold<E>) -> Vec<MissingPairs> {
    if fold.verdict().is_some() {
        return Vec::new();
    }
    let known: Vec<u64> = fold.known().collect();
    let budget = fold.experiment.budget();
    missing_of(&known, budget, division(manifest))
}

/// One of the shards of a pool, if all its runs are shards `i/N` with the same N.
fn division(manifest: &Manifest) -> Option<Shard> {
    let mut shards = manifest.pooled.iter().map(|run| run.shard);
    let first = shards.next().filter(|first| !first.is_whole())?;
    shards
        .all(|shard| shard.of() == first.of())
        .then_some(first)
}

/// The missing pairs of a run of `budget` pairs. `present` are its pairs, from 0, ascending,
/// each once. `division` is any of its shards, if it is divided.
fn missing_of(present: &[u64], budget: u64, division: Option<Shard>) -> Vec<MissingPairs> {
    match division {
        Some(shard) => shard
            .all()
            .filter_map(|shard| missing_of_shard(shard, present, budget))
            .collect(),
        None => gaps(present).into_iter().collect(),
    }
}

/// The missing pairs of a shard; `None` if it is complete.
fn missing_of_shard(shard: Shard, present: &[u64], budget: u64) -> Option<MissingPairs> {
    let own = present.iter().filter(|pair| shard.contains(**pair));
    let planned = shard.pairs_below(budget);
    let (mut count, mut next) = (0, shard.first());
    for pair in own {
        count += 1;
        if *pair == next {
            next += u64::from(shard.of());
        }
    }
    if count >= planned {
        return None;
    }
    let words = shard.words();
    let first = next + 1;
    Some(MissingPairs {
        shard: Some(shard),
        first,
        count: planned - count,
        text: match count {
            0 => format!("{words}: none of {planned} pairs"),
            _ => format!(
                "{words}: {count} of {planned} pairs; the first missing one is pair {first}"
            ),
        },
    })
}

/// The missing pairs before the last one; `None` without any.
fn gaps(present: &[u64]) -> Option<MissingPairs> {
    let mut ranges = Vec::new();
    let (mut next, mut count, mut more) = (0, 0, 0);
    for pair in present {
        if *pair > next {
            count += pair - next;
            if ranges.len() < NAMED {
                ranges.push((next + 1, *pair));
            } else {
                more += pair - next;
            }
        }
        next = pair + 1;
    }
    let first = ranges.first()?.0;
    let ranges: Vec<String> = ranges
        .iter()
        .map(|(from, to)| {
            if from == to {
                from.to_string()
            } else {
                format!("{from} to {to}")
            }
        })
        .collect();
    let more = match more {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Some(MissingPairs {
        shard: None,
        first,
        count,
        text: format!("missing pairs: {}{more}", ranges.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(present: &[u64], budget: u64, division: Option<Shard>) -> Vec<String> {
        let missing = missing_of(present, budget, division).into_iter();
        missing.map(|part| part.text).collect()
    }

    #[test]
    fn each_shard_that_is_not_complete_is_named() {
        let division = "1/3".parse().ok();
        // Of ten pairs the shards have 4, 3 and 3.
        let present = [0, 1, 3, 6, 7, 9];
        assert_eq!(
            lines(&present, 10, division),
            [
                "shard 2 of 3: 2 of 3 pairs; the first missing one is pair 5",
                "shard 3 of 3: none of 3 pairs",
            ]
        );
        let json = serde_json::to_value(missing_of(&present, 10, division)).expect("JSON");
        let expected = serde_json::json!([
            { "shard": "2/3", "first": 5, "count": 1 },
            { "shard": "3/3", "first": 3, "count": 3 },
        ]);
        assert_eq!(json, expected);
        let all: Vec<u64> = (0..10).collect();
        assert!(lines(&all, 10, division).is_empty());
        // The last shards of a short run have no pairs.
        assert!(lines(&[0], 1, division).is_empty());
    }

    #[test]
    fn without_shards_the_gaps_are_named() {
        assert!(lines(&[0, 1, 2], 10, None).is_empty());
        assert_eq!(lines(&[1, 2, 6], 10, None), ["missing pairs: 1, 4 to 6"]);
        let json = serde_json::to_value(missing_of(&[1, 2, 6], 10, None)).expect("JSON");
        assert_eq!(json, serde_json::json!([{ "first": 1, "count": 4 }]));
        let sparse: Vec<u64> = (0..10).map(|pair| 2 * pair).collect();
        assert_eq!(
            lines(&sparse, 20, None),
            ["missing pairs: 2, 4, 6, 8, 10, and 4 more"]
        );
    }
}
