//! The course of a run, pair by pair: LLR and Elo, times and depths, results by worker. It is
//! updated as the ledger grows, in about 20 bytes of memory a pair.

use std::collections::VecDeque;

use super::chart::POINTS;
use super::effort::{MoveHistograms, rounded_mean};
use super::workers::Workers;
use hone_experiment::{Experiment, PairResult};
use hone_run::ledger::{PairOrder, RecordedPair};
use hone_run::{Fold, Manifest, PlayTime, RunFiles};
use hone_stats::confidence::ConfidenceSequence;
use hone_stats::detect::{Examination, Finding, TaggedPair};
use hone_stats::{Estimate, Sprt, SprtState};

/// The course of a run up to the last absorbed pair.
#[derive(Debug, Clone)]
pub struct Timeline {
    time: PlayTime,
    /// Pairs that wait for an earlier pair, in the order of arrival.
    arrived: VecDeque<(u64, TaggedPair)>,
    /// The pairs that count, in the order of arrival.
    examination: Examination,
    /// The pairs that are not in `trace`, `means` and `workers` yet.
    order: PairOrder<RecordedPair>,
    /// `None` with more than two engines.
    trace: Option<Trace>,
    /// Of each engine: the mean time and depth of each game.
    means: Vec<MoveHistograms>,
    workers: Workers,
}

impl Timeline {
    /// Before the first pair.
    ///
    /// # Errors
    /// If the sequential test of the manifest is invalid.
    pub fn new(manifest: &Manifest) -> anyhow::Result<Self> {
        let trace = match manifest.engines.len() {
            2 => Some(Trace::new(manifest)?),
            _ => None,
        };
        Ok(Self {
            time: PlayTime::new(manifest),
            arrived: VecDeque::new(),
            examination: Examination::default(),
            order: PairOrder::new(manifest.config.r#match.shard),
            trace,
            means: vec![MoveHistograms::default(); manifest.engines.len()],
            workers: Workers::default(),
        })
    }

    /// The course of a run that `fold` has absorbed.
    ///
    /// # Errors
    /// As [`Timeline::new`], and if the ledger cannot be read.
    pub fn read<E: Experiment>(files: &RunFiles, fold: &Fold<E>) -> anyhow::Result<Self> {
        let mut course = Self::new(&files.manifest)?;
        for entry in files.pairs.by_arrival()? {
            course.absorb(&entry?, fold);
        }
        Ok(course)
    }

    /// Adds the pair that arrived next; `fold` has absorbed it already.
    pub fn absorb<E: Experiment>(&mut self, entry: &RecordedPair, fold: &Fold<E>) {
        let pair = entry.result.pair;
        self.time.absorb(entry);
        let tagged = TaggedPair {
            half_points: entry.result.half_points() as u8,
            worker: entry.worker,
            opening: entry.opening_number,
        };
        self.arrived.push_back((pair, tagged));
        while let Some((pair, tagged)) = self.arrived.front()
            && *pair < fold.absorbed()
        {
            if fold.counts(*pair) {
                self.examination.absorb(tagged);
            }
            self.arrived.pop_front();
        }
        self.order.add(pair, entry.clone());
        while self.order.next() < fold.absorbed()
            && let Some(next) = self.order.pop()
        {
            self.workers.absorb(&next);
            self.count_effort(&next.result);
            if let Some(trace) = &mut self.trace
                && fold.counts(next.result.pair)
            {
                trace.absorb(&next.result);
            }
        }
    }

    /// Adds the mean time and depth of both engines in both games.
    fn count_effort(&mut self, result: &PairResult) {
        for (number, game) in result.games.iter().enumerate() {
            for (colour, engine) in result.players(number).into_iter().enumerate() {
                let moves = u64::from(game.effort[colour].moves);
                let mean = |sum: u64| rounded_mean(sum, moves);
                if let (Some(ms), Some(depth)) =
                    (mean(game.ms[colour]), mean(game.effort[colour].depth))
                {
                    self.means[engine].ms.add(ms);
                    self.means[engine].depth.add(depth);
                }
            }
        }
    }

    /// The totals of each worker over the pairs up to the verdict.
    pub fn workers(&self) -> &Workers {
        &self.workers
    }

    /// Seconds of play.
    pub fn seconds(&self) -> f64 {
        self.time.seconds()
    }

    /// The noteworthy findings in the order of the results.
    pub fn findings<E: Experiment>(&self, fold: &Fold<E>) -> Vec<Finding> {
        let mut examination = self.examination.clone();
        let waiting = self.arrived.iter();
        for (_, tagged) in waiting.filter(|(pair, _)| fold.counts(*pair)) {
            examination.absorb(tagged);
        }
        let findings = examination.findings().into_iter();
        findings.filter(Finding::is_noteworthy).collect()
    }

    /// LLR and Elo over pairs; `None` with more than two engines.
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// Of each engine: the mean time and depth of each game.
    pub fn means(&self) -> &[MoveHistograms] {
        &self.means
    }
}

/// LLR and Elo after a pair.
#[derive(Debug, Clone, Copy)]
pub struct TracePoint {
    /// Pairs up to this point.
    pub pairs: u64,
    /// LLR and its bounds; `None` without a sequential test.
    pub test: Option<SprtState>,
    /// Elo with its always-valid interval.
    pub elo: Option<Estimate>,
}

/// LLR and Elo over the pairs of a run, with fewer than [`POINTS`] points.
#[derive(Debug, Clone)]
pub struct Trace {
    test: Option<Sprt>,
    sequence: ConfidenceSequence,
    pairs: u64,
    /// Every `step`-th point is kept.
    step: u64,
    kept: Vec<TracePoint>,
}

impl Trace {
    fn new(manifest: &Manifest) -> anyhow::Result<Self> {
        let config = &manifest.config;
        let (test, sequence) = if manifest.kind.is_sequential_test() {
            let test = Sprt::new(config.sprt.unwrap_or_default().test())?;
            // A shard of a test has no LLR.
            let test = config.r#match.shard.is_whole().then_some(test);
            (test, ConfidenceSequence::of_test())
        } else {
            (None, ConfidenceSequence::of_match(config.r#match.pairs))
        };
        Ok(Self {
            test,
            sequence,
            pairs: 0,
            step: 1,
            kept: Vec::new(),
        })
    }

    fn absorb(&mut self, result: &PairResult) {
        self.sequence.absorb(result.half_points());
        if let Some(test) = &mut self.test {
            test.absorb_games([0, 1].map(|game| result.first_half_points(game)));
        }
        self.pairs += 1;
        if !self.pairs.is_multiple_of(self.step) {
            return;
        }
        self.kept.push(self.current());
        if self.kept.len() as u64 == POINTS {
            self.step *= 2;
            let step = self.step;
            self.kept.retain(|point| point.pairs.is_multiple_of(step));
        }
    }

    fn current(&self) -> TracePoint {
        TracePoint {
            pairs: self.pairs,
            test: self.test.as_ref().map(Sprt::state),
            elo: self.sequence.interval(),
        }
    }

    /// Evenly spaced points, and the last one.
    pub fn points(&self) -> Vec<TracePoint> {
        let mut points = self.kept.clone();
        if self.pairs > 0 && points.last().is_none_or(|last| last.pairs < self.pairs) {
            points.push(self.current());
        }
        points
    }

    /// Whether the run is a sequential test.
    pub fn is_test(&self) -> bool {
        self.test.is_some()
    }
}
