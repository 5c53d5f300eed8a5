//! The page of a fleet. The program connects to the fleet and reports what it hears to a
//! [`FleetFeed`].

mod status;

pub use status::{FleetMachine, FleetRun, FleetStatus};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::catalog;
use crate::overview::Overview;
use crate::pages::fleet_parts;
use crate::remote::RemoteGames;
use crate::snapshot::Snapshot;
use hone_base::text::with_causes;

/// The name on a fleet of the run in a folder, if it has been played on one.
pub type NameOnFleet = fn(&Path) -> Option<String>;

/// The owner of a credential for runs, while the fleet's server accepts it.
pub type CredentialOwner = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Starts a thread that reports the state of a fleet.
pub type FollowFleet = Box<dyn Fn(FleetFeed) -> anyhow::Result<()>>;

/// Receives the state of a fleet for its page.
pub struct FleetFeed {
    folder: PathBuf,
    runs: watch::Receiver<Arc<Overview>>,
    name_on_fleet: NameOnFleet,
    games: RemoteGames,
    view: FleetView,
    page: watch::Sender<Arc<Snapshot>>,
}

impl FleetFeed {
    /// A feed, and the page that it updates.
    pub(super) fn new(
        folder: &Path,
        runs: watch::Receiver<Arc<Overview>>,
        name_on_fleet: NameOnFleet,
        games: RemoteGames,
    ) -> (Self, watch::Receiver<Arc<Snapshot>>) {
        let view = FleetView::default();
        let (page, snapshot) = watch::channel(Arc::new(fleet_parts(&view)));
        let feed = Self {
            folder: folder.to_path_buf(),
            runs,
            name_on_fleet,
            games,
            view,
            page,
        };
        (feed, snapshot)
    }

    /// Whether the server of the pages has ended.
    pub fn is_closed(&self) -> bool {
        self.page.is_closed()
    }

    /// The games that open pages request.
    pub fn games(&self) -> RemoteGames {
        self.games.clone()
    }

    /// Shows why the fleet cannot be reached, beside its last state.
    pub fn fail(&mut self, error: &anyhow::Error) {
        self.view.error = Some(with_causes(error));
        self.publish();
    }

    /// Shows the state of the fleet.
    pub fn show(&mut self, fleet: FleetStatus) {
        self.view.error = None;
        self.view.heard_ms = Some(jiff::Timestamp::now().as_millisecond());
        self.view.p_values = p_values(&self.runs.borrow());
        let names = &mut self.view.names;
        names.retain(|name, _| fleet.runs.iter().any(|run| run.name == *name));
        let is_new = fleet.runs.iter().any(|run| !names.contains_key(&run.name));
        if is_new {
            for found in catalog::list(&self.folder) {
                if let Some(name) = (self.name_on_fleet)(&found.path) {
                    names.insert(name, found.id);
                }
            }
        }
        self.view.json = fleet.json.clone();
        self.view.fleet = Some(fleet);
        self.publish();
    }

    fn publish(&self) {
        self.page.send_replace(Arc::new(fleet_parts(&self.view)));
    }
}

/// The data of a fleet's page.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct FleetView {
    /// The last state received.
    #[serde(skip)]
    pub fleet: Option<FleetStatus>,
    #[serde(flatten)]
    pub json: Map<String, Value>,
    /// Time of that state, in milliseconds since 1970.
    pub heard_ms: Option<i64>,
    /// The error of the last request, if it failed.
    pub error: Option<String>,
    /// Tests of whether the results of a machine differ from those of the others, for each run
    /// in this folder that is being played.
    #[serde(rename = "residuals")]
    pub p_values: Vec<WorkerPValue>,
    /// The names on these pages of the fleet's runs that are in this folder.
    pub names: BTreeMap<String, String>,
}

/// A test of whether the results of a machine differ from those of the others in a run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct WorkerPValue {
    pub worker: String,
    pub run: String,
    pub games: u64,
    /// Probability of a difference at least this large by chance (chi-square test).
    pub p_value: Option<f64>,
}

impl FleetView {
    /// The p-values of a machine.
    pub(crate) fn of_worker<'a>(
        &'a self,
        worker: &'a str,
    ) -> impl Iterator<Item = &'a WorkerPValue> + Clone {
        let p_values = self.p_values.iter();
        p_values.filter(move |one| one.worker == worker)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str) -> FleetRun {
        FleetRun {
            name: name.to_string(),
            title: format!("title of {name}"),
            platform: String::new(),
            priority: 100,
            threads: 1,
            recorded: 0,
            in_flight: 0,
            draining: false,
            excluded: Vec::new(),
            quarantined: BTreeMap::new(),
        }
    }

    #[test]
    fn the_last_state_stays_beside_an_error_and_runs_here_have_links() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path().join("here");
        std::fs::create_dir(&here).expect("made");
        std::fs::write(here.join(hone_run::MANIFEST), "").expect("written");
        let (_runs, overview) = watch::channel(Arc::default());
        let name_on_fleet: NameOnFleet = |path| path.ends_with("here").then(|| "r1".to_string());
        let (mut feed, page) = FleetFeed::new(
            folder.path(),
            overview,
            name_on_fleet,
            RemoteGames::default(),
        );
        let shown = || -> Value { serde_json::from_str(&page.borrow().json).expect("JSON") };
        feed.show(FleetStatus {
            server: "tls://box".to_string(),
            runs: vec![run("r1"), run("r2")],
            json: Map::from_iter([("server".to_string(), Value::from("tls://box"))]),
            ..FleetStatus::default()
        });
        assert_eq!(shown()["names"], serde_json::json!({ "r1": "here" }));
        feed.fail(&anyhow::anyhow!("the connection is lost"));
        assert_eq!(shown()["error"], "the connection is lost");
        assert_eq!(shown()["server"], "tls://box");
        let parts = page.borrow().parts.clone();
        let queue = parts.iter().find(|part| part.name == "queue");
        let html = &queue.expect("a part").html;
        assert!(
            html.contains("/runs/here\"") && html.contains("title of r2"),
            "{html}"
        );
        drop(page);
        assert!(feed.is_closed());
    }
}
