//! Signals to a child process.

use std::process::Child;

/// A signal, by its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildSignal {
    /// SIGHUP: reload the configuration.
    Hangup,
    /// SIGINT, as from Ctrl-C.
    Interrupt,
    /// SIGTERM: end.
    Terminate,
}

/// Sends a signal to a child that is not reaped. Returns `false` on systems without
/// signals, where a child can only be killed.
#[cfg(unix)]
pub fn signal_child(child: &Child, signal: ChildSignal) -> bool {
    let number = match signal {
        ChildSignal::Hangup => libc::SIGHUP,
        ChildSignal::Interrupt => libc::SIGINT,
        ChildSignal::Terminate => libc::SIGTERM,
    };
    if let Ok(pid) = i32::try_from(child.id()) {
        // SAFETY: it is our child and has not been waited for.
        unsafe {
            libc::kill(pid, number);
        }
    }
    true
}

#[cfg(not(unix))]
pub fn signal_child(_child: &Child, _signal: ChildSignal) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::Command;

    use super::*;

    #[test]
    fn a_child_receives_each_signal() {
        for (signal, number) in [
            (ChildSignal::Hangup, libc::SIGHUP),
            (ChildSignal::Interrupt, libc::SIGINT),
            (ChildSignal::Terminate, libc::SIGTERM),
        ] {
            let mut sleep = Command::new("sleep");
            let reset = move || {
                // Under `nohup` and in background jobs of scripts the signal is ignored.
                // SAFETY: restores the default action of the signal.
                unsafe { libc::signal(number, libc::SIG_DFL) };
                Ok(())
            };
            // SAFETY: `signal` may be called between fork and exec.
            unsafe { sleep.pre_exec(reset) };
            let mut child = sleep.arg("1000").spawn().expect("sleep");
            assert!(signal_child(&child, signal));
            let status = child.wait().expect("it has ended");
            assert_eq!(status.signal(), Some(number), "{signal:?}");
        }
    }
}
