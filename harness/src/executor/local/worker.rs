//! A worker: a thread that plays pairs one after the other.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::runtime;
use tokio::sync::{mpsc, watch};

use super::Jobs;
use super::delay::DelayMeter;
use super::game::{self, GameError, Table};
use super::seat::Seat;
use crate::config::OnFailure;
use crate::executor::{Event, ExecutorError, GameText, PairJob, PlayedPair, Stop};
use crate::experiment::{GameResult, PairResult};
use crate::game::Movetext;

/// Times a game is played again when failures are to be replayed.
const MAX_REPLAYS: usize = 3;

pub(super) struct Worker {
    index: usize,
    events: mpsc::UnboundedSender<Event>,
    stop: watch::Receiver<Option<Stop>>,
}

impl Worker {
    pub(super) fn new(
        index: usize,
        events: mpsc::UnboundedSender<Event>,
        stop: watch::Receiver<Option<Stop>>,
    ) -> Self {
        Self {
            index,
            events,
            stop,
        }
    }

    /// Plays until there are no more jobs or it is told to stop. Its engines
    /// end with it.
    pub(super) fn run(self, jobs: Jobs) {
        let events = self.events.clone();
        let index = self.index;
        let failed = |reason: String| {
            // Nobody listens any more only when the run is over.
            let _ = events.send(Event::Failed(ExecutorError(reason)));
        };
        let runtime = match runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return failed(format!("worker {index} cannot start: {error}")),
        };
        let played = catch_unwind(AssertUnwindSafe(|| runtime.block_on(self.play_all(jobs))));
        match played {
            Ok(Ok(())) => {}
            Ok(Err(error)) => failed(error.to_string()),
            Err(_) => failed(format!(
                "worker {index} panicked: a defect in hone, please report it"
            )),
        }
    }

    async fn play_all(mut self, jobs: Jobs) -> Result<(), GameError> {
        let mut bench = Bench::default();
        let played = self.play_until_stopped(&jobs, &mut bench).await;
        let aborted = *self.stop.borrow() == Some(Stop::Abort);
        for seat in &mut bench.seats {
            if aborted {
                seat.kill().await;
            } else {
                seat.quit().await;
            }
        }
        played
    }

    async fn play_until_stopped(
        &mut self,
        jobs: &Jobs,
        bench: &mut Bench,
    ) -> Result<(), GameError> {
        let mut aborted = self.stop.clone();
        loop {
            let job = tokio::select! {
                biased;
                _ = self.stop.wait_for(Option::is_some) => return Ok(()),
                job = async { jobs.lock().await.recv().await } => match job {
                    Some(job) => job,
                    None => return Ok(()),
                },
            };
            let played = tokio::select! {
                biased;
                played = bench.play_pair(&job, self.index, &self.events) => played?,
                _ = aborted.wait_for(|stop| *stop == Some(Stop::Abort)) => return Ok(()),
            };
            if self.events.send(Event::Played(Box::new(played))).is_err() {
                return Ok(());
            }
        }
    }
}

/// What a worker keeps between pairs.
struct Bench {
    /// Of the pair's first and second player.
    seats: [Seat; 2],
    movetext: Movetext,
    command: Vec<u8>,
    delay: DelayMeter,
}

impl Default for Bench {
    fn default() -> Self {
        Self {
            seats: Default::default(),
            movetext: Movetext::default(),
            command: Vec::new(),
            delay: DelayMeter::new(),
        }
    }
}

impl Bench {
    async fn play_pair(
        &mut self,
        job: &PairJob,
        worker: usize,
        events: &mpsc::UnboundedSender<Event>,
    ) -> Result<PlayedPair, GameError> {
        let (first, first_text) = self.play_game(job, 0, events).await?;
        let (second, second_text) = self.play_game(job, 1, events).await?;
        Ok(PlayedPair {
            result: PairResult {
                pair: job.pair,
                engines: [job.players[0].engine, job.players[1].engine],
                games: [first, second],
            },
            opening_number: job.opening_number,
            texts: [first_text, second_text],
            worker,
            finished_ms: jiff::Timestamp::now().as_millisecond(),
        })
    }

    async fn play_game(
        &mut self,
        job: &PairJob,
        number: usize,
        events: &mpsc::UnboundedSender<Event>,
    ) -> Result<(GameResult, GameText), GameError> {
        let mut replays = 0;
        loop {
            let table = Table {
                seats: &mut self.seats,
                movetext: &mut self.movetext,
                command: &mut self.command,
                delay: &mut self.delay,
            };
            let game::Played {
                result,
                text,
                evidence,
            } = game::play(table, job, number).await?;
            if let Some(evidence) = evidence {
                // Nobody listens any more only when the run is over.
                let _ = events.send(Event::Evidence(Box::new(evidence)));
            }
            let failed = result.termination.is_failure();
            match job.rules.on_failure {
                OnFailure::Replay if failed && replays < MAX_REPLAYS => replays += 1,
                OnFailure::Stop if failed => {
                    return Err(GameError::failure(job, number, &result));
                }
                _ => return Ok((result, text)),
            }
        }
    }
}
