//! Bins of a histogram.

/// Edges within a decade from 10 on, nearly equidistant on a logarithmic scale.
const DECADE: [u64; 8] = [10, 13, 18, 24, 32, 42, 56, 75];
/// Most values with a bin each: an engine may report any depth.
const MOST: u64 = 128;
/// Values above this may be in no bin, so that edges do not overflow.
const LARGEST: u64 = u64::MAX / 100;

/// Bins of integers: from one edge (included) to the next (excluded).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bins {
    edges: Vec<u64>,
}

impl Bins {
    /// A bin for each value from `first` to `last`; growing bins if there are too many.
    pub(super) fn each(first: u64, last: u64) -> Self {
        let last = last.max(first);
        if last > LARGEST || last - first >= MOST {
            return Self::growing(first, last);
        }
        Self {
            edges: (first..=last + 1).collect(),
        }
    }

    /// Bins from `first` to `last` whose widths grow with the values; each contains at least
    /// one integer.
    pub(super) fn growing(first: u64, last: u64) -> Self {
        let first = first.min(LARGEST);
        let last = last.clamp(first, LARGEST);
        let mut edges = vec![0, 1, 2, 3, 4, 6, 8];
        let mut power = 1;
        while edges.last().is_some_and(|edge| *edge <= last) {
            edges.extend(DECADE.map(|edge| edge * power));
            power *= 10;
        }
        let start = edges.partition_point(|edge| *edge <= first) - 1;
        let end = edges.partition_point(|edge| *edge <= last) + 1;
        edges.truncate(end);
        edges.drain(..start);
        Self { edges }
    }

    /// Whether each bin is a single value.
    pub(super) fn are_single(&self) -> bool {
        (0..self.count()).all(|bin| self.edges[bin] + 1 == self.edges[bin + 1])
    }

    pub(super) fn count(&self) -> usize {
        self.edges.len() - 1
    }

    /// The bin of a value; `None` if it is outside of all bins.
    pub(super) fn of(&self, value: u64) -> Option<usize> {
        let after = self.edges.partition_point(|edge| *edge <= value);
        (1..self.edges.len()).contains(&after).then(|| after - 1)
    }

    /// First and last value of a bin.
    pub(super) fn ends(&self, bin: usize) -> (u64, u64) {
        (self.edges[bin], self.edges[bin + 1] - 1)
    }

    pub(super) fn edges(&self) -> &[u64] {
        &self.edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_growing_bin_contains_an_integer() {
        let bins = Bins::growing(0, 120_000);
        for bin in 0..bins.count() {
            let (first, last) = bins.ends(bin);
            assert!(first <= last);
            assert_eq!((bins.of(first), bins.of(last)), (Some(bin), Some(bin)));
        }
        // 1 and 2 ms are neighbours.
        assert_eq!(bins.of(2), bins.of(1).map(|bin| bin + 1));
        assert!(bins.of(120_000).is_some());
    }

    #[test]
    fn bins_cover_the_range() {
        let bins = Bins::growing(11, 20);
        assert_eq!(bins.edges(), [10, 13, 18, 24]);
        assert_eq!(bins.of(9), None);
        assert_eq!(bins.of(24), None);
        let depths = Bins::each(3, 5);
        assert_eq!((depths.count(), depths.ends(1)), (3, (4, 4)));
        assert_eq!(depths.of(6), None);
    }

    #[test]
    fn huge_values_share_bins() {
        for last in [u64::from(u32::MAX), LARGEST, u64::MAX] {
            for bins in [Bins::each(1, last), Bins::growing(0, last)] {
                assert!(bins.count() < 200, "{} bins up to {last}", bins.count());
                assert!(bins.of(last.min(LARGEST)).is_some());
            }
        }
        assert_eq!(Bins::each(u64::MAX, u64::MAX).count(), 1);
        assert_eq!(Bins::growing(u64::MAX, 0).count(), 1);
        let (most, more) = (Bins::each(1, MOST), Bins::each(1, MOST + 1));
        assert!(most.are_single() && most.count() == 128);
        assert!(!more.are_single());
    }
}
