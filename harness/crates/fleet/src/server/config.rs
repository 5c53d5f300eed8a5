//! The configuration of nats-server.

use std::path::PathBuf;

use anyhow::Context;
use serde_json::{Value, json};

use super::Setup;
use super::accounts::{SYSTEM, accounts};
use super::certificate::Certificate;
use super::tokens::Tokens;
use crate::message::MAX_PAYLOAD;
use hone_base::platform::write_private;

/// The server's log, in the data folder.
pub(super) const LOG: &str = "nats-server.log";

/// Time limit for establishing a connection, in seconds. The server's default of two is
/// too short when hundreds of workers connect at once.
const HANDSHAKE_S: u32 = 30;

/// The parts of the configuration other than the credentials.
pub(super) struct Configuration<'a> {
    pub(super) setup: &'a Setup,
    pub(super) certificate: &'a Certificate,
    /// The public key of `hone fleet up` itself.
    pub(super) admin: &'a str,
}

impl Configuration<'_> {
    /// Writes the configuration with the valid credentials. Returns its path.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn write(&self, tokens: &Tokens) -> anyhow::Result<PathBuf> {
        let path = self.setup.data.join("nats-server.conf");
        // The server reads JSON.
        let text = serde_json::to_string_pretty(&self.value(tokens))?;
        write_private(&path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }

    fn value(&self, tokens: &Tokens) -> Value {
        let data = &self.setup.data;
        let mut value = json!({
            "server_name": "hone-fleet",
            "listen": self.setup.listen.to_string(),
            "max_payload": MAX_PAYLOAD,
            "log_file": data.join(LOG),
            "logfile_size_limit": 10_000_000,
            "logfile_max_num": 2,
            "tls": self.tls(),
            "authorization": { "timeout": HANDSHAKE_S },
            "jetstream": {
                "store_dir": data.join("jetstream"),
                // A worker discards a result when the server confirms it.
                "sync_interval": "always",
            },
            "accounts": accounts(self.admin, tokens),
            "system_account": SYSTEM,
        });
        if let Some(listen) = self.setup.websocket {
            value["websocket"] = json!({
                "listen": listen.to_string(),
                "tls": self.tls(),
                "handshake_timeout": format!("{HANDSHAKE_S}s"),
            });
        }
        value
    }

    fn tls(&self) -> Value {
        json!({
            "cert_file": self.certificate.certificate,
            "key_file": self.certificate.key,
            "timeout": HANDSHAKE_S,
        })
    }
}
