//! A worker: a thread that plays pairs one after the other.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use tokio::runtime;
use tokio::sync::{mpsc, watch};

use super::Jobs;
use super::deferred::DeferredResult;
use super::game::{self, GameError, Table};
use super::position_command::PositionCommand;
use super::slot::{EngineSlot, QUIT_PATIENCE};
use crate::engine::uci::Client;
use crate::executor::{BoardWriter, Event, ExecutorError, GameText, PairJob, PlayedPair, Stop};
use crate::experiment::PairResult;
use crate::platform::{DelayMeter, ReadTimer};
use crate::rules::GameResult;
use crate::rules::Movetext;
use crate::rules::tablebase::Tables;
use crate::settings::{OnFailure, OnMachineFault};

/// Times a game is played again when failures are to be replayed, and a pair
/// when faults of the machine are.
const MAX_REPLAYS: usize = 3;

/// How long engines may take to end when a game is broken off.
const ABORT_PATIENCE: Duration = Duration::from_millis(100);

pub(super) struct Worker {
    /// As in the ledger.
    number: usize,
    events: mpsc::UnboundedSender<Event>,
    stop: watch::Receiver<Option<Stop>>,
    board: BoardWriter,
    /// Of the pair's first and second player.
    slots: [EngineSlot; 2],
    movetext: Movetext,
    command: PositionCommand,
    deferred: DeferredResult,
    /// Opened with the first job that wants them.
    tables: Option<Tables>,
    /// Engines that it has started.
    started: BTreeSet<usize>,
}

impl Worker {
    pub(super) fn new(
        number: usize,
        events: mpsc::UnboundedSender<Event>,
        stop: watch::Receiver<Option<Stop>>,
        board: BoardWriter,
    ) -> Self {
        Self {
            number,
            stop,
            board,
            slots: Default::default(),
            movetext: Movetext::default(),
            command: PositionCommand::default(),
            deferred: DeferredResult::new(events.clone()),
            events,
            tables: None,
            started: BTreeSet::new(),
        }
    }

    /// Plays until all jobs are done or a stop is requested. Its engines
    /// end with it.
    pub(super) fn run(self, jobs: Jobs) {
        let events = self.events.clone();
        let number = self.number;
        let failed = |reason| report(&events, Event::Failed(ExecutorError(reason)));
        let runtime = match runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return failed(format!("cannot start worker {number}: {error}")),
        };
        // Without one every wait goes through the runtime, which is only slower.
        let _timer = ReadTimer::new();
        let _meter = DelayMeter::new();
        let played = catch_unwind(AssertUnwindSafe(|| runtime.block_on(self.play_all(jobs))));
        match played {
            Ok(Ok(())) => {}
            Ok(Err(error)) => failed(error.to_string()),
            Err(_) => failed(format!(
                "worker {number} panicked: this is a bug in hone, please report it"
            )),
        }
    }

    async fn play_all(mut self, jobs: Jobs) -> Result<(), GameError> {
        let played = self.play_until_stopped(&jobs).await;
        self.deferred.send();
        let patience = match *self.stop.borrow() {
            Some(Stop::Abort) => ABORT_PATIENCE,
            _ => QUIT_PATIENCE,
        };
        let [first, second] = &mut self.slots;
        tokio::join!(first.quit(patience), second.quit(patience));
        played
    }

    async fn play_until_stopped(&mut self, jobs: &Jobs) -> Result<(), GameError> {
        let mut aborted = self.stop.clone();
        loop {
            let job = tokio::select! {
                biased;
                _ = self.stop.wait_for(Option::is_some) => return Ok(()),
                job = next_job(jobs, &mut self.deferred) => match job {
                    Some(job) => job,
                    None => return Ok(()),
                },
            };
            let played = tokio::select! {
                biased;
                played = self.play_pair(&job) => played?,
                _ = aborted.wait_for(|stop| *stop == Some(Stop::Abort)) => return Ok(()),
            };
            tracing::debug!("pair {} finished", job.pair);
            self.deferred.put(played);
        }
    }

    async fn play_pair(&mut self, job: &PairJob) -> Result<PlayedPair, GameError> {
        if self.tables.is_none()
            && let Some(rule) = &job.rules.adjudication.syzygy
        {
            self.tables = Some(Tables::open(rule)?);
        }
        let mut replays = Replays::default();
        let [(first, first_text), (second, second_text)] = loop {
            let Some(first) = self.play_game(job, 0, &mut replays).await? else {
                continue;
            };
            let Some(second) = self.play_game(job, 1, &mut replays).await? else {
                continue;
            };
            break [first, second];
        };
        let mut games = [first, second];
        replays.write(&mut games);
        Ok(PlayedPair {
            result: PairResult {
                pair: job.pair,
                engines: [job.players[0].engine, job.players[1].engine],
                games,
            },
            opening_number: job.opening_number,
            texts: [first_text, second_text],
            worker: self.number,
            finished_ms: jiff::Timestamp::now().as_millisecond(),
        })
    }

    /// Plays a game, again while its failures are to be replayed. `None` if the whole
    /// pair begins again.
    async fn play_game(
        &mut self,
        job: &PairJob,
        number: usize,
        replays: &mut Replays,
    ) -> Result<Option<(GameResult, GameText)>, GameError> {
        let mut tries = 1;
        loop {
            let table = Table {
                slots: &mut self.slots,
                movetext: &mut self.movetext,
                command: &mut self.command,
                deferred: &mut self.deferred,
                tables: self.tables.as_ref(),
                board: &mut self.board,
                started: &mut self.started,
            };
            let game::PlayedGame {
                result,
                text,
                evidence,
            } = game::play(table, job, number).await?;
            self.note(job);
            if let Some(evidence) = evidence {
                tracing::info!(
                    "game {} of pair {} ended by a failure: {:?}",
                    number + 1,
                    job.pair,
                    result.termination
                );
                report(&self.events, Event::Evidence(Box::new(evidence)));
            }
            let fault = replayed_fault(job, &result);
            if let Some(colour) = fault
                && replays.is_pair_again(job, number, colour)
            {
                return Ok(None);
            }
            let failed = result.termination.is_failure();
            match job.rules.on_failure {
                // The machine's faults are replayed with the whole pair or not at all.
                OnFailure::Replay if failed && fault.is_none() && tries <= MAX_REPLAYS => {
                    tries += 1;
                    replays.count(number, &result);
                }
                OnFailure::Stop if failed => {
                    return Err(GameError::failure(job, number, &result, &text));
                }
                _ => return Ok(Some((result, text))),
            }
        }
    }

    /// Reports what the user should know of the engines and the tables after a game.
    fn note(&mut self, job: &PairJob) {
        let send = |event| report(&self.events, event);
        for (slot, player) in self.slots.iter_mut().zip(&job.players) {
            if let Some(note) = slot.memory_note(player) {
                send(Event::Memory(Box::new(note)));
            }
            if slot.running().is_some_and(Client::has_answered_unasked) {
                send(Event::Warning(format!(
                    "engine `{}` sends a `bestmove` without a `go`: `hone` drops it if it comes \
                     before the next `go`; one that comes later is taken as the answer to that",
                    player.name
                )));
            }
        }
        if let Some(damage) = self.tables.as_ref().and_then(Tables::damage) {
            send(Event::Warning(damage.to_string()));
        }
    }
}

fn report(events: &mpsc::UnboundedSender<Event>, event: Event) {
    // The receiver is gone only when the run is over.
    let _ = events.send(event);
}

/// The next job. If it has to be waited for, what is finished is handed over
/// first: the job may depend on it.
async fn next_job(jobs: &Jobs, deferred: &mut DeferredResult) -> Option<PairJob> {
    let mut jobs = match jobs.try_lock() {
        Ok(jobs) => jobs,
        Err(_) => {
            deferred.send();
            jobs.lock().await
        }
    };
    match jobs.try_recv() {
        Ok(job) => Some(job),
        Err(_) => {
            deferred.send();
            jobs.recv().await
        }
    }
}

/// The colour that lost on time because of the machine, if such games are replayed.
fn replayed_fault(job: &PairJob, result: &GameResult) -> Option<usize> {
    let is_asked = job.rules.on_machine_fault == OnMachineFault::Replay;
    result.fault_of_machine().filter(|_| is_asked)
}

/// Failures in a pair's games that were played again.
#[derive(Debug, Default)]
struct Replays {
    /// By game and colour of the engine that failed.
    counts: [[u32; 2]; 2],
    /// How often the whole pair was played again.
    of_pair: usize,
}

impl Replays {
    /// Notes a game that is played again, if an engine lost it.
    fn count(&mut self, game: usize, result: &GameResult) {
        if let Some(colour) = result.outcome.loser() {
            self.counts[game][colour] += 1;
        }
    }

    /// Notes a game that `colour` lost on time because of the machine, and returns whether
    /// its pair begins again. Whichever side lost: what decides is only that the machine
    /// kept it waiting for longer than it overran.
    fn is_pair_again(&mut self, job: &PairJob, game: usize, colour: usize) -> bool {
        if self.of_pair == MAX_REPLAYS {
            return false;
        }
        self.of_pair += 1;
        self.counts[game][colour] += 1;
        tracing::warn!(
            "pair {} is played again: the machine made {} lose on time",
            job.pair + 1,
            job.players[game ^ colour].name
        );
        true
    }

    fn write(self, games: &mut [GameResult; 2]) {
        for (game, counts) in games.iter_mut().zip(self.counts) {
            for (effort, count) in game.effort.iter_mut().zip(counts) {
                effort.replayed = count;
            }
        }
    }
}
