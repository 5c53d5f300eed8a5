//! Runs a command whose output goes to standard error.

use std::io::{self, IsTerminal, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Runs a command to its end. What it prints goes to standard error: directly
/// if that is a terminal, and otherwise through this process, so that a closed
/// pipe does not end the command. A block on the terminal must be cleared before.
pub fn run_forwarding(command: &mut Command) -> io::Result<ExitStatus> {
    if io::stderr().is_terminal() {
        command.stdout(Stdio::from(io::stderr()));
        return command.status();
    }
    let (mut printed, writer) = io::pipe()?;
    let mut child = command.stdout(writer.try_clone()?).stderr(writer).spawn()?;
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
    let status = child.wait();
    // A process that the command left in the background may hold the pipe.
    let _ = ended.recv_timeout(Duration::from_secs(1));
    status
}
