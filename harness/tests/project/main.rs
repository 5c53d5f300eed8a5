//! The project itself: its pages, dependencies, GitHub Action, packages and fuzzing seeds.

#[cfg(unix)]
mod action;
#[cfg(unix)]
mod action_nights;
#[cfg(unix)]
mod action_scripts;
#[path = "../common/mod.rs"]
mod common;
mod dependencies;
#[cfg(unix)]
mod formats_page;
mod fuzzing;
#[cfg(unix)]
mod manual;
#[cfg(target_os = "linux")]
mod packaging;
mod readers;
mod signs;
