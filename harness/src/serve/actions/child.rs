//! A process that this server has started to play a run.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use anyhow::Context;

use super::queued_run::QueuedRun;
use crate::platform::{ChildSignal, ProcessGroup, signal_child};
use crate::run::MANIFEST;

/// A process that plays a run.
#[derive(Debug)]
pub(super) struct RunProcess {
    pub(super) run: String,
    /// Whether the run has left the queue. If it was added again, this is not its process.
    is_stopped: bool,
    child: Child,
    /// Whether it has been asked to end after its games: a second request would abort them.
    is_pausing: bool,
}

impl RunProcess {
    /// Starts or continues the run of a job. `results` is the folder of the runs,
    /// `queue` that of the queue.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn start(job: &QueuedRun, results: &Path, queue: &Path) -> anyhow::Result<Self> {
        let run = results.join(&job.name);
        let log = File::create(job.log(queue)).context("cannot write the log")?;
        let mut command = Command::new(std::env::current_exe()?);
        if run.join(MANIFEST).exists() {
            command.arg("resume").arg(&run);
        } else {
            command.arg(job.kind.name()).arg(job.config(queue));
            command.arg("--out").arg(&run);
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        // Ctrl-C in the server's terminal must not reach the run.
        ProcessGroup::separate(&mut command);
        Ok(Self {
            run: job.name.clone(),
            is_stopped: false,
            child: command.spawn().context("cannot start hone")?,
            is_pausing: false,
        })
    }

    /// Asks it to end when its games are finished.
    pub(super) fn pause(&mut self) {
        if !self.is_pausing {
            interrupt(&mut self.child, false);
            self.is_pausing = true;
        }
    }

    /// Asks it to end at once.
    pub(super) fn end(&mut self) {
        interrupt(&mut self.child, true);
    }

    /// Asks it to end at once, because the run leaves the queue.
    pub(super) fn stop(&mut self) {
        self.end();
        self.is_stopped = true;
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Its exit status, if it has ended.
    pub(super) fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Waits for its end.
    pub(super) fn wait(&mut self) {
        let _ = self.child.wait();
    }
}

/// Asks a process to end, at once or when its games are finished. On Windows it is always
/// killed; finished games are in the ledger.
fn interrupt(child: &mut Child, at_once: bool) {
    let signal = match at_once {
        true => ChildSignal::Terminate,
        false => ChildSignal::Interrupt,
    };
    if !signal_child(child, signal) {
        let _ = child.kill();
    }
}

/// The error of a failed process: the end of its output.
pub(super) fn last_words(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let error = text.rfind("error: ").map(|at| &text[at..]);
    let words = error.or_else(|| text.lines().next_back());
    let words = words.unwrap_or("it printed nothing").trim();
    words.chars().take(500).collect()
}
