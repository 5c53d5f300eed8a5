//! The nats-server as a child process, which ends with `hone`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::Context;
use tokio::time::{Instant, sleep};

use super::config::LOG;
use crate::platform::{ChildSignal, ProcessGroup, signal_child};

/// How long an orderly end may take.
const STOP: Duration = Duration::from_secs(10);

/// A running server.
pub(super) struct Server {
    program: PathBuf,
    config: PathBuf,
    data: PathBuf,
    child: Child,
}

impl Server {
    /// # Errors
    /// If it cannot be started.
    pub(super) fn start(program: &Path, config: &Path, data: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            child: spawn(program, config, data)?,
            program: program.to_path_buf(),
            config: config.to_path_buf(),
            data: data.to_path_buf(),
        })
    }

    /// How it ended, if it has.
    ///
    /// # Errors
    /// If the system does not tell.
    pub(super) fn has_ended(&mut self) -> anyhow::Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }

    /// # Errors
    /// If it cannot be started.
    pub(super) fn restart(&mut self) -> anyhow::Result<()> {
        self.child = spawn(&self.program, &self.config, &self.data)?;
        Ok(())
    }

    /// Lets it read its configuration again; connections whose credentials are
    /// gone are closed.
    ///
    /// # Errors
    /// If it cannot be started, where it must be started anew.
    pub(super) fn reload(&mut self) -> anyhow::Result<()> {
        if signal_child(&self.child, ChildSignal::Hangup) {
            return Ok(());
        }
        self.child.kill()?;
        self.child.wait()?;
        self.restart()
    }

    /// Ends it: in order, or by force if it does not answer.
    pub(super) async fn stop(&mut self) {
        if !signal_child(&self.child, ChildSignal::Terminate) {
            let _ = self.child.kill();
        }
        let deadline = Instant::now() + STOP;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
            sleep(Duration::from_millis(20)).await;
        }
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The end of what it printed.
    pub(super) fn last_words(&self) -> String {
        let read = |name: &str| fs::read_to_string(self.data.join(name)).unwrap_or_default();
        let text = read(OUTPUT) + &read(LOG);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(5)..].join("\n")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What it prints before it has its log.
const OUTPUT: &str = "nats-server.out";

fn spawn(program: &Path, config: &Path, data: &Path) -> anyhow::Result<Child> {
    let output = File::create(data.join(OUTPUT)).context("cannot write the server's output")?;
    let mut command = Command::new(program);
    command
        .arg("--config")
        .arg(config)
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output);
    // A terminal's Ctrl-C reaches `hone` only, which ends it in order.
    ProcessGroup::separate(&mut command);
    ProcessGroup::die_with_parent(&mut command);
    command
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))
}
