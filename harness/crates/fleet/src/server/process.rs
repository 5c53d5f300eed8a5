//! nats-server as a child process, which ends when `hone` ends.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::Context;
use tokio::time::{Instant, sleep};

use super::config::LOG;
use hone_base::platform::{ChildSignal, ProcessGroup, signal_child};

/// Time after which a server that was asked to end is killed.
const STOP: Duration = Duration::from_secs(10);

/// The output of the server before it has opened its log, in the data folder.
const OUTPUT: &str = "nats-server.out";

/// Maximum number of lines of the output, and of the log, that an error shows.
const LAST_LINES: usize = 5;

/// A running server.
pub(super) struct Server {
    program: PathBuf,
    config: PathBuf,
    data: PathBuf,
    child: Child,
    /// Length of its log when it was started, in bytes.
    log_start: usize,
}

impl Server {
    /// # Errors
    /// If it cannot be started.
    pub(super) fn start(program: &Path, config: &Path, data: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            log_start: read(data, LOG).len(),
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
        self.log_start = read(&self.data, LOG).len();
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
            Ok(())
        } else {
            self.replace()
        }
    }

    /// Kills the server and starts it again.
    ///
    /// # Errors
    /// If it cannot be restarted.
    pub(super) fn replace(&mut self) -> anyhow::Result<()> {
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

    /// The last lines of its log and of its output. An error in its configuration is only in
    /// its output.
    pub(super) fn last_words(&self) -> String {
        let log = read(&self.data, LOG);
        // A log that was shortened since the start has been replaced.
        let added = log.get(self.log_start..).unwrap_or(&log);
        let last = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            let lines: Vec<&str> = text.lines().collect();
            lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
        };
        let shown = last(added) + "\n" + &last(&read(&self.data, OUTPUT));
        shown.trim().to_string()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A file in the data folder; empty if it cannot be read.
fn read(data: &Path, name: &str) -> Vec<u8> {
    fs::read(data.join(name)).unwrap_or_default()
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

#[cfg(all(test, unix))]
mod tests {
    use std::io::Write;

    use super::*;

    /// Such an error is only in the server's output, as that of a shell about its option.
    #[test]
    fn a_failed_start_shows_what_was_printed_since_then() {
        let dir = tempfile::tempdir().expect("a folder");
        let log = dir.path().join(LOG);
        fs::write(&log, "an old line\n".repeat(20)).expect("written");
        let config = dir.path().join("nats-server.conf");
        let mut server = Server::start(Path::new("sh"), &config, dir.path()).expect("started");
        server.child.wait().expect("it has ended");
        let shown = server.last_words();
        assert!(shown.contains("option"), "{shown}");
        assert!(!shown.contains("an old line"), "{shown}");
        let mut added = File::options().append(true).open(&log).expect("open");
        added.write_all(b"[FTL] \xff\n").expect("written");
        let shown = server.last_words();
        assert!(shown.starts_with("[FTL] \u{fffd}\n"), "{shown}");
        assert!(shown.contains("option"), "{shown}");
        fs::write(&log, "[FTL] new\n").expect("replaced");
        let shown = server.last_words();
        assert!(shown.starts_with("[FTL] new\n"), "{shown}");
    }
}
