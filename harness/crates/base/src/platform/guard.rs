//! A companion process that kills the process groups of a `hone` that was killed itself:
//! engines, benches and builds. The parent-death signal of Linux
//! reaches the first process of a group but not its children, and macOS has none. On
//! Windows job objects are enough.
//!
//! The companion is `hone` itself, started with [`ARGUMENT`]. It reads process groups from
//! its standard input; at its end, when `hone` has ended, it kills those that are left.

use std::collections::HashSet;
use std::io::{self, BufRead, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use super::process_group::ProcessGroup;

/// The hidden subcommand that makes `hone` the companion.
pub const ARGUMENT: &str = "guard-engines";

struct Companion {
    input: ChildStdin,
    /// Not waited for: it ends after `hone`.
    _process: Child,
}

static COMPANION: Mutex<Option<Companion>> = Mutex::new(None);

/// Starts the companion, once. A failure is ignored: the companion is needed only if
/// `hone` ends before the processes that it has started, for their children (on macOS also
/// for them).
pub fn install() {
    let mut companion = COMPANION.lock().unwrap_or_else(PoisonError::into_inner);
    if companion.is_some() || !cfg!(unix) {
        return;
    }
    *companion = start().ok();
}

fn start() -> io::Result<Companion> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg(ARGUMENT)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    ProcessGroup::separate(&mut command);
    let mut process = command.spawn()?;
    let input = process.stdin.take().expect("stdin is piped");
    Ok(Companion {
        input,
        _process: process,
    })
}

/// Adds a process group to those that the companion kills.
pub fn register(pid: u32) {
    send('+', pid);
}

/// Removes a group that has ended or was killed.
pub fn unregister(pid: u32) {
    send('-', pid);
}

fn send(sign: char, pid: u32) {
    let mut companion = COMPANION.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(companion) = &mut *companion {
        // Fails if the companion was killed; `hone` works without it.
        let _ = writeln!(companion.input, "{sign}{pid}");
    }
}

/// Reads process groups until the input ends, then kills those that are left.
pub fn guard(input: impl BufRead) {
    let mut groups = HashSet::new();
    for line in input.lines().map_while(Result::ok) {
        let Some((sign, pid)) = line.split_at_checked(1) else {
            continue;
        };
        if let Ok(pid) = pid.parse::<u32>() {
            match sign {
                "+" => groups.insert(pid),
                _ => groups.remove(&pid),
            };
        }
    }
    for pid in groups {
        ProcessGroup::of(pid).kill();
    }
}
