//! Runs a program to its end and measures its cost.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The cost of a program, without its children.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) wall: Duration,
    pub(crate) processor: Duration,
    /// Largest resident memory, in bytes.
    pub(crate) memory: u64,
    pub(crate) succeeded: bool,
}

/// Runs the command, on processor 0 only if `pinned`.
pub(crate) fn run(command: &mut Command, pinned: bool) -> io::Result<Cost> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if pinned {
        // SAFETY: the closure only makes a system call.
        unsafe {
            command.pre_exec(|| {
                let mut set: libc::cpu_set_t = std::mem::zeroed();
                libc::CPU_SET(0, &mut set);
                match libc::sched_setaffinity(0, size_of_val(&set), &raw const set) {
                    0 => Ok(()),
                    _ => Err(io::Error::last_os_error()),
                }
            });
        }
    }
    let started = Instant::now();
    let mut child = command.spawn()?;
    let pid = child.id();
    let mut memory = 0;
    let mut interval = Duration::from_micros(500);
    // The peak memory can only be read while the process runs, its processor time until it
    // is waited for.
    while !has_ended(pid)? {
        memory = peak_memory(pid).unwrap_or(memory);
        thread::sleep(interval);
        interval = (interval * 2).min(Duration::from_millis(50));
    }
    let wall = started.elapsed();
    let processor = processor_time(pid)?;
    Ok(Cost {
        wall,
        processor,
        memory,
        succeeded: child.wait()?.success(),
    })
}

/// Whether a child has ended. It still has to be waited for.
fn has_ended(pid: u32) -> io::Result<bool> {
    // SAFETY: all zeros is a valid `siginfo_t`, and the pointer is to it.
    let (result, ended) = unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let how = libc::WEXITED | libc::WNOWAIT | libc::WNOHANG;
        let result = libc::waitid(libc::P_PID, pid, &raw mut info, how);
        (result, info.si_pid() != 0)
    };
    match result {
        0 => Ok(ended),
        _ => Err(io::Error::last_os_error()),
    }
}

fn peak_memory(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Processor time of all threads, also of those that have ended.
fn processor_time(pid: u32) -> io::Result<Duration> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let ticks: u64 = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    // SAFETY: asking for a setting has no preconditions.
    let each = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    Ok(Duration::from_secs_f64(ticks as f64 / each as f64))
}
