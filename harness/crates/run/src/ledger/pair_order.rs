//! Puts results into pair order: pairs are played at the same time and finish in any order.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::collections::BTreeMap;

use hone_experiment::settings::Shard;

/// A queue that returns one item for each pair of a shard, in the order of the pairs' numbers
/// (from 0). Items that are added before one of a smaller number are kept until then.
#[derive(Debug, Clone)]
pub struct PairOrder<T> {
    shard: Shard,
    /// The first pair that has not been returned.
    next: u64,
    early: BTreeMap<u64, T>,
}

impl<T> PairOrder<T> {
    pub fn new(shard: Shard) -> Self {
        Self {
            shard,
            next: shard.first(),
            early: BTreeMap::new(),
        }
    }

    /// The first pair of the shard that [`Self::pop`] has not returned.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Whether a pair needs no item: it has been added, or it belongs to another shard.
    pub fn holds(&self, pair: u64) -> bool {
        pair < self.next || !self.shard.contains(pair) || self.early.contains_key(&pair)
    }

    /// Adds the item of a pair, unless [`Self::holds`] the pair.
    pub fn add(&mut self, pair: u64, item: T) {
        if !self.holds(pair) {
            self.early.insert(pair, item);
        }
    }

    /// The item of the next pair in order; `None` if it has not been added.
    pub fn pop(&mut self) -> Option<T> {
        let item = self.early.remove(&self.next)?;
        self.next = self.next.saturating_add(u64::from(self.shard.of()));
        Some(item)
    }

    /// Skips the pairs before the first one that has been added. Returns false if none waits.
    pub(super) fn skip_missing(&mut self) -> bool {
        let Some((pair, _)) = self.early.first_key_value() else {
            return false;
        };
        self.next = *pair;
        true
    }

    /// The pairs whose items wait for one of a smaller number, ascending.
    pub fn early(&self) -> impl Iterator<Item = u64> {
        self.early.keys().copied()
    }

    /// Number of items that wait for one of a smaller number.
    pub fn waiting(&self) -> usize {
        self.early.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_returns_its_own_pairs_in_order_and_each_once() {
        let mut order = PairOrder::new("2/3".parse().unwrap());
        for pair in [7, 1, 0, 4, 7, 1, 3] {
            order.add(pair, pair);
        }
        assert_eq!(order.waiting(), 3);
        assert_eq!(order.early().collect::<Vec<u64>>(), [1, 4, 7]);
        assert!(order.holds(0) && order.holds(7) && !order.holds(10));
        let popped: Vec<u64> = std::iter::from_fn(|| order.pop()).collect();
        assert_eq!((popped, order.next()), (vec![1, 4, 7], 10));
        order.add(4, 4);
        order.add(13, 13);
        assert_eq!((order.waiting(), order.pop()), (1, None));
        assert!(order.skip_missing());
        assert_eq!(order.pop(), Some(13));
        assert!(!order.skip_missing());
    }
}
