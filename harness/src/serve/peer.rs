//! The other end of a connection.

use std::net::SocketAddr;

/// Its address.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub SocketAddr);
