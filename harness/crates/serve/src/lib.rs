//! The live pages: all runs in a folder, also while they are played, for browsers and programs.
//!
//! Uses: the core and `report`. The program passes in the kinds of runs and the fleet.
//!
//! ```text
//! games.csv, live.json ─► Reader (one thread) ─► Snapshot ─► events (one task a browser)
//! ```
//!
//! Only the [`reader`] reads runs: it follows their ledgers and builds pages in parts. A
//! browser receives the page, then each changed part. Nothing here writes to the folder of a
//! run.
//!
//! * [`catalog`]: the runs in the folder.
//! * [`reader`]: the thread that reads runs and nights.
//! * [`overview`], [`summary`]: all runs, one line each.
//! * [`opened`], [`index`], [`snapshot`]: an open page, its games and its parts.
//! * [`pages`]: the HTML of the parts.
//! * [`http`]: requests and their answers.
//! * [`actions`]: submitting, starting and stopping runs.
//! * `fleet`, [`remote`]: the machines of a fleet, and their games.

// `println!` panics on a closed pipe: `hone_base::output` prints in its place.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::string_slice))]

mod actions;
mod catalog;
mod fleet;
mod http;
mod index;
mod kinds;
mod opened;
mod overview;
mod pages;
mod reader;
mod remote;
mod snapshot;
mod summary;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::thread;

use anyhow::{Context, bail, ensure};
use tokio::net::TcpListener;
use tokio::sync::watch;

use actions::{Audit, Queue, Tokens};
use http::{Actions, State};
use overview::Overview;
use reader::{Reader, Sources};

use hone_base::diagnostic::Diagnostic;
use hone_run::Interrupts;

pub use fleet::{
    CredentialOwner, FleetFeed, FleetMachine, FleetRun, FleetStatus, FollowFleet, NameOnFleet,
};
pub use kinds::Kinds;
pub use remote::RemoteGames;

/// Options of the server.
pub struct ServerOptions {
    /// The folder of the runs.
    pub folder: PathBuf,
    pub listen: SocketAddr,
    /// File of tokens; without it, actions are off.
    pub token_file: Option<PathBuf>,
    /// Whether other machines may read the pages without a token.
    pub read_only: bool,
    /// Names of this machine that browsers may use.
    pub hosts: Vec<String>,
    /// Number of submitted runs that are played at the same time.
    pub places: usize,
    /// Whether somebody else must approve a submitted run.
    pub approve: bool,
    pub kinds: Kinds,
    pub name_on_fleet: NameOnFleet,
    /// The fleet whose credentials for runs allow actions.
    pub fleet_tokens: Option<CredentialOwner>,
    /// The fleet whose machines are shown.
    pub fleet: Option<FollowFleet>,
}

/// Serves until the process is asked to end. `announce` receives the address.
///
/// # Errors
/// If the settings are invalid, or the address cannot be used.
pub fn serve(mut settings: ServerOptions, announce: impl FnOnce(&str)) -> anyhow::Result<()> {
    check(&settings)?;
    let remote = settings.fleet.is_some().then(RemoteGames::default);
    let sources = Sources {
        kinds: settings.kinds,
        name_on_fleet: settings.name_on_fleet,
        remote: remote.clone(),
    };
    let actions = actions_of(&mut settings)?;
    let queue = actions.as_ref().map(|actions| Arc::clone(&actions.queue));
    let runtime = hone_base::platform::runtime()?;
    let (wishes, wished) = mpsc::channel();
    let (overview_sender, overview) = watch::channel(Arc::<Overview>::default());
    let (folder, of_reader) = (settings.folder.clone(), queue.clone());
    thread::Builder::new()
        .name("reader".into())
        .spawn(move || Reader::new(&folder, of_reader, sources, overview_sender).run(&wished))
        .context("cannot start the thread that reads runs")?;
    let (end, ending) = watch::channel(false);
    let hosts = settings.hosts.clone();
    let fleet = match (&settings.fleet, remote) {
        (Some(follow), Some(games)) => {
            let names = settings.name_on_fleet;
            let (feed, page) = FleetFeed::new(&settings.folder, overview.clone(), names, games);
            follow(feed)?;
            Some(page)
        }
        _ => None,
    };
    let state = State::new(overview, wishes, hosts, actions, fleet, ending.clone());
    let shared = Arc::new(state);
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(settings.listen)
            .await
            .with_context(|| format!("cannot listen on {}", settings.listen))?;
        let mut interrupts = Interrupts::listen().context("cannot listen for signals")?;
        announce(&format!("http://{}", listener.local_addr()?));
        tokio::spawn(async move {
            interrupts.next().await;
            end.send_replace(true);
        });
        http::listen(listener, http::router(shared), ending).await;
        anyhow::Ok(())
    });
    runtime.shutdown_background();
    if let Some(queue) = queue {
        queue.end();
    }
    served
}

fn check(settings: &ServerOptions) -> anyhow::Result<()> {
    let is_open = !settings.listen.ip().is_loopback();
    let can_act = settings.can_act();
    if is_open && !can_act && !settings.read_only {
        bail!(
            Diagnostic::new(format!(
                "{} can be reached from other machines, and everybody there could read the runs",
                settings.listen.ip()
            ))
            .help("add --read-only if that is wanted, or --token-file to allow actions too")
        );
    }
    ensure!(
        !(settings.read_only && can_act),
        Diagnostic::new("--read-only cannot be combined with --token-file or --fleet-tokens")
            .help("remove one of them")
    );
    Ok(())
}

impl ServerOptions {
    fn can_act(&self) -> bool {
        self.fleet_tokens.is_some() || self.token_file.is_some()
    }
}

fn actions_of(settings: &mut ServerOptions) -> anyhow::Result<Option<Actions>> {
    if !settings.can_act() {
        return Ok(None);
    }
    let tokens = match &settings.token_file {
        Some(file) => Tokens::read(file)?,
        None => Tokens::default(),
    };
    let tokens = match settings.fleet_tokens.take() {
        Some(owner) => tokens.with_fleet(owner),
        None => tokens,
    };
    ensure!(
        !(settings.approve && tokens.is_of_one()),
        Diagnostic::new(
            "--approve needs tokens of at least two owners, but all tokens belong to one"
        )
        .help("write the name of its owner before each token")
    );
    let queue = Queue::open(
        settings.kinds,
        &settings.folder,
        settings.places,
        settings.approve,
    )?;
    Ok(Some(Actions {
        audit: Audit::open(queue.folder())?,
        queue: Arc::new(queue),
        tokens,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(listen: &str, token: bool, read_only: bool) -> Result<(), String> {
        let settings = ServerOptions {
            folder: ".".into(),
            listen: listen.parse().expect("an address"),
            token_file: token.then(|| "token".into()),
            read_only,
            hosts: Vec::new(),
            places: 1,
            approve: false,
            kinds: kinds::samples::kinds(),
            name_on_fleet: |_| None,
            fleet_tokens: None,
            fleet: None,
        };
        check(&settings).map_err(|error| error.to_string())
    }

    #[test]
    fn other_machines_are_let_in_only_on_request() {
        for listen in ["0.0.0.0:1", "10.0.0.1:1", "[::]:1"] {
            assert!(checked(listen, false, false).is_err(), "{listen}");
            assert!(checked(listen, false, true).is_ok(), "{listen}");
            assert!(checked(listen, true, false).is_ok(), "{listen}");
        }
        for listen in ["127.0.0.1:1", "[::1]:1"] {
            assert!(checked(listen, false, false).is_ok(), "{listen}");
            assert!(checked(listen, true, true).is_err(), "{listen}");
        }
    }
}
