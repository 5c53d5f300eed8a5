//! The order of openings: the opening of the n-th pair.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use hone_base::seeded::{uniform, words};

/// The order in which a book is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// As in the file.
    Sequential,
    /// A new permutation for each pass through the book.
    #[default]
    Random,
}

/// An infinite sequence of indices into a book. Each cycle of `len` indices contains every
/// opening exactly once.
///
/// # Random order
///
/// It depends only on `seed`, `len` and the number of the cycle, and never changes between
/// versions, so that a run can be repeated with any later version. The random numbers are the
/// [`words`] of `seed` with the purpose `hone openings v1` and part 0; the stream number is the
/// cycle. The openings, in the order of the file, are shuffled from the last to the second
/// (Fisher-Yates): place `i` is exchanged with a uniform place in `0..=i`, drawn by [`uniform`].
#[derive(Debug)]
pub struct Schedule {
    len: usize,
    order: Order,
    seed: u64,
    start: usize,
    recent: Mutex<[Option<Permutation>; 2]>,
}

#[derive(Debug, Clone)]
struct Permutation {
    cycle: u64,
    places: Arc<[u32]>,
}

impl Schedule {
    /// The order of a book of `len` openings. Every cycle begins at its index `start` (from 0,
    /// modulo `len`) and wraps around, so no opening repeats before all have been used.
    ///
    /// # Panics
    /// If `len` is 0 or above `u32::MAX`: [`Book`](super::Book) has neither.
    pub fn new(len: usize, order: Order, seed: u64, start: usize) -> Self {
        assert!(
            len > 0 && u32::try_from(len).is_ok(),
            "a book of {len} openings"
        );
        Self {
            len,
            order,
            seed,
            start: start % len,
            recent: Mutex::new([None, None]),
        }
    }

    /// Index in the book of the opening at place `k` of the schedule.
    pub fn index(&self, k: u64) -> usize {
        let len = self.len as u64;
        let (cycle, place) = (k / len, (k % len) as usize);
        let place = (place + self.start) % self.len;
        match self.order {
            Order::Sequential => place,
            Order::Random => self.permutation(cycle)[place] as usize,
        }
    }

    /// The permutation of a cycle. The last two are cached, so that pairs around the end of a
    /// cycle do not cause repeated shuffling.
    fn permutation(&self, cycle: u64) -> Arc<[u32]> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = &mut recent[(cycle % 2) as usize];
        match slot {
            Some(known) if known.cycle == cycle => Arc::clone(&known.places),
            _ => {
                let places = shuffled(self.len, self.seed, cycle);
                *slot = Some(Permutation {
                    cycle,
                    places: Arc::clone(&places),
                });
                places
            }
        }
    }
}

const PURPOSE: &[u8; 16] = b"hone openings v1";

fn shuffled(len: usize, seed: u64, cycle: u64) -> Arc<[u32]> {
    let mut places: Vec<u32> = (0..len as u32).collect();
    let mut rng = words(PURPOSE, 0, seed, cycle);
    for last in (1..len).rev() {
        let other = uniform(&mut rng, last as u32 + 1) as usize;
        places.swap(last, other);
    }
    places.into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn first(len: usize, order: Order, seed: u64, start: usize, count: u64) -> Vec<usize> {
        let schedule = Schedule::new(len, order, seed, start);
        (0..count).map(|k| schedule.index(k)).collect()
    }

    #[test]
    fn sequential_starts_at_the_given_opening_and_wraps() {
        assert_eq!(
            first(4, Order::Sequential, 9, 2, 9),
            [2, 3, 0, 1, 2, 3, 0, 1, 2]
        );
        assert_eq!(first(1, Order::Random, 9, 5, 3), [0, 0, 0]);
    }

    #[test]
    fn random_order_never_changes() {
        // Two cycles by an independent program.
        assert_eq!(
            first(10, Order::Random, 1, 0, 20),
            [9, 4, 1, 8, 3, 5, 7, 6, 2, 0, 3, 9, 2, 1, 5, 8, 4, 6, 7, 0]
        );
    }

    #[test]
    fn every_permutation_is_as_likely() {
        let mut counts = std::collections::HashMap::<Vec<usize>, u32>::new();
        for seed in 0..6000 {
            *counts
                .entry(first(3, Order::Random, seed, 0, 3))
                .or_default() += 1;
        }
        assert_eq!(counts.len(), 6);
        // Chi-square with five degrees of freedom: 20.5 is p = 0.001.
        let chi: f64 = counts
            .values()
            .map(|&n| (f64::from(n) - 1000.0).powi(2) / 1000.0)
            .sum();
        assert!(chi < 20.5, "{counts:?}");
    }

    proptest! {
        #[test]
        fn each_once_before_any_twice(
            len in 1_usize..300, seed: u64, start in 0_usize..1000, random: bool, cycle in 0_u64..1_000_000,
        ) {
            let order = if random { Order::Random } else { Order::Sequential };
            let schedule = Schedule::new(len, order, seed, start);
            let from = cycle * len as u64;
            let mut seen: Vec<usize> = (from..from + len as u64).map(|k| schedule.index(k)).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..len).collect::<Vec<_>>());
        }

        #[test]
        fn asking_in_any_order_gives_the_same(
            len in 1_usize..50, seed: u64, asked in prop::collection::vec(0_u64..500, 1..60),
        ) {
            let all = first(len, Order::Random, seed, 0, 500);
            let schedule = Schedule::new(len, Order::Random, seed, 0);
            for k in asked {
                prop_assert_eq!(schedule.index(k), all[k as usize]);
            }
        }
    }
}
