//! Tuning.

pub mod benchmark;
mod design;
pub mod import;
pub mod landscape;
pub mod method;
pub mod pair_model;
pub mod param;
pub mod pattern;
pub mod response;
pub mod space;
pub mod stream;
pub mod tuner;

pub use space::{Space, SpaceError};
