//! The addresses and the data folder of a server.

use std::net::SocketAddr;
use std::path::PathBuf;

/// The setup of a server.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    pub(crate) data: PathBuf,
    pub(crate) listen: SocketAddr,
    /// The address on which it also listens for WebSocket.
    pub(crate) websocket: Option<SocketAddr>,
    /// The host name or address of this machine in JOIN lines.
    pub(crate) host: String,
}

impl Setup {
    /// The URL for workers.
    pub(super) fn url(&self) -> String {
        format!("tls://{}:{}", self.host, self.listen.port())
    }

    /// The URL for workers over WebSocket.
    pub(crate) fn websocket_url(&self) -> Option<String> {
        let port = self.websocket?.port();
        Some(format!("wss://{}:{port}", self.host))
    }
}
