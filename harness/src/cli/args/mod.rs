//! Arguments that several commands share, and those of `hone sprt` that replace a
//! configuration ([`gate`]).

pub(super) mod adjudication;
pub(super) mod conditions;
pub(super) mod ends;
pub(super) mod engines;
pub(super) mod gate;
pub(super) mod logging;
#[cfg(not(feature = "fleet"))]
pub(super) mod no_fleet;
#[cfg(feature = "fleet")]
pub(super) mod place;
pub(super) mod ranges;
pub(super) mod run;
pub(super) mod sandbox;

#[cfg(not(feature = "fleet"))]
pub(super) use no_fleet as place;
