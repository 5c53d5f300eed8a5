//! Isolation of engines from other processes, by Landlock on Linux: an engine cannot read,
//! change or signal `hone` and its opponent, but shares the file system and the network.

#[cfg(target_os = "linux")]
mod landlock;
#[cfg(not(target_os = "linux"))]
mod portable;

#[cfg(target_os = "linux")]
pub use landlock::{isolate, isolation};
#[cfg(not(target_os = "linux"))]
pub use portable::{isolate, isolation};

/// What an isolated process cannot do to processes that neither it nor its children have
/// started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// The system does not isolate it.
    None,
    /// It cannot trace them, nor open their files, pipes and memory in `/proc`; signals are
    /// possible.
    Partial,
    /// It cannot signal them either.
    Full,
}

impl Isolation {
    /// The name in a run's manifest.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Partial => "partial",
            Self::Full => "full",
        }
    }
}
