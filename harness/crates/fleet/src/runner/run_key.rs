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

use crate::ids::Name;
use hone_base::checksum::hex;
use hone_base::platform::write_private;
use hone_run::executor::spot_checks;

/// The file in a run's folder with the run's name on the fleet, its secret and its priority.
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
pub struct RunKey {
    pub run: Name,
    secret: String,
    /// The run's share of the fleet when it was last played, for `hone resume`. Earlier
    /// versions did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    priority: Option<u32>,
}

impl RunKey {
    pub fn random() -> Self {
        let secret: [u64; 4] = rand::random();
        Self {
            run: Name::random(),
            secret: secret.map(|part| format!("{part:016x}")).concat(),
            priority: None,
        }
    }

    /// Whether the run in a folder has been on a fleet.
    pub fn exists(dir: &Path) -> bool {
        path_in(dir).exists()
    }

    /// The fleet's name of the run in a folder, if it has been on a fleet.
    pub fn name_in(dir: &Path) -> Option<Name> {
        Some(Self::read(dir)?.run)
    }

    /// The priority with which the run in a folder was last played on a fleet, if it is known.
    pub fn priority_in(dir: &Path) -> Option<u32> {
        Self::read(dir)?.priority
    }

    fn read(dir: &Path) -> Option<Self> {
        let text = fs::read_to_string(path_in(dir)).ok()?;
        toml::from_str(&text).ok()
    }

    /// The key of the run in a folder, made if there is none. The run's priority is kept in
    /// the file.
    ///
    /// # Errors
    /// Those of the file system, and if the file is damaged.
    pub fn of(dir: &Path, priority: u32) -> anyhow::Result<Self> {
        let path = path_in(dir);
        let failed = || format!("cannot use {}", path.display());
        let mut key = match fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text).with_context(failed)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Self::random(),
            Err(error) => return Err(error).with_context(failed),
        };
        if key.priority != Some(priority) {
            key.priority = Some(priority);
            let text = toml::to_string(&key)?;
            write_private(&path, text.as_bytes()).with_context(failed)?;
        }
        Ok(key)
    }

    /// The lease of a pair: 32 hexadecimal digits.
    pub fn lease(&self, pair: u64) -> String {
        let mut hasher = Sha256::new();
        hasher.update(self.secret.as_bytes());
        hasher.update(pair.to_le_bytes());
        hex(&hasher.finalize()[..16])
    }

    /// Whether a pair is one of those that are played again by another worker. A worker cannot
    /// know which.
    pub(super) fn is_spot(&self, pair: u64) -> bool {
        spot_checks::is_spot(self.secret.as_bytes(), pair)
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
        let key = RunKey::of(folder.path(), 100).expect("made");
        assert_eq!(RunKey::of(folder.path(), 100).expect("read"), key);
        assert_eq!(RunKey::priority_in(folder.path()), Some(100));
        let other = RunKey::of(folder.path(), 300).expect("read");
        assert_eq!(other.lease(7), key.lease(7));
        assert_eq!(RunKey::priority_in(folder.path()), Some(300));
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
        let key = RunKey::of(folder.path(), 100).expect("made");
        let (path, earlier) = (folder.path().join(FILE), folder.path().join("fleet.toml"));
        fs::rename(&path, &earlier).expect("renamed");
        let text = fs::read_to_string(&earlier).expect("read");
        let without = text.replace("priority = 100\n", "");
        assert_ne!(without, text);
        fs::write(&earlier, without).expect("written");
        assert_eq!(RunKey::priority_in(folder.path()), None);
        assert!(RunKey::exists(folder.path()));
        assert_eq!(RunKey::of(folder.path(), 100).expect("read"), key);
        assert!(!path.exists());
        // Where `lease.toml` exists, `fleet.toml` is not read.
        fs::rename(&earlier, &path).expect("renamed");
        fs::write(&earlier, "url = \"tls://box\"").expect("written");
        assert_eq!(RunKey::of(folder.path(), 100).expect("read"), key);
    }
}
