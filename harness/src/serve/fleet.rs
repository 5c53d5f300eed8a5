//! Looks at a fleet now and then, in a thread of its own: a server that is away
//! holds up no page.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use tokio::sync::watch;
use tokio::time::sleep;

use super::catalog;
use super::fleet_view::{FleetView, Residual};
use super::overview::Overview as Runs;
use super::pages::fleet_parts;
use super::snapshot::Snapshot;
use crate::fleet::{Access, Observer, Overview, RunKey};

/// Between two looks, besides the time that answers take.
const EVERY: Duration = Duration::from_secs(3);
/// Before the server is tried again.
const RETRY: Duration = Duration::from_secs(5);

/// Starts looking. The page changes with what is heard.
///
/// # Errors
/// If the thread cannot be started.
pub(super) fn watch(
    access: &Access,
    folder: &Path,
    runs: watch::Receiver<Arc<Runs>>,
) -> anyhow::Result<watch::Receiver<Arc<Snapshot>>> {
    let follower = Follower {
        access: access.clone(),
        folder: folder.to_path_buf(),
        runs,
        view: FleetView::default(),
    };
    let (sender, page) = watch::channel(Arc::new(fleet_parts(&follower.view)));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the connection to the fleet cannot start")?;
    thread::Builder::new()
        .name("fleet".into())
        .spawn(move || runtime.block_on(follower.follow(&sender)))
        .context("the connection to the fleet cannot start")?;
    Ok(page)
}

struct Follower {
    access: Access,
    folder: PathBuf,
    runs: watch::Receiver<Arc<Runs>>,
    view: FleetView,
}

impl Follower {
    /// Looks until nobody can see the page any more.
    async fn follow(mut self, page: &watch::Sender<Arc<Snapshot>>) {
        while !page.is_closed() {
            let error = match Observer::connect(&self.access).await {
                Ok(observer) => self.look(observer, page).await,
                Err(error) => error,
            };
            self.view.error = Some(format!("{error:#}"));
            page.send_replace(Arc::new(fleet_parts(&self.view)));
            sleep(RETRY).await;
        }
    }

    /// Looks until that fails; returns why.
    async fn look(
        &mut self,
        mut observer: Observer,
        page: &watch::Sender<Arc<Snapshot>>,
    ) -> anyhow::Error {
        loop {
            match observer.look().await {
                Ok(fleet) => self.take(fleet),
                Err(error) => return error,
            }
            page.send_replace(Arc::new(fleet_parts(&self.view)));
            sleep(EVERY).await;
        }
    }

    fn take(&mut self, fleet: Overview) {
        self.view.error = None;
        self.view.heard_ms = Some(jiff::Timestamp::now().as_millisecond());
        self.view.residuals = residuals(&self.runs.borrow());
        let names = &mut self.view.names;
        names.retain(|name, _| fleet.runs.iter().any(|line| line.run == *name));
        let is_new = fleet.runs.iter().any(|line| !names.contains_key(&line.run));
        if is_new {
            for found in catalog::list(&self.folder) {
                if let Some(name) = RunKey::name_in(&found.path) {
                    names.insert(name, found.id);
                }
            }
        }
        self.view.fleet = Some(fleet);
    }
}

/// Of the runs in this folder that are being played.
fn residuals(runs: &Runs) -> Vec<Residual> {
    let machines = runs
        .runs
        .iter()
        .flat_map(|run| run.machines.iter().map(move |machine| (run, machine)));
    machines
        .filter_map(|(run, machine)| {
            Some(Residual {
                worker: machine.machine.clone()?,
                run: run.run.clone(),
                games: machine.games,
                p_value: machine.p_value,
            })
        })
        .collect()
}
