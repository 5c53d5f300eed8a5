//! Histograms of move times and depths.

use std::collections::BTreeMap;

/// The number of occurrences of each value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: BTreeMap<u64, u64>,
    total: u64,
}

/// Times and depths of the moves of one engine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MoveHistograms {
    /// In milliseconds.
    pub ms: Histogram,
    pub depth: Histogram,
}

/// The mean of a sum over moves, to the nearest whole number; `None` without moves.
pub(super) fn rounded_mean(sum: u64, moves: u64) -> Option<u64> {
    sum.saturating_add(moves / 2).checked_div(moves)
}

impl Histogram {
    pub fn add(&mut self, value: u64) {
        *self.counts.entry(value).or_default() += 1;
        self.total += 1;
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    /// Values and their counts, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.counts.iter().map(|(value, count)| (*value, *count))
    }

    /// The `q`-quantile (`q` from 0 to 1): the smallest value that is not less than a share of
    /// `q` of all values. `None` without values.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        let wanted = (q * self.total as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        self.iter().find_map(|(value, count)| {
            seen += count;
            (seen >= wanted).then_some(value)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_rounded_to_the_nearest_number() {
        let means = [(0, 10), (4, 10), (9, 10), (15, 10), (24, 10), (0, 0)];
        let means = means.map(|(sum, moves)| rounded_mean(sum, moves));
        assert_eq!(means, [Some(0), Some(0), Some(1), Some(2), Some(2), None]);
    }

    #[test]
    fn quantiles() {
        let mut counts = Histogram::default();
        assert_eq!(counts.quantile(0.5), None);
        (1..=100).for_each(|value| counts.add(value));
        for (q, value) in [(0.0, 1), (0.5, 50), (0.9, 90), (1.0, 100)] {
            assert_eq!(counts.quantile(q), Some(value));
        }
        assert_eq!(counts.total(), 100);
    }
}
