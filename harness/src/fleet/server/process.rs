//! nats-server as a child process, which ends when `hone` ends.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::Context;
use tokio::time::{Instant, sleep};

use super::config::LOG;
use crate::platform::{ChildSignal, ProcessGroup, signal_child};

/// Time after which a server that was asked to end is killed.
const STOP: Duration = Duration::from_secs(10);

/// The output of the server before it has opened its log, in the data folder.
const OUTPUT: &str = "nats-server.out";

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

    /// The exit status, if the server has ended.
    ///
    /// # Errors
    /// Those of the operating system.
    pub(super) fn exit_status(&mut self) -> anyhow::Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }

    /// # Errors
    /// If it cannot be started.
    pub(super) fn restart(&mut self) -> anyhow::Result<()> {
        self.child = spawn(&self.program, &self.config, &self.data)?;
        Ok(())
    }

    /// Makes the server read its configuration again and close connections whose
    /// credentials were removed. Restarts it on systems without a signal for that.
    ///
    /// # Errors
    /// If it cannot be restarted.
    pub(super) fn reload(&mut self) -> anyhow::Result<()> {
        if signal_child(&self.child, ChildSignal::Hangup) {
            return Ok(());
        }
        self.child.kill()?;
        self.child.wait()?;
        self.restart()
    }

    /// Ends the server, and kills it if it does not end within [`STOP`].
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

    /// The last lines of its output and log.
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

fn spawn(program: &Path, config: &Path, data: &Path) -> anyhow::Result<Child> {
    let output = File::create(data.join(OUTPUT)).context("cannot write the server's output")?;
    let mut command = Command::new(program);
    command
        .arg("--config")
        .arg(config)
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output);
    // Ctrl-C in a terminal reaches only `hone`, which then stops the server.
    ProcessGroup::separate(&mut command);
    ProcessGroup::die_with_parent(&mut command);
    command
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))
}
