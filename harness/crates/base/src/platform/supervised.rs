//! A command in a session of its own, whose processes end with it: with `hone`, and at a
//! request to stop, also if only `hone` gets the signal.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::Duration;

use super::guard;
use super::process_group::ProcessGroup;

/// How a supervised command ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Itself(ExitStatus),
    /// It was killed, for this reason.
    Killed(String),
}

/// Makes a command start as [`supervise`] needs it. It has no terminal, because a password
/// that it asked for in the background would stop it.
pub fn supervised(command: &mut Command) {
    ProcessGroup::separate_session(command);
    ProcessGroup::die_with_parent(command);
}

/// Waits for the end of a process, which this thread has started as a [`supervised`] command.
/// Its background processes end too. `must_end`, which is asked after each `pause`, returns
/// the reason to kill them all.
///
/// # Errors
/// Those of the system.
pub fn supervise(
    mut child: Child,
    pause: Duration,
    mut must_end: impl FnMut() -> Option<String>,
) -> io::Result<Ended> {
    let group = ProcessGroup::of(child.id());
    guard::register(child.id());
    let killed = loop {
        match ProcessGroup::leader_has_ended(&mut child) {
            Ok(false) => {}
            Ok(true) => break Ok(None),
            Err(error) => break Err(error),
        }
        if let Some(why) = must_end() {
            break Ok(Some(why));
        }
        thread::sleep(pause);
    };
    // It is reaped afterwards: then another group may have its id.
    group.kill();
    guard::unregister(child.id());
    if !matches!(killed, Ok(None)) {
        let _ = child.kill();
    }
    let status = child.wait();
    Ok(match killed? {
        Some(why) => Ended::Killed(why),
        None => Ended::Itself(status?),
    })
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Read;
    use std::process::Stdio;

    use super::*;
    use crate::platform::{StopWatch, on_termination, runtime};

    /// Starts a command that leaves a process in the background, and the end of its output,
    /// when both have ended.
    fn started(line: &str) -> (Child, impl Read) {
        let mut command = Command::new("sh");
        command.args(["-c", line]).stdout(Stdio::piped());
        supervised(&mut command);
        let mut child = command.spawn().expect("a shell");
        let output = child.stdout.take().expect("piped");
        (child, output)
    }

    #[test]
    fn all_processes_of_a_command_end_with_it() {
        let (child, mut output) = started("sleep 1000 & exit 3");
        let ended = supervise(child, Duration::ZERO, || None).expect("supervised");
        let Ended::Itself(status) = ended else {
            panic!("{ended:?}");
        };
        assert_eq!(status.code(), Some(3));
        assert_eq!(output.read(&mut [0]).expect("read"), 0, "both ended");
    }

    #[test]
    fn a_termination_signal_ends_a_command() {
        let unheard = StopWatch::start();
        let runtime = runtime().expect("a runtime");
        runtime
            .block_on(async { on_termination(|| true) })
            .expect("a handler");
        let watch = StopWatch::start();
        assert!(!watch.is_requested());
        let (child, mut output) = started("sleep 1000 & wait");
        // SAFETY: the signal has a handler.
        unsafe { libc::raise(libc::SIGTERM) };
        let ended = supervise(child, Duration::ZERO, || watch.reason()).expect("supervised");
        assert_eq!(ended, Ended::Killed("interrupted".to_string()));
        assert_eq!(output.read(&mut [0]).expect("read"), 0, "both ended");
        assert!(!unheard.is_requested(), "it was made before");
    }
}
