//! The loop that joins experiment, executor and ledger.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use tokio::time::MissedTickBehavior;

use super::failure_limit::{FailureLimit, TooManyFailures};
use super::fold::Fold;
use super::interrupt::{Interrupts, Request};
use super::jobs::Jobs;
use super::memory_warnings::MemoryWarnings;
use super::view::{Progress, View};
use crate::config::Config;
use crate::executor::{Event, Executor, ExecutorError, Player, Stop};
use crate::files::findings::PairFinding;
use crate::ledger::{Ledger, LedgerError};
use hone_base::platform::{MachineMemory, until};
use hone_base::text::counted;
use hone_experiment::{Experiment, Next, PairResult, Verdict};
use hone_uci::openings::Opening;

/// Why a run stopped before its end. It can be resumed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Executor(#[from] ExecutorError),
    #[error(transparent)]
    TooManyFailures(#[from] TooManyFailures),
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Verdict(Verdict),
    /// It was interrupted and can be resumed.
    Interrupted,
    /// Its time limit is reached; it can be resumed with more.
    OutOfTime,
    /// The plan waits for something other than a result, such as a build.
    Waiting,
}

/// Syncs the ledger for an executor that waits until its results are on the disk.
fn record(executor: &mut impl Executor, ledger: &mut Ledger) -> Result<(), LedgerError> {
    if executor.awaits_record() {
        ledger.sync()?;
        executor.recorded();
    }
    Ok(())
}

/// A run in progress.
pub struct Driver<E> {
    pub fold: Fold<E>,
    jobs: Jobs,
    names: Vec<String>,
    failure_limit: FailureLimit,
    /// An engine fails too often: no further pair is absorbed.
    too_many: Option<TooManyFailures>,
    next_plan: u64,
    /// The experiment plans no further pairs.
    planned_all: bool,
    in_flight: u64,
    played: u64,
    started: Instant,
    /// The first pair that is not absorbed, and since when.
    awaited: (u64, Instant),
    deadline: Option<Instant>,
    /// How the run ends after the pairs in flight; set when it is being stopped.
    stopping: Option<Ended>,
    memory: MemoryWarnings,
    /// Other warnings that have been shown.
    warned: BTreeSet<String>,
}

/// Time between two updates of a view while no pair finishes.
const TICK: Duration = Duration::from_secs(1);

/// Time without an absorbed pair after which the view names the pair that is awaited.
const AWAITED_AFTER: Duration = Duration::from_secs(10);

/// Timeout for stopped workers to deliver the pairs that they have finished.
const HANDOVER_TIMEOUT: Duration = Duration::from_secs(1);

/// The minimum of [`ahead`], in pairs.
const MIN_AHEAD: u64 = 4096;

/// How many pairs the plan may be ahead of the oldest missing pair, so that one endless game
/// cannot fill the memory with the results of others: twice the pairs that can be in flight,
/// and at least [`MIN_AHEAD`].
fn ahead(capacity: u64) -> u64 {
    MIN_AHEAD.max(2 * capacity)
}

impl<E: Experiment> Driver<E> {
    /// A run that continues after the results in `fold`.
    pub fn new(fold: Fold<E>, jobs: Jobs, config: &Config) -> Self {
        Self {
            fold,
            jobs,
            names: config.engine.iter().map(|e| e.name.clone()).collect(),
            failure_limit: FailureLimit::new(&config.r#match),
            too_many: None,
            next_plan: 0,
            planned_all: false,
            in_flight: 0,
            played: 0,
            started: Instant::now(),
            awaited: (0, Instant::now()),
            deadline: None,
            stopping: None,
            memory: MemoryWarnings::default(),
            warned: BTreeSet::new(),
        }
    }

    /// Sets the time limit. Pairs in flight at its end are finished, so that long games are
    /// not left out.
    pub fn ending_after(mut self, max_time: Option<Duration>) -> Self {
        self.deadline = max_time.map(|time| self.started + time);
        self
    }

    /// Sets the help line of [`TooManyFailures`].
    pub fn with_remedy(mut self, remedy: &'static str) -> Self {
        self.failure_limit.remedy = remedy;
        self
    }

    /// Whether the results so far end the run, by a verdict or because an engine fails too
    /// often.
    pub fn has_ended(&mut self) -> bool {
        self.check_failures();
        self.too_many.is_some() || self.fold.verdict().is_some()
    }

    /// The opening of the first pair.
    pub fn first_opening(&self) -> Opening {
        self.jobs.first_opening()
    }

    /// Adds an engine that was not ready at the start.
    pub fn set_player(&mut self, player: Player) {
        self.jobs.set_player(player);
    }

    /// Plays until there is a verdict, the plan waits for something other than
    /// results, its time limit is reached, or it is interrupted.
    ///
    /// # Errors
    /// [`RunError`].
    pub async fn play<X: Executor>(
        &mut self,
        executor: &mut X,
        ledger: &mut Ledger,
        interrupts: &mut Interrupts,
        view: &mut impl View<E>,
    ) -> Result<Ended, RunError> {
        let ended = self.play_on(executor, ledger, interrupts, view).await?;
        if ended != Ended::Waiting {
            let limit = &self.failure_limit;
            for warning in limit.warnings(&self.fold.tally, &self.names) {
                view.warn(&warning);
            }
        }
        Ok(ended)
    }

    async fn play_on<X: Executor>(
        &mut self,
        executor: &mut X,
        ledger: &mut Ledger,
        interrupts: &mut Interrupts,
        view: &mut impl View<E>,
    ) -> Result<Ended, RunError> {
        self.stopping = None;
        self.check_failures();
        let mut clock = tokio::time::interval(TICK);
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.show(executor, view);
        loop {
            // Before the verdict, because games lost by failures would decide it.
            if let Some(error) = self.too_many.take() {
                let _ = self.abort(executor, ledger, view).await;
                return Err(error.into());
            }
            if let Some(verdict) = self.fold.verdict() {
                record(executor, ledger)?;
                executor.stop(Stop::Decided);
                self.finish_checks(executor, ledger, interrupts, view)
                    .await?;
                return Ok(Ended::Verdict(verdict));
            }
            if view.is_stopped() {
                self.abort(executor, ledger, view).await?;
                return Ok(Ended::Interrupted);
            }
            if self.open_deadline().is_some_and(|at| Instant::now() >= at) {
                self.drain(executor, Ended::OutOfTime);
            }
            if self.stopping.is_none() {
                self.submit(executor, view);
            }
            if self.in_flight == 0 {
                return Ok(self.stopping.unwrap_or(Ended::Waiting));
            }
            tokio::select! {
                event = executor.next() => match event {
                    Event::Failed(error) => {
                        let _ = self.abort(executor, ledger, view).await;
                        return Err(error.into());
                    }
                    Event::Finished => return Ok(self.stopping.unwrap_or(Ended::Interrupted)),
                    event => self.handle(event, ledger, view)?,
                },
                request = interrupts.next() => {
                    let is_repeated = self.stopping == Some(Ended::Interrupted);
                    if is_repeated || request == Request::Now {
                        self.abort(executor, ledger, view).await?;
                        return Ok(Ended::Interrupted);
                    }
                    self.drain(executor, Ended::Interrupted);
                }
                () = until(self.open_deadline()) => continue,
                _ = clock.tick() => self.tick(executor, ledger, view)?,
            }
            self.show(executor, view);
        }
    }

    /// The deadline; `None` once the run is being stopped.
    fn open_deadline(&self) -> Option<Instant> {
        self.deadline.filter(|_| self.stopping.is_none())
    }

    /// Stops the run after the pairs in flight; it then ends as `ended`.
    fn drain(&mut self, executor: &mut impl Executor, ended: Ended) {
        self.stopping = Some(ended);
        executor.stop(Stop::Drain);
    }

    /// What is done every [`TICK`].
    fn tick(
        &mut self,
        executor: &mut impl Executor,
        ledger: &mut Ledger,
        view: &mut impl View<E>,
    ) -> Result<(), LedgerError> {
        record(executor, ledger)?;
        if let Some(warning) = self.memory.of_machine(MachineMemory::now()) {
            view.warn(&warning);
        }
        Ok(())
    }

    fn show(&mut self, executor: &impl Executor, view: &mut impl View<E>) {
        let awaited = self.awaited(executor, Instant::now());
        let progress = Progress {
            tally: &self.fold.tally,
            elapsed: self.started.elapsed(),
            time_limit: self
                .deadline
                .map(|at| at.saturating_duration_since(Instant::now())),
            played: self.played,
            in_flight: self.in_flight,
            awaited: awaited.as_deref(),
            stopping: self.stopping.is_some(),
            is_over: self.fold.verdict().is_some(),
        };
        view.update(&self.fold.experiment, progress);
    }

    /// What the results of later pairs wait for, if they have waited for [`AWAITED_AFTER`].
    fn awaited(&mut self, executor: &impl Executor, now: Instant) -> Option<String> {
        let pair = self.fold.absorbed();
        if self.awaited.0 != pair {
            self.awaited = (pair, now);
        }
        let waiting = self.fold.waiting();
        if waiting == 0 || now.duration_since(self.awaited.1) < AWAITED_AFTER {
            return None;
        }
        let place = executor.whereabouts(pair)?;
        let wait = if waiting == 1 { "waits" } else { "wait" };
        let results = counted(waiting, "result");
        Some(format!("{results} {wait} for pair {} {place}", pair + 1))
    }

    /// Handles an event of the executor.
    fn handle(
        &mut self,
        event: Event,
        ledger: &mut Ledger,
        view: &mut impl View<E>,
    ) -> Result<(), RunError> {
        match event {
            Event::Played(played) => {
                self.in_flight -= 1;
                self.played += 1;
                ledger.append(&played)?;
                self.failure_limit.note(&played);
                view.played(&played);
                self.absorb(played.result);
            }
            Event::Evidence(evidence) => ledger.keep_evidence(&evidence)?,
            Event::Memory(note) => {
                if let Some(warning) = self.memory.of_engine(&note) {
                    view.warn(&warning);
                }
            }
            Event::Warning(text) => {
                let text = format!("warning: {text}");
                if self.warned.insert(text.clone()) {
                    view.warn(&text);
                }
            }
            Event::Checked(found) => Self::keep_finding(found, ledger, view)?,
            Event::Failed(_) | Event::Finished => {}
        }
        Ok(())
    }

    fn keep_finding(
        found: Option<Box<PairFinding>>,
        ledger: &mut Ledger,
        view: &mut impl View<E>,
    ) -> Result<(), LedgerError> {
        if let Some(found) = found {
            view.warn(&format!("warning: {}", found.detail));
            ledger.keep_finding(*found)?;
        }
        Ok(())
    }

    /// Waits for the pairs that are played again when the verdict falls. A request to stop ends
    /// this.
    async fn finish_checks<X: Executor>(
        &mut self,
        executor: &mut X,
        ledger: &mut Ledger,
        interrupts: &mut Interrupts,
        view: &mut impl View<E>,
    ) -> Result<(), LedgerError> {
        while executor.is_checking() {
            tokio::select! {
                event = executor.next() => match event {
                    Event::Checked(found) => Self::keep_finding(found, ledger, view)?,
                    Event::Finished => break,
                    Event::Played(_)
                    | Event::Evidence(_)
                    | Event::Memory(_)
                    | Event::Warning(_)
                    | Event::Failed(_) => {}
                },
                _ = interrupts.next() => break,
            }
        }
        Ok(())
    }

    /// Aborts the games in play, and records the pairs that workers have finished but not
    /// yet delivered.
    async fn abort<X: Executor>(
        &mut self,
        executor: &mut X,
        ledger: &mut Ledger,
        view: &mut impl View<E>,
    ) -> Result<(), RunError> {
        executor.stop(Stop::Abort);
        let end = Instant::now() + HANDOVER_TIMEOUT;
        while let Ok(event) = tokio::time::timeout_at(end.into(), executor.next()).await {
            if matches!(event, Event::Finished) {
                break;
            }
            self.handle(event, ledger, view)?;
        }
        Ok(())
    }

    fn submit(&mut self, executor: &mut impl Executor, view: &mut impl View<E>) {
        let step = u64::from(self.fold.experiment.shard().of());
        let capacity = executor.capacity() as u64;
        let ahead = ahead(capacity) * step;
        while !self.planned_all
            && self.in_flight < capacity
            && self.next_plan < self.fold.absorbed() + ahead
        {
            // Pairs that were in the ledger at the start, or that belong to other shards.
            if self.fold.holds(self.next_plan) {
                self.next_plan += 1;
                continue;
            }
            match self.fold.experiment.plan(self.next_plan) {
                Next::Play(plan) => {
                    executor.submit(self.jobs.job(self.next_plan, &plan));
                    view.submitted(self.next_plan, [plan.first.engine, plan.second.engine]);
                    self.next_plan += 1;
                    self.in_flight += 1;
                }
                Next::Wait => return,
                Next::End => self.planned_all = true,
            }
        }
    }

    /// Absorbs results in pair order, up to the first pair after which an engine fails too
    /// often: whether it does must not depend on the order of arrival.
    fn absorb(&mut self, result: PairResult) {
        self.fold.add(result);
        while self.too_many.is_none() && self.fold.absorb_next() {
            self.check_failures();
        }
    }

    fn check_failures(&mut self) {
        let Fold {
            experiment, tally, ..
        } = &self.fold;
        let can_do_without = |engine| experiment.can_do_without(engine);
        let limit = &self.failure_limit;
        self.too_many = limit.check(tally, &self.names, can_do_without).err();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RepeatRule;
    use crate::executor::PairJob;
    use crate::samples::player;
    use hone_experiment::{Sharded, TournamentExperiment};

    type Match = Sharded<TournamentExperiment>;

    /// Counts the pairs; the test returns their results.
    struct Waiting {
        capacity: usize,
        submitted: Vec<u64>,
    }

    impl Executor for Waiting {
        fn capacity(&self) -> usize {
            self.capacity
        }

        fn submit(&mut self, job: PairJob) {
            self.submitted.push(job.pair);
        }

        async fn next(&mut self) -> Event {
            Event::Finished
        }

        fn whereabouts(&self, pair: u64) -> Option<String> {
            Some(format!("of box-{pair}"))
        }

        fn stop(&mut self, _: Stop) {}
    }

    /// An endless match of two engines.
    fn driver(shard: &str) -> Driver<Match> {
        let whole = TournamentExperiment::round_robin(2, u64::MAX / 4);
        let experiment = Sharded::new(whole, shard.parse().expect("a shard"));
        let config: Config = toml::from_str("").expect("the defaults");
        let jobs = Jobs::new(
            &config,
            [0, 1].map(|engine| player(engine, "engine")).to_vec(),
            None,
        );
        Driver::new(Fold::new(experiment, 2, RepeatRule::Count), jobs, &config)
    }

    fn finish(driver: &mut Driver<Match>, pair: u64) {
        driver.in_flight -= 1;
        driver.absorb(PairResult {
            pair,
            engines: [0, 1],
            games: [2 * pair, 2 * pair + 1].map(crate::samples::drawn_game),
        });
    }

    #[test]
    fn a_pair_that_never_ends_limits_the_plan() {
        for (capacity, shard, limit) in [(4, "1/1", MIN_AHEAD), (3000, "2/3", 6000)] {
            let mut driver = driver(shard);
            let shard = driver.fold.experiment.shard();
            let mut executor = Waiting {
                capacity,
                submitted: Vec::new(),
            };
            let mut view = |_: &Match, _: Progress<'_>| {};
            let mut seen = 0;
            loop {
                driver.submit(&mut executor, &mut view);
                if executor.submitted.len() == seen {
                    break;
                }
                let new = executor.submitted[seen..].iter();
                for pair in new.filter(|pair| **pair != shard.first()) {
                    finish(&mut driver, *pair);
                }
                seen = executor.submitted.len();
            }
            assert_eq!(executor.submitted.len() as u64, limit, "{shard}");
            assert_eq!(driver.fold.absorbed(), shard.first());
            finish(&mut driver, shard.first());
            driver.submit(&mut executor, &mut view);
            assert_eq!(executor.submitted.len() as u64, limit + capacity as u64);
        }
    }

    #[test]
    fn a_pair_that_later_results_have_long_waited_for_is_named() {
        let mut driver = driver("1/1");
        let mut executor = Waiting {
            capacity: 4,
            submitted: Vec::new(),
        };
        driver.submit(&mut executor, &mut |_: &Match, _: Progress<'_>| {});
        let start = Instant::now();
        let late = start + 2 * AWAITED_AFTER;
        assert_eq!(driver.awaited(&executor, late), None, "nothing waits");
        for pair in [2, 3] {
            finish(&mut driver, pair);
        }
        let named = |pair| {
            Some(format!(
                "2 results wait for pair {} of box-{pair}",
                pair + 1
            ))
        };
        assert_eq!(driver.awaited(&executor, late), named(0));
        finish(&mut driver, 0);
        assert_eq!(driver.awaited(&executor, late), None, "not for long");
        assert_eq!(driver.awaited(&executor, late + AWAITED_AFTER), named(1));
        finish(&mut driver, 1);
        assert_eq!(driver.awaited(&executor, late + 3 * AWAITED_AFTER), None);
    }
}
