//! Runs a command whose output goes to standard error.

use std::io::{self, IsTerminal, Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::stop::StopWatch;
use super::supervised::{Ended, supervise, supervised};

/// Interval at which a request to stop is looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Runs a command to its end, or to a request to stop. What it prints goes to standard error: directly
/// if that is a terminal, and otherwise through this process, so that a closed
/// pipe does not end the command. A block on the terminal must be cleared before.
pub fn run_forwarding(command: &mut Command) -> io::Result<Ended> {
    supervised(command);
    let watch = StopWatch::start();
    if io::stderr().is_terminal() {
        command.stdout(Stdio::from(io::stderr()));
        return supervise(command.spawn()?, POLL_INTERVAL, || watch.reason());
    }
    let (mut printed, writer) = io::pipe()?;
    let child = command.stdout(writer.try_clone()?).stderr(writer).spawn()?;
    // The command holds the writing ends, which must be closed here.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let (done, ended) = mpsc::channel();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = printed.read(&mut buffer) {
            let _ = io::stderr().lock().write_all(&buffer[..count]);
        }
        let _ = done.send(());
    });
    let ended_as = supervise(child, POLL_INTERVAL, || watch.reason());
    // A process that the command left in the background may hold the pipe.
    let _ = ended.recv_timeout(Duration::from_secs(1));
    ended_as
}
