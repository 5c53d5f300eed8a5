//! One engine: its process and protocol, its analysis of positions, and its compliance
//! with the protocol.

pub(crate) mod analysis;
pub(crate) mod compliance;
pub mod uci;
