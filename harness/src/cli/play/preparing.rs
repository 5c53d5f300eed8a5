//! Requests to stop during the preparation of a run.

use std::process;
use std::thread::{self, JoinHandle};

use anyhow::Context;
use tokio::sync::oneshot;

use crate::cli::Exit;
use crate::cli::args::ends::ResultArgs;
use hone_base::errln;
use hone_base::text::with_causes;
use hone_report as report;
use hone_run::Interrupts;

/// The message after a request to stop.
const INTERRUPTED: &str =
    "Interrupted before anything was played. Run the same command to start again.";

/// Reports a request to stop before the run, and writes the summary.
pub(in crate::cli) fn interrupted(results: &ResultArgs) -> Exit {
    errln!("{INTERRUPTED}");
    let text = report::error_block(INTERRUPTED);
    if let Err(error) = results.summarize(&text) {
        errln!("warning: {}", with_causes(&error));
    }
    Exit::Interrupted
}

/// Ends the process at a request to stop while a run is prepared: a build may take minutes,
/// and the run has no folder yet.
pub(super) struct Preparing {
    /// Receives whether the preparation has failed.
    done: oneshot::Sender<bool>,
    thread: JoinHandle<()>,
}

impl Preparing {
    /// Starts to listen: from now on a request to stop ends the process, after a message and
    /// the summary.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn begin(results: ResultArgs) -> anyhow::Result<Self> {
        let runtime = hone_base::platform::runtime()?;
        let mut interrupts = runtime
            .block_on(async { Interrupts::listen() })
            .context("cannot listen for signals")?;
        let (done, is_done) = oneshot::channel();
        let waiting = async move {
            tokio::select! {
                _ = interrupts.next() => true,
                // Ctrl-C also ends builds, and their failure may arrive first.
                has_failed = is_done => has_failed == Ok(true) && interrupts.is_requested().await,
            }
        };
        let thread = thread::spawn(move || {
            if runtime.block_on(waiting) {
                process::exit(interrupted(&results) as i32);
            }
        });
        Ok(Self { done, thread })
    }

    /// Stops listening, when the run is prepared or its preparation has failed. Does not return
    /// after a request to stop.
    pub(super) fn end(self, has_failed: bool) {
        // The receiver is gone only if its thread panicked.
        let _ = self.done.send(has_failed);
        let _ = self.thread.join();
    }
}
