//! Polls the status of a fleet in a separate thread, so that an unreachable server does not
//! delay pages.

mod view;

pub(super) use view::{FleetView, WorkerPValue};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use tokio::sync::watch;
use tokio::time::{interval, sleep};

use crate::catalog;
use crate::overview::Overview;
use crate::pages::fleet_parts;
use crate::remote::RemoteGames;
use crate::snapshot::Snapshot;
use hone_base::text::with_causes;
use hone_fleet::{Access, FleetOverview, Name, Observer, RunKey, Spectator};

/// Interval between two requests for the status, in addition to the time of an answer.
const EVERY: Duration = Duration::from_secs(3);
/// Interval at which the games of open pages are requested.
const ASK: Duration = Duration::from_millis(500);
const ASK_AGAIN: Duration = Duration::from_secs(8);
/// Time before the next attempt to connect.
const RETRY: Duration = Duration::from_secs(5);

/// Starts polling and updates the page with the answers.
///
/// # Errors
/// If the thread cannot be started.
pub(super) fn watch(
    access: &Access,
    folder: &Path,
    runs: watch::Receiver<Arc<Overview>>,
    games: RemoteGames,
) -> anyhow::Result<watch::Receiver<Arc<Snapshot>>> {
    let follower = Follower {
        access: access.clone(),
        folder: folder.to_path_buf(),
        runs,
        games,
        view: FleetView::default(),
    };
    let (sender, page) = watch::channel(Arc::new(fleet_parts(&follower.view)));
    let runtime = hone_base::platform::runtime()?;
    thread::Builder::new()
        .name("fleet".into())
        .spawn(move || runtime.block_on(follower.follow(&sender)))
        .context("cannot start the thread of the connection to the fleet")?;
    Ok(page)
}

struct Follower {
    access: Access,
    folder: PathBuf,
    runs: watch::Receiver<Arc<Overview>>,
    games: RemoteGames,
    view: FleetView,
}

impl Follower {
    /// Polls until the server of the pages ends.
    async fn follow(mut self, page: &watch::Sender<Arc<Snapshot>>) {
        while !page.is_closed() {
            let error = match Observer::connect(&self.access).await {
                Ok(observer) => self.follow_one(observer, page).await,
                Err(error) => error,
            };
            self.view.error = Some(with_causes(&error));
            page.send_replace(Arc::new(fleet_parts(&self.view)));
            sleep(RETRY).await;
        }
    }

    /// Polls status and games until an error, and returns it.
    async fn follow_one(
        &mut self,
        observer: Observer,
        page: &watch::Sender<Arc<Snapshot>>,
    ) -> anyhow::Error {
        let games = self.games.clone();
        let spectator = match observer.spectator().await {
            Ok(spectator) => spectator,
            Err(error) => return error,
        };
        tokio::select! {
            error = self.look(observer, page) => error,
            error = show_games(spectator, &games) => error,
        }
    }

    /// Polls the status until an error, and returns it.
    async fn look(
        &mut self,
        mut observer: Observer,
        page: &watch::Sender<Arc<Snapshot>>,
    ) -> anyhow::Error {
        loop {
            match observer.overview().await {
                Ok(fleet) => self.take(fleet),
                Err(error) => return error,
            }
            page.send_replace(Arc::new(fleet_parts(&self.view)));
            sleep(EVERY).await;
        }
    }

    fn take(&mut self, fleet: FleetOverview) {
        self.view.error = None;
        self.view.heard_ms = Some(jiff::Timestamp::now().as_millisecond());
        self.view.p_values = p_values(&self.runs.borrow());
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

/// Receives the games that pages request.
async fn show_games(mut spectator: Spectator, games: &RemoteGames) -> anyhow::Error {
    let mut ask = interval(ASK);
    let mut asked: BTreeMap<Name, Instant> = BTreeMap::new();
    loop {
        tokio::select! {
            next = spectator.next() => match next {
                Some((run, worker, shown)) => {
                    games.take(run.as_str(), &worker, shown, Instant::now());
                }
                None => return anyhow!("the connection is closed"),
            },
            _ = ask.tick() => {
                let now = Instant::now();
                asked.retain(|_, at| now.duration_since(*at) < ASK_AGAIN);
                for run in games.wanted(now) {
                    if let Ok(run) = Name::new(&run)
                        && !asked.contains_key(&run)
                    {
                        spectator.request(&run).await;
                        asked.insert(run, now);
                    }
                }
            }
        }
    }
}

/// The p-values of the workers, for the runs in this folder that are being played.
fn p_values(runs: &Overview) -> Vec<WorkerPValue> {
    let machines = runs
        .runs
        .iter()
        .flat_map(|run| run.machines.iter().map(move |machine| (run, machine)));
    machines
        .filter_map(|(run, machine)| {
            Some(WorkerPValue {
                worker: machine.machine.clone()?,
                run: run.run.clone(),
                games: machine.games,
                p_value: machine.p_value,
            })
        })
        .collect()
}
