//! Plays pairs with engine processes on this machine.
//!
//! Each worker is a thread with its own runtime and engines. A move involves no other
//! thread, so that files, statistics and other games do not delay it.

mod deferred;
mod evidence;
mod game;
mod ponder_search;
mod position_command;
mod slot;
mod spot_check;
mod worker;

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tokio::sync::{Mutex, mpsc, watch};

use super::{Boards, Event, Executor, PairJob, Stop};
use hone_base::platform::bind_thread;
use spot_check::SpotChecks;

/// Workers on this machine.
#[derive(Debug)]
pub struct Local {
    /// Jobs that no worker has taken yet.
    queue: mpsc::UnboundedSender<PairJob>,
    events: mpsc::UnboundedReceiver<Event>,
    stop: watch::Sender<Option<Stop>>,
    threads: Vec<JoinHandle<()>>,
    checks: Arc<SpotChecks>,
}

/// The queue from which all workers take their jobs.
type Jobs = Arc<Mutex<mpsc::UnboundedReceiver<PairJob>>>;

impl Local {
    /// Starts `concurrency` workers, numbered from `first`. Worker `i` is bound to the
    /// processors `placement[i]`, if `placement` has so many, and shows its games on board
    /// `i`. The engines start with the first job. `is_checked`: whether some pairs are
    /// [played again](super::spot_checks) in new processes.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn start(
        concurrency: usize,
        placement: &[Vec<usize>],
        first: usize,
        boards: &Boards,
        is_checked: bool,
    ) -> std::io::Result<Self> {
        let (event_sender, events) = mpsc::unbounded_channel();
        let (stop, stopped) = watch::channel(None);
        let (queue, jobs) = mpsc::unbounded_channel();
        let jobs: Jobs = Arc::new(Mutex::new(jobs));
        let checks = Arc::new(SpotChecks::new(is_checked));
        let mut threads = Vec::new();
        for index in 0..concurrency {
            let jobs = Arc::clone(&jobs);
            let worker = worker::Worker::new(
                first + index,
                event_sender.clone(),
                stopped.clone(),
                boards.writer(index),
                Arc::clone(&checks),
            );
            let processors = placement.get(index).cloned();
            threads.push(
                thread::Builder::new()
                    .name(format!("worker {index}"))
                    .spawn(move || {
                        if let Some(processors) = processors {
                            // Games are also played without a binding.
                            bind_thread(&processors);
                        }
                        worker.run(jobs);
                    })?,
            );
        }
        Ok(Self {
            queue,
            events,
            stop,
            threads,
            checks,
        })
    }
}

impl Executor for Local {
    fn capacity(&self) -> usize {
        // The pair in play and the next one, so that no worker waits for a job.
        self.threads.len() * 2
    }

    fn submit(&mut self, job: PairJob) {
        // Fails only if all workers have ended, which they have reported.
        let _ = self.queue.send(job);
    }

    async fn next(&mut self) -> Event {
        let event = self.events.recv().await.unwrap_or(Event::Finished);
        if let Event::Checked(_) = event {
            self.checks.end();
        }
        event
    }

    fn is_checking(&self) -> bool {
        self.checks.is_open()
    }

    fn stop(&mut self, how: Stop) {
        self.stop.send_replace(Some(how));
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.stop.send_replace(Some(Stop::Abort));
        for thread in self.threads.drain(..) {
            // A worker's panic has been reported as an event.
            let _ = thread.join();
        }
    }
}
