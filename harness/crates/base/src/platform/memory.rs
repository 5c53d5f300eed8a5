//! Memory of processes and of the machine, and a limit for a process.

use std::process::Command;

/// Whether [`limit_memory`], or the job object on Windows, can limit memory.
pub const CAN_LIMIT_MEMORY: bool = cfg!(any(target_os = "linux", windows));

/// Limits the private writable memory of the process that a command starts, and of each of
/// its children, to `bytes`. Allocations beyond the limit fail.
///
/// `RLIMIT_DATA` and not `RLIMIT_AS`: the address space includes mapped networks and
/// tablebases, which may be larger than the machine's memory, and memory that an allocator
/// has only reserved.
#[cfg(target_os = "linux")]
pub fn limit_memory(command: &mut Command, bytes: u64) {
    use std::io;
    use std::os::unix::process::CommandExt;

    let set = move || {
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: getrlimit writes to the struct, setrlimit only reads it; both
        // are plain system calls, as code between fork and exec must be.
        unsafe {
            if libc::getrlimit(libc::RLIMIT_DATA, &raw mut limit) != 0 {
                return Err(io::Error::last_os_error());
            }
            limit.rlim_max = limit.rlim_max.min(bytes);
            limit.rlim_cur = limit.rlim_max;
            if libc::setrlimit(libc::RLIMIT_DATA, &raw const limit) != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    };
    // SAFETY: the closure allocates nothing and only makes system calls.
    unsafe {
        command.pre_exec(set);
    }
}

/// Does nothing: Windows limits the job object, and other systems do not enforce a limit.
#[cfg(not(target_os = "linux"))]
pub fn limit_memory(_command: &mut Command, _bytes: u64) {}

/// Peak resident memory of a running process in bytes; `None` on systems other than Linux.
#[cfg(target_os = "linux")]
pub fn peak_memory(pid: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    kibibytes(&text, "VmHWM:").map(|kib| kib << 10)
}

#[cfg(not(target_os = "linux"))]
pub fn peak_memory(_pid: u32) -> Option<u64> {
    None
}

/// As [`peak_memory`] for a child that has ended and is not reaped.
#[cfg(target_os = "linux")]
pub fn peak_memory_of_ended(pid: u32) -> Option<u64> {
    // SAFETY: zeroed structs of C are valid; the system call writes to both.
    // WNOWAIT leaves the child unreaped. `libc::waitid` lacks the last argument.
    let (status, info, usage) = unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let mut usage: libc::rusage = std::mem::zeroed();
        let status = libc::syscall(
            libc::SYS_waitid,
            libc::P_PID,
            pid,
            &raw mut info,
            libc::WEXITED | libc::WNOHANG | libc::WNOWAIT,
            &raw mut usage,
        );
        (status, info, usage)
    };
    // SAFETY: the field is there after a waitid, zero if no child has ended.
    let ended = status == 0 && unsafe { info.si_pid() } != 0;
    let kib = u64::try_from(usage.ru_maxrss).ok()?;
    (ended && kib > 0).then_some(kib << 10)
}

#[cfg(not(target_os = "linux"))]
pub fn peak_memory_of_ended(_pid: u32) -> Option<u64> {
    None
}

/// The machine's memory in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MachineMemory {
    pub total: u64,
    /// Available without swapping.
    pub available: u64,
}

impl MachineMemory {
    /// The current state; `None` on systems other than Linux.
    pub fn now() -> Option<Self> {
        Self::read(&std::fs::read_to_string("/proc/meminfo").ok()?)
    }

    fn read(meminfo: &str) -> Option<Self> {
        Some(Self {
            total: kibibytes(meminfo, "MemTotal:")? << 10,
            available: kibibytes(meminfo, "MemAvailable:")? << 10,
        })
    }

    /// Whether less than 5 % is available.
    pub fn is_nearly_used_up(self) -> bool {
        self.available < self.total / 20
    }
}

/// The number after a label in a file of `/proc`.
fn kibibytes(text: &str, label: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(label))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machines_memory_is_read() {
        let text = "MemTotal:       8000 kB\nMemFree: 10 kB\nMemAvailable:    399 kB\n";
        let memory = MachineMemory::read(text).expect("it is there");
        assert_eq!((memory.total, memory.available), (8_192_000, 408_576));
        assert!(memory.is_nearly_used_up());
        let text = text.replace("399", "401");
        assert!(
            !MachineMemory::read(&text)
                .expect("there")
                .is_nearly_used_up()
        );
        assert_eq!(MachineMemory::read("MemTotal: x kB\n"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_peak_of_a_process_is_known_before_and_after_its_end() {
        use std::process::Stdio;
        use std::time::{Duration, Instant};

        assert!(peak_memory(std::process::id()).expect("of this process") > 1 << 20);
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .spawn()
            .expect("cat");
        assert_eq!(peak_memory_of_ended(child.id()), None);
        assert!(peak_memory(child.id()).is_some());
        drop(child.stdin.take());
        let deadline = Instant::now() + Duration::from_secs(60);
        while peak_memory_of_ended(child.id()).is_none() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(peak_memory_of_ended(child.id()).expect("it has ended") > 1 << 16);
        assert!(child.wait().expect("it can be waited for").success());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_limited_process_gets_no_more() {
        let count = |limit: Option<u64>| {
            let mut command = Command::new("sh");
            // A string that doubles to 64 MiB.
            command.args(["-c", "x=xxxxxxxxxxxxxxxx; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22; do x=$x$x; done; echo ${#x}"]);
            if let Some(bytes) = limit {
                limit_memory(&mut command, bytes);
            }
            let output = command.output().expect("a shell");
            String::from_utf8_lossy(&output.stdout).trim().to_string()
        };
        assert_eq!(count(None), (64 << 20).to_string());
        assert_eq!(count(Some(32 << 20)), "");
    }
}
