//! An executor whose pairs are played on other machines. A separate thread transports
//! jobs and results, so that a slow connection does not block the run.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::mpsc;

use super::{Event, Executor, PairJob, Stop};

/// A message to the thread.
#[derive(Debug)]
pub enum Command {
    Play(Box<PairJob>),
    /// Results of these pairs are in the ledger, on disk.
    Recorded(Vec<u64>),
    Stop(Stop),
    /// The run has its verdict.
    Conclude,
}

/// The channel ends of the thread.
#[derive(Debug)]
pub struct Carrier {
    pub commands: mpsc::UnboundedReceiver<Command>,
    pub events: mpsc::UnboundedSender<Event>,
    /// See [`Executor::capacity`].
    pub capacity: Arc<AtomicUsize>,
    pub oldest: OldestPair,
}

/// The first pair in flight and where it is, for [`Executor::whereabouts`].
pub type OldestPair = Arc<Mutex<Option<(u64, String)>>>;

/// The executor: the channel ends of the run.
#[derive(Debug)]
pub struct Remote {
    /// `None` once this is dropped, which ends the thread.
    commands: Option<mpsc::UnboundedSender<Command>>,
    events: mpsc::UnboundedReceiver<Event>,
    capacity: Arc<AtomicUsize>,
    oldest: OldestPair,
    thread: Option<JoinHandle<()>>,
    /// Pairs whose results were returned and are not on disk yet.
    returned: Vec<u64>,
}

impl Remote {
    /// Both ends; [`Self::carried_by`] adds the thread that holds the [`Carrier`].
    pub fn new() -> (Self, Carrier) {
        let (command_sender, commands) = mpsc::unbounded_channel();
        let (event_sender, events) = mpsc::unbounded_channel();
        let capacity = Arc::new(AtomicUsize::new(1));
        let oldest = OldestPair::default();
        let remote = Self {
            commands: Some(command_sender),
            events,
            capacity: Arc::clone(&capacity),
            oldest: Arc::clone(&oldest),
            thread: None,
            returned: Vec::new(),
        };
        let carrier = Carrier {
            commands,
            events: event_sender,
            capacity,
            oldest,
        };
        (remote, carrier)
    }

    /// Adds the thread, which is joined on drop.
    pub fn carried_by(mut self, thread: JoinHandle<()>) -> Self {
        self.thread = Some(thread);
        self
    }

    fn send(&self, command: Command) {
        if let Some(commands) = &self.commands {
            // Fails if the thread has ended, which it has reported.
            let _ = commands.send(command);
        }
    }
}

impl Executor for Remote {
    fn capacity(&self) -> usize {
        self.capacity.load(Ordering::Relaxed)
    }

    fn submit(&mut self, job: PairJob) {
        self.send(Command::Play(Box::new(job)));
    }

    async fn next(&mut self) -> Event {
        let event = self.events.recv().await.unwrap_or(Event::Finished);
        if let Event::Played(played) = &event {
            self.returned.push(played.result.pair);
        }
        event
    }

    fn stop(&mut self, how: Stop) {
        self.send(Command::Stop(how));
    }

    fn whereabouts(&self, pair: u64) -> Option<String> {
        let oldest = self.oldest.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, place) = oldest.as_ref()?;
        (*first == pair).then(|| place.clone())
    }

    fn awaits_record(&self) -> bool {
        !self.returned.is_empty()
    }

    fn recorded(&mut self) {
        let returned = std::mem::take(&mut self.returned);
        self.send(Command::Recorded(returned));
    }

    fn conclude(&mut self) {
        self.send(Command::Conclude);
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
