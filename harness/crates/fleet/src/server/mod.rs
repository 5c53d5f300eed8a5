//! `hone fleet up`: finds, configures and starts nats-server, and restarts it when it ends.

mod accounts;
mod certificate;
mod config;
mod find;
mod health;
mod process;
mod tokens;

use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use async_nats::Client;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::access::{Access, Role, SUBMIT_FILE};
use super::ids::Name;
use super::nats::{connect, prepare};
use certificate::Certificate;
use config::{Configuration, LOG};
use find::{SERVER_VARIABLE, find_server};
use health::Fault;
use hone_base::errln;
use hone_base::platform::runtime;
use hone_base::platform::{lock_path, make_private, write_private};
use hone_base::text::with_causes;
use hone_run::Interrupts;
use process::Server;
pub use tokens::{Token, Tokens};

/// Interval of the checks of the credentials and the server.
const CHECK: Duration = Duration::from_secs(1);
/// Time limit of an attempt to prepare the streams of a restarted server.
const PREPARE: Duration = Duration::from_secs(2);
/// Time limit for the start of the server.
const START: Duration = Duration::from_secs(30);
/// The name of the credential that workers share.
const WORKERS: &str = "workers";
/// The name of the first credential for runs.
const OWNER: &str = "owner";

/// The setup of a server.
#[derive(Debug, Clone)]
pub struct Setup {
    pub data: PathBuf,
    pub listen: SocketAddr,
    /// The address on which it also listens for WebSocket.
    pub websocket: Option<SocketAddr>,
    /// Whether there is a credential that all workers may share.
    pub shared_credential: bool,
    /// The host name or address of this machine in JOIN lines.
    pub host: String,
}

impl Setup {
    /// The URL for workers.
    fn url(&self) -> String {
        format!("tls://{}:{}", self.host, self.listen.port())
    }

    /// The URL for workers over WebSocket.
    pub fn websocket_url(&self) -> Option<String> {
        let port = self.websocket?.port();
        Some(format!("wss://{}:{port}", self.host))
    }
}

/// Starts the server and keeps it running until an interrupt. Once it works, `announce`
/// is called with the credential that workers share and the first one for runs; `None` for one
/// that is revoked or not wanted.
///
/// # Errors
/// If nats-server is not found or does not start.
pub fn up(
    setup: &Setup,
    announce: impl FnOnce(Option<&Access>, Option<&Access>),
) -> anyhow::Result<()> {
    let program = find_server()?;
    make_private(&setup.data).with_context(|| format!("cannot use {}", setup.data.display()))?;
    let _lock = lock(&setup.data)?;
    let certificate = Certificate::of(&setup.data, &setup.host)?;
    let mut tokens = Tokens::open(&setup.data)?;
    tokens.describe_server(setup, &certificate.fingerprint)?;
    let workers = if setup.shared_credential {
        tokens.first(Name::new(WORKERS)?, Role::Worker)?
    } else {
        None
    };
    let owner = tokens.first(Name::new(OWNER)?, Role::Submit)?;
    runtime()?.block_on(async {
        let mut interrupts = Interrupts::listen().context("cannot listen for signals")?;
        let admin = nkeys::KeyPair::new_user();
        let configuration = Configuration {
            setup,
            certificate: &certificate,
            admin: &admin.public_key(),
        };
        let file = configuration.write(&tokens)?;
        let mut server = Server::start(&program, &file, &setup.data)?;
        let local = Access {
            url: format!("tls://{}", reachable(setup.listen)),
            name: Name::new("admin")?,
            role: Role::Submit,
            seed: Some(admin.seed()?),
            creds: None,
            fingerprint: Some(certificate.fingerprint.clone()),
        };
        let client = tokio::select! {
            client = started(&local, &mut server) => client?,
            _ = interrupts.next() => return Ok(()),
        };
        prepare(&client).await?;
        if let Some(owner) = &owner {
            let of_machine = Access {
                url: local.url.clone(),
                ..owner.clone()
            };
            let text = toml::to_string(&of_machine)?;
            write_private(&setup.data.join(SUBMIT_FILE), text.as_bytes())?;
        }
        announce(workers.as_ref(), owner.as_ref());
        keep(
            configuration,
            &mut tokens,
            &mut server,
            &client,
            &mut interrupts,
        )
        .await
    })
}

/// Connects to the server as soon as it answers.
async fn started(access: &Access, server: &mut Server) -> anyhow::Result<Client> {
    let deadline = Instant::now() + START;
    loop {
        let (events, _) = mpsc::unbounded_channel();
        let error = match connect(access, events).await {
            Ok(client) => return Ok(client),
            Err(error) => error,
        };
        if let Some(ended) = server.exit_status()? {
            bail!(
                "nats-server ended at once ({ended}):\n{}",
                server.last_words()
            );
        }
        if Instant::now() > deadline {
            return Err(error.context("nats-server does not answer"));
        }
        sleep(Duration::from_millis(100)).await;
    }
}

/// Restarts the server when it ends, and reloads it when credentials have changed.
async fn keep(
    configuration: Configuration<'_>,
    tokens: &mut Tokens,
    server: &mut Server,
    client: &Client,
    interrupts: &mut Interrupts,
) -> anyhow::Result<()> {
    let data = &configuration.setup.data;
    let mut faults = health::watch(client.clone(), data.join(LOG));
    let mut is_full = false;
    let mut is_warned = false;
    let mut is_prepared = true;
    loop {
        tokio::select! {
            _ = interrupts.next() => {
                server.stop().await;
                return Ok(());
            }
            Some(fault) = faults.recv() => match fault {
                Fault::Limit => errln!("{}", limit_warning(data)),
                Fault::Stuck => {
                    revive(configuration.setup, server, &mut is_full).await?;
                    is_prepared = false;
                }
            },
            () = sleep(CHECK) => {}
        }
        if let Some(ended) = server.exit_status()? {
            errln!("nats-server ended ({ended}): restarting it");
            server.restart()?;
            // Its streams may be lost.
            is_prepared = false;
        }
        if !is_prepared {
            // It may not answer yet.
            is_prepared = matches!(timeout(PREPARE, prepare(client)).await, Ok(Ok(())));
        }
        update_credentials(&configuration, tokens, server, &mut is_warned);
    }
}

/// Makes the server accept the credentials that are valid now, if they have changed. If this
/// fails, for example because the disk is full, it is tried again at the next check. `is_warned`
/// is whether the user has been warned of it.
fn update_credentials(
    configuration: &Configuration<'_>,
    tokens: &mut Tokens,
    server: &mut Server,
    is_warned: &mut bool,
) {
    let Some(names) = tokens.changed() else {
        return;
    };
    let written = configuration.write(tokens);
    let accepted = written.and_then(|_| {
        if tokens.have_accounts() {
            server.reload()
        } else {
            server.replace()
        }
    });
    match accepted {
        Ok(()) => {
            tokens.set_known(names);
            *is_warned = false;
        }
        Err(error) if !std::mem::replace(is_warned, true) => errln!(
            "warning: the credentials have changed, but the server keeps the earlier ones: {}\n\
             help: this is tried again every second until it succeeds",
            with_causes(&error)
        ),
        Err(_) => {}
    }
}

/// The warning about a server at its storage limit.
fn limit_warning(data: &Path) -> String {
    format!(
        "warning: nats-server has reached its storage limit, 75 % of the space that was free on the disk of {} when it started; runs and workers wait\n\
         help: make room on this disk, at least 4/3 of the size of this folder; nats-server is restarted every 2 minutes, and may then store 75 % of the free space",
        data.display()
    )
}

/// Restarts a server that cannot store messages, if its disk has room. `is_full` is whether the
/// user has been warned that it has none.
async fn revive(setup: &Setup, server: &mut Server, is_full: &mut bool) -> anyhow::Result<()> {
    if let Err(error) = health::check_room(&setup.data) {
        if !std::mem::replace(is_full, true) {
            let data = setup.data.display();
            errln!("warning: {data}: {error}; runs and workers wait until there is room");
        }
        return Ok(());
    }
    *is_full = false;
    errln!("nats-server cannot store messages: restarting it");
    server.stop().await;
    server.restart()
}

/// The address by which this machine reaches the server.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let mut address = listen;
    if address.ip().is_unspecified() {
        address.set_ip(if address.is_ipv4() {
            std::net::Ipv4Addr::LOCALHOST.into()
        } else {
            std::net::Ipv6Addr::LOCALHOST.into()
        });
    }
    address
}

/// Locks a data folder for this process.
fn lock(data: &Path) -> anyhow::Result<File> {
    let path = data.join("lock");
    let locked = lock_path(&path).with_context(|| format!("cannot lock {}", path.display()))?;
    locked.with_context(|| format!("another `hone fleet up` uses {}", data.display()))
}

/// A systemd unit that runs `program` with `arguments` and the nats-server that is found
/// here.
///
/// # Errors
/// If no nats-server is found.
pub fn unit(program: &Path, arguments: &[String]) -> anyhow::Result<String> {
    Ok(unit_text(program, &find_server()?, arguments))
}

fn unit_text(program: &Path, server: &Path, arguments: &[String]) -> String {
    let words = std::iter::once(program.display().to_string()).chain(arguments.iter().cloned());
    // systemd expands variables in commands.
    let words: Vec<String> = words.map(|word| quoted(&word).replace('$', "$$")).collect();
    // The `PATH` of systemd differs from that of the user.
    let variable = quoted(&format!("{SERVER_VARIABLE}={}", server.display()));
    format!(
        "[Unit]\nDescription=hone fleet server\nAfter=network-online.target\nWants=network-online.target\n\n\
         [Service]\nEnvironment={variable}\nExecStart={}\nRestart=always\nRestartSec=2\n\n\
         [Install]\nWantedBy=default.target\n",
        words.join(" ")
    )
}

/// A word of a unit, in quotes if necessary.
fn quoted(word: &str) -> String {
    if word.contains([' ', '\t', '"', '\'', '\\', '%', '$']) {
        format!(
            "\"{}\"",
            word.replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('%', "%%")
        )
    } else {
        word.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_quotes_special_characters() {
        let arguments =
            ["fleet", "up", "--data", "/a b/100%/$x", "--host", "o'box"].map(str::to_string);
        let server = Path::new("/opt/$n/nats server");
        let text = unit_text(Path::new("/usr/bin/hone"), server, &arguments);
        for line in [
            "\nEnvironment=\"HONE_NATS_SERVER=/opt/$n/nats server\"\n",
            "\nExecStart=/usr/bin/hone fleet up --data \"/a b/100%%/$$x\" --host \"o'box\"\n",
        ] {
            assert!(text.contains(line), "{text}");
        }
    }

    #[test]
    fn a_server_on_all_addresses_is_reached_by_the_loopback() {
        let at = |text: &str| reachable(text.parse().expect("an address")).to_string();
        assert_eq!(at("0.0.0.0:4222"), "127.0.0.1:4222");
        assert_eq!(at("[::]:4222"), "[::1]:4222");
        assert_eq!(at("10.0.0.1:4222"), "10.0.0.1:4222");
    }
}
