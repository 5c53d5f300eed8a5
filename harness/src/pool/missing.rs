//! The missing pairs of a pool, as text.

use crate::settings::Shard;

/// Most ranges in a line.
const NAMED: usize = 5;

/// Lines about the missing pairs of a run of `budget` pairs. `present` are its pairs, from
/// 0, ascending, each once. `division` is any of its shards, if it is divided: there is
/// one line for each incomplete shard. Otherwise only gaps before the last pair count.
pub(crate) fn missing(present: &[u64], budget: u64, division: Option<Shard>) -> Vec<String> {
    match division {
        Some(shard) => shard
            .all()
            .filter_map(|shard| missing_of(shard, present, budget))
            .collect(),
        None => gaps(present).map_or_else(Vec::new, |line| vec![line]),
    }
}

/// The missing pairs of a shard; `None` if it is complete.
fn missing_of(shard: Shard, present: &[u64], budget: u64) -> Option<String> {
    let own = present.iter().filter(|pair| shard.contains(**pair));
    let planned = shard.pairs_below(budget);
    let (mut count, mut next) = (0, shard.first());
    for pair in own {
        count += 1;
        if *pair == next {
            next += u64::from(shard.of());
        }
    }
    let words = shard.words();
    match count {
        0 if planned > 0 => Some(format!("{words}: none of {planned} pairs")),
        _ if count < planned => Some(format!(
            "{words}: {count} of {planned} pairs; the first missing one is pair {}",
            next + 1
        )),
        _ => None,
    }
}

/// The missing pairs before the last one; `None` without any.
fn gaps(present: &[u64]) -> Option<String> {
    let mut ranges = Vec::new();
    let (mut next, mut more) = (0, 0);
    for pair in present {
        if *pair > next {
            match ranges.len() < NAMED {
                true => ranges.push((next + 1, *pair)),
                false => more += pair - next,
            }
        }
        next = pair + 1;
    }
    if ranges.is_empty() {
        return None;
    }
    let ranges: Vec<String> = ranges
        .iter()
        .map(|(from, to)| match from == to {
            true => from.to_string(),
            false => format!("{from} to {to}"),
        })
        .collect();
    let more = match more {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Some(format!("missing pairs: {}{more}", ranges.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_shard_that_is_not_complete_is_named() {
        let division = "1/3".parse().ok();
        // Of ten pairs the shards have 4, 3 and 3.
        let present = [0, 1, 3, 6, 7, 9];
        assert_eq!(
            missing(&present, 10, division),
            [
                "shard 2 of 3: 2 of 3 pairs; the first missing one is pair 5",
                "shard 3 of 3: none of 3 pairs",
            ]
        );
        let all: Vec<u64> = (0..10).collect();
        assert!(missing(&all, 10, division).is_empty());
        // The last shards of a short run have no pairs.
        assert!(missing(&[0], 1, division).is_empty());
    }

    #[test]
    fn without_shards_the_gaps_are_named() {
        assert!(missing(&[0, 1, 2], 10, None).is_empty());
        assert_eq!(missing(&[1, 2, 6], 10, None), ["missing pairs: 1, 4 to 6"]);
        let sparse: Vec<u64> = (0..10).map(|pair| 2 * pair).collect();
        assert_eq!(
            missing(&sparse, 20, None),
            ["missing pairs: 2, 4, 6, 8, 10, and 4 more"]
        );
    }
}
