//! Tokens: the users who may act.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use sha2::{Digest, Sha256};

use crate::fleet::CredentialOwner;
use hone_base::diagnostic::{Diagnostic, Place};

/// Minimum length of a token, so that it cannot be guessed.
const SHORTEST: usize = 16;

/// The accepted tokens.
#[derive(Default)]
pub(crate) struct Tokens {
    /// Owners and digests of tokens. All are compared completely, so that the time of an answer
    /// reveals nothing.
    listed: Vec<(String, [u8; 32])>,
    /// The owner of a credential of the fleet whose credentials for runs are also tokens.
    fleet: Option<CredentialOwner>,
}

impl Tokens {
    /// Reads a file with one token in each line, optionally after the name of its owner:
    /// `ann 5f2b…`. Empty lines and comments with `#` are skipped.
    ///
    /// # Errors
    /// If it cannot be read, others can read it too, or a token is too short.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        check_private(path)?;
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
        let mut tokens = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let place = Place::line(&shown, number as u64);
            let (name, token) = match &words[..] {
                [] => continue,
                [first, ..] if first.starts_with('#') => continue,
                [token] => ("token", *token),
                [name, token] => (*name, *token),
                _ => bail!(
                    Diagnostic::new("a line must contain a token, or a name and a token").at(place)
                ),
            };
            ensure!(
                token.len() >= SHORTEST,
                Diagnostic::new(format!(
                    "the token is too short: {} characters, at least {SHORTEST} are needed",
                    token.len()
                ))
                .at(place)
                .help("make one with `openssl rand -hex 24`")
            );
            tokens.push((name.to_string(), Sha256::digest(token).into()));
        }
        ensure!(!tokens.is_empty(), "{shown} has no token");
        Ok(Self {
            listed: tokens,
            fleet: None,
        })
    }

    /// Adds the credentials for runs of a fleet, while its server accepts them.
    pub(crate) fn with_fleet(self, owner: CredentialOwner) -> Self {
        Self {
            fleet: Some(owner),
            ..self
        }
    }

    /// Whether all tokens have the same owner, so that nobody else can approve.
    pub(crate) fn is_of_one(&self) -> bool {
        if self.fleet.is_some() {
            return false;
        }
        // Tokens with the same name belong to one owner.
        let names = self.listed.iter().map(|(name, _)| name);
        names.collect::<BTreeSet<_>>().len() < 2
    }

    /// The owner of a token.
    pub(crate) fn owner(&self, token: &str) -> Option<String> {
        let digest: [u8; 32] = Sha256::digest(token).into();
        let mut found = None;
        for (name, known) in &self.listed {
            let difference = known
                .iter()
                .zip(&digest)
                .fold(0, |sum, (a, b)| sum | (a ^ b));
            if difference == 0 {
                found = Some(name.clone());
            }
        }

        found.or_else(|| {
            let owner = self.fleet.as_ref()?(token)?;
            Some(format!("fleet/{owner}"))
        })
    }
}

#[cfg(unix)]
fn check_private(path: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let data = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    ensure!(
        data.permissions().mode() & 0o077 == 0,
        Diagnostic::new(format!("other users can read {}", path.display()))
            .help(format!("chmod 600 {}", path.display()))
    );
    Ok(())
}

#[cfg(not(unix))]
fn check_private(_path: &Path) -> anyhow::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_base::diagnostic::with_causes;

    fn read(text: &str) -> anyhow::Result<Tokens> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), text).expect("written");
        Tokens::read(file.path())
    }

    #[test]
    fn tokens_have_owners() {
        let tokens = read("# a comment\n\nann 0123456789abcdef\nfedcba9876543210\n").expect("two");
        assert!(!tokens.is_of_one());
        let owner = |token: &str| tokens.owner(token);
        assert_eq!(owner("0123456789abcdef").as_deref(), Some("ann"));
        assert_eq!(owner("fedcba9876543210").as_deref(), Some("token"));
        let same = read("ann 0123456789abcdef\nann fedcba9876543210\n").expect("two");
        assert!(same.is_of_one());
        for wrong in ["", "ann", "0123456789abcde", "0123456789abcdeff"] {
            assert_eq!(tokens.owner(wrong), None);
        }
    }

    #[test]
    fn credentials_of_a_fleet_are_tokens_too() {
        let owner: CredentialOwner = Box::new(|token| (token == "hone1.x").then(|| "bob".into()));
        let tokens = read("ann 0123456789abcdef").expect("one").with_fleet(owner);
        assert!(!tokens.is_of_one());
        for (token, owner) in [
            ("0123456789abcdef", Some("ann")),
            ("hone1.x", Some("fleet/bob")),
            ("hone1.y", None),
        ] {
            assert_eq!(tokens.owner(token).as_deref(), owner, "{token}");
        }
    }

    #[test]
    fn weak_files_are_refused() {
        for (text, why) in [
            ("short", "at least 16"),
            ("", "no token"),
            ("a b c", "a name and a token"),
        ] {
            let error = read(text).err().expect(text).to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), "0123456789abcdef").expect("written");
        let shared = fs::Permissions::from_mode(0o644);
        fs::set_permissions(file.path(), shared).expect("set");
        let error = Tokens::read(file.path()).err().expect("shared");
        let error = with_causes(&error);
        assert!(error.contains("chmod 600"), "{error}");
    }
}
