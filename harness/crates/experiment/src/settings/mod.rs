//! Values that several sections of a configuration share.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

mod openings;
mod shard;
mod time_span;
mod values;

pub use openings::{BookSource, OpeningsConfig};
pub use shard::Shard;
pub use time_span::TimeSpan;
pub use values::{OnFailure, OnFinding, OnMachineFault};
pub(crate) use values::{amount_option, number_in};
pub use values::{positive, positive_option};
