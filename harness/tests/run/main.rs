//! A run from its command line to its folder: what it records, and what interrupts it.

mod bad_input;
#[cfg(target_os = "linux")]
mod campaign;
#[path = "../common/mod.rs"]
mod common;
mod edited_ledger;
#[cfg(unix)]
mod folder;
#[cfg(target_os = "linux")]
mod full_disk;
#[cfg(unix)]
mod kills;
#[cfg(unix)]
mod more_pairs;
#[cfg(unix)]
mod one_liners;
mod playing;
#[cfg(target_os = "linux")]
mod read_only;
#[cfg(unix)]
mod replay;
#[cfg(unix)]
mod starts;
#[cfg(unix)]
mod streams;
