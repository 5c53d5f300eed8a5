//! The addresses and the data folder of a server.

use std::net::SocketAddr;
use std::path::PathBuf;

/// The setup of a server.
#[derive(Debug, Clone)]
pub struct Setup {
    pub data: PathBuf,
    pub listen: SocketAddr,
    /// The address on which it also listens for WebSocket.
    pub websocket: Option<SocketAddr>,
    /// The host name or address of this machine in JOIN lines.
    pub host: String,
}

impl Setup {
    /// The URL for workers.
    pub(super) fn url(&self) -> String {
        format!("tls://{}:{}", self.host, self.listen.port())
    }

    /// The URL for workers over WebSocket.
    pub fn websocket_url(&self) -> Option<String> {
        let port = self.websocket?.port();
        Some(format!("wss://{}:{port}", self.host))
    }
}
