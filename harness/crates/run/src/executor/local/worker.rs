//! A worker: a thread that plays pairs one after another.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};

use super::Jobs;
use super::deferred::DeferredResult;
use super::game::{self, GameError, Resources};
use super::position_command::PositionCommand;
use super::slot::{EngineSlot, QUIT_TIMEOUT, SLOW_STOP};
use super::spot_check::{Play, Replay, SpotChecks};
use crate::executor::spot_checks::digests;
use crate::executor::{BoardWriter, Event, ExecutorError, GameText, PairJob, PlayedPair, Stop};
use hone_base::diagnostic::Diagnostic;
use hone_base::platform::{DelayMeter, ReadTimer};
use hone_experiment::PairResult;
use hone_experiment::settings::{OnFailure, OnMachineFault};
use hone_uci::engine::uci::Client;
use hone_uci::rules::tablebase::Tables;
use hone_uci::rules::{GameResult, Movetext};

/// Replays of a game after failures (`on_failure = "replay"`), and of a pair after time
/// forfeits caused by the machine (`on_machine_fault = "replay"`).
const MAX_REPLAYS: usize = 3;

/// How long engines may take to end after `quit` when a game is aborted.
const ABORT_TIMEOUT: Duration = Duration::from_millis(100);

pub(super) struct Worker {
    /// The worker's number in the ledger.
    number: usize,
    events: mpsc::UnboundedSender<Event>,
    stop: watch::Receiver<Option<Stop>>,
    board: BoardWriter,
    /// Engines of the pair's first and second player.
    slots: [EngineSlot; 2],
    movetext: Movetext,
    command: PositionCommand,
    deferred: DeferredResult,
    /// Opened for the first job with tablebase adjudication.
    tables: Option<Tables>,
    /// Engines that the worker has started, by their index in the configuration.
    started: BTreeSet<usize>,
    /// When the next measurement of the engines' processor time is due.
    measure_due: Option<Instant>,
    checks: Arc<SpotChecks>,
    /// The last `position` command of each game of the pair.
    lines: [String; 2],
}

impl Worker {
    pub(super) fn new(
        number: usize,
        events: mpsc::UnboundedSender<Event>,
        stop: watch::Receiver<Option<Stop>>,
        board: BoardWriter,
        checks: Arc<SpotChecks>,
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
            measure_due: None,
            checks,
            lines: Default::default(),
        }
    }

    /// Plays until all jobs are done or a stop is requested, then ends its engines.
    pub(super) fn run(self, jobs: Jobs) {
        let events = self.events.clone();
        let number = self.number;
        let failed = |error| report(&events, Event::Failed(ExecutorError(error)));
        let runtime = match hone_base::platform::runtime() {
            Ok(runtime) => runtime,
            Err(error) => {
                let what = format!("cannot start worker {number}");
                return failed(Diagnostic::new(what).because(error));
            }
        };
        // Without a timer, every wait uses the runtime, which is slower.
        let _timer = ReadTimer::new();
        let _meter = DelayMeter::new();
        let played = catch_unwind(AssertUnwindSafe(|| runtime.block_on(self.play_all(jobs))));
        match played {
            Ok(Ok(())) => {}
            Ok(Err(error)) => failed(Diagnostic::of(error)),
            Err(_) => failed(Diagnostic::new(format!(
                "worker {number} panicked: this is a bug in hone, please report it"
            ))),
        }
    }

    async fn play_all(mut self, jobs: Jobs) -> Result<(), GameError> {
        let played = self.play_until_stopped(&jobs).await;
        self.deferred.send();
        let timeout = match *self.stop.borrow() {
            Some(Stop::Abort | Stop::Decided) => ABORT_TIMEOUT,
            Some(Stop::Drain) | None => QUIT_TIMEOUT,
        };
        let [first, second] = &mut self.slots;
        tokio::join!(first.quit(timeout), second.quit(timeout));
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
                _ = aborted.wait_for(is_abandoned) => return Ok(()),
            };
            tracing::debug!("pair {} finished", job.pair + 1);
            let first = self.play_to_check(&job, &played.result);
            self.deferred.put(played);
            if let Some(first) = first {
                self.check(&job, &first).await;
            }
        }
    }

    /// The games of a pair that is to be played again.
    fn play_to_check(&mut self, job: &PairJob, result: &PairResult) -> Option<Play> {
        let mut slots = self.slots.iter().zip(&job.players);
        let are_known = slots.all(|(slot, player)| slot.has_known_threads(player));
        (are_known && self.checks.chooses(job, result)).then(|| Play {
            digests: digests(result),
            lines: std::mem::take(&mut self.lines),
        })
    }

    /// Plays a pair again, after its result is sent. A stop of the run ends this, but not its
    /// verdict.
    async fn check(&mut self, job: &PairJob, first: &Play) {
        self.checks.begin();
        self.deferred.send();
        let mut replay = Replay::of(job);
        let compared = tokio::select! {
            biased;
            _ = self.stop.wait_for(|stop| matches!(stop, Some(Stop::Drain | Stop::Abort))) => Ok(None),
            compared = replay.compare(first, self.tables.as_ref()) => compared,
        };
        replay.quit(ABORT_TIMEOUT).await;
        let found = compared.unwrap_or_else(|error| {
            tracing::info!("pair {} cannot be played again: {error}", job.pair + 1);
            None
        });
        // Others may have found the same meanwhile.
        let found = found.filter(|_| self.checks.turn_off());
        report(&self.events, Event::Checked(found.map(Box::new)));
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

    /// Plays a game, and replays it after failures if the rules say so. `None` if the whole
    /// pair is replayed.
    async fn play_game(
        &mut self,
        job: &PairJob,
        number: usize,
        replays: &mut Replays,
    ) -> Result<Option<(GameResult, GameText)>, GameError> {
        let mut tries = 1;
        loop {
            let resources = Resources {
                slots: &mut self.slots,
                movetext: &mut self.movetext,
                command: &mut self.command,
                deferred: &mut self.deferred,
                tables: self.tables.as_ref(),
                board: &mut self.board,
                started: &mut self.started,
                measure_due: &mut self.measure_due,
            };
            let game::PlayedGame {
                result,
                text,
                evidence,
            } = game::play(resources, job, number).await?;
            self.lines[number] = self.command.line();
            self.report_warnings(job);
            if let Some(evidence) = evidence {
                tracing::info!(
                    "game {} of pair {} ended by a failure: {:?}",
                    number + 1,
                    job.pair + 1,
                    result.termination
                );
                report(&self.events, Event::Evidence(Box::new(evidence)));
            }
            let fault = replayed_fault(job, &result);
            if let Some(colour) = fault
                && replays.replay_pair(job, number, colour)
            {
                return Ok(None);
            }
            let failed = result.termination.is_failure();
            match job.rules.on_failure {
                // After a fault of the machine only the whole pair is replayed.
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

    /// Reports warnings about the engines and the tables after a game.
    fn report_warnings(&mut self, job: &PairJob) {
        let send = |event| report(&self.events, event);
        for (slot, player) in self.slots.iter_mut().zip(&job.players) {
            if let Some(note) = slot.memory_note(player) {
                send(Event::Memory(Box::new(note)));
            }
            if slot.running().is_some_and(Client::has_sent_unsolicited) {
                send(Event::Warning(format!(
                    "engine `{}` sends a `bestmove` without a `go`: `hone` drops it if it comes \
                     before the next `go`; one that comes later is taken as the answer to that",
                    player.name
                )));
            }
            if slot.take_slow_stop() {
                send(Event::Warning(format!(
                    "engine `{}` took more than {} ms to answer `stop` while it pondered: the \
                     clocks do not run during this wait",
                    player.name,
                    SLOW_STOP.as_millis()
                )));
            }
        }
        if let Some(damage) = self.tables.as_ref().and_then(Tables::damage) {
            send(Event::Warning(damage.to_string()));
        }
    }
}

/// Whether pairs in play are abandoned.
fn is_abandoned(stop: &Option<Stop>) -> bool {
    matches!(stop, Some(Stop::Abort | Stop::Decided))
}

fn report(events: &mpsc::UnboundedSender<Event>, event: Event) {
    // Fails only when the run is over.
    let _ = events.send(event);
}

/// The next job. Before waiting for it, sends the deferred result, on which the job may
/// depend.
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
    let is_replayed = job.rules.on_machine_fault == OnMachineFault::Replay;
    result.fault_of_machine().filter(|_| is_replayed)
}

/// Replays of a pair and of its games.
#[derive(Debug, Default)]
struct Replays {
    /// Failures that were replayed, by game and colour of the engine.
    counts: [[u32; 2]; 2],
    /// Replays of the whole pair.
    of_pair: usize,
}

impl Replays {
    /// Counts the failure of a game that is replayed.
    fn count(&mut self, game: usize, result: &GameResult) {
        if let Some(colour) = result.outcome.loser() {
            self.counts[game][colour] += 1;
        }
    }

    /// Whether to replay the pair after a game that `colour` lost on time because of the
    /// machine; counts the replay. The decision does not depend on which engine lost.
    fn replay_pair(&mut self, job: &PairJob, game: usize, colour: usize) -> bool {
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

    /// Writes the counts of replayed failures to the pair's results.
    fn write(self, games: &mut [GameResult; 2]) {
        for (game, counts) in games.iter_mut().zip(self.counts) {
            for (effort, count) in game.effort.iter_mut().zip(counts) {
                effort.replayed = count;
            }
        }
    }
}
