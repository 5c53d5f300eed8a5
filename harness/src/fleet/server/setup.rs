//! What a server is to be.

use std::net::SocketAddr;
use std::path::PathBuf;

/// How a server is to be set up.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    pub(crate) data: PathBuf,
    pub(crate) listen: SocketAddr,
    /// Where it also listens for WebSocket.
    pub(crate) websocket: Option<SocketAddr>,
    /// The name or address that JOIN has for this machine.
    pub(crate) host: String,
}

impl Setup {
    /// Where workers find it.
    pub(super) fn url(&self) -> String {
        format!("tls://{}:{}", self.host, self.listen.port())
    }

    /// Where workers find it over WebSocket.
    pub(crate) fn websocket_url(&self) -> Option<String> {
        let port = self.websocket?.port();
        Some(format!("wss://{}:{port}", self.host))
    }
}
