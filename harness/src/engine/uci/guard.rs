//! A companion process that ends what `hone` leaves behind when it is killed
//! outright: the death signal of Linux reaches an engine but not the engine's
//! children, and macOS has none. On Windows job objects do all of it.
//!
//! The companion is `hone` itself, started with [`ARGUMENT`]. It reads the
//! process groups of engines from its standard input; when that ends, because
//! `hone` is gone, it kills those that are still there.

use std::collections::HashSet;
use std::io::{self, BufRead, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::platform::ProcessGroup;

/// The hidden subcommand that makes `hone` the companion.
pub(crate) const ARGUMENT: &str = "guard-engines";

struct Companion {
    input: ChildStdin,
    /// Reaped with `hone`.
    _process: Child,
}

static COMPANION: Mutex<Option<Companion>> = Mutex::new(None);

/// Starts the companion, once. A failure is not an error: the companion is needed
/// only if `hone` is killed outright, to end the children of engines (on macOS also
/// the engines).
pub(crate) fn install() {
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

/// Tells the companion of an engine's process group.
pub(super) fn watch(pid: u32) {
    tell('+', pid);
}

/// Tells it that the group has ended.
pub(super) fn forget(pid: u32) {
    tell('-', pid);
}

fn tell(sign: char, pid: u32) {
    let mut companion = COMPANION.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(companion) = &mut *companion {
        // A companion that was killed cannot be helped.
        let _ = writeln!(companion.input, "{sign}{pid}");
    }
}

/// The companion's work, until its standard input ends.
pub(crate) fn guard(input: impl BufRead) {
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
