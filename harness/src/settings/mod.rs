//! Values that sections of a configuration share.

mod openings;
mod shard;
mod time_span;
mod values;

pub(crate) use openings::{BookSource, OpeningsConfig};
pub(crate) use shard::Shard;
pub(crate) use time_span::TimeSpan;
pub(crate) use values::OnFailure;
pub(crate) use values::{amount, amount_option, positive, positive_option};
