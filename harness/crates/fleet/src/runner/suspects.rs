//! Finds workers whose results differ from those of the others: a machine that is
//! overloaded, overheated or dishonest.
//!
//! Two tests examine each worker. After 4, 8, 16, … pairs: whether it loses more games by
//! failures (time forfeits, crashes, stalls, illegal moves) than the others (Fisher's
//! exact test, one-sided). After 64, 128, 256, … pairs: whether its pairs have another
//! distribution (Pearson's chi-square) and differ more than those of every other worker.
//! The significance level of examination `k` of a test is [`FALSE_ALARM`] / (2 k (k + 1)).
//! The sum over both tests and all `k` is [`FALSE_ALARM`], which bounds the probability
//! that a good worker is put in quarantine in a run of any length.

use std::collections::BTreeMap;

use statrs::distribution::{DiscreteCDF, Hypergeometric};

use crate::ids::WorkerId;
use hone_experiment::PairResult;
use hone_stats::Pentanomial;
use hone_stats::detect::{FEWEST_COMPARED, difference};

/// Upper bound of the probability that a good worker is put in quarantine in a run.
const FALSE_ALARM: f64 = 0.001;
/// Pairs at the first examination of failures: few, because a machine on which engines
/// fail often would end the run of a small fleet.
const FIRST_FAILURES: u64 = 4;
/// Pairs at the first examination of results: chi-square needs many.
const FIRST_RESULTS: u64 = FEWEST_COMPARED;

#[derive(Debug, Clone, Copy, Default)]
struct WorkerCounts {
    results: Pentanomial,
    failures: u64,
}

impl WorkerCounts {
    fn games(&self) -> u64 {
        self.results.pairs() * 2
    }
}

/// The results and failures of each worker of a run.
#[derive(Debug, Default)]
pub(super) struct Suspects {
    workers: BTreeMap<WorkerId, WorkerCounts>,
}

impl Suspects {
    /// Adds a pair without an examination: one of an earlier process.
    pub(crate) fn remember(&mut self, worker: &WorkerId, pair: &PairResult) {
        let counts = self.workers.entry(worker.clone()).or_default();
        counts.results.add(pair.half_points());
        let failed = pair
            .games
            .iter()
            .filter(|game| game.termination.is_failure());
        counts.failures += failed.count() as u64;
    }

    /// Adds a pair. Returns the reason if its worker must be put in quarantine.
    pub(super) fn absorb(&mut self, worker: &WorkerId, pair: &PairResult) -> Option<String> {
        self.remember(worker, pair);
        let own = self.workers.get(worker)?;
        let pairs = own.results.pairs();
        // Failures are examined whenever results are.
        let alpha_of_failures = alpha(pairs, FIRST_FAILURES)?;
        let others = self.others(worker);
        judge_failures(own, &others, alpha_of_failures).or_else(|| {
            let alpha = alpha(pairs, FIRST_RESULTS)?;
            self.judge_results(worker, own, &others, alpha)
        })
    }

    fn judge_results(
        &self,
        worker: &WorkerId,
        own: &WorkerCounts,
        others: &WorkerCounts,
        alpha: f64,
    ) -> Option<String> {
        let p = difference(own.results, others.results)?;
        // Only the worker that differs most is suspect. Of two workers, either could be
        // at fault.
        let rivals = self
            .workers
            .iter()
            .filter(|(id, counts)| *id != worker && counts.results.pairs() >= FIRST_RESULTS);
        let is_oddest = rivals
            .clone()
            .all(|(id, _)| self.difference(id).is_none_or(|other| p < other));
        (p < alpha && rivals.count() > 1 && is_oddest).then(|| {
            format!(
                "its pairs LL, LD, DD+WL, WD, WW are {:?}, and {:?} on other machines (p = {p:.1e})",
                own.results.0, others.results.0
            )
        })
    }

    /// Names the worker with more than half of the failures, if there is one and others
    /// play too: for a run that ends with an error.
    pub(super) fn hint(&self) -> Option<String> {
        let all: u64 = self.workers.values().map(|counts| counts.failures).sum();
        let (worker, most) = self.workers.iter().max_by_key(|(_, one)| one.failures)?;
        let stands_out = self.workers.len() > 1 && 2 * most.failures > all;
        stands_out.then(|| {
            format!(
                "fleet: {} of the {all} games that were lost by failures were on worker {worker}, which has played {} games\nhelp: if that machine is at fault, leave it out (`exclude = [\"{worker}\"]` in [fleet]); its games still count, so a run that `max_failures` has ended needs a larger one, or a new start",
                most.failures,
                most.games()
            )
        })
    }

    fn others(&self, worker: &WorkerId) -> WorkerCounts {
        let mut others = WorkerCounts::default();
        for (_, counts) in self.workers.iter().filter(|(id, _)| *id != worker) {
            others.results = [others.results, counts.results].into_iter().sum();
            others.failures += counts.failures;
        }
        others
    }

    /// The p-value of the difference between a worker's pairs and those of the
    /// others.
    fn difference(&self, worker: &WorkerId) -> Option<f64> {
        difference(
            self.workers.get(worker)?.results,
            self.others(worker).results,
        )
    }
}

/// The significance level of the examination that is due after this number of pairs, if
/// one is. The first is due after `first` pairs.
fn alpha(pairs: u64, first: u64) -> Option<f64> {
    let examination = (pairs / first).checked_ilog2()? + 1;
    let is_due = pairs == first << (examination - 1);
    // Each of the two tests has half of the false alarms.
    is_due.then(|| FALSE_ALARM / 2.0 / f64::from(examination * (examination + 1)))
}

fn judge_failures(own: &WorkerCounts, others: &WorkerCounts, alpha: f64) -> Option<String> {
    let p = more_failures(own, others);
    (p < alpha).then(|| {
        format!(
            "{} of its {} games were lost by failures, {} of {} on other machines (p = {p:.1e})",
            own.failures,
            own.games(),
            others.failures,
            others.games()
        )
    })
}

/// The p-value of Fisher's exact test: the probability of at least as many failures on
/// this machine if all machines had the same failure rate.
fn more_failures(own: &WorkerCounts, others: &WorkerCounts) -> f64 {
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
    use crate::message::samples::played;
    use crate::samples;
    use hone_uci::rules::{Outcome, Termination};

    fn worker(number: usize) -> WorkerId {
        samples::worker(&format!("w{number}"))
    }

    /// A pair with random results: the first engine wins a game with probability `p`, a
    /// game ends by a failure with probability `failing`.
    fn pair(rng: &mut ChaCha8Rng, p: f64, failing: f64) -> PairResult {
        let mut games = played(0, String::new()).games;
        for (number, game) in games.iter_mut().enumerate() {
            let first_wins = rng.random::<f64>() < p;
            game.outcome = if first_wins == (number == 0) {
                Outcome::White
            } else {
                Outcome::Black
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
    fn good_workers_are_not_put_in_quarantine() {
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
    fn a_machine_whose_engines_crash_is_found_before_ten_games_are_lost() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut suspects = Suspects::default();
        for number in 0..8 {
            let pair = pair(&mut rng, 0.5, 0.0);
            assert_eq!(suspects.absorb(&worker(number % 2), &pair), None);
        }
        for number in 1..=FIRST_FAILURES {
            let why = suspects.absorb(&worker(2), &pair(&mut rng, 0.5, 1.0));
            assert_eq!(why.is_some(), number == FIRST_FAILURES, "{number}: {why:?}");
        }
    }

    #[test]
    fn the_worker_with_most_of_the_failures_is_named() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let mut suspects = Suspects::default();
        suspects.remember(&worker(0), &pair(&mut rng, 0.5, 1.0));
        assert_eq!(suspects.hint(), None, "nobody else has played");
        suspects.remember(&worker(1), &pair(&mut rng, 0.5, 1.0));
        assert_eq!(suspects.hint(), None, "both fail");
        suspects.remember(&worker(1), &pair(&mut rng, 0.5, 1.0));
        let hint = suspects.hint().expect("a worker");
        assert!(hint.contains("4 of the 6 games"), "{hint}");
        assert!(hint.contains("exclude = [\"all/w1\"]"), "{hint}");
    }

    #[test]
    fn a_bad_engine_puts_no_worker_into_quarantine() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let mut suspects = Suspects::default();
        for number in 0..60 {
            let pair = pair(&mut rng, 0.5, 1.0);
            assert_eq!(suspects.absorb(&worker(number % 3), &pair), None);
        }
    }

    #[test]
    fn the_levels_of_all_examinations_sum_to_the_false_alarm() {
        let levels = |first| (1..=1_000_000).filter_map(move |pairs| alpha(pairs, first));
        let failures: f64 = levels(FIRST_FAILURES).sum();
        let results: f64 = levels(FIRST_RESULTS).sum();
        assert!(failures + results <= FALSE_ALARM);
        assert!(failures + results > 0.9 * FALSE_ALARM);
    }

    #[test]
    fn of_two_workers_neither_is_in_quarantine_for_its_results() {
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
                let pair = if is_bad {
                    pair(&mut rng, p, failing)
                } else {
                    pair(&mut rng, 0.5, 0.0)
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
