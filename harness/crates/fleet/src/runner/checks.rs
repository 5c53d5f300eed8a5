//! Compares the results of a pair that several workers have sent.
//!
//! [Spot checks](hone_run::executor::spot_checks): a pair is played again by a second worker now
//! and then, without a worker knowing in advance which one; if the results differ, a third
//! worker decides which of the two is wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::ids::WorkerId;
use hone_experiment::PairResult;
use hone_run::executor::PairJob;
use hone_run::executor::spot_checks::{digests, has_failure, is_repeatable, odd_one};

/// Number of the last pairs whose results are remembered.
const WINDOW: usize = 4096;
/// A pair that no worker has is sent again for its check after this time.
const SEND_AGAIN: Duration = Duration::from_secs(120);
/// Maximum number of times that a pair is sent for its check.
const MAX_SENT: u32 = 5;

/// The result of a pair that has a result already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Second {
    /// It is the same, perhaps the same message.
    Same,
    /// The pair was played long ago, or by an earlier process of the run.
    Unknown,
    /// It contradicts the pair or itself.
    Wrong(String),
    /// It differs from the result of `first`, which counts. `is_checked`: a third worker
    /// decides.
    Differs { first: WorkerId, is_checked: bool },
    /// Two workers have the same result, and `loser` has another.
    Decided {
        loser: WorkerId,
        others: [WorkerId; 2],
        /// Whether the result of `loser` counts.
        is_recorded: bool,
    },
    /// Three workers have three results.
    Unrepeatable([WorkerId; 3]),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Play {
    worker: WorkerId,
    digests: [u64; 2],
}

/// A pair that counts.
#[derive(Debug)]
struct Counted {
    job: PairJob,
    /// The first one counts.
    plays: Vec<Play>,
    /// Whether another machine must play the same games.
    is_repeatable: bool,
}

/// A pair that another worker must play.
#[derive(Debug, Default)]
struct Check {
    sent: Option<Instant>,
    count: u32,
}

/// The results of the last pairs.
#[derive(Debug, Default)]
pub(super) struct Checks {
    pairs: BTreeMap<u64, Counted>,
    /// The pairs that another worker must play.
    open: BTreeMap<u64, Check>,
    /// Number of jobs that were sent for checks and are not answered.
    unanswered: u64,
    has_first: bool,
    /// Whether the engines do not repeat their games.
    is_off: bool,
}

impl Checks {
    /// Adds a pair that counts. `is_spot`: it is one of those that are played again.
    pub(super) fn counted(
        &mut self,
        job: PairJob,
        worker: &WorkerId,
        result: &PairResult,
        is_spot: bool,
    ) {
        let is_repeatable = !self.is_off && is_repeatable(&job) && !has_failure(result);
        let is_checked = is_repeatable && (is_spot || !self.has_first);
        self.has_first |= is_repeatable;
        let play = Play {
            worker: worker.clone(),
            digests: digests(result),
        };
        let counted = Counted {
            plays: vec![play],
            is_repeatable,
            job,
        };
        self.pairs.insert(result.pair, counted);
        if is_checked {
            self.open.insert(result.pair, Check::default());
        }
        if self.pairs.len() > WINDOW
            && let Some((oldest, _)) = self.pairs.pop_first()
        {
            self.open.remove(&oldest);
        }
    }

    /// Number of jobs of checks that may be in the queue: if only one worker is left, none can
    /// take them, so they do not show that the queue has jobs of pairs in flight.
    pub(super) fn unanswered(&self) -> u64 {
        self.unanswered
    }

    /// Whether a pair must be played by another worker.
    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// The job of a pair that counts, if it is remembered.
    pub(super) fn job(&self, pair: u64) -> Option<&PairJob> {
        self.pairs.get(&pair).map(|counted| &counted.job)
    }

    /// The workers that have played a pair.
    pub(super) fn players(&self, pair: u64) -> impl Iterator<Item = &WorkerId> {
        let counted = self.pairs.get(&pair).into_iter();
        counted.flat_map(|counted| counted.plays.iter().map(|play| &play.worker))
    }

    /// Compares a further result of a pair.
    pub(super) fn second(&mut self, worker: &WorkerId, result: &PairResult) -> Second {
        let Some(counted) = self.pairs.get_mut(&result.pair) else {
            return Second::Unknown;
        };
        let play = Play {
            worker: worker.clone(),
            digests: digests(result),
        };
        if counted.plays.contains(&play) {
            return Second::Same;
        }
        let is_new = counted.plays.iter().all(|known| known.worker != *worker);
        if is_new {
            self.unanswered = self.unanswered.saturating_sub(1);
        }
        let [first, second] = match &counted.plays[..] {
            [first] => {
                let is_same = first.digests == play.digests;
                let first = first.worker.clone();
                self.open.remove(&result.pair);
                if is_same {
                    return Second::Same;
                }
                let is_checked = counted.is_repeatable && is_new && !has_failure(result);
                if is_checked {
                    counted.plays.push(play);
                    self.open.insert(result.pair, Check::default());
                }
                return Second::Differs { first, is_checked };
            }
            [first, second] if is_new => [first.clone(), second.clone()],
            _ => return Second::Same,
        };
        self.open.remove(&result.pair);
        counted.plays.truncate(1);
        let decided = |loser: Play, other: Play, is_recorded| Second::Decided {
            loser: loser.worker,
            others: [other.worker, worker.clone()],
            is_recorded,
        };
        match odd_one([&first, &second, &play].map(|play| play.digests)) {
            Some(0) => decided(first, second, true),
            // The first two differ, so the third is not the odd one.
            Some(_) => decided(second, first, false),
            None => {
                self.is_off = true;
                for counted in self.pairs.values_mut() {
                    counted.is_repeatable = false;
                }
                self.open.clear();
                Second::Unrepeatable([first.worker, second.worker, worker.clone()])
            }
        }
    }

    /// The pairs to be sent now, each because another of the workers `present` can play it. A
    /// pair in `held` is being played.
    pub(super) fn due(
        &mut self,
        present: &[&WorkerId],
        held: &BTreeSet<u64>,
        now: Instant,
    ) -> Vec<u64> {
        let mut due = Vec::new();
        for (pair, check) in &mut self.open {
            let players = self
                .pairs
                .get(pair)
                .map_or(&[][..], |counted| &counted.plays);
            let has_played = |worker: &WorkerId| players.iter().any(|p| p.worker == *worker);
            let is_due = match check.sent {
                None => true,
                Some(sent) => !held.contains(pair) && now.duration_since(sent) >= SEND_AGAIN,
            };
            if is_due && check.count < MAX_SENT && !present.iter().all(|one| has_played(one)) {
                check.sent = Some(now);
                check.count += 1;
                self.unanswered += 1;
                due.push(*pair);
            }
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::samples::played_pair;
    use crate::samples::{pair_job, worker};
    use hone_uci::rules::{Limit, Termination};

    const NONE: BTreeSet<u64> = BTreeSet::new();

    /// The result of pair 0 with other games for another `seed`.
    fn result(seed: u64) -> PairResult {
        let mut result = played_pair(0).result;
        result.games[1].digest = seed;
        result
    }

    fn job() -> PairJob {
        let mut job = pair_job(0);
        for player in &mut job.players {
            player.limit = Limit::nodes(1000).into();
        }
        job
    }

    fn checked(first: u64) -> Checks {
        let mut checks = Checks::default();
        checks.counted(job(), &worker("a"), &result(first), false);
        checks
    }

    #[test]
    fn the_first_pair_and_the_chosen_ones_are_sent_to_another_worker() {
        let now = Instant::now();
        let [a, b] = ["a", "b"].map(worker);
        let mut checks = checked(1);
        for (pair, is_spot) in [(1, false), (2, true)] {
            let result = PairResult { pair, ..result(1) };
            checks.counted(job(), &a, &result, is_spot);
        }
        assert!(checks.due(&[&a], &NONE, now).is_empty(), "nobody else");
        assert_eq!(checks.due(&[&a, &b], &NONE, now), [0, 2]);
        assert!(
            checks.due(&[&a, &b], &NONE, now).is_empty(),
            "they are sent"
        );
        let later = now + SEND_AGAIN;
        let held = BTreeSet::from([2]);
        assert_eq!(checks.due(&[&a, &b], &held, later), [0], "2 is played");
        assert_eq!(checks.second(&b, &result(1)), Second::Same);
        assert_eq!(checks.due(&[&a, &b], &NONE, later), [2]);
        assert_eq!(
            checks.second(
                &b,
                &PairResult {
                    pair: 9,
                    ..result(1)
                }
            ),
            Second::Unknown
        );
    }

    /// Otherwise a check that nobody can play keeps lost pairs from being sent again.
    #[test]
    fn a_sent_check_is_unanswered_until_another_worker_has_played_it() {
        let now = Instant::now();
        let [a, b] = ["a", "b"].map(worker);
        let mut checks = checked(1);
        assert_eq!(checks.unanswered(), 0);
        assert_eq!(checks.due(&[&a, &b], &NONE, now), [0]);
        assert_eq!(checks.unanswered(), 1);
        assert_eq!(checks.second(&a, &result(1)), Second::Same);
        assert_eq!(checks.unanswered(), 1, "the worker that has played it");
        assert_eq!(checks.second(&b, &result(1)), Second::Same);
        assert_eq!(checks.unanswered(), 0);
    }

    #[test]
    fn a_third_worker_decides_which_result_is_wrong() {
        let now = Instant::now();
        let [a, b, c] = ["a", "b", "c"].map(worker);
        for (third, loser, is_recorded) in [(1, &b, false), (2, &a, true)] {
            let mut checks = checked(1);
            let differs = Second::Differs {
                first: a.clone(),
                is_checked: true,
            };
            assert_eq!(checks.second(&b, &result(2)), differs);
            assert_eq!(
                checks.second(&b, &result(2)),
                Second::Same,
                "the same message"
            );
            assert!(checks.due(&[&a, &b], &NONE, now).is_empty());
            assert_eq!(checks.due(&[&a, &b, &c], &NONE, now), [0]);
            let other = if is_recorded { &b } else { &a };
            let decided = Second::Decided {
                loser: loser.clone(),
                others: [other, &c].map(WorkerId::clone),
                is_recorded,
            };
            assert_eq!(checks.second(&c, &result(third)), decided);
        }
    }

    #[test]
    fn engines_that_do_not_repeat_their_games_are_not_checked_again() {
        let [a, b, c] = ["a", "b", "c"].map(worker);
        let mut checks = checked(1);
        checks.second(&b, &result(2));
        let all = [&a, &b, &c].map(WorkerId::clone);
        assert_eq!(checks.second(&c, &result(3)), Second::Unrepeatable(all));
        let later = PairResult {
            pair: 1,
            ..result(1)
        };
        checks.counted(job(), &a, &later, true);
        assert!(checks.due(&[&a, &b], &NONE, Instant::now()).is_empty());
    }

    #[test]
    fn clocks_threads_and_failures_explain_other_games() {
        let [a, b] = ["a", "b"].map(worker);
        let mut timed = job();
        timed.players[1].limit = "1+0.01".parse::<Limit>().expect("a limit").into();
        let mut threaded = job();
        threaded.players[0].options = [("threads".to_string(), "2".to_string())].into();
        let mut crash = result(1);
        crash.games[0].termination = Termination::Disconnect;
        for (job, first) in [(timed, result(1)), (threaded, result(1)), (job(), crash)] {
            let mut checks = Checks::default();
            checks.counted(job, &a, &first, true);
            assert!(checks.due(&[&a, &b], &NONE, Instant::now()).is_empty());
            let differs = Second::Differs {
                first: a.clone(),
                is_checked: false,
            };
            assert_eq!(checks.second(&b, &result(2)), differs);
        }
    }

    #[test]
    fn the_oldest_pairs_are_forgotten() {
        let mut checks = Checks::default();
        for pair in 0..=WINDOW as u64 {
            checks.counted(job(), &worker("a"), &PairResult { pair, ..result(1) }, true);
        }
        assert!(checks.job(0).is_none() && checks.job(1).is_some());
    }
}
