//! The standard normal distribution.

use std::f64::consts::{PI, SQRT_2};

use statrs::function::erf;

/// The 97.5 % quantile: 95 % of the mass lies within plus or minus this.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Probability of a standard normal value up to `x`; relative error up to
/// about 1e-11.
pub fn cdf(x: f64) -> f64 {
    0.5 * erf::erfc(-x / SQRT_2)
}

/// The value below which a standard normal variable falls with probability
/// `p`, which must lie strictly between 0 and 1.
#[cfg(test)]
pub fn quantile(p: f64) -> f64 {
    let start = -SQRT_2 * erf::erfc_inv(2.0 * p);
    // The library's inverse is good to about 1e-10: one step of Newton's
    // method makes it the inverse of `cdf` to full precision.
    let density = (-0.5 * start * start).exp() / (2.0 * PI).sqrt();
    start - (cdf(start) - p) / density
}

/// `ln` of [`cdf`], also where the probability itself underflows.
///
/// Below -30 the asymptotic series of the Mills ratio is used; its first
/// neglected term is under 1e-11 relative there.
pub fn ln_cdf(x: f64) -> f64 {
    if x > -30.0 {
        return cdf(x).ln();
    }
    let inverse = 1.0 / (x * x);
    let series =
        1.0 - inverse * (1.0 - 3.0 * inverse * (1.0 - 5.0 * inverse * (1.0 - 7.0 * inverse)));
    -0.5 * x * x - (-x).ln() - 0.5 * (2.0 * PI).ln() + series.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantile_inverts_the_distribution() {
        for p in [1e-9, 0.025, 0.3, 0.5, 0.8, 0.975, 1.0 - 1e-9] {
            assert!((cdf(quantile(p)) - p).abs() < 1e-12 * p.max(1e-3), "{p}");
        }
        assert!((quantile(0.975) - Z95).abs() < 1e-10);
    }

    #[test]
    fn logarithm_is_continuous_and_does_not_underflow() {
        let (left, right) = (ln_cdf(-30.000_001), ln_cdf(-29.999_999));
        assert!((left - right).abs() < 1e-4, "{left} {right}");
        assert!((ln_cdf(-30.5) - cdf(-30.5).ln()).abs() < 1e-9);
        // Phi(-100) is about e^-5005.5.
        assert!((ln_cdf(-100.0) + 5_005.524).abs() < 1e-2);
    }
}
