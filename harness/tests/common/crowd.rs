//! Load on a processor.

use std::process::{Command, Stdio};

use super::running::Running;

/// Busy loops on one processor, which are killed when this is dropped.
pub(crate) struct Crowd(Vec<Running>);

impl Crowd {
    /// `None` if `taskset` is missing or the processor cannot be used.
    pub(crate) fn on(processor: usize, programs: usize) -> Option<Self> {
        let pinned = || {
            let mut command = Command::new("taskset");
            command.args(["-c", &processor.to_string()]);
            command.stdin(Stdio::null());
            command
        };
        let tried = pinned().arg("true").status();
        if !tried.is_ok_and(|status| status.success()) {
            return None;
        }
        let busy_loop = ["sh", "-c", "while :; do :; done"];
        let programs = (0..programs).map(|_| Running::start(pinned().args(busy_loop)));
        Some(Self(programs.collect()))
    }
}
