//! How to reach a fleet: one line (JOIN) that `hone fleet up` prints, or a file
//! `fleet.toml` for an existing NATS server.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use super::ids::Name;
use hone_base::diagnostic::{Advise, Diagnostic};
use hone_base::platform::{UserFolder, user_folder};

/// The environment variable that names a fleet other than the one on this machine.
pub const FLEET_VARIABLE: &str = "HONE_FLEET";
/// The file in the data folder of `hone fleet up` that runs on this machine use.
pub(crate) const SUBMIT_FILE: &str = "submit.toml";
const PREFIX: &str = "hone1.";
/// A text of fewer bytes cannot contain a seed.
const MIN_SEED: usize = 50;

/// What a credential allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Take jobs and send results.
    Worker,
    /// Start runs.
    Submit,
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Self::Worker => "worker",
            Self::Submit => "submit",
        }
    }
}

/// Address and credential of a fleet's server.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// As in `tls://host:4222` or `wss://host:443`; several are separated by
    /// commas.
    pub url: String,
    /// The credential's name.
    pub name: Name,
    pub role: Role,
    /// The nkey seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
    /// A NATS credentials file, in place of a seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creds: Option<PathBuf>,
    /// SHA-256 of the server's certificate, in hexadecimal digits. Without it
    /// the certificate must be signed by an authority that the system trusts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// Does not show the secret.
impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} at {}", self.role.name(), self.name, self.url)
    }
}

impl Access {
    /// One line that holds everything, for `hone worker`.
    pub fn line(&self) -> String {
        let json = serde_json::to_vec(self).expect("an access can be put into JSON");
        format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(json))
    }

    /// Reads a line, or the file of that name: a `fleet.toml`, or a file with a line,
    /// which keeps the secret out of the list of processes. A line may be part of the
    /// command that `hone fleet invite` prints.
    ///
    /// # Errors
    /// If it is neither. No error shows the secret.
    pub fn read(text: &str) -> anyhow::Result<Self> {
        let Some(encoded) = encoded_in(text) else {
            let path = Path::new(text);
            // A long text may be a damaged line, with the secret.
            let shown = if text.len() < MIN_SEED {
                format!("`{text}`")
            } else {
                "what was given".to_string()
            };
            ensure!(
                path.is_file(),
                Diagnostic::new(format!("{shown} is neither a credential nor a file"))
                    .help(format!("a credential begins with {PREFIX}; `hone fleet up` and `hone fleet invite` print it"))
            );
            return Self::of_file(path);
        };
        let access = URL_SAFE_NO_PAD
            .decode(encoded)
            .ok()
            .and_then(|json| serde_json::from_slice(&json).ok());
        access
            .context("the credential is damaged")
            .help("copy the whole line that `hone fleet up` or `hone fleet invite` printed")
    }

    /// Reads a line, but not a file.
    pub fn of_line(text: &str) -> Option<Self> {
        Self::is_line(text).then(|| Self::read(text).ok())?
    }

    /// Whether a text is a line, which contains the secret.
    pub fn is_line(text: &str) -> bool {
        encoded_in(text).is_some()
    }

    /// Reads a `fleet.toml`, or a file with a line.
    ///
    /// # Errors
    /// If it cannot be read. No error shows the secret.
    pub fn of_file(path: &Path) -> anyhow::Result<Self> {
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        if Self::is_line(&text) {
            return Self::read(&text);
        }
        toml::from_str(&text).map_err(|error: toml::de::Error| {
            let before = text.get(..error.span().map_or(0, |span| span.start));
            let line = before.unwrap_or_default().matches('\n').count() + 1;
            anyhow!("{}\n  --> {}:{line}", error.message(), path.display())
        })
    }

    /// The fleet of `--fleet`: the one that `named` or else `HONE_FLEET` names, or the one
    /// of `hone fleet up` on this machine.
    ///
    /// # Errors
    /// If there is none.
    pub fn chosen(named: Option<&str>) -> anyhow::Result<Self> {
        let variable = std::env::var(FLEET_VARIABLE)
            .ok()
            .filter(|value| !value.is_empty());
        if let Some(text) = named.map(str::to_string).or(variable) {
            return Self::read(&text);
        }
        let path = data_dir()?.join(SUBMIT_FILE);
        if path.is_file() {
            Self::of_file(&path)
        } else {
            bail!(Diagnostic::new("no fleet is known on this machine").help(format!("start one with `hone fleet up`, or name one by a credential from `hone fleet invite NAME --role submit`, in --fleet=CREDENTIAL or {FLEET_VARIABLE}")))
        }
    }

    /// Checks that the credential is for a role.
    ///
    /// # Errors
    /// Which role is needed.
    pub fn for_role(self, role: Role) -> anyhow::Result<Self> {
        ensure!(
            self.role == role || self.creds.is_some(),
            Diagnostic::new(format!(
                "the credential `{}` is for role `{}`, and `{}` is needed",
                self.name,
                self.role.name(),
                role.name()
            ))
            .help(format!(
                "make one with `hone fleet invite NAME --role {}`",
                role.name()
            ))
        );
        Ok(self)
    }
}

/// The encoded part of a line, after its prefix. The line may follow `hone worker` or
/// `HONE_FLEET=`, as `hone fleet invite` prints it.
fn encoded_in(text: &str) -> Option<&str> {
    let mut words = text.split(|c: char| c.is_whitespace() || c == '=');
    words.find_map(|word| word.strip_prefix(PREFIX))
}

/// The folder of `hone fleet up`: `hone/fleet` in [`UserFolder::Data`].
///
/// # Errors
/// If no environment variable names a folder.
pub fn data_dir() -> anyhow::Result<PathBuf> {
    user_folder(UserFolder::Data)
        .map(|dir| dir.join("hone").join("fleet"))
        .context("no folder for the fleet's data")
        .help("name one with --data")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::name;
    use hone_base::diagnostic::with_causes;

    fn access() -> Access {
        Access {
            url: "tls://box:4222".to_string(),
            name: name("all"),
            role: Role::Worker,
            seed: Some("SUSECRET".to_string()),
            creds: None,
            fingerprint: Some("ab".repeat(32)),
        }
    }

    #[test]
    fn a_line_reads_back_and_needs_no_quotes() {
        let line = access().line();
        assert!(
            line.bytes()
                .all(|c| c.is_ascii_alphanumeric() || b"._-".contains(&c)),
            "{line}"
        );
        assert_eq!(Access::read(&line).expect("read"), access());
        assert_eq!(Access::read(&format!(" {line}\n")).expect("read"), access());
        let cut = &line[..line.len() - 5];
        let error = Access::read(cut).expect_err("cut").to_string();
        assert!(error.contains("damaged"), "{error}");
        assert!(Access::read("nonsense").is_err());
        let error = Access::read(&line[1..]).expect_err("cut").to_string();
        assert!(!error.contains(&line[90..]), "{error}");
    }

    #[test]
    fn a_file_may_have_the_command_that_join_prints() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("carl.txt");
        let line = access().line();
        for text in [
            format!("hone worker {line}\n"),
            format!("{FLEET_VARIABLE}={line}\r\n"),
            format!("\n{line}"),
        ] {
            fs::write(&path, &text).expect("written");
            assert_eq!(Access::of_file(&path).expect("read"), access());
            assert_eq!(Access::read(&text).expect("read"), access());
        }
        // A file name may begin like a line.
        let toml = toml::to_string(&Access {
            creds: Some("hone1.creds".into()),
            ..access()
        });
        fs::write(&path, toml.expect("TOML")).expect("written");
        let read = Access::of_file(&path).expect("read");
        assert_eq!(read.creds, Some("hone1.creds".into()));
    }

    #[test]
    fn an_error_in_a_file_does_not_show_the_secret() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("fleet.toml");
        for seed in ["SUSECRET", "\"SUSECRET"] {
            fs::write(&path, format!("url = \"x\"\nseed = {seed}\n")).expect("written");
            let error = format!("{:#}", Access::of_file(&path).expect_err("no TOML"));
            assert!(error.contains("fleet.toml:2"), "{error}");
            assert!(!error.contains("SUSECRET"), "{error}");
        }
    }

    #[test]
    fn a_worker_credential_starts_no_runs_and_is_never_shown() {
        let error = access().for_role(Role::Submit).expect_err("a worker's");
        assert!(with_causes(&error).contains("--role submit"), "{error}");
        assert!(access().for_role(Role::Worker).is_ok());
        assert!(!format!("{:?}", access()).contains("SUSECRET"));
    }
}
