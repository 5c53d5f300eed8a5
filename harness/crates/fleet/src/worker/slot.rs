//! One slot of a worker: plays one pair at a time.

use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};

use hone_base::diagnostic::shown;
use hone_run::executor::local::Local;
use hone_run::executor::{Boards, Event, Evidence, Executor, LiveGame, PairJob, PlayedPair, Stop};
use hone_uci::rules::TablebaseRule;

/// A message to a slot.
enum SlotCommand {
    Play(Box<PairJob>),
    /// Abort the pair.
    Abort,
}

/// An event of a slot.
pub(super) enum SlotEvent {
    Played(Box<PlayedPair>, Vec<Evidence>),
    /// The pair cannot be played here; or, with `in_game`, an engine has failed in a game
    /// of a run with `on_failure = "stop"`.
    Failed {
        reason: String,
        in_game: bool,
    },
    /// The pair was aborted.
    Aborted,
}

/// The worker's handle of a slot.
pub(super) struct Slot {
    orders: mpsc::UnboundedSender<SlotCommand>,
    boards: Boards,
    task: JoinHandle<()>,
}

impl Slot {
    /// Starts a slot, which sends its events with its number.
    pub(super) fn start(number: usize, events: mpsc::UnboundedSender<(usize, SlotEvent)>) -> Self {
        let (orders, received) = mpsc::unbounded_channel();
        let boards = Boards::new(1);
        let state = SlotTask {
            boards: boards.clone(),
            number,
            orders: received,
            events,
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

    /// Ends the slot and its engines. They have ended when the task that is returned has.
    pub(super) fn end(self) -> JoinHandle<()> {
        self.task
    }

    pub(super) fn play(&self, job: PairJob) {
        // The receiver is dropped only after this handle.
        let _ = self.orders.send(SlotCommand::Play(Box::new(job)));
    }

    pub(super) fn abort(&self) {
        let _ = self.orders.send(SlotCommand::Abort);
    }
}

struct SlotTask {
    boards: Boards,
    number: usize,
    orders: mpsc::UnboundedReceiver<SlotCommand>,
    events: mpsc::UnboundedSender<(usize, SlotEvent)>,
    /// Plays the pairs, and keeps the engines running between them.
    local: Option<Local>,
    /// The endgame tables that `local` has opened.
    tables: Option<TablebaseRule>,
    evidence: Vec<Evidence>,
}

impl SlotTask {
    async fn run(mut self) {
        loop {
            let order = match &mut self.local {
                None => self.orders.recv().await,
                Some(local) => tokio::select! {
                    order = self.orders.recv() => order,
                    event = local.next() => {
                        self.handle(event).await;
                        continue;
                    }
                },
            };
            match order {
                None => return self.end().await,
                Some(SlotCommand::Play(job)) => self.play(*job).await,
                Some(SlotCommand::Abort) => {
                    self.end().await;
                    self.send(SlotEvent::Aborted);
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
            match Local::start(1, &[], 0, &self.boards, false) {
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

    async fn handle(&mut self, event: Event) {
        match event {
            Event::Played(played) => {
                let evidence = std::mem::take(&mut self.evidence);
                self.send(SlotEvent::Played(played, evidence));
            }
            Event::Evidence(evidence) => self.evidence.push(*evidence),
            Event::Memory(note) => tracing::warn!(
                "engine `{}` has used {} of memory; its `Hash` is {}",
                note.name,
                note.peak,
                note.hash
            ),
            Event::Warning(text) => tracing::warn!("{text}"),
            // The runner lets another worker play a pair again.
            Event::Checked(_) => {}
            Event::Failed(error) => {
                // Only a failure in a game leaves evidence.
                let in_game = !self.evidence.is_empty();
                self.end().await;
                self.failed(shown(&error), in_game);
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
            // Dropping it waits for its thread.
            let _ = spawn_blocking(move || drop(local)).await;
        }
    }

    fn failed(&self, reason: String, in_game: bool) {
        self.send(SlotEvent::Failed { reason, in_game });
    }

    fn send(&self, event: SlotEvent) {
        // The receiver is dropped only when the worker ends.
        let _ = self.events.send((self.number, event));
    }
}
