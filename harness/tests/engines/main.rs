//! Engines: the check before the first game, misbehaviour of every kind, and their processes.

#[cfg(unix)]
mod check;
#[path = "../common/mod.rs"]
mod common;
#[cfg(unix)]
mod failures;
#[cfg(target_os = "linux")]
mod hostile;
#[cfg(target_os = "linux")]
mod machine_faults;
#[cfg(target_os = "linux")]
mod pauses;
#[cfg(unix)]
mod pondering;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod sandbox;
