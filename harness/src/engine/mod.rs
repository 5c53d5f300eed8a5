//! One engine: its process and protocol, what it thinks of a position, and
//! whether it keeps to the protocol.

pub(crate) mod analysis;
pub(crate) mod compliance;
pub mod uci;
