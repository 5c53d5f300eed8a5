//! Programs that take a processor's time.

use std::process::{Child, Command, Stdio};

/// Programs that never wait, all on one processor. They end with the value.
pub(crate) struct Crowd(Vec<Child>);

impl Crowd {
    /// `None` where `taskset` is missing.
    pub(crate) fn on(processor: usize, programs: usize) -> Option<Self> {
        let spin = |_| {
            let mut command = Command::new("taskset");
            command.args(["-c", &processor.to_string()]);
            command.args(["sh", "-c", "while :; do :; done"]);
            command.stdin(Stdio::null()).spawn().ok()
        };
        (0..programs).map(spin).collect::<Option<_>>().map(Self)
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
