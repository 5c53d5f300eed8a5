//! One engine: its process and protocol, its analysis of positions, and its compliance
//! with the protocol.

pub mod analysis;
pub mod compliance;
pub mod uci;
