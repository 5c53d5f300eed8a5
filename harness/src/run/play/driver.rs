//! The loop that joins experiment, executor and ledger.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::MissedTickBehavior;

use super::failure_limit::{FailureLimit, TooManyFailures};
use super::fold::Fold;
use super::interrupt::{Interrupts, Request};
use super::memory_warnings::MemoryWarnings;
use super::tally::Tally;
use crate::config::{Config, MatchConfig};
use crate::executor::{Event, Executor, ExecutorError, PairJob, PlayedPair, Player, Rules, Stop};
use crate::experiment::{Experiment, Next, PairPlan, Side, Verdict};
use crate::ledger::{Ledger, LedgerError};
use crate::openings::{Book, Opening, Schedule};
use crate::platform::MachineMemory;

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
    /// The plan waits for something that is not a result, as a build.
    Waiting,
}

/// Turns plans into jobs: knows the players, the rules and the openings.
pub struct Jobs {
    /// By the index of their engine.
    players: BTreeMap<usize, Player>,
    rules: Arc<Rules>,
    book: Option<Book>,
    schedule: Schedule,
    seed: u64,
}

impl Jobs {
    pub fn new(config: &Config, players: Vec<Player>, book: Option<Book>) -> Self {
        let play = &config.r#match;
        let count = book.as_ref().map_or(1, Book::len);
        Self {
            players: players
                .into_iter()
                .map(|player| (player.engine, player))
                .collect(),
            rules: Arc::new(Rules {
                variant: play.variant,
                margin_ms: play.margin_ms,
                stall_ms: play.stall_ms,
                startup_ms: play.startup_ms,
                adjudication: config.adjudication.clone(),
                record: config.pgn.clone(),
                on_failure: play.on_failure,
                on_machine_fault: play.on_machine_fault,
            }),
            schedule: schedule(play, count),
            book,
            seed: play.seed,
        }
    }

    /// All that is needed to play a planned pair.
    pub fn job(&self, pair: u64, plan: &PairPlan) -> PairJob {
        let (index, opening) = self.opening(plan.opening);
        PairJob {
            pair,
            players: [self.player(&plan.first), self.player(&plan.second)],
            opening,
            opening_number: index as u64 + 1,
            rules: Arc::clone(&self.rules),
            seed: self.seed,
        }
    }

    /// The opening at a place of the schedule, and its index in the book.
    fn opening(&self, place: u64) -> (usize, Opening) {
        let index = self.schedule.index(place);
        let opening = match &self.book {
            Some(book) => book.opening(index),
            None => Opening::default(),
        };
        (index, opening)
    }

    fn player(&self, side: &Side) -> Player {
        let mut player = self.players[&side.engine].clone();
        if !side.options.is_empty() {
            let is_overridden = |name: &str| {
                side.options
                    .iter()
                    .any(|(other, _)| other.eq_ignore_ascii_case(name))
            };
            player.options = player
                .options
                .iter()
                .filter(|(name, _)| !is_overridden(name))
                .chain(side.options.iter())
                .cloned()
                .collect();
        }
        player
    }
}

/// Tells an executor that waits for it that all its results are on disk.
fn record(executor: &mut impl Executor, ledger: &mut Ledger) -> Result<(), LedgerError> {
    if executor.awaits_record() {
        ledger.sync()?;
        executor.recorded();
    }
    Ok(())
}

/// Waits for a moment, if there is one.
async fn passed(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}

/// The order in which a book of `count` openings is played.
pub(in crate::run) fn schedule(play: &MatchConfig, count: usize) -> Schedule {
    let openings = &play.openings;
    Schedule::new(count, openings.order, play.seed, openings.start - 1)
}

/// What a live view gets.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    pub tally: &'a Tally,
    /// Since this process began to play.
    pub elapsed: Duration,
    /// Pairs this process has played.
    pub played: u64,
    /// Pairs that are being played, or wait for a free worker.
    pub in_flight: u64,
    /// After a request to stop: what is in flight is being finished.
    pub stopping: bool,
    /// There is a verdict: no further pair is played.
    pub is_over: bool,
}

/// Shows how a run goes.
pub trait View<E> {
    /// At the start, after each pair, every second, and when a stop was
    /// requested.
    fn update(&mut self, experiment: &E, progress: Progress<'_>);

    /// A pair was handed to the executor.
    fn submitted(&mut self, _pair: u64, _engines: [usize; 2]) {}

    /// A pair was played and is in the ledger; the update follows.
    fn played(&mut self, _pair: &PlayedPair) {}

    /// Whether the run stops after what was played; games in play are broken off.
    fn is_stopped(&self) -> bool {
        false
    }

    /// Something that the user should know while it plays.
    fn warn(&mut self, text: &str) {
        errln!("{text}");
    }

    /// After the last update: removes what only makes sense while it plays.
    fn finish(&mut self) {}
}

impl<E, F: FnMut(&E, Progress<'_>)> View<E> for F {
    fn update(&mut self, experiment: &E, progress: Progress<'_>) {
        self(experiment, progress);
    }
}

/// A run in progress.
pub struct Driver<E> {
    pub fold: Fold<E>,
    jobs: Jobs,
    names: Vec<String>,
    failure_limit: FailureLimit,
    next_plan: u64,
    /// Nothing more to plan.
    planned_all: bool,
    in_flight: u64,
    played: u64,
    started: Instant,
    deadline: Option<Instant>,
    /// How it ends after what is in flight, once it is being stopped.
    stopping: Option<Ended>,
    memory: MemoryWarnings,
    /// Other warnings that have been shown.
    warned: BTreeSet<String>,
}

/// How often a view is updated while no pair finishes.
const TICK: Duration = Duration::from_secs(1);

/// How long stopped workers have to hand over what they have finished; they need almost none
/// of it.
const HANDING_OVER: Duration = Duration::from_secs(1);

/// The least that [`ahead`] is, in pairs.
const LEAST_AHEAD: u64 = 4096;

/// How many pairs the plan may run ahead of the oldest that is missing, so that
/// one endless game cannot fill the memory with the results of others: twice
/// what can be in flight, or [`LEAST_AHEAD`] where that is more.
fn ahead(capacity: u64) -> u64 {
    LEAST_AHEAD.max(2 * capacity)
}

impl<E: Experiment> Driver<E> {
    /// A run that continues after the results in `fold`.
    pub fn new(fold: Fold<E>, jobs: Jobs, config: &Config) -> Self {
        Self {
            fold,
            jobs,
            names: config.engine.iter().map(|e| e.name.clone()).collect(),
            failure_limit: FailureLimit::new(&config.r#match),
            next_plan: 0,
            planned_all: false,
            in_flight: 0,
            played: 0,
            started: Instant::now(),
            deadline: None,
            stopping: None,
            memory: MemoryWarnings::default(),
            warned: BTreeSet::new(),
        }
    }

    /// Ends it after this time: pairs that are being played then are finished,
    /// so that long games are not left out.
    pub fn ending_after(mut self, max_time: Option<Duration>) -> Self {
        self.deadline = max_time.map(|time| self.started + time);
        self
    }

    /// Ends its error of an engine that fails too often with this.
    pub fn advising(mut self, remedy: &'static str) -> Self {
        self.failure_limit.advise(remedy);
        self
    }

    /// The opening of the first pair.
    pub fn first_opening(&self) -> Opening {
        self.jobs.opening(0).1
    }

    /// An engine that was not ready at the start is now.
    pub fn set_player(&mut self, player: Player) {
        self.jobs.players.insert(player.engine, player);
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
        if ended != Ended::Waiting
            && let Some(warning) = self.failure_limit.warning(&self.fold.tally, &self.names)
        {
            view.warn(&warning);
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
        let mut clock = tokio::time::interval(TICK);
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.show(view);
        loop {
            if let Some(verdict) = self.fold.verdict() {
                record(executor, ledger)?;
                executor.stop(Stop::Abort);
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
                if let Err(error) = self.check_failures() {
                    let _ = self.abort(executor, ledger, view).await;
                    return Err(error);
                }
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
                    event => self.take(event, ledger, view)?,
                },
                request = interrupts.next() => {
                    let is_repeated = self.stopping == Some(Ended::Interrupted);
                    if is_repeated || request == Request::Now {
                        self.abort(executor, ledger, view).await?;
                        return Ok(Ended::Interrupted);
                    }
                    self.drain(executor, Ended::Interrupted);
                }
                () = passed(self.open_deadline()) => continue,
                _ = clock.tick() => self.tick(executor, ledger, view)?,
            }
            self.show(view);
        }
    }

    /// The moment of the time limit, until the run is being stopped.
    fn open_deadline(&self) -> Option<Instant> {
        self.deadline.filter(|_| self.stopping.is_none())
    }

    /// Lets what is in flight be finished; the run then has `ended` like this.
    fn drain(&mut self, executor: &mut impl Executor, ended: Ended) {
        self.stopping = Some(ended);
        executor.stop(Stop::Drain);
    }

    /// What is due while no pair finishes.
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

    fn show(&self, view: &mut impl View<E>) {
        let progress = Progress {
            tally: &self.fold.tally,
            elapsed: self.started.elapsed(),
            played: self.played,
            in_flight: self.in_flight,
            stopping: self.stopping.is_some(),
            is_over: self.fold.verdict().is_some(),
        };
        view.update(&self.fold.experiment, progress);
    }

    /// Takes in what workers have done.
    fn take(
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
                self.fold.push(played.result);
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
            Event::Failed(_) | Event::Finished => {}
        }
        Ok(())
    }

    /// Breaks off the games that are being played. A worker may hold a pair that it has
    /// finished and not yet handed over.
    async fn abort<X: Executor>(
        &mut self,
        executor: &mut X,
        ledger: &mut Ledger,
        view: &mut impl View<E>,
    ) -> Result<(), RunError> {
        executor.stop(Stop::Abort);
        let end = Instant::now() + HANDING_OVER;
        while let Ok(event) = tokio::time::timeout_at(end.into(), executor.next()).await {
            if matches!(event, Event::Finished) {
                break;
            }
            self.take(event, ledger, view)?;
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
            // Pairs the ledger held when the run was resumed, or of other shards.
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

    fn check_failures(&self) -> Result<(), RunError> {
        let Fold {
            experiment, tally, ..
        } = &self.fold;
        let can_do_without = |engine| experiment.can_do_without(engine);
        let limit = &self.failure_limit;
        Ok(limit.check(tally, &self.names, can_do_without)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_has_room_for_all_that_can_be_in_flight() {
        for capacity in [1, 4096, 4097, 30_000] {
            assert!(ahead(capacity) > capacity, "{capacity}");
        }
    }
}
