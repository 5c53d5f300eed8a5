//! Values that sections of a configuration share.

mod openings;
mod time_span;
mod values;

pub use openings::OpeningsConfig;
pub use time_span::TimeSpan;
pub use values::OnFailure;
pub(crate) use values::{positive, positive_option};
