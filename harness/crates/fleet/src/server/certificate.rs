//! The server's self-signed certificate. JOIN lines contain its fingerprint, so no
//! certificate authority is needed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::nats::fingerprint;
use hone_base::platform::write_private;

/// The files of the certificate and its key.
#[derive(Debug)]
pub(super) struct Certificate {
    pub(super) certificate: PathBuf,
    pub(super) key: PathBuf,
    /// SHA-256 of the certificate, in lower-case hexadecimal digits.
    pub(super) fingerprint: String,
}

impl Certificate {
    /// The certificate in a folder. If there is none, one is made for the host.
    ///
    /// # Errors
    /// Those of the file system, and if the file is damaged.
    pub(super) fn of(data: &Path, host: &str) -> anyhow::Result<Self> {
        let (certificate, key) = (data.join("server.crt"), data.join("server.key"));
        if !certificate.exists() || !key.exists() {
            let names = vec![host.to_string(), "localhost".to_string()];
            let made =
                rcgen::generate_simple_self_signed(names).context("cannot make a certificate")?;
            write_private(&key, made.signing_key.serialize_pem().as_bytes())?;
            write_private(&certificate, made.cert.pem().as_bytes())?;
        }
        let pem = fs::read_to_string(&certificate)
            .with_context(|| format!("cannot read {}", certificate.display()))?;
        let body: String = pem
            .lines()
            .filter(|line| !line.starts_with("-----"))
            .collect();
        let der = STANDARD
            .decode(body)
            .with_context(|| format!("{} is damaged", certificate.display()))?;
        Ok(Self {
            certificate,
            key,
            fingerprint: fingerprint(&der),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_is_made_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let made = Certificate::of(folder.path(), "box").expect("made");
        assert_eq!(made.fingerprint.len(), 64);
        let read = Certificate::of(folder.path(), "other").expect("read");
        assert_eq!(read.fingerprint, made.fingerprint);
    }
}
