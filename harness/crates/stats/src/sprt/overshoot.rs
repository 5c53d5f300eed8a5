//! The dynamic correction for overshoot.
//!
//! Wald's bounds assume that the LLR ends exactly on a bound. It overshoots,
//! by E[H^2] / (2 E[H]) on average, where H are the ladder heights of the LLR's
//! records (Siegmund, Sequential Analysis, 1985, corollary 8.33). As in fishtest,
//! the heights are measured during the test, and the bounds are moved inwards by
//! that amount.

/// Records of the LLR seen so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Overshoot {
    lowest: Ladder,
    highest: Ladder,
}

/// Records in one direction; steps are measured as positive heights.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Ladder {
    record: f64,
    sum: f64,
    sum_of_squares: f64,
}

impl Ladder {
    fn update(&mut self, value: f64) {
        let height = value - self.record;
        if height > 0.0 {
            self.record = value;
            self.sum += height;
            self.sum_of_squares += height * height;
        }
    }

    fn mean_excess(&self) -> f64 {
        if self.sum > 0.0 {
            self.sum_of_squares / (2.0 * self.sum)
        } else {
            0.0
        }
    }
}

impl Overshoot {
    /// Takes the LLR after the next look at the data.
    pub fn update(&mut self, llr: f64) {
        self.lowest.update(-llr);
        self.highest.update(llr);
    }

    /// Upwards correction of the lower bound; 0 before the first record.
    pub fn lower(&self) -> f64 {
        self.lowest.mean_excess()
    }

    /// Downwards correction of the upper bound; 0 before the first record.
    pub fn upper(&self) -> f64 {
        self.highest.mean_excess()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_records_count() {
        let mut overshoot = Overshoot::default();
        for llr in [1.0, 0.5, 0.9, 2.0, -3.0, 1.5] {
            overshoot.update(llr);
        }
        assert_eq!(overshoot.upper(), (1.0 + 1.0) / (2.0 * 2.0));
        assert_eq!(overshoot.lower(), 9.0 / 6.0);
    }
}
