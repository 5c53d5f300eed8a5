//! The random streams of a tuning.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

use hone_base::seeded::words;

/// What a stream of random numbers is for. Two purposes never share numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Signs of the perturbations.
    Flips,
    /// Fractions that decide how values between two grid points are rounded.
    Rounding,
    /// Outcomes of simulated pairs.
    Outcomes,
    /// Shapes of the benchmark's landscapes.
    Landscape,
    /// Resampling of observed batches.
    Resampling,
}

/// The stream numbered `index` of `purpose` for a run's `seed`.
pub fn stream(seed: u64, purpose: Purpose, index: u64) -> ChaCha8Rng {
    let part = match purpose {
        Purpose::Flips => 1,
        Purpose::Rounding => 2,
        Purpose::Outcomes => 3,
        Purpose::Landscape => 4,
        Purpose::Resampling => 5,
    };
    words(b"hone tuning v1  ", part, seed, index)
}

/// A number in `[0, 1)` with 53 random bits.
pub fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A number below `bound`, by multiplication; the bias is below `bound / 2^32`.
pub fn below(rng: &mut ChaCha8Rng, bound: usize) -> usize {
    ((u64::from(rng.next_u32()) * bound as u64) >> 32) as usize
}

/// A standard normal number (Box-Muller, the cosine half).
pub fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(rng)).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(rng)).cos()
}

/// Puts `items` in random order (Fisher-Yates).
pub fn shuffle<T>(rng: &mut ChaCha8Rng, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(rng, last + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_seed_purpose_and_index() {
        let first = |seed, purpose, index| stream(seed, purpose, index).next_u64();
        let base = first(1, Purpose::Flips, 0);
        assert_eq!(base, first(1, Purpose::Flips, 0));
        assert_ne!(base, first(2, Purpose::Flips, 0));
        assert_ne!(base, first(1, Purpose::Rounding, 0));
        assert_ne!(base, first(1, Purpose::Flips, 1));
    }

    #[test]
    fn uniform_and_normal_have_their_moments() {
        let mut rng = stream(7, Purpose::Landscape, 0);
        let n = 40_000;
        let mean = (0..n).map(|_| uniform(&mut rng)).sum::<f64>() / f64::from(n);
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
        let square = (0..n).map(|_| normal(&mut rng).powi(2)).sum::<f64>() / f64::from(n);
        assert!((square - 1.0).abs() < 0.04, "{square}");
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<u32> = (0..50).collect();
        shuffle(&mut stream(3, Purpose::Flips, 0), &mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
