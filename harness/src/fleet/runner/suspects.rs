//! Finds workers whose results do not look like those of the others: a machine
//! that is overloaded, overheated or dishonest.
//!
//! Each worker is examined when it has played 64, 128, 256, … pairs: whether
//! its share of lost games by failures (time forfeits, crashes, stalls, illegal
//! moves) is higher than that of the others (Fisher's exact test), and whether
//! its pairs have another distribution (Pearson's chi-square), more so than those
//! of every other worker. Examination `k`
//! may err with probability [`FALSE_ALARM`] / (k (k + 1)), so that a good worker
//! is excluded from a run with probability [`FALSE_ALARM`] at most, however long
//! the run is.

use std::collections::BTreeMap;

use statrs::distribution::{DiscreteCDF, Hypergeometric};

use crate::experiment::PairResult;
use crate::fleet::ids::WorkerId;
use crate::stats::Pentanomial;
use crate::stats::detect::{Test, between_groups};

/// How often a good worker is excluded from a run, at most.
pub(crate) const FALSE_ALARM: f64 = 0.001;
/// Pairs of the first examination.
const FIRST: u64 = 64;

#[derive(Debug, Clone, Copy, Default)]
struct Record {
    results: Pentanomial,
    failures: u64,
}

impl Record {
    fn games(&self) -> u64 {
        self.results.pairs() * 2
    }
}

/// What each worker has played of a run.
#[derive(Debug, Default)]
pub(crate) struct Suspects {
    workers: BTreeMap<WorkerId, Record>,
}

impl Suspects {
    /// Takes a pair that is in the ledger from before.
    pub(crate) fn remember(&mut self, worker: &WorkerId, pair: &PairResult) {
        let record = self.workers.entry(worker.clone()).or_default();
        record.results.add(pair.half_points());
        let failed = pair
            .games
            .iter()
            .filter(|game| game.termination.is_failure());
        record.failures += failed.count() as u64;
    }

    /// Takes a pair. Returns why its worker is to be excluded, if it is.
    pub(crate) fn absorb(&mut self, worker: &WorkerId, pair: &PairResult) -> Option<String> {
        self.remember(worker, pair);
        let pairs = self.workers.get(worker)?.results.pairs();
        let examination = (pairs / FIRST).checked_ilog2()? + 1;
        if pairs != FIRST << (examination - 1) {
            return None;
        }
        let allowed = FALSE_ALARM / f64::from(examination * (examination + 1));
        // Two tests share it.
        self.examine(worker, allowed / 2.0)
    }

    fn examine(&self, worker: &WorkerId, allowed: f64) -> Option<String> {
        let own = self.workers.get(worker)?;
        let others = self.others(worker);
        if others.results.pairs() < FIRST {
            return None;
        }
        let p = more_failures(own, &others);
        if p < allowed {
            return Some(format!(
                "{} of its {} games were lost by failures, {} of {} on other machines (p = {p:.1e})",
                own.failures,
                own.games(),
                others.failures,
                others.games()
            ));
        }
        let p = self.difference(worker)?;
        // Of those that differ, the worker that differs most is the odd one. Of
        // two workers, either can be.
        let rivals = self
            .workers
            .iter()
            .filter(|(id, record)| *id != worker && record.results.pairs() >= FIRST);
        let is_oddest = rivals
            .clone()
            .all(|(id, _)| self.difference(id).is_none_or(|other| p < other));
        (p < allowed && rivals.count() > 1 && is_oddest).then(|| {
            format!(
                "its pairs LL, LD, DD+WL, WD, WW are {:?}, and {:?} on other machines (p = {p:.1e})",
                own.results.0, others.results.0
            )
        })
    }
}

impl Suspects {
    fn others(&self, worker: &WorkerId) -> Record {
        let mut others = Record::default();
        for (_, record) in self.workers.iter().filter(|(id, _)| *id != worker) {
            others.results = [others.results, record.results].into_iter().sum();
            others.failures += record.failures;
        }
        others
    }

    /// The p-value of the difference between a worker's pairs and those of the
    /// others.
    fn difference(&self, worker: &WorkerId) -> Option<f64> {
        let groups = BTreeMap::from([
            ("own".to_string(), self.workers.get(worker)?.results),
            ("others".to_string(), self.others(worker).results),
        ]);
        between_groups(Test::Workers, &groups)?.p_value
    }
}

/// How often as many failures or more would be on this machine, if all
/// machines had the same share.
fn more_failures(own: &Record, others: &Record) -> f64 {
    let (all, failures) = (own.games() + others.games(), own.failures + others.failures);
    match Hypergeometric::new(all, failures, own.games()) {
        Ok(distribution) if own.failures > 0 => distribution.sf(own.failures - 1),
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::fleet::ids::Name;
    use crate::fleet::message::samples::played;
    use crate::rules::{Outcome, Termination};

    fn worker(number: usize) -> WorkerId {
        WorkerId {
            credential: Name::new("all").expect("a name"),
            machine: Name::new(&format!("w{number}")).expect("a name"),
        }
    }

    /// A pair with results by chance; the first engine scores with `p`.
    fn pair(rng: &mut ChaCha8Rng, p: f64, failing: f64) -> PairResult {
        let mut games = played(0, String::new()).games;
        for (number, game) in games.iter_mut().enumerate() {
            let first_wins = rng.random::<f64>() < p;
            game.outcome = match first_wins == (number == 0) {
                true => Outcome::White,
                false => Outcome::Black,
            };
            if rng.random::<f64>() < failing {
                game.termination = Termination::TimeForfeit;
            }
        }
        PairResult {
            pair: 0,
            engines: [0, 1],
            games,
        }
    }

    #[test]
    fn good_workers_are_left_alone() {
        let mut rng = ChaCha8Rng::seed_from_u64(20);
        let mut excluded = 0;
        for _ in 0..40 {
            let mut suspects = Suspects::default();
            for number in 0..2000 {
                let pair = pair(&mut rng, 0.5, 0.01);
                excluded += usize::from(suspects.absorb(&worker(number % 4), &pair).is_some());
            }
        }
        // 160 workers; 0.16 are expected.
        assert!(excluded <= 2, "{excluded}");
    }

    #[test]
    fn of_two_workers_neither_is_excluded_for_its_results() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut suspects = Suspects::default();
        for number in 0..2000 {
            let pair = pair(&mut rng, [0.5, 0.9][number % 2], 0.0);
            assert_eq!(suspects.absorb(&worker(number % 2), &pair), None);
        }
    }

    #[test]
    fn a_machine_that_loses_on_time_and_one_that_lies_are_found() {
        for (p, failing, words) in [(0.5, 0.2, "failures"), (0.9, 0.0, "LL")] {
            let mut rng = ChaCha8Rng::seed_from_u64(7);
            let mut suspects = Suspects::default();
            let mut found = None;
            for number in 0..2000 {
                let is_bad = number % 4 == 3;
                let pair = match is_bad {
                    true => pair(&mut rng, p, failing),
                    false => pair(&mut rng, 0.5, 0.0),
                };
                if let Some(why) = suspects.absorb(&worker(number % 4), &pair) {
                    assert!(is_bad, "worker {}: {why}", number % 4);
                    found = Some(why);
                    break;
                }
            }
            let why = found.expect("it was not found");
            assert!(why.contains(words), "{why}");
        }
    }
}
