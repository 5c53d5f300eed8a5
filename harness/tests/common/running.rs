//! Programs that run beside a test and do not outlive it.

use std::ops::{Deref, DerefMut};
use std::process::{Child, Command};

use super::Finished;

/// A started program. It is killed when this is dropped, also by a test that fails.
pub(crate) struct Running(Option<Child>);

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self(Some(command.spawn().expect("the program starts")))
    }

    /// Waits until the program ends. What it writes is returned as far as it is piped.
    pub(crate) fn finish(mut self) -> Finished {
        let child = self.0.take().expect("taken only here");
        Finished::of(child.wait_with_output().expect("the program ends"))
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.try_wait().expect("a child").is_some()
    }

    /// Kills the program (SIGKILL) and waits for its end.
    pub(crate) fn kill(self) {
        drop(self);
    }
}

impl Deref for Running {
    type Target = Child;

    fn deref(&self) -> &Child {
        self.0.as_ref().expect("taken only at the end")
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        self.0.as_mut().expect("taken only at the end")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
