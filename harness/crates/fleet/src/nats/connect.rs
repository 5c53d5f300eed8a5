//! Connects to the server of a credential and checks its certificate.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use async_nats::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use async_nats::rustls::crypto::{
    CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature,
};
use async_nats::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use async_nats::rustls::{ClientConfig, DigitallySignedStruct, Error as TlsError, SignatureScheme};
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event};
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::subjects::inbox;
use crate::access::Access;
use hone_base::checksum::hex;
use hone_base::diagnostic::Diagnostic;

const CONNECT: Duration = Duration::from_secs(10);
const REQUEST: Duration = Duration::from_secs(10);
const PING: Duration = Duration::from_secs(10);
/// Maximum delay before an attempt to reconnect.
const MAX_DELAY: Duration = Duration::from_secs(3);
/// Time for which a refused credential is retried: `hone fleet up` checks for new ones
/// every second.
const REFUSED: Duration = Duration::from_secs(5);
/// Time between two attempts with a refused credential.
const RETRY: Duration = Duration::from_millis(500);

/// Connects, and reconnects automatically whenever the connection is lost. The changes of
/// the connection are sent to `events`.
///
/// # Errors
/// If the server cannot be reached, is another one, or refuses the credential.
pub(crate) async fn connect(
    access: &Access,
    events: mpsc::UnboundedSender<Event>,
) -> anyhow::Result<Client> {
    let mut options = ConnectOptions::new()
        .name(format!("hone {} {}", access.role.name(), access.name))
        .custom_inbox_prefix(inbox(&access.name))
        .connection_timeout(CONNECT)
        .request_timeout(Some(REQUEST))
        .ping_interval(PING)
        .max_reconnects(None)
        .reconnect_delay_callback(|attempts| {
            let delay = Duration::from_millis(50 << attempts.min(6));
            delay.min(MAX_DELAY)
        })
        .ignore_discovered_servers()
        .event_callback(move |event| {
            // The receiver is dropped only by a process that is ending.
            let _ = events.send(event);
            async {}
        });
    if let Some(seed) = &access.seed {
        options = options.nkey(seed.clone());
    }
    if let Some(creds) = &access.creds {
        let text = std::fs::read_to_string(creds)
            .with_context(|| format!("cannot read {}", creds.display()))?;
        options = options
            .credentials(&text)
            .with_context(|| creds.display().to_string())?;
    }
    if let Some(fingerprint) = &access.fingerprint {
        options = options
            .tls_client_config(pinned(fingerprint)?)
            .require_tls(true);
    }
    let servers: Vec<_> = access.url.split(',').map(str::trim).collect();
    let deadline = Instant::now() + REFUSED;
    loop {
        let error = match options.clone().connect(servers.clone()).await {
            Ok(client) => return Ok(client),
            Err(error) => error,
        };
        let is_refused = error.kind() == ConnectErrorKind::AuthorizationViolation;
        if !is_refused || Instant::now() >= deadline {
            return Err(Diagnostic::new(format!("cannot connect to {}: {error}", access.url)).help("is the server up (`hone fleet up`), and may this machine reach it? A credential may also be expired or revoked").into());
        }
        sleep(RETRY).await;
    }
}

/// A client without a server, which buffers up to `capacity` messages.
#[cfg(test)]
pub(super) async fn offline(capacity: usize) -> Client {
    let options = ConnectOptions::new()
        .client_capacity(capacity)
        .retry_on_initial_connect();
    options.connect("127.0.0.1:1").await.expect("a client")
}

/// A TLS configuration that accepts only the certificate with this fingerprint, whoever
/// signed it.
fn pinned(fingerprint: &str) -> anyhow::Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Pinned {
        fingerprint: fingerprint.to_ascii_lowercase(),
        provider: Arc::clone(&provider),
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("TLS cannot be set up")?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(config)
}

#[derive(Debug)]
struct Pinned {
    fingerprint: String,
    provider: Arc<CryptoProvider>,
}

/// SHA-256 of a certificate in DER form, in lower-case hexadecimal digits.
pub(crate) fn fingerprint(certificate: &[u8]) -> String {
    hex(&Sha256::digest(certificate))
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        let shown = fingerprint(end_entity);
        if shown == self.fingerprint {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(TlsError::General(format!(
                "the server's certificate is not the one that JOIN names (fingerprint {shown:.16}, and {:.16} is expected)",
                self.fingerprint
            )))
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
