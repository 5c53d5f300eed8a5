//! Bins of a histogram.

/// Edges within a decade from 10 on, nearly even on a logarithmic scale.
const DECADE: [u64; 8] = [10, 13, 18, 24, 32, 42, 56, 75];

/// Bins of whole numbers: each from one edge to before the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bins {
    edges: Vec<u64>,
}

impl Bins {
    /// A bin for each number from `first` to `last`.
    pub(super) fn each(first: u64, last: u64) -> Self {
        Self {
            edges: (first..=last.max(first) + 1).collect(),
        }
    }

    /// Bins that grow with the numbers and hold at least one each, so that
    /// none is empty because no number could be in it.
    pub(super) fn growing(first: u64, last: u64) -> Self {
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

    pub(super) fn count(&self) -> usize {
        self.edges.len() - 1
    }

    /// The bin that a number is in; none if it is beyond them.
    pub(super) fn of(&self, value: u64) -> Option<usize> {
        let after = self.edges.partition_point(|edge| *edge <= value);
        (1..self.edges.len()).contains(&after).then(|| after - 1)
    }

    /// First and last number of a bin.
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
    fn every_growing_bin_holds_a_number() {
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
    fn bins_begin_and_end_with_what_is_in_them() {
        let bins = Bins::growing(11, 20);
        assert_eq!(bins.edges(), [10, 13, 18, 24]);
        assert_eq!(bins.of(9), None);
        assert_eq!(bins.of(24), None);
        let depths = Bins::each(3, 5);
        assert_eq!((depths.count(), depths.ends(1)), (3, (4, 4)));
        assert_eq!(depths.of(6), None);
    }
}
