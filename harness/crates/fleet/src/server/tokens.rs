//! The credentials of a fleet, in `tokens.toml` in the data folder. `hone fleet up` checks
//! the file for changes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail, ensure};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use sha2::Digest;

use super::Setup;
use crate::access::{Access, Role};
use crate::ids::Name;
use hone_base::diagnostic::Diagnostic;
use hone_base::errln;
use hone_base::platform::{open_lock, write_private};
use hone_base::text::with_causes;

const FILE: &str = "tokens.toml";
/// Number of the server's accounts for credentials that are made later. When nats-server reloads
/// its configuration, it connects the imports of the accounts that it already has, but not those
/// of new ones.
pub(super) const SPARE_ACCOUNTS: usize = 64;

fn never_started() -> Diagnostic {
    Diagnostic::new("the server has never been started with this data folder")
        .help("start it with `hone fleet up`")
}

/// A credential.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    pub name: Name,
    pub role: Role,
    pub(crate) public_key: String,
    seed: String,
    pub created: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub revoked: bool,
}

impl Token {
    fn new(name: Name, role: Role, expires: Option<Timestamp>) -> anyhow::Result<Self> {
        let pair = nkeys::KeyPair::new_user();
        Ok(Self {
            name,
            role,
            public_key: pair.public_key(),
            seed: pair.seed()?,
            created: Timestamp::now(),
            expires,
            revoked: false,
        })
    }

    /// Whether the server accepts it at the time `now`.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        !self.revoked && self.expires.is_none_or(|end| now < end)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Content {
    /// The server's URL; empty before its first start.
    #[serde(default)]
    url: String,
    /// Its URL for WebSocket, if it listens for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    websocket: Option<String>,
    /// SHA-256 of its certificate; empty before its first start.
    #[serde(default)]
    fingerprint: String,
    #[serde(default)]
    token: Vec<Token>,
}

impl Content {
    fn has(&self, name: &Name) -> bool {
        self.token.iter().any(|token| token.name == *name)
    }

    /// The access of a credential at a URL of the server.
    fn access(&self, token: &Token, url: String) -> Access {
        Access {
            url,
            name: token.name.clone(),
            role: token.role,
            seed: Some(token.seed.clone()),
            creds: None,
            fingerprint: Some(self.fingerprint.clone()),
        }
    }
}

/// The credentials in a data folder.
#[derive(Debug)]
pub struct Tokens {
    path: PathBuf,
    content: Content,
    /// The credentials that the server accepts.
    known: BTreeSet<Name>,
    /// Number of accounts for credentials of workers that the server has.
    accounts: usize,
    /// Whether the user has been warned that the file cannot be read.
    is_damaged: bool,
}

impl Tokens {
    /// Reads the credentials of a data folder, which may have none.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn open(data: &Path) -> anyhow::Result<Self> {
        let path = data.join(FILE);
        let mut tokens = Self {
            content: read(&path)?,
            path,
            known: BTreeSet::new(),
            accounts: 0,
            is_damaged: false,
        };
        tokens.set_known(tokens.names());
        Ok(tokens)
    }

    /// All credentials, including those that are not valid.
    pub fn all(&self) -> &[Token] {
        &self.content.token
    }

    /// The credentials that are valid now.
    pub(super) fn valid(&self) -> impl Iterator<Item = &Token> {
        let now = Timestamp::now();
        self.content
            .token
            .iter()
            .filter(move |token| token.is_valid(now))
    }

    /// All credentials of workers, including those that are not valid, in the order in which
    /// they were made.
    pub(super) fn workers(&self) -> impl Iterator<Item = &Token> {
        let all = self.content.token.iter();
        all.filter(|token| token.role == Role::Worker)
    }

    /// The name of the valid credential for runs that has the seed of this access.
    pub fn submitter(&self, access: &Access) -> Option<&Name> {
        let digest = |text: &str| <[u8; 32]>::from(sha2::Sha256::digest(text));
        let given = digest(access.seed.as_deref()?);
        // The time of comparing digests reveals nothing about the seeds.
        let token = self.valid().find(|token| {
            token.role == Role::Submit && token.name == access.name && digest(&token.seed) == given
        });
        token.map(|token| &token.name)
    }

    /// The names of the valid credentials.
    fn names(&self) -> BTreeSet<Name> {
        self.valid().map(|token| token.name.clone()).collect()
    }

    /// The names of the valid credentials, if they differ from those that the server accepts.
    /// If the file cannot be read, for example after a typing error, the credentials do not
    /// change, and one warning is printed.
    pub(super) fn changed(&mut self) -> Option<BTreeSet<Name>> {
        match read(&self.path) {
            Ok(content) => {
                self.content = content;
                self.is_damaged = false;
            }
            Err(error) if !std::mem::replace(&mut self.is_damaged, true) => errln!(
                "warning: {}\nhelp: correct the file; until then the server keeps the credentials that it has",
                with_causes(&error)
            ),
            Err(_) => {}
        }
        Some(self.names()).filter(|names| *names != self.known)
    }

    /// Records the credentials that the server accepts now.
    pub(super) fn set_known(&mut self, names: BTreeSet<Name>) {
        self.known = names;
        self.accounts = self.workers().count() + SPARE_ACCOUNTS;
    }

    /// Whether the server has accounts for all credentials of workers. Otherwise it must be
    /// restarted.
    pub(super) fn have_accounts(&self) -> bool {
        self.workers().count() <= self.accounts
    }

    /// The access of a credential that every fleet has. The credential is made if it never
    /// existed; `None` if it is no longer valid.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn first(&mut self, name: Name, role: Role) -> anyhow::Result<Option<Access>> {
        let new = Token::new(name.clone(), role, None)?;
        self.change(|content| {
            if !content.has(&name) {
                content.token.push(new);
            }
            Ok(())
        })?;
        self.set_known(self.names());
        let token = self.valid().find(|token| token.name == name);
        Ok(token.map(|token| self.content.access(token, self.content.url.clone())))
    }

    /// Stores the parts of a JOIN line that describe the server.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn describe_server(
        &mut self,
        setup: &Setup,
        fingerprint: &str,
    ) -> anyhow::Result<()> {
        self.change(|content| {
            content.url = setup.url();
            content.websocket = setup.websocket_url();
            content.fingerprint = fingerprint.to_string();
            Ok(())
        })
    }

    /// Makes a credential. Returns its access, over WebSocket if `websocket`.
    ///
    /// # Errors
    /// If the name was used before, the server has never been started, or it does not
    /// listen for WebSocket.
    pub fn join(
        &mut self,
        name: Name,
        role: Role,
        valid_for: Option<Duration>,
        websocket: bool,
    ) -> anyhow::Result<Access> {
        let expires = valid_for
            .map(|time| Timestamp::now().checked_add(time))
            .transpose()
            .map_err(|error| anyhow!("`--expires`: {error}"))?;
        self.change(|content| {
            ensure!(!content.url.is_empty(), never_started());
            ensure!(
                !content.has(&name),
                Diagnostic::new(format!("a credential `{name}` exists already"))
                    .help("choose another name; a name is never used twice")
            );
            let url = match &content.websocket {
                _ if !websocket => content.url.clone(),
                Some(url) => url.clone(),
                None => bail!(
                    Diagnostic::new("the server does not listen for WebSocket")
                        .help("start it with `hone fleet up --websocket 0.0.0.0:443`")
                ),
            };
            let token = Token::new(name, role, expires)?;
            let access = content.access(&token, url);
            content.token.push(token);
            Ok(access)
        })
    }

    /// Revokes a credential.
    ///
    /// # Errors
    /// If no credential has this name.
    pub fn revoke(&mut self, name: &Name) -> anyhow::Result<()> {
        self.change(|content| {
            ensure!(!content.token.is_empty(), never_started());
            let names: Vec<String> = content.token.iter().map(|t| t.name.to_string()).collect();
            let mut tokens = content.token.iter_mut();
            let token = tokens.find(|token| token.name == *name);
            let token = token.ok_or_else(|| {
                Diagnostic::new(format!("no credential is named `{name}`"))
                    .help(format!("the credentials are {}", names.join(", ")))
            })?;
            token.revoked = true;
            Ok(())
        })
    }

    /// Changes the credentials on disk, with a lock against other processes.
    fn change<T>(
        &mut self,
        change: impl FnOnce(&mut Content) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let failed = format!("cannot write {}", self.path.display());
        ensure!(
            self.path.parent().is_some_and(Path::is_dir),
            never_started()
        );
        let lock = open_lock(&self.path.with_extension("lock")).with_context(|| failed.clone())?;
        // Some file systems have no locks.
        let _ = lock.lock();
        self.content = read(&self.path)?;
        let changed = change(&mut self.content)?;
        let text = toml::to_string(&self.content)?;
        write_private(&self.path, text.as_bytes()).context(failed)?;
        Ok(changed)
    }
}

fn read(path: &Path) -> anyhow::Result<Content> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Content::default()),
        text => {
            let text = text.with_context(|| format!("cannot read {}", path.display()))?;
            toml::from_str(&text).with_context(|| format!("{} is damaged", path.display()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::name;
    use hone_base::diagnostic::with_causes;

    fn setup(websocket: Option<u16>) -> Setup {
        let at = |port: u16| (std::net::Ipv4Addr::LOCALHOST, port).into();
        Setup {
            data: PathBuf::new(),
            listen: at(1),
            websocket: websocket.map(at),
            shared_credential: false,
            host: "box".to_string(),
        }
    }

    #[test]
    fn a_line_over_websocket_needs_a_server_that_listens_for_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut tokens = Tokens::open(folder.path()).expect("none");
        tokens.describe_server(&setup(None), "ff").expect("written");
        let error = tokens.join(name("a"), Role::Worker, None, true);
        let error = with_causes(&error.expect_err("no WebSocket"));
        assert!(error.contains("--websocket"), "{error}");
        let mut tokens = Tokens::open(folder.path()).expect("read");
        let with = setup(Some(443));
        tokens.describe_server(&with, "ff").expect("written");
        for (websocket, url) in [(true, "wss://box:443"), (false, "tls://box:1")] {
            let of = name(if websocket { "a" } else { "b" });
            let access = tokens.join(of, Role::Worker, None, websocket);
            assert_eq!(access.expect("made").url, url);
        }
    }

    #[test]
    fn changes_of_other_processes_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = || Tokens::open(folder.path()).expect("read");
        open().describe_server(&setup(None), "ff").expect("written");
        let join = |tokens: &mut Tokens, text: &str| {
            tokens
                .join(name(text), Role::Worker, None, false)
                .expect("made");
        };
        join(&mut open(), "a");
        let (mut one, mut other, mut server) = (open(), open(), open());
        one.revoke(&name("a")).expect("revoked");
        join(&mut other, "b");
        server.describe_server(&setup(None), "ee").expect("written");
        let valid: Vec<_> = open().names().into_iter().collect();
        assert_eq!(valid, [name("b")]);
    }

    #[test]
    fn credentials_made_at_the_same_time_are_all_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut tokens = Tokens::open(folder.path()).expect("none");
        tokens.describe_server(&setup(None), "ff").expect("written");
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let mut tokens = Tokens::open(folder.path()).expect("read");
                scope.spawn(move || {
                    for number in 0..10 {
                        let name = name(&format!("a{thread}-{number}"));
                        let made = tokens.join(name, Role::Worker, None, false);
                        made.expect("made");
                    }
                });
            }
        });
        let tokens = Tokens::open(folder.path()).expect("read");
        assert_eq!(tokens.all().len(), 40);
    }

    #[test]
    fn a_typing_error_in_the_file_leaves_the_credentials_as_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut tokens = Tokens::open(folder.path()).expect("none");
        tokens.describe_server(&setup(None), "ff").expect("written");
        for of in ["a", "b"] {
            let made = tokens.join(name(of), Role::Worker, None, false);
            made.expect("made");
        }
        let mut watcher = Tokens::open(folder.path()).expect("read");
        let path = folder.path().join(FILE);
        let text = fs::read_to_string(&path).expect("read");
        fs::write(&path, format!("{text}revoked = tru\n")).expect("written");
        for _ in 0..2 {
            assert_eq!(watcher.changed(), None);
            assert!(watcher.is_damaged);
            assert_eq!(watcher.names(), BTreeSet::from([name("a"), name("b")]));
        }
        fs::write(&path, format!("{text}revoked = true\n")).expect("written");
        assert!(watcher.changed().is_some());
        assert!(!watcher.is_damaged);
        assert_eq!(watcher.names(), BTreeSet::from([name("a")]));
    }

    #[test]
    fn nothing_is_revoked_before_the_first_start() {
        let folder = tempfile::tempdir().expect("a folder");
        for data in [folder.path().to_path_buf(), folder.path().join("missing")] {
            let mut tokens = Tokens::open(&data).expect("none");
            let error = with_causes(&tokens.revoke(&name("a")).expect_err("none"));
            assert!(error.contains("help: start it"), "{error}");
        }
    }

    #[test]
    fn tokens_are_made_revoked_and_expire() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut tokens = Tokens::open(folder.path()).expect("none");
        assert!(
            tokens.join(name("a"), Role::Worker, None, false).is_err(),
            "no server yet"
        );
        tokens.describe_server(&setup(None), "ff").expect("written");
        let access = tokens
            .join(name("a"), Role::Worker, None, false)
            .expect("made");
        assert_eq!(access.role, Role::Worker);
        assert!(
            tokens.join(name("a"), Role::Worker, None, false).is_err(),
            "taken"
        );
        let mut watcher = Tokens::open(folder.path()).expect("read");
        assert_eq!(watcher.changed(), None);
        tokens
            .join(
                name("b"),
                Role::Worker,
                Some(Duration::from_secs(1000)),
                false,
            )
            .expect("made");
        let both = BTreeSet::from([name("a"), name("b")]);
        // It changes until the server accepts both.
        for _ in 0..2 {
            assert_eq!(watcher.changed(), Some(both.clone()));
        }
        watcher.set_known(both);
        assert_eq!(watcher.changed(), None);
        let b = watcher.all()[1].clone();
        assert!(b.is_valid(Timestamp::now()));
        assert!(!b.is_valid(Timestamp::now() + Duration::from_secs(2000)));
        tokens.revoke(&name("a")).expect("revoked");
        assert_eq!(watcher.changed(), Some(BTreeSet::from([name("b")])));
        assert!(tokens.revoke(&name("c")).is_err());
        // The name of a revoked credential cannot be used again.
        assert!(tokens.join(name("a"), Role::Worker, None, false).is_err());
        assert_eq!(tokens.first(name("a"), Role::Worker).expect("read"), None);
    }

    #[test]
    fn a_server_is_restarted_for_more_credentials_than_it_has_accounts_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut tokens = Tokens::open(folder.path()).expect("none");
        tokens.describe_server(&setup(None), "ff").expect("written");
        let mut server = Tokens::open(folder.path()).expect("read");
        for number in 0..=SPARE_ACCOUNTS {
            assert!(server.have_accounts(), "{number}");
            let of = name(&format!("w{number}"));
            let made = tokens.join(of, Role::Worker, None, false);
            made.expect("made");
            server.changed().expect("a new credential");
        }
        assert!(!server.have_accounts());
        server.set_known(server.names());
        assert!(server.have_accounts());
    }
}
