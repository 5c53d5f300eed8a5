//! The processes of a run. Two copies of a run's folder have one name on the fleet, and a lock
//! only prevents two processes in one folder.

use std::time::{Duration, Instant};

use crate::ids::ProcessId;

/// Time between two notices of another process after which it is alive: what a process that has
/// ended left in the buffers of the network arrives together.
const ALIVE: Duration = Duration::from_secs(4);

/// This process, and an earlier one of the same run from which notices arrive.
#[derive(Debug)]
pub(super) struct Processes {
    own: ProcessId,
    /// The earlier process, and when its first notice arrived.
    earlier: Option<(ProcessId, Instant)>,
    is_second: bool,
}

impl Processes {
    pub(super) fn new() -> Self {
        Self {
            own: ProcessId::new(),
            earlier: None,
            is_second: false,
        }
    }

    pub(super) fn own(&self) -> ProcessId {
        self.own
    }

    /// Whether an earlier process plays the run.
    pub(super) fn is_second(&self) -> bool {
        self.is_second
    }

    /// Records the sender of a notice of this run. Returns whether it shows for the first time
    /// that an earlier process plays the run: the later one of two must stop.
    pub(super) fn announced(&mut self, process: ProcessId, now: Instant) -> bool {
        if process >= self.own {
            return false;
        }
        match self.earlier {
            Some((earlier, first)) if earlier == process => {
                let is_alive = now.duration_since(first) >= ALIVE;
                is_alive && !std::mem::replace(&mut self.is_second, true)
            }
            _ => {
                self.earlier = Some((process, now));
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(started_ms: i64) -> ProcessId {
        ProcessId::parse(&format!("{started_ms}.ab")).expect("an id")
    }

    #[test]
    fn the_later_of_two_living_processes_stops() {
        let mut processes = Processes::new();
        let now = Instant::now();
        let [own, earlier, later] = [processes.own(), started(5), started(i64::MAX)];
        for process in [own, later, earlier] {
            for seconds in 0..2 {
                let now = now + Duration::from_secs(seconds);
                assert!(!processes.announced(process, now), "{process}");
            }
        }
        for process in [own, later] {
            assert!(!processes.announced(process, now + 2 * ALIVE));
        }
        assert!(!processes.is_second());
        assert!(processes.announced(earlier, now + ALIVE));
        assert!(processes.is_second());
        assert!(!processes.announced(earlier, now + 2 * ALIVE), "only once");
    }
}
