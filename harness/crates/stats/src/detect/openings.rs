//! Whether an opening has results far from the rest.

use std::collections::BTreeMap;

use super::super::counts::Pentanomial;
use super::{Finding, Test};

/// The fewest pairs in all for their distribution to be known well enough.
const FEWEST_PAIRS: u64 = 100;
/// Openings with more pairs are compared as if they had this number, with their
/// points scaled, to bound the work.
const MOST_PAIRS: u64 = 200;

/// A pair's opening, by its number, and its half points, 0 to 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OpeningResult {
    pub opening: u64,
    pub half_points: u8,
}

/// The most extreme opening. The p-value is the exact probability of its points
/// if its pairs were drawn from the results of all, corrected for the number of
/// openings. The results must be sorted by opening. `None` with under 100 pairs
/// or under two openings.
pub(crate) fn odd_opening(results: &[OpeningResult]) -> Option<Finding> {
    let counts = |results: &[OpeningResult]| -> Pentanomial {
        results.iter().map(|r| usize::from(r.half_points)).collect()
    };
    let by_opening = || results.chunk_by(|a, b| a.opening == b.opening);
    let all = counts(results);
    let openings = by_opening().count();
    if all.pairs() < FEWEST_PAIRS || openings < 2 {
        return None;
    }
    let pair = all.0.map(|n| n as f64 / all.pairs() as f64);
    let mut sums: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    let tails = by_opening().map(|results| {
        let counts = counts(results);
        let pairs = counts.pairs().min(MOST_PAIRS);
        let sum = sums
            .entry(pairs)
            .or_insert_with(|| distribution_of_sum(&pair, pairs));
        let points: u64 = counts
            .0
            .iter()
            .zip(0..)
            .map(|(&n, points)| n * points)
            .sum();
        let scaled = (points as f64 * pairs as f64 / counts.pairs() as f64).round() as usize;
        (two_sided_tail(sum, scaled), results[0].opening, counts)
    });
    let (tail, opening, counts) = tails.min_by(|a, b| a.0.total_cmp(&b.0))?;
    // Sidak: the smallest of this number of independent p-values.
    let p_value = -(openings as f64 * (-tail).ln_1p()).exp_m1();
    let detail = format!("opening {opening} has {:?}", counts.0);
    Some(Finding::of_chance(Test::OddOpening, p_value, detail))
}

/// The probabilities of the sum of half points of this number of pairs.
fn distribution_of_sum(pair: &[f64; 5], pairs: u64) -> Vec<f64> {
    let mut sum = vec![1.0];
    for _ in 0..pairs {
        let mut next = vec![0.0; sum.len() + 4];
        for (i, p) in sum.iter().enumerate() {
            for (j, q) in pair.iter().enumerate() {
                next[i + j] += p * q;
            }
        }
        sum = next;
    }
    sum
}

/// Twice the smaller tail, each with half of the value's own probability (the
/// mid-p-value: it is not biased by the values being few).
fn two_sided_tail(sum: &[f64], value: usize) -> f64 {
    let own = sum[value];
    let below: f64 = sum[..value].iter().sum::<f64>() + 0.5 * own;
    let above: f64 = sum[value + 1..].iter().sum::<f64>() + 0.5 * own;
    (2.0 * below.min(above)).clamp(0.0, 1.0 - f64::EPSILON)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_by_hand() {
        let sum = distribution_of_sum(&[0.5, 0.0, 0.0, 0.0, 0.5], 2);
        assert_eq!((sum[0], sum[4], sum[8]), (0.25, 0.5, 0.25));
        assert_eq!(two_sided_tail(&sum, 0), 0.25);
        assert!(two_sided_tail(&sum, 4) > 0.99);
    }
}
