//! Compares two engines on the same positions.

use serde::Serialize;
use statrs::distribution::{Binomial, DiscreteCDF};

/// McNemar's exact test of whether two engines solve equally many positions. Only positions
/// that exactly one of them solved count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct McNemar {
    /// Positions that only the first engine solved.
    pub first_only: u64,
    /// Positions that only the second engine solved.
    pub second_only: u64,
    /// Two-sided p-value: twice the smaller tail of the binomial distribution with
    /// probability 1/2, at most 1.
    pub p: f64,
}

impl McNemar {
    /// The test for these counts.
    pub fn new(first_only: u64, second_only: u64) -> Self {
        let changed = first_only + second_only;
        let smaller = first_only.min(second_only);
        // If the counts differ by at most one, the two tails cover the whole distribution.
        let p = match Binomial::new(0.5, changed) {
            Ok(binomial) if first_only.abs_diff(second_only) > 1 => 2.0 * binomial.cdf(smaller),
            _ => 1.0,
        };
        Self {
            first_only,
            second_only,
            p,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_are_exact() {
        // Sums of binomial coefficients over powers of two.
        for (first, second, p) in [
            (0, 0, 1.0),
            (1, 0, 1.0),
            (3, 3, 1.0),
            (5, 0, 2.0 / 32.0),
            (0, 10, 2.0 / 1024.0),
            (8, 2, 2.0 * (1.0 + 10.0 + 45.0) / 1024.0),
            (2, 8, 2.0 * (1.0 + 10.0 + 45.0) / 1024.0),
        ] {
            let test = McNemar::new(first, second);
            assert!((test.p - p).abs() < 1e-12, "{first}, {second}: {}", test.p);
        }
    }
}
