//! The pairs of several runs as one sequence.

use crate::executor::PlayedPair;

/// The pairs of all runs in the order in which they were finished, as if one process had
/// received them. The order within a run is kept even if its clock was set back.
pub(super) struct Merged<I: Iterator> {
    runs: Vec<std::iter::Peekable<I>>,
}

impl<I> Merged<I>
where
    I: Iterator<Item = anyhow::Result<PlayedPair>>,
{
    pub(super) fn new(runs: impl IntoIterator<Item = I>) -> Self {
        Self {
            runs: runs.into_iter().map(Iterator::peekable).collect(),
        }
    }
}

impl<I> Iterator for Merged<I>
where
    I: Iterator<Item = anyhow::Result<PlayedPair>>,
{
    type Item = I::Item;

    fn next(&mut self) -> Option<Self::Item> {
        let times = self.runs.iter_mut().enumerate().filter_map(|(run, pairs)| {
            // Errors come first.
            let time = match pairs.peek()? {
                Ok(pair) => pair.finished_ms,
                Err(_) => i64::MIN,
            };
            Some((time, run))
        });
        let (_, run) = times.min()?;
        self.runs[run].next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_experiment::PairResult;

    fn pair(pair: u64, finished_ms: i64) -> anyhow::Result<PlayedPair> {
        let game = || crate::samples::drawn_game(0);
        Ok(PlayedPair {
            result: PairResult {
                pair,
                engines: [0, 1],
                games: [game(), game()],
            },
            opening_number: 1,
            texts: Default::default(),
            worker: 0,
            finished_ms,
        })
    }

    #[test]
    fn pairs_are_sorted_by_their_ends_and_the_order_of_a_run_is_kept() {
        let runs = [
            vec![pair(1, 10), pair(3, 40), pair(5, 30)],
            vec![pair(2, 20), pair(4, 35)],
            vec![],
        ];
        let merged = Merged::new(runs.into_iter().map(Vec::into_iter));
        let order: Vec<u64> = merged.map(|pair| pair.unwrap().result.pair).collect();
        assert_eq!(order, [1, 2, 4, 3, 5]);
    }

    #[test]
    fn errors_come_first() {
        let runs = [vec![pair(1, 10)], vec![Err(anyhow::anyhow!("torn"))]];
        let mut merged = Merged::new(runs.into_iter().map(Vec::into_iter));
        assert!(merged.next().unwrap().is_err());
    }
}
