//! `hone tune` as an experiment: pairs in, values out.

use std::collections::VecDeque;
use std::sync::Arc;

use super::section::TuneSection;
use super::space::{SideValues, Space};
use super::tuner::Tuner;
use crate::{Experiment, Next, PairPlan, PairResult, Side, Verdict};

/// A tuning run. The plus side is engine 0, the minus side engine 1; both are
/// the engine that is tuned.
pub struct TuneExperiment {
    tuner: Tuner,
    /// Pairs of the run, and of a batch.
    pairs: u64,
    batch: u64,
    /// Number of the first batch in `plans`.
    first: u64,
    plans: VecDeque<(SideValues, [Side; 2])>,
    absorbed: u64,
    /// Counts of the unfinished batch.
    counts: [u64; 5],
    /// Pairs left out because an engine failed.
    failed: u64,
    is_finished: bool,
}

impl TuneExperiment {
    /// A run of `section` over `space`; `seed` is used if the section has none.
    pub fn new(section: &TuneSection, space: Space, seed: u64) -> Self {
        let method = section.method(&space);
        let seed = section.seed.unwrap_or(seed);
        Self {
            tuner: Tuner::new(space, section.budget(), seed, method).with_history(),
            pairs: section.pairs(),
            batch: section.batch,
            first: 0,
            plans: VecDeque::new(),
            absorbed: 0,
            counts: [0; 5],
            failed: 0,
            is_finished: false,
        }
    }

    /// The plan of a batch; `None` while it depends on results that are missing.
    fn batch(&mut self, batch: u64) -> Option<&(SideValues, [Side; 2])> {
        while self.first + self.plans.len() as u64 <= batch {
            let (_, played) = self.tuner.plan()?;
            let space = self.tuner.space();
            let side = |engine, values: &[f64]| Side {
                engine,
                options: Arc::from(space.options(values)),
            };
            let sides = [side(0, &played.plus), side(1, &played.minus)];
            self.plans.push_back((played, sides));
        }
        self.plans.get((batch - self.first) as usize)
    }

    /// Takes a pair's result by its half points for the plus side; `None` for
    /// a pair that does not count.
    pub fn take(&mut self, half_points: Option<usize>) {
        match half_points {
            Some(points) => self.counts[points] += 1,
            None => self.failed += 1,
        }
        self.absorbed += 1;
        let is_last = self.absorbed == self.pairs;
        if self.absorbed.is_multiple_of(self.batch) || is_last {
            self.tuner.result(std::mem::take(&mut self.counts));
            // Drops the plans of finished batches.
            while self.first < self.absorbed / self.batch && self.plans.pop_front().is_some() {
                self.first += 1;
            }
        }
        if is_last {
            self.conclude();
        }
    }

    /// Absorbs all results so far; nothing is planned afterwards.
    pub fn conclude(&mut self) {
        self.tuner.finish();
        self.is_finished = self.absorbed == self.pairs;
    }

    /// The values of the two sides of a batch that has been planned and is not
    /// absorbed yet.
    pub fn played(&self, batch: u64) -> Option<&SideValues> {
        let at = batch.checked_sub(self.first)?;
        self.plans.get(at as usize).map(|(played, _)| played)
    }

    pub fn tuner(&self) -> &Tuner {
        &self.tuner
    }

    /// Pairs absorbed.
    pub fn absorbed(&self) -> u64 {
        self.absorbed
    }

    /// Pairs left out because an engine failed.
    pub fn failed(&self) -> u64 {
        self.failed
    }
}

impl Experiment for TuneExperiment {
    fn plan(&mut self, pair: u64) -> Next {
        if pair >= self.pairs {
            return Next::End;
        }
        match self.batch(pair / self.batch) {
            Some((_, [plus, minus])) => Next::Play(PairPlan {
                first: plus.clone(),
                second: minus.clone(),
                opening: self.opening(pair),
            }),
            None => Next::Wait,
        }
    }

    fn absorb(&mut self, result: &PairResult) {
        self.take((!result.has_failure()).then(|| result.half_points()));
    }

    fn pass_over(&mut self, _result: &PairResult) {
        self.take(None);
    }

    fn verdict(&self) -> Option<Verdict> {
        self.is_finished.then_some(Verdict::Complete)
    }

    fn budget(&self) -> u64 {
        self.pairs
    }
}

impl std::fmt::Debug for TuneExperiment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TuneExperiment")
            .field("pairs", &self.pairs)
            .field("absorbed", &self.absorbed)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::param::Param;
    use super::*;

    fn experiment(text: &str) -> TuneExperiment {
        let section: TuneSection = toml::from_str(text).unwrap();
        let space = Space::new(vec![
            Param::int("A", 50.0, 0.0, 100.0),
            Param::int("B", 5.0, 0.0, 10.0),
        ]);
        TuneExperiment::new(&section, space.unwrap(), 1)
    }

    /// Half points of a pair, from its number and plan only.
    fn outcome(pair: u64, plan: &PairPlan) -> usize {
        let a: u64 = plan.first.options[0].1.parse().unwrap();
        ((pair * 7 + a) % 5) as usize
    }

    /// Plays with up to `ahead` pairs in flight.
    fn play(experiment: &mut TuneExperiment, ahead: u64) -> Vec<PairPlan> {
        let mut plans: Vec<PairPlan> = vec![];
        let mut absorbed = 0;
        loop {
            while (plans.len() as u64) < absorbed + ahead
                && let Next::Play(plan) = experiment.plan(plans.len() as u64)
            {
                plans.push(plan);
            }
            if absorbed == plans.len() as u64 {
                return plans;
            }
            let plan = &plans[absorbed as usize];
            experiment.take(Some(outcome(absorbed, plan)));
            absorbed += 1;
        }
    }

    #[test]
    fn plans_and_values_do_not_depend_on_how_many_pairs_are_in_flight() {
        for method in [
            "spsa",
            "adaptive",
            "openbench",
            "fishtest",
            "weather-factory",
        ] {
            let text = format!("method = \"{method}\"\npairs = 403\nbatch = 4\nwindow = 10\n");
            let mut one = experiment(&text);
            let plans = play(&mut one, 1);
            assert_eq!(plans.len(), 403);
            assert_eq!(one.verdict(), Some(Verdict::Complete));
            for ahead in [3, 10] {
                let mut other = experiment(&text);
                assert_eq!(play(&mut other, ahead), plans);
                assert_eq!(
                    other.tuner().method().values(),
                    one.tuner().method().values()
                );
            }
        }
    }

    #[test]
    fn a_fold_over_the_results_alone_gives_the_same() {
        let text = "pairs = 200\nbatch = 4\nwindow = 10\n";
        let mut played = experiment(text);
        let plans = play(&mut played, 7);
        let mut folded = experiment(text);
        for (pair, plan) in plans.iter().enumerate() {
            folded.take(Some(outcome(pair as u64, plan)));
        }
        assert_eq!(
            folded.tuner().method().values(),
            played.tuner().method().values()
        );
        // Resumed in the middle: earlier pairs come from the ledger unplanned.
        let mut resumed = experiment(text);
        for (pair, plan) in plans.iter().enumerate().take(101) {
            resumed.take(Some(outcome(pair as u64, plan)));
        }
        for (pair, plan) in plans.iter().enumerate().skip(101) {
            assert_eq!(resumed.plan(pair as u64), Next::Play(plan.clone()));
            resumed.take(Some(outcome(pair as u64, plan)));
        }
        assert_eq!(
            resumed.tuner().method().values(),
            played.tuner().method().values()
        );
    }

    #[test]
    fn waits_for_results_beyond_the_window() {
        let mut tuning = experiment("pairs = 100\nbatch = 4\nwindow = 10\n");
        // Batches 0 to 2 need nothing; batch 3 starts at pair 12 and needs 0 to 2.
        assert!(matches!(tuning.plan(12), Next::Play(_)));
        assert_eq!(tuning.plan(16), Next::Wait);
        for _ in 0..7 {
            tuning.take(Some(2));
        }
        assert!(matches!(tuning.plan(16), Next::Play(_)));
        assert_eq!(tuning.plan(100), Next::End);
    }

    #[test]
    fn the_most_pairs_in_flight_are_those_that_can_be_planned() {
        for (batch, window, most) in [(4, 10, 16), (8, 32, 40), (8, 33, 40), (8, 1, 8), (1, 6, 6)] {
            let text = format!("pairs = 4000\nbatch = {batch}\nwindow = {window}\n");
            let mut tuning = experiment(&text);
            let planned = |tuning: &mut TuneExperiment, from: u64| {
                let is_planned = |pair: &u64| matches!(tuning.plan(*pair), Next::Play(_));
                (from..).take_while(is_planned).count() as u64
            };
            let mut greatest = 0;
            for absorbed in 0..200 {
                greatest = greatest.max(planned(&mut tuning, absorbed));
                tuning.take(Some(2));
            }
            assert_eq!(greatest, most, "{text}");
            let section: TuneSection = toml::from_str(&text).unwrap();
            assert_eq!(section.budget().most_in_flight(), most);
        }
    }

    #[test]
    fn failed_pairs_do_not_move_the_values() {
        let text = "pairs = 80\nbatch = 4\n";
        let mut tuning = experiment(text);
        for pair in 0..80 {
            assert!(matches!(tuning.plan(pair), Next::Play(_) | Next::Wait));
            tuning.take(None);
        }
        assert_eq!(tuning.failed(), 80);
        assert_eq!(tuning.tuner().method().values(), [50.0, 5.0]);
    }
}
