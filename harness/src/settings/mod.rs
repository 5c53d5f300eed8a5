//! Values that several sections of a configuration share.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

mod openings;
mod shard;
mod time_span;
mod values;

pub(crate) use openings::{BookSource, OpeningsConfig};
pub(crate) use shard::Shard;
pub(crate) use time_span::TimeSpan;
pub(crate) use values::{OnFailure, OnMachineFault};
pub(crate) use values::{amount_option, number_in, positive, positive_option};
