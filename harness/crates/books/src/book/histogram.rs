//! A distribution of whole numbers, as numbers and text.

use std::fmt::Write;

use serde::Serialize;

/// Maximum number of bins.
const MAX_BINS: i64 = 30;
/// Length of the longest bar in characters.
const BAR: usize = 50;

/// Counts of values in bins of equal width.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Histogram {
    pub count: usize,
    pub min: i32,
    pub max: i32,
    pub mean: f64,
    pub median: f64,
    /// Width of a bin.
    pub width: i32,
    pub bins: Vec<Bin>,
}

/// The values from `low` to `low + width - 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bin {
    pub low: i32,
    pub count: usize,
}

impl Histogram {
    /// The distribution of some values; `None` if there are none.
    pub fn new(mut values: Vec<i32>) -> Option<Self> {
        values.sort_unstable();
        let (&min, &max) = (values.first()?, values.last()?);
        let width = bin_width(i64::from(max) - i64::from(min));
        let first = min.div_euclid(width);
        let last = max.div_euclid(width);
        let bins = (first..=last)
            .map(|bin| Bin {
                low: bin.saturating_mul(width),
                count: values
                    .iter()
                    .filter(|value| value.div_euclid(width) == bin)
                    .count(),
            })
            .collect();
        let sum: f64 = values.iter().map(|&value| f64::from(value)).sum();
        let middle = values.len() / 2;
        let median = if values.len() % 2 == 1 {
            f64::from(values[middle])
        } else {
            f64::midpoint(f64::from(values[middle - 1]), f64::from(values[middle]))
        };
        Some(Self {
            count: values.len(),
            min,
            max,
            mean: sum / values.len() as f64,
            median,
            width,
            bins,
        })
    }

    /// One line for each bin, with a bar.
    pub fn text(&self) -> String {
        let most = self.most();
        let mut text = String::new();
        for bin in &self.bins {
            let bar = "#".repeat((bin.count * BAR).div_ceil(most));
            let high = i64::from(bin.low) + i64::from(self.width) - 1;
            writeln!(text, "{:>7} ..{high:>6} {:>7} {bar}", bin.low, bin.count)
                .expect("writing to a string succeeds");
        }
        text
    }

    fn most(&self) -> usize {
        self.bins.iter().map(|bin| bin.count).max().unwrap_or(1)
    }
}

/// The smallest width of 1, 2, 5, 10, 20, 50 … that needs at most [`MAX_BINS`] bins.
fn bin_width(span: i64) -> i32 {
    let mut width: i32 = 1;
    for factor in [2, 5, 10].iter().cycle() {
        // The values may lie in one more bin than their span fills.
        if span / i64::from(width) + 2 <= MAX_BINS {
            break;
        }
        let decade = 10_i32.pow(width.ilog10());
        width = decade.saturating_mul(*factor);
    }
    width
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bins_are_round_and_cover_all() {
        let histogram = Histogram::new(vec![-31, 0, 9, 10, 119]).unwrap();
        assert_eq!(histogram.width, 10);
        assert_eq!(histogram.bins[0], Bin { low: -40, count: 1 });
        assert_eq!(histogram.bins[4], Bin { low: 0, count: 2 });
        assert_eq!(histogram.bins.len(), 16);
        assert_eq!((histogram.min, histogram.max), (-31, 119));
        assert_eq!((histogram.mean, histogram.median), (21.4, 9.0));
        assert_eq!(Histogram::new(vec![1, 2]).unwrap().median, 1.5);
        assert_eq!(Histogram::new(Vec::new()), None);
    }

    #[test]
    fn the_greatest_values_have_bins() {
        let text = Histogram::new(vec![i32::MIN, i32::MAX]).unwrap().text();
        assert_eq!(
            text.lines().filter(|line| line.contains(" 1 #")).count(),
            2,
            "{text}"
        );
    }

    #[test]
    fn widths_are_1_2_5_times_powers_of_ten() {
        for (span, width) in [
            (0, 1),
            (28, 1),
            (29, 2),
            (57, 2),
            (58, 5),
            (145, 10),
            (300, 20),
            (1500, 100),
        ] {
            assert_eq!(bin_width(span), width, "{span}");
        }
    }

    #[test]
    fn text_shows_every_bin() {
        let histogram = Histogram::new(vec![0, 1, 1, 2]).unwrap();
        assert_eq!(histogram.text().lines().count(), 3);
        assert!(
            histogram
                .text()
                .lines()
                .nth(1)
                .unwrap()
                .ends_with(&"#".repeat(BAR))
        );
    }

    proptest! {
        #[test]
        fn nothing_is_lost(values in prop::collection::vec(-32_000_i32..32_000, 1..200)) {
            let count = values.len();
            let histogram = Histogram::new(values).unwrap();
            prop_assert_eq!(histogram.bins.iter().map(|bin| bin.count).sum::<usize>(), count);
            prop_assert!(histogram.bins.len() <= MAX_BINS as usize);
        }
    }
}
