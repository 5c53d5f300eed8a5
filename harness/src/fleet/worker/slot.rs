//! One slot of a worker: plays one pair at a time.

use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::executor::local::Local;
use crate::executor::{Boards, Event, Evidence, Executor, LiveGame, PairJob, PlayedPair, Stop};
use crate::rules::TablebaseRule;

/// A message to a slot.
enum Order {
    Play(Box<PairJob>),
    /// Leave the pair at once.
    Leave,
}

/// What a slot reports.
pub(super) enum SlotEvent {
    Played(Box<PlayedPair>, Vec<Evidence>),
    /// The pair cannot be played here, or an engine's failure in a game ends it:
    /// the run's rule is to stop then.
    Failed {
        reason: String,
        in_game: bool,
    },
    /// It has left its pair.
    Left,
}

/// The worker's side of a slot.
pub(super) struct Slot {
    orders: mpsc::UnboundedSender<Order>,
    boards: Boards,
    task: JoinHandle<()>,
}

impl Slot {
    /// Starts a slot. Its reports come with its number.
    pub(super) fn start(number: usize, reports: mpsc::UnboundedSender<(usize, SlotEvent)>) -> Self {
        let (orders, received) = mpsc::unbounded_channel();
        let boards = Boards::new(1);
        let state = SlotState {
            boards: boards.clone(),
            number,
            orders: received,
            reports,
            local: None,
            tables: None,
            evidence: Vec::new(),
        };
        let task = tokio::spawn(state.run());
        Self {
            orders,
            boards,
            task,
        }
    }

    /// The game that is being played.
    pub(super) fn game(&self) -> Option<LiveGame> {
        self.boards.games(1).1.pop()
    }

    /// Ends the slot and its engines; that takes until the task is over.
    pub(super) fn end(self) -> JoinHandle<()> {
        self.task
    }

    pub(super) fn play(&self, job: PairJob) {
        // The slot ends only after this.
        let _ = self.orders.send(Order::Play(Box::new(job)));
    }

    pub(super) fn leave(&self) {
        let _ = self.orders.send(Order::Leave);
    }
}

struct SlotState {
    boards: Boards,
    number: usize,
    orders: mpsc::UnboundedReceiver<Order>,
    reports: mpsc::UnboundedSender<(usize, SlotEvent)>,
    /// Keeps its engines from pair to pair.
    local: Option<Local>,
    /// The endgame tables that `local` has opened.
    tables: Option<TablebaseRule>,
    evidence: Vec<Evidence>,
}

impl SlotState {
    async fn run(mut self) {
        loop {
            let order = match &mut self.local {
                None => self.orders.recv().await,
                Some(local) => tokio::select! {
                    order = self.orders.recv() => order,
                    event = local.next() => {
                        self.happened(event).await;
                        continue;
                    }
                },
            };
            match order {
                None => return self.end().await,
                Some(Order::Play(job)) => self.play(*job).await,
                Some(Order::Leave) => {
                    self.end().await;
                    self.report(SlotEvent::Left);
                }
            }
        }
    }

    async fn play(&mut self, job: PairJob) {
        let tables = &job.rules.adjudication.syzygy;
        if *tables != self.tables {
            self.end().await;
            self.tables.clone_from(&job.rules.adjudication.syzygy);
        }
        if self.local.is_none() {
            match Local::start(1, &[], 0, &self.boards) {
                Ok(local) => self.local = Some(local),
                Err(error) => {
                    return self.failed(format!("no thread for a game: {error}"), false);
                }
            }
        }
        if let Some(local) = &mut self.local {
            local.submit(job);
        }
    }

    async fn happened(&mut self, event: Event) {
        match event {
            Event::Played(played) => {
                let evidence = std::mem::take(&mut self.evidence);
                self.report(SlotEvent::Played(played, evidence));
            }
            Event::Evidence(evidence) => self.evidence.push(*evidence),
            Event::Memory(note) => tracing::warn!(
                "engine `{}` has used {} of memory; its `Hash` is {}",
                note.name,
                note.peak,
                note.hash
            ),
            Event::Warning(text) => tracing::warn!("{text}"),
            Event::Failed(error) => {
                // Only a failure in a game leaves evidence.
                let in_game = !self.evidence.is_empty();
                self.end().await;
                self.failed(error.to_string(), in_game);
            }
            Event::Finished => {
                self.end().await;
                self.failed("its thread ended".to_string(), false);
            }
        }
    }

    /// Ends its engines.
    async fn end(&mut self) {
        self.evidence.clear();
        if let Some(mut local) = self.local.take() {
            local.stop(Stop::Abort);
            // Dropping it waits for its thread. That panics only with it.
            let _ = spawn_blocking(move || drop(local)).await;
        }
    }

    fn failed(&self, reason: String, in_game: bool) {
        self.report(SlotEvent::Failed { reason, in_game });
    }

    fn report(&self, report: SlotEvent) {
        // The receiver is gone only when the worker is ending.
        let _ = self.reports.send((self.number, report));
    }
}
