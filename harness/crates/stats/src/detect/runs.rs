//! Whether good and bad pairs come in clusters: the runs test of Wald and
//! Wolfowitz.

use super::super::normal;
use super::{Finding, Test};

/// The fewest won and lost pairs for the normal approximation.
const FEWEST: u32 = 20;

/// Counts runs of won and of lost pairs, in the order in which they were
/// played; drawn pairs are left out. `results` are half points, 0 to 4.
/// `None` with fewer than twenty of either kind.
pub(crate) fn runs_in_time(results: &[u8]) -> Option<Finding> {
    let (mut won, mut lost, mut runs) = (0_u32, 0_u32, 0_u32);
    let mut last = None;
    for is_won in results.iter().filter(|&&half| half != 2).map(|&h| h > 2) {
        if is_won {
            won += 1;
        } else {
            lost += 1;
        }
        if last.replace(is_won) != Some(is_won) {
            runs += 1;
        }
    }
    if won < FEWEST || lost < FEWEST {
        return None;
    }
    let (a, b) = (f64::from(won), f64::from(lost));
    let n = a + b;
    let mean = 2.0 * a * b / n + 1.0;
    let variance = (mean - 1.0) * (mean - 2.0) / (n - 1.0);
    let z = (f64::from(runs) - mean) / variance.sqrt();
    let kind = if z < 0.0 { "cluster" } else { "alternate" };
    let detail =
        format!("{runs} runs of won and lost pairs, {mean:.0} expected: won and lost pairs {kind}");
    let p_value = 2.0 * normal::cdf(-z.abs());
    Some(Finding::of_chance(Test::RunsInTime, p_value, detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_and_alternation_both_show() {
        let clustered: Vec<u8> = (0..100).map(|i| if i < 50 { 3 } else { 1 }).collect();
        let alternating: Vec<u8> = (0..100).map(|i| if i % 2 == 0 { 3 } else { 1 }).collect();
        for results in [clustered, alternating] {
            assert!(runs_in_time(&results).unwrap().p_value < Some(1e-9));
        }
    }
}
