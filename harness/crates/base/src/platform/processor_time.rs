//! The processor time of other processes.

use std::time::Duration;

/// Processor clocks of a process and of the processes that it has started.
#[derive(Debug, Clone, Default)]
pub struct ProcessorClocks {
    #[cfg(target_os = "linux")]
    clocks: Vec<libc::clockid_t>,
}

#[cfg(target_os = "linux")]
impl ProcessorClocks {
    /// The clocks of a process and of the descendants that it has now. Children that threads
    /// other than its first have started are not found.
    pub fn of(pid: u32) -> Self {
        let mut pids = vec![pid];
        let mut clocks = Vec::new();
        while let Some(pid) = pids.pop() {
            clocks.extend(clock_of(pid));
            let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
            let children = children.unwrap_or_default();
            pids.extend(
                children
                    .split_whitespace()
                    .filter_map(|pid| pid.parse::<u32>().ok()),
            );
        }
        Self { clocks }
    }

    /// The processor time that the processes have used so far, without those that have ended;
    /// `None` if all have ended.
    pub fn read(&self) -> Option<Duration> {
        self.clocks
            .iter()
            .filter_map(|clock| time_of(*clock))
            .reduce(|a, b| a + b)
    }
}

#[cfg(not(target_os = "linux"))]
impl ProcessorClocks {
    pub fn of(_pid: u32) -> Self {
        Self::default()
    }

    pub fn read(&self) -> Option<Duration> {
        None
    }
}

#[cfg(target_os = "linux")]
fn clock_of(pid: u32) -> Option<libc::clockid_t> {
    let pid = libc::pid_t::try_from(pid).ok()?;
    let mut clock = 0;
    // SAFETY: the call writes the clock's id to the variable and keeps no pointer.
    let failed = unsafe { libc::clock_getcpuclockid(pid, &raw mut clock) };
    (failed == 0).then_some(clock)
}

#[cfg(target_os = "linux")]
fn time_of(clock: libc::clockid_t) -> Option<Duration> {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes the time to the variable and keeps no pointer.
    let failed = unsafe { libc::clock_gettime(clock, &raw mut time) };
    if failed != 0 {
        return None;
    }
    let seconds = u64::try_from(time.tv_sec).ok()?;
    Some(Duration::new(seconds, u32::try_from(time.tv_nsec).ok()?))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_child_that_works_is_counted_for_its_parent() {
        let script =
            "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo; read x' & echo; wait";
        let mut parent = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let mut line = String::new();
        let out = parent.stdout.take().expect("a pipe");
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).expect("a line");
        let clocks = ProcessorClocks::of(parent.id());
        let alone = ProcessorClocks {
            clocks: clock_of(parent.id()).into_iter().collect(),
        };
        assert!(clocks.clocks.len() > alone.clocks.len());
        let child = |clocks: &ProcessorClocks| clocks.read().unwrap_or_default();
        while child(&clocks).saturating_sub(child(&alone)) < Duration::from_millis(20) {
            std::thread::yield_now();
        }
        parent.kill().expect("killed");
        parent.wait().expect("ended");
    }

    #[test]
    fn a_process_that_does_not_exist_has_no_clock() {
        assert_eq!(ProcessorClocks::of(u32::MAX).read(), None);
    }
}
