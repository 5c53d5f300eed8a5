//! `hone serve`: live pages.

#[cfg(feature = "fleet")]
mod fleet;
#[cfg(not(feature = "fleet"))]
mod no_fleet;

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::{ArgGroup, Args};

use super::args::ranges::from_one;
use super::{Exit, Failure};
#[cfg(feature = "fleet")]
use fleet::{FleetArgs, TOKENS};
use hone_base::errln;
use hone_kinds as kinds;
use hone_kinds::track::TrackReport;
use hone_run::RESULTS;
use hone_serve::{Kinds, ServerOptions, serve};
#[cfg(not(feature = "fleet"))]
use no_fleet::{FleetArgs, TOKENS};

/// The kinds of runs on the live pages.
const KINDS: Kinds = Kinds {
    follow: kinds::follow,
    check_submitted: kinds::check_submitted,
    nights: |dir| Ok(Box::new(TrackReport::read(dir)?)),
};

/// Serve live pages of all runs in a folder.
///
/// Serves a list of runs and a page for each run. The pages follow the games
/// while they are played. It also reads runs that other processes play, and never
/// writes to a run's folder. Without --token-file or --fleet-tokens
/// nothing can be started or stopped.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("tokens").args(TOKENS).multiple(true)))]
pub(super) struct ServeArgs {
    /// The folder of runs [default: results].
    folder: Option<PathBuf>,
    /// Address and port. An address that other machines can reach needs
    /// --read-only, --token-file or --fleet-tokens.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8017")]
    listen: SocketAddr,
    /// Let everybody who can reach the address read the pages; nobody can start or
    /// stop runs.
    #[arg(long)]
    read_only: bool,
    /// Allow those who know a token of this file to submit, pause, resume and
    /// stop runs: they can run any program on this machine. One token a line,
    /// perhaps after a name.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// A name of this machine that browsers may use; addresses and localhost
    /// are always allowed.
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Submitted runs that are played at the same time.
    #[arg(long, value_name = "N", default_value = "1", requires = "tokens", value_parser = from_one::<NonZeroUsize>)]
    jobs: NonZeroUsize,
    /// Play a submitted run only after the owner of another token has approved
    /// it.
    #[arg(long, requires = "tokens")]
    approve: bool,
    #[command(flatten)]
    fleet: FleetArgs,
}

impl ServeArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let folder = self.folder.clone().unwrap_or_else(|| RESULTS.into());
        // Before the first run the default folder does not exist.
        if self.folder.is_some() && !folder.is_dir() {
            return Err(anyhow!("{} is not a folder", folder.display()).into());
        }
        let mut settings = ServerOptions {
            folder,
            listen: self.listen,
            token_file: self.token_file,
            read_only: self.read_only,
            hosts: self.hosts,
            places: self.jobs.get(),
            approve: self.approve,
            kinds: KINDS,
            name_on_fleet: |_| None,
            fleet_tokens: None,
            fleet: None,
        };
        self.fleet.add_to(&mut settings)?;
        let shown = settings.folder.display().to_string();
        serve(settings, |address| {
            errln!("serving {shown} at {address}; Ctrl-C ends it");
        })?;
        Ok(Exit::Done)
    }
}
