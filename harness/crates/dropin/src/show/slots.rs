//! The games in progress, derived from the submitted and the finished pairs: pairs are started
//! in the order of submission.

use std::collections::{BTreeMap, VecDeque};

/// The pairs in progress.
#[derive(Debug)]
pub(super) struct PairSlots {
    free: usize,
    waiting: VecDeque<(u64, [usize; 2])>,
    playing: BTreeMap<u64, [usize; 2]>,
}

impl PairSlots {
    pub(super) fn new(concurrency: usize) -> Self {
        Self {
            free: concurrency,
            waiting: VecDeque::new(),
            playing: BTreeMap::new(),
        }
    }

    /// Adds a pair that waits for a free slot.
    pub(super) fn submit(&mut self, pair: u64, engines: [usize; 2]) {
        self.waiting.push_back((pair, engines));
    }

    /// The next pair that has a free slot.
    pub(super) fn start(&mut self) -> Option<(u64, [usize; 2])> {
        if self.free == 0 {
            return None;
        }
        let (pair, engines) = self.waiting.pop_front()?;
        self.free -= 1;
        self.playing.insert(pair, engines);
        Some((pair, engines))
    }

    /// Removes a finished pair. Returns whether it was known to have started.
    pub(super) fn finish(&mut self, pair: u64) -> bool {
        if self.playing.remove(&pair).is_some() {
            self.free += 1;
            return true;
        }
        // It was started before the end of a longer one was known.
        self.waiting.retain(|(waiting, _)| *waiting != pair);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_start_as_boards_become_free() {
        let mut slots = PairSlots::new(2);
        for pair in 0..4 {
            slots.submit(pair, [0, 1]);
        }
        assert_eq!(slots.start(), Some((0, [0, 1])));
        assert_eq!(slots.start(), Some((1, [0, 1])));
        assert_eq!(slots.start(), None);
        assert!(slots.finish(1));
        assert_eq!(slots.start(), Some((2, [0, 1])));
        assert!(!slots.finish(3));
        assert_eq!(slots.start(), None);
        assert!(slots.finish(0));
        assert_eq!(slots.start(), None);
    }
}
