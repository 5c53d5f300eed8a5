//! The key of a run on the fleet: the run's name and its secret, from which the lease of
//! each pair is made. A lease is a token in a pair's job that only the run's runner can
//! make: a result without it does not come from a machine that was given the pair. It has
//! no time limit, and it is the same each time that the pair is sent, so a late result of
//! an earlier delivery counts. The times that decide about lost workers are in the
//! documentation of `fleet`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::checksum::hex;
use crate::fleet::ids::Name;
use crate::platform::write_private;

/// The file in a run's folder with the run's name on the fleet and its secret.
const FILE: &str = "lease.toml";

/// The path of the file. Earlier versions named it `fleet.toml`, as a file with a
/// credential.
fn path_in(dir: &Path) -> PathBuf {
    let (path, earlier) = (dir.join(FILE), dir.join("fleet.toml"));
    if !path.exists() && earlier.exists() {
        return earlier;
    }
    path
}

/// The name and the secret of a run on the fleet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunKey {
    pub(crate) run: Name,
    secret: String,
}

impl RunKey {
    pub(crate) fn random() -> Self {
        let secret: [u64; 4] = rand::random();
        Self {
            run: Name::random(),
            secret: secret.map(|part| format!("{part:016x}")).concat(),
        }
    }

    /// Whether the run in a folder has been on a fleet.
    pub(crate) fn exists(dir: &Path) -> bool {
        path_in(dir).exists()
    }

    /// The fleet's name of the run in a folder, if it has been on a fleet.
    #[cfg(feature = "serve")]
    pub(crate) fn name_in(dir: &Path) -> Option<Name> {
        let text = fs::read_to_string(path_in(dir)).ok()?;
        let key: Self = toml::from_str(&text).ok()?;
        Some(key.run)
    }

    /// The key of the run in a folder, made if there is none.
    ///
    /// # Errors
    /// Those of the file system, and if the file is damaged.
    pub(crate) fn of(dir: &Path) -> anyhow::Result<Self> {
        let path = path_in(dir);
        let failed = || format!("cannot use {}", path.display());
        match fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text).with_context(failed),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let key = Self::random();
                let text = toml::to_string(&key)?;
                write_private(&path, text.as_bytes()).with_context(failed)?;
                Ok(key)
            }
            Err(error) => Err(error).with_context(failed),
        }
    }

    /// The lease of a pair: 32 hexadecimal digits.
    pub(crate) fn lease(&self, pair: u64) -> String {
        let mut hasher = Sha256::new();
        hasher.update(self.secret.as_bytes());
        hasher.update(pair.to_le_bytes());
        hex(&hasher.finalize()[..16])
    }

    /// Whether a lease is that of a pair.
    pub(crate) fn is_lease(&self, pair: u64, lease: &str) -> bool {
        // Each guess is a network message, so the time of this comparison cannot be
        // measured.
        self.lease(pair) == lease
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_kept_and_its_leases_are_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(!RunKey::exists(folder.path()));
        let key = RunKey::of(folder.path()).expect("made");
        assert_eq!(RunKey::of(folder.path()).expect("read"), key);
        assert!(key.is_lease(7, &key.lease(7)));
        assert!(!key.is_lease(8, &key.lease(7)));
        assert!(!key.is_lease(7, ""));
        assert!(!RunKey::random().is_lease(7, &key.lease(7)));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(folder.path().join(FILE))
                .expect("there")
                .permissions()
                .mode();
            assert_eq!(mode & 0o077, 0);
        }
    }

    #[test]
    fn a_run_of_an_earlier_version_keeps_its_key() {
        let folder = tempfile::tempdir().expect("a folder");
        let key = RunKey::of(folder.path()).expect("made");
        let (path, earlier) = (folder.path().join(FILE), folder.path().join("fleet.toml"));
        fs::rename(&path, &earlier).expect("renamed");
        assert!(RunKey::exists(folder.path()));
        assert_eq!(RunKey::of(folder.path()).expect("read"), key);
        assert!(!path.exists());
        // Where `lease.toml` exists, `fleet.toml` is not read.
        fs::rename(&earlier, &path).expect("renamed");
        fs::write(&earlier, "url = \"tls://box\"").expect("written");
        assert_eq!(RunKey::of(folder.path()).expect("read"), key);
    }
}
