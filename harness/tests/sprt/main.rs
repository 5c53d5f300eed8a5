//! Tests of strength: verdicts, stages, shards and pools, and the merge gate.

#[path = "../common/mod.rs"]
mod common;
#[cfg(unix)]
mod evidence;
#[cfg(unix)]
mod gate;
#[cfg(unix)]
mod liars;
#[cfg(unix)]
mod pool;
#[cfg(unix)]
mod spot_checks;
#[cfg(unix)]
mod stages;
mod verdicts;
