//! Where a run's pairs are played.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;

use hone_base::output::Announce;
use hone_base::platform::{check_open_files, isolation};
use hone_run::config::Config;
use hone_run::executor::local::Local;
use hone_run::executor::remote::Remote;
use hone_run::executor::{Boards, Event, Executor, PairJob, Stop};
use hone_run::files::machines::first_local_worker;
use hone_run::prepare::processors::placement;
use hone_run::{EngineIdentity, Manifest};

/// Where a run's pairs are played.
#[derive(Debug, Clone, Default)]
pub enum Place {
    /// On this machine.
    #[default]
    Here,
    /// On the workers of a fleet.
    Fleet(Arc<dyn StartRemote>),
}

/// Starts the executor of runs whose pairs other machines play.
pub trait StartRemote: fmt::Debug + Send + Sync {
    /// The executor of the run in `dir`.
    ///
    /// # Errors
    /// If the other machines cannot be reached.
    fn start(&self, manifest: &Manifest, dir: &Path) -> anyhow::Result<Remote>;
}

/// The executor of a run.
pub(super) enum AnyExecutor {
    Local(Local),
    Remote(Remote),
}

impl Place {
    /// Warns of settings that have no effect here.
    pub(super) fn warn(&self, config: &Config, announce: Announce<'_>) {
        let is_scaled = config
            .fleet
            .as_ref()
            .is_some_and(|fleet| fleet.scale.is_some());
        if is_scaled && matches!(self, Self::Here) {
            announce(
                "warning: `scale` in [fleet] has no effect without --fleet: the time control is played as it is",
            );
        }
    }

    /// The processors for the games of a run, by [`placement`]; none for a fleet, whose
    /// workers have processors of their own.
    ///
    /// # Errors
    /// If this machine has too few of them.
    pub(super) fn placement(
        &self,
        config: &Config,
        engines: &[EngineIdentity],
        concurrency: usize,
        announce: Announce<'_>,
    ) -> anyhow::Result<Vec<Vec<usize>>> {
        match self {
            Self::Here => placement(config, engines, concurrency, announce),
            Self::Fleet(_) => Ok(Vec::new()),
        }
    }

    /// What keeps engines from reading and signalling other processes; empty on a fleet, where
    /// it depends on the worker.
    pub(super) fn isolation(&self, config: &Config) -> String {
        let name = match self {
            Self::Here if config.r#match.sandbox => "sandbox",
            Self::Here => isolation().name(),
            Self::Fleet(_) => "",
        };
        name.to_string()
    }

    /// Refuses more games at a time than this process may open files for.
    ///
    /// # Errors
    /// The limit, and how it is raised.
    pub(super) fn check_open_files(&self, concurrency: usize) -> anyhow::Result<()> {
        match self {
            Self::Here => check_open_files(concurrency),
            Self::Fleet(_) => Ok(()),
        }
    }

    /// Pairs of a run that can be played at a time; `None` on a fleet, whose number of workers
    /// changes.
    pub(super) fn pairs_at_a_time(&self, manifest: &Manifest) -> Option<usize> {
        match self {
            Self::Here => Some(manifest.concurrency),
            Self::Fleet(_) => None,
        }
    }

    /// Starts the executor of the run in `dir`. Games on this machine are published on
    /// `boards`.
    ///
    /// # Errors
    /// If a thread cannot be started, or the fleet cannot be reached.
    pub(super) fn start(
        &self,
        manifest: &Manifest,
        dir: &Path,
        boards: &Boards,
    ) -> anyhow::Result<AnyExecutor> {
        match self {
            Self::Here => {
                // In a pool, the first numbers are kept for this machine.
                let first = if manifest.pooled.is_empty() {
                    first_local_worker(dir)?
                } else {
                    0
                };
                let local = Local::start(
                    manifest.concurrency,
                    &manifest.placement,
                    first,
                    boards,
                    true,
                );
                Ok(AnyExecutor::Local(local.context("workers cannot start")?))
            }
            Self::Fleet(fleet) => Ok(AnyExecutor::Remote(fleet.start(manifest, dir)?)),
        }
    }
}

/// Calls a method of the executor in an [`AnyExecutor`].
macro_rules! delegate {
    ($any:expr, $executor:ident => $call:expr) => {
        match $any {
            Self::Local($executor) => $call,
            Self::Remote($executor) => $call,
        }
    };
}

impl Executor for AnyExecutor {
    fn capacity(&self) -> usize {
        delegate!(self, executor => executor.capacity())
    }

    fn submit(&mut self, job: PairJob) {
        delegate!(self, executor => executor.submit(job));
    }

    async fn next(&mut self) -> Event {
        delegate!(self, executor => executor.next().await)
    }

    fn stop(&mut self, how: Stop) {
        delegate!(self, executor => executor.stop(how));
    }

    fn awaits_record(&self) -> bool {
        delegate!(self, executor => executor.awaits_record())
    }

    fn recorded(&mut self) {
        delegate!(self, executor => executor.recorded());
    }

    fn conclude(&mut self) {
        delegate!(self, executor => executor.conclude());
    }
}
