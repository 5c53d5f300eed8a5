//! Where a run's pairs are played.

use std::path::Path;

use anyhow::Context;

use crate::config::Config;
use crate::executor::local::Local;
#[cfg(feature = "fleet")]
use crate::executor::remote::Remote;
use crate::executor::{Boards, Event, Executor, PairJob, Stop};
#[cfg(feature = "fleet")]
use crate::fleet;
use crate::output::Announce;
use crate::platform::check_open_files;
#[cfg(feature = "fleet")]
use crate::report::limits;
use crate::run::files::machines::first_local_worker;
#[cfg(feature = "fleet")]
use crate::run::option_value;
use crate::run::prepare::processors::placement;
#[cfg(feature = "fleet")]
use crate::run::prepare::processors::processors_a_game;
use crate::run::{EngineIdentity, Manifest};

/// Where a run's pairs are played.
#[derive(Debug, Clone, Default)]
pub(crate) enum Place {
    /// On this machine.
    #[default]
    Here,
    /// On the workers of a fleet.
    #[cfg(feature = "fleet")]
    Fleet {
        access: Box<fleet::Access>,
        /// The run's share of the machines, relative to other runs.
        priority: u32,
    },
}

/// The executor of a run.
pub(super) enum AnyExecutor {
    Local(Local),
    #[cfg(feature = "fleet")]
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
            #[cfg(feature = "fleet")]
            Self::Fleet { .. } => Ok(Vec::new()),
        }
    }

    /// Refuses more games at a time than this process may open files for.
    ///
    /// # Errors
    /// The limit, and how it is raised.
    pub(super) fn check_open_files(&self, concurrency: usize) -> anyhow::Result<()> {
        match self {
            Self::Here => check_open_files(concurrency),
            #[cfg(feature = "fleet")]
            Self::Fleet { .. } => Ok(()),
        }
    }

    /// Pairs of a run that can be played at a time; `None` on a fleet, whose number of workers
    /// changes.
    pub(super) fn pairs_at_a_time(&self, manifest: &Manifest) -> Option<usize> {
        match self {
            Self::Here => Some(manifest.concurrency),
            #[cfg(feature = "fleet")]
            Self::Fleet { .. } => None,
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
                let first = match manifest.pooled.is_empty() {
                    true => first_local_worker(dir)?,
                    false => 0,
                };
                let local = Local::start(manifest.concurrency, &manifest.placement, first, boards);
                Ok(AnyExecutor::Local(local.context("workers cannot start")?))
            }
            #[cfg(feature = "fleet")]
            Self::Fleet { access, priority } => {
                let remote = fleet::start(fleet::FleetRun {
                    access: (**access).clone(),
                    dir: dir.to_path_buf(),
                    notice: notice(manifest, *priority)?,
                    reference: manifest
                        .config
                        .fleet
                        .as_ref()
                        .filter(|fleet| fleet.scale.is_some())
                        .and_then(|fleet| fleet.reference),
                })?;
                Ok(AnyExecutor::Remote(remote))
            }
        }
    }
}

/// Whether another machine can build an engine.
#[cfg(feature = "fleet")]
fn is_buildable(engine: &EngineIdentity) -> bool {
    engine.commit.is_some() && !engine.is_uncommitted()
}

/// The announcement of a run to the workers of a fleet.
#[cfg(feature = "fleet")]
fn notice(manifest: &Manifest, priority: u32) -> anyhow::Result<fleet::Notice> {
    let config = &manifest.config;
    let mut hashes: Vec<u64> = config
        .engine
        .iter()
        .map(|engine| {
            let hash = option_value(engine, &manifest.engines, "Hash");
            hash.and_then(|text| text.parse().ok()).unwrap_or(16)
        })
        .collect();
    hashes.sort_unstable();
    let tables = config.adjudication.syzygy.as_ref();
    let tables = tables.map(|rule| match rule.pieces {
        Some(pieces) => Ok(pieces),
        None => crate::rules::tablebase::most_pieces(&rule.path),
    });
    let engines = manifest.names().join(" - ");
    Ok(fleet::Notice {
        title: format!("{} {engines}, {}", manifest.kind.name(), limits(config)),
        priority,
        threads: processors_a_game(config, &manifest.engines),
        // 64 MB for the program and the network, besides the hash.
        memory_mb: hashes.iter().rev().take(2).map(|hash| hash + 64).sum(),
        platform: fleet::platform(),
        has_sources: manifest.engines.iter().all(is_buildable),
        tables: tables.transpose()?,
        recorded: 0,
        in_flight: 0,
        draining: false,
        exclude: config.fleet.clone().unwrap_or_default().exclude,
        quarantined: Default::default(),
    })
}

/// Calls a method of the executor in an [`AnyExecutor`].
macro_rules! delegate {
    ($any:expr, $executor:ident => $call:expr) => {
        match $any {
            Self::Local($executor) => $call,
            #[cfg(feature = "fleet")]
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
