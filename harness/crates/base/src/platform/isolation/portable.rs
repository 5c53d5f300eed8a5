//! Systems without Landlock.

use std::process::Command;

use super::Isolation;

/// None on this system.
pub fn isolation() -> Isolation {
    Isolation::None
}

/// Does nothing on this system.
pub fn isolate(_command: &mut Command) {}
