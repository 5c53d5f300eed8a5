//! A process that this server has started to play a run.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use anyhow::Context;

use super::queued_run::QueuedRun;
use hone_base::platform::{ChildSignal, ProcessGroup, signal_child};
use hone_run::MANIFEST;

/// Exit codes of a finished run: see `Exit`.
const FINISHED: [i32; 3] = [0, 1, 3];
/// Exit code of an interrupted run.
const INTERRUPTED: i32 = 130;

/// How the process of a run has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProcessEnd {
    /// The run is finished.
    Finished,
    /// The run can be continued: the process was interrupted or killed by this server.
    Interrupted,
    Failed,
}

impl ProcessEnd {
    /// By the exit code (`None` after a signal) and whether this server has killed it.
    fn of(code: Option<i32>, is_killed: bool) -> Self {
        match code {
            // Windows gives it the exit code 1, as if the run had ended so.
            _ if is_killed => Self::Interrupted,
            Some(code) if FINISHED.contains(&code) => Self::Finished,
            Some(INTERRUPTED) => Self::Interrupted,
            _ => Self::Failed,
        }
    }
}

/// A process that plays a run.
#[derive(Debug)]
pub(super) struct RunProcess {
    pub(super) run: String,
    /// Whether the run has left the queue. If it was added again, this is not its process.
    is_stopped: bool,
    child: Child,
    /// Whether it has been asked to end after its games: a second request would abort them.
    is_pausing: bool,
    /// Whether this server has killed it, because the system has no signals.
    is_killed: bool,
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
            is_killed: false,
        })
    }

    /// A process of a run that was killed to pause it and has the exit code 1, as on Windows.
    #[cfg(all(test, unix))]
    pub(super) fn killed(run: &str) -> Self {
        let mut child = Command::new("false").spawn().expect("false");
        child.wait().expect("it has ended");
        Self {
            run: run.to_string(),
            is_stopped: false,
            child,
            is_pausing: true,
            is_killed: true,
        }
    }

    /// Asks it to end when its games are finished.
    pub(super) fn pause(&mut self) {
        if !self.is_pausing {
            self.interrupt(ChildSignal::Interrupt);
            self.is_pausing = true;
        }
    }

    /// Asks it to end at once.
    pub(super) fn end(&mut self) {
        self.interrupt(ChildSignal::Terminate);
    }

    /// Asks it to end at once, because the run leaves the queue.
    pub(super) fn stop(&mut self) {
        self.end();
        self.is_stopped = true;
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Asks it to end, at once or when its games are finished. On Windows it is always killed;
    /// finished games are in the ledger.
    fn interrupt(&mut self, signal: ChildSignal) {
        if signal_child(&self.child, signal) || self.status().is_some() {
            return;
        }
        self.is_killed |= self.child.kill().is_ok();
    }

    fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// How it has ended, if it has.
    pub(super) fn ended(&mut self) -> Option<ProcessEnd> {
        let status = self.status()?;
        Some(ProcessEnd::of(status.code(), self.is_killed))
    }

    /// Waits for its end.
    pub(super) fn wait(&mut self) {
        let _ = self.child.wait();
    }
}

/// The error of a failed process: the end of its output.
pub(super) fn last_words(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let error = text.rfind("error: ").and_then(|at| text.get(at..));
    let words = error.or_else(|| text.lines().next_back());
    let words = words.unwrap_or("it printed nothing").trim();
    words.chars().take(500).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_was_killed_did_not_finish_its_run() {
        for (code, is_killed, end) in [
            (Some(0), false, ProcessEnd::Finished),
            (Some(1), false, ProcessEnd::Finished),
            (Some(1), true, ProcessEnd::Interrupted),
            (Some(3), false, ProcessEnd::Finished),
            (Some(130), false, ProcessEnd::Interrupted),
            (Some(2), false, ProcessEnd::Failed),
            (None, false, ProcessEnd::Failed),
            (None, true, ProcessEnd::Interrupted),
        ] {
            assert_eq!(ProcessEnd::of(code, is_killed), end, "{code:?} {is_killed}");
        }
    }
}
