//! Signals to a child process.

use std::process::Child;

/// What a child is asked to do.
#[cfg_attr(
    not(all(feature = "fleet", feature = "serve")),
    allow(dead_code, reason = "each of the two features sends two of the three")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChildSignal {
    /// SIGHUP: read its configuration again.
    Hangup,
    /// SIGINT, as by Ctrl-C.
    Interrupt,
    /// SIGTERM: end.
    Terminate,
}

/// Sends a signal to a child that has not been waited for. Returns `false` where the
/// system has no signals: there a child can only be killed.
#[cfg(unix)]
pub(crate) fn signal_child(child: &Child, signal: ChildSignal) -> bool {
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
pub(crate) fn signal_child(_child: &Child, _signal: ChildSignal) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::Command;

    use super::*;

    #[test]
    fn a_child_gets_the_signal_that_is_meant() {
        for (signal, number) in [
            (ChildSignal::Hangup, libc::SIGHUP),
            (ChildSignal::Interrupt, libc::SIGINT),
            (ChildSignal::Terminate, libc::SIGTERM),
        ] {
            let mut sleep = Command::new("sleep");
            let heed = move || {
                // Under `nohup`, and in the background of a script, it would be ignored.
                // SAFETY: the signal has its default action again.
                unsafe { libc::signal(number, libc::SIG_DFL) };
                Ok(())
            };
            // SAFETY: `signal` may be called between fork and exec.
            unsafe { sleep.pre_exec(heed) };
            let mut child = sleep.arg("1000").spawn().expect("sleep");
            assert!(signal_child(&child, signal));
            let status = child.wait().expect("it has ended");
            assert_eq!(status.signal(), Some(number), "{signal:?}");
        }
    }
}
