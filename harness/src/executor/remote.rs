//! An executor whose pairs are played elsewhere: a thread of its own carries
//! jobs and results, so that a slow connection never holds up the run's loop.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use tokio::sync::mpsc;

use super::{Event, Executor, PairJob, Stop};

/// A message to the thread.
#[derive(Debug)]
pub(crate) enum Command {
    Play(Box<PairJob>),
    /// Results of these pairs are in the ledger, on disk.
    Recorded(Vec<u64>),
    Stop(Stop),
    /// The run has its verdict.
    Conclude,
}

/// The thread's ends of the channels.
#[derive(Debug)]
pub(crate) struct Carrier {
    pub(crate) commands: mpsc::UnboundedReceiver<Command>,
    pub(crate) events: mpsc::UnboundedSender<Event>,
    /// How many jobs are wanted at hand.
    pub(crate) capacity: Arc<AtomicUsize>,
}

/// The run's side.
#[derive(Debug)]
pub(crate) struct Remote {
    /// `None` once the thread has been asked to end.
    commands: Option<mpsc::UnboundedSender<Command>>,
    events: mpsc::UnboundedReceiver<Event>,
    capacity: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
    /// Pairs whose results were given and are not on disk yet.
    given: Vec<u64>,
}

impl Remote {
    /// Both ends; the thread that holds the [`Carrier`] is added by
    /// [`Self::carried_by`].
    pub(crate) fn new() -> (Self, Carrier) {
        let (command_sender, commands) = mpsc::unbounded_channel();
        let (event_sender, events) = mpsc::unbounded_channel();
        let capacity = Arc::new(AtomicUsize::new(1));
        let remote = Self {
            commands: Some(command_sender),
            events,
            capacity: Arc::clone(&capacity),
            thread: None,
            given: Vec::new(),
        };
        let carrier = Carrier {
            commands,
            events: event_sender,
            capacity,
        };
        (remote, carrier)
    }

    /// The same, waiting for a thread when it is dropped.
    pub(crate) fn carried_by(mut self, thread: JoinHandle<()>) -> Self {
        self.thread = Some(thread);
        self
    }

    fn tell(&self, command: Command) {
        if let Some(commands) = &self.commands {
            // A thread that has ended has reported why.
            let _ = commands.send(command);
        }
    }
}

impl Executor for Remote {
    fn capacity(&self) -> usize {
        self.capacity.load(Ordering::Relaxed)
    }

    fn submit(&mut self, job: PairJob) {
        self.tell(Command::Play(Box::new(job)));
    }

    async fn next(&mut self) -> Event {
        let event = self.events.recv().await.unwrap_or(Event::Finished);
        if let Event::Played(played) = &event {
            self.given.push(played.result.pair);
        }
        event
    }

    fn stop(&mut self, how: Stop) {
        self.tell(Command::Stop(how));
    }

    fn awaits_record(&self) -> bool {
        !self.given.is_empty()
    }

    fn recorded(&mut self) {
        let given = std::mem::take(&mut self.given);
        self.tell(Command::Recorded(given));
    }

    fn conclude(&mut self) {
        self.tell(Command::Conclude);
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.commands = None;
        if let Some(thread) = self.thread.take() {
            // A panic has been printed.
            let _ = thread.join();
        }
    }
}
