//! Limits of a build or bench, in time and output.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hone_base::platform::{ProcessGroup, guard};

/// Maximum output of a build or bench, in bytes.
const MAX_PRINTED: u64 = 64 << 20;
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Ends a process that takes too long, prints too much, or has been cancelled.
#[derive(Debug, Clone)]
pub struct BuildLimits {
    pub time: Duration,
    pub stop: Arc<AtomicBool>,
}

impl BuildLimits {
    /// Runs a command with its output in `log`. Returns the reason if it fails.
    pub(super) fn run(&self, command: &mut Command, log: &Path) -> io::Result<Option<String>> {
        ProcessGroup::separate(command);
        ProcessGroup::die_with_parent(command);
        let child = command.spawn()?;
        Ok(match self.supervise(child, log, POLL_INTERVAL)? {
            Ended::Itself(failed) => failed,
            Ended::Killed(why) => Some(why),
        })
    }

    /// Waits for the end of a process in its own group, with its output in `log`; checks it
    /// after each `pause`. If `hone` ends before, the group ends too. The process must have
    /// been started by this thread with [`ProcessGroup::die_with_parent`].
    pub(super) fn supervise(
        &self,
        mut child: Child,
        log: &Path,
        pause: Duration,
    ) -> io::Result<Ended> {
        let group = ProcessGroup::of(child.id());
        guard::register(child.id());
        let limit = self.watch(&mut child, log, pause);
        // Its background processes end too. It is reaped afterwards: then another group may have
        // its id.
        group.kill();
        guard::unregister(child.id());
        if !matches!(limit, Ok(None)) {
            let _ = child.kill();
        }
        let status = child.wait();
        Ok(match limit? {
            Some(why) => Ended::Killed(why),
            None => {
                let status = status?;
                Ended::Itself((!status.success()).then(|| status.to_string()))
            }
        })
    }

    /// Waits until a process has ended or must be killed. Returns the reason to kill it.
    fn watch(&self, child: &mut Child, log: &Path, pause: Duration) -> io::Result<Option<String>> {
        let started = Instant::now();
        loop {
            if ProcessGroup::leader_has_ended(child)? {
                return Ok(None);
            }
            let why = if self.stop.load(Ordering::Relaxed) {
                "interrupted".to_string()
            } else if started.elapsed() > self.time {
                format!("killed after {} min", self.time.as_secs() / 60)
            } else if fs::metadata(log).is_ok_and(|log| log.len() > MAX_PRINTED) {
                format!("killed after {} MB of output", MAX_PRINTED >> 20)
            } else {
                thread::sleep(pause);
                continue;
            };
            return Ok(Some(why));
        }
    }
}

/// How a process ended.
pub(super) enum Ended {
    /// By itself; with the reason if it failed.
    Itself(Option<String>),
    /// By a limit, with the reason.
    Killed(String),
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Stdio;

    use super::*;

    fn run(line: &str, time: Duration, stop: bool) -> Option<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        let mut command = Command::new("sh");
        let out = fs::File::create(&log).expect("a file");
        command.args(["-c", line]).stdout(Stdio::from(out));
        let limits = BuildLimits {
            time,
            stop: Arc::new(AtomicBool::new(stop)),
        };
        limits.run(&mut command, &log).expect("a shell")
    }

    #[test]
    fn a_build_without_end_is_ended() {
        let long = Duration::from_secs(600);
        assert_eq!(run("true", long, false), None);
        let failed = run("exit 3", long, false).expect("failed");
        assert!(failed.contains('3'), "{failed}");
        let slow = run("sleep 600", Duration::ZERO, false).expect("killed");
        assert_eq!(slow, "killed after 0 min");
        assert_eq!(run("sleep 600", long, true).as_deref(), Some("interrupted"));
        let loud = run("while :; do head -c 1000000 /dev/zero; done", long, false);
        assert_eq!(loud.as_deref(), Some("killed after 64 MB of output"));
    }
}
