//! Limits of a build or bench, in time and output.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hone_base::platform::{Ended, StopWatch, supervise, supervised};

/// Maximum output of a build or bench, in bytes.
const MAX_PRINTED: u64 = 64 << 20;
/// Interval at which a build is checked.
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
        supervised(command);
        let child = command.spawn()?;
        Ok(failure(supervise(child, POLL_INTERVAL, self.watch(log))?))
    }

    /// Returns the reason to kill a process that starts now, with its output in `log`.
    pub(super) fn watch(&self, log: &Path) -> impl FnMut() -> Option<String> {
        let started = Instant::now();
        move || {
            if self.stop.load(Ordering::Relaxed) {
                Some("interrupted".to_string())
            } else if started.elapsed() > self.time {
                Some(format!("killed after {} min", self.time.as_secs() / 60))
            } else if fs::metadata(log).is_ok_and(|log| log.len() > MAX_PRINTED) {
                Some(format!("killed after {} MB of output", MAX_PRINTED >> 20))
            } else {
                None
            }
        }
    }
}

/// Runs a command to its end or to a request to stop. Returns the reason if it fails.
pub(super) fn run_unlimited(command: &mut Command) -> io::Result<Option<String>> {
    supervised(command);
    let watch = StopWatch::start();
    let child = command.spawn()?;
    Ok(failure(supervise(child, POLL_INTERVAL, || watch.reason())?))
}

/// Why a command has failed, if it has.
fn failure(ended: Ended) -> Option<String> {
    match ended {
        Ended::Itself(status) => (!status.success()).then(|| status.to_string()),
        Ended::Killed(why) => Some(why),
    }
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
