//! Whether good and bad pairs come in clusters: the runs test of Wald and
//! Wolfowitz.

use super::super::normal;
use super::{Finding, Test};

/// The fewest won and lost pairs for the normal approximation.
const FEWEST: usize = 20;

/// Counts runs of won and of lost pairs, in the order in which they were
/// played; level pairs are left out. `results` are half points, 0 to 4.
/// `None` with fewer than twenty of either kind.
pub fn runs_in_time(results: &[usize]) -> Option<Finding> {
    let signs: Vec<bool> = results
        .iter()
        .filter(|&&half_points| half_points != 2)
        .map(|&half_points| half_points > 2)
        .collect();
    let won = signs.iter().filter(|&&won| won).count();
    let lost = signs.len() - won;
    if won < FEWEST || lost < FEWEST {
        return None;
    }
    let runs = 1 + signs.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let (a, b) = (won as f64, lost as f64);
    let n = a + b;
    let mean = 2.0 * a * b / n + 1.0;
    let variance = (mean - 1.0) * (mean - 2.0) / (n - 1.0);
    let z = (runs as f64 - mean) / variance.sqrt();
    let kind = if z < 0.0 { "clusters" } else { "alternates" };
    Some(Finding {
        test: Test::RunsInTime,
        p_value: 2.0 * normal::cdf(-z.abs()),
        detail: format!("{runs} runs of won and lost pairs, {mean:.0} expected: it {kind}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_and_alternation_both_show() {
        let clustered: Vec<usize> = (0..100).map(|i| if i < 50 { 3 } else { 1 }).collect();
        let alternating: Vec<usize> = (0..100).map(|i| if i % 2 == 0 { 3 } else { 1 }).collect();
        for results in [clustered, alternating] {
            assert!(runs_in_time(&results).unwrap().p_value < 1e-9);
        }
    }
}
