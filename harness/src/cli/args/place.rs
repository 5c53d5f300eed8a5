//! The place of play: this machine or a fleet.

use std::path::Path;
use std::sync::Arc;

use clap::Args;

use crate::cli::results::outcome::resuming;
use hone_base::diagnostic::Diagnostic;
use hone_base::text::with_causes;
use hone_fleet::{self as fleet, Access, FleetRun, Role, RunKey};
use hone_kinds::{Place, StartRemote};
use hone_run::{Manifest, executor::remote::Remote};

/// The place where a run's pairs are played.
#[derive(Debug, Clone, Default, Args)]
pub(in crate::cli) struct PlaceArgs {
    /// Play the pairs on the workers of a fleet: the one that `hone fleet up`
    /// runs on this machine, or the one that $HONE_FLEET or a value names, as
    /// in --fleet=CREDENTIAL or --fleet=fleet.toml.
    #[arg(long, value_name = "FLEET", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "")]
    fleet: Option<String>,
    /// The run's share of the fleet, relative to other runs: 1 to 1000 [default: 100;
    /// `hone resume`: as before].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    priority: Option<u32>,
}

/// A fleet that plays the pairs of a run.
#[derive(Debug)]
struct FleetStart {
    access: Access,
    /// The run's share of the machines, relative to other runs.
    priority: u32,
}

impl StartRemote for FleetStart {
    fn start(&self, manifest: &Manifest, dir: &Path) -> anyhow::Result<Remote> {
        let access = self.access.clone();
        fleet::start(FleetRun::new(access, self.priority, manifest, dir)?)
    }
}

/// The default share of a fleet.
const PRIORITY: u32 = 100;

impl PlaceArgs {
    /// Whether a fleet plays the pairs.
    pub(in crate::cli) fn is_fleet(&self) -> bool {
        self.fleet.is_some()
    }

    /// The place of a new run.
    ///
    /// # Errors
    /// If the fleet does not exist or cannot be reached (checked before a folder is created);
    /// if there is a priority without a fleet.
    pub(in crate::cli) fn place(&self) -> anyhow::Result<Place> {
        let Some(named) = &self.fleet else {
            anyhow::ensure!(
                self.priority.is_none(),
                "`--priority` has no effect without `--fleet`"
            );
            return Ok(Place::Here);
        };
        let named = Some(named.as_str()).filter(|named| !named.is_empty());
        let access = Access::chosen(named)?.for_role(Role::Submit)?;
        fleet::check_reachable(&access)?;
        Ok(Place::Fleet(Arc::new(FleetStart {
            access,
            priority: self.priority.unwrap_or(PRIORITY),
        })))
    }

    /// The place of a resumed run: a fleet, with the same priority, if it was played on one.
    ///
    /// # Errors
    /// If the fleet does not exist.
    pub(in crate::cli) fn place_of(&self, run: &Path) -> anyhow::Result<Place> {
        if !RunKey::exists(run) {
            return self.place();
        }
        let args = Self {
            fleet: Some(self.fleet.clone().unwrap_or_default()),
            priority: self.priority.or_else(|| RunKey::priority_in(run)),
        };
        if self.fleet.is_some() {
            return args.place();
        }
        args.place().map_err(|error| {
            anyhow::anyhow!(
                Diagnostic::new(format!(
                    "the run was played on a fleet: {}",
                    with_causes(&error)
                ))
                .help(format!(
                    "`{} --local` continues it on this machine",
                    resuming(run)
                ))
            )
        })
    }
}
