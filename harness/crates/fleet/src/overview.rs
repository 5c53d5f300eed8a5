//! The runs and machines on a fleet, by their notices and statuses.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::ensure;
use serde::Serialize;
use tokio::sync::mpsc;

use super::access::Access;
use super::ids::Name;
use super::link::LinkError;
use super::live_message::Shown;
use super::message::{MessageError, Notice, Status, VERSION, decode};
use super::nats::BoardWatch;
use super::nats::{FleetMessage, Watch, check_rights, connect};
use hone_base::platform::runtime;
use hone_report::counted;
use hone_run::executor::LiveGame;

/// Time for which answers are collected.
const ANSWERS: Duration = Duration::from_millis(1500);

/// The runs and workers of a fleet.
#[derive(Debug, Clone, Serialize)]
pub struct FleetOverview {
    pub server: String,
    pub workers: Vec<MachineStatus>,
    pub runs: Vec<RunLine>,
}

/// A worker.
#[derive(Debug, Clone, Serialize)]
pub struct MachineStatus {
    pub worker: String,
    /// The protocol version of its `hone`, if it differs from that of this `hone`: its
    /// status cannot be read then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<u32>,
    #[serde(flatten)]
    pub status: Status,
}

impl MachineStatus {
    /// The machine that sent a status; `None` if the status is damaged.
    fn of(worker: String, bytes: &[u8]) -> Option<Self> {
        let (protocol, status) = match decode(bytes) {
            Ok(status) => (None, status),
            Err(MessageError::Version(version)) => (Some(version), Status::default()),
            Err(_) => return None,
        };
        Some(Self {
            worker,
            protocol,
            status,
        })
    }

    /// A description of a machine whose `hone` has another protocol version.
    pub fn other_version(&self) -> Option<String> {
        let version = self.protocol?;
        Some(format!("protocol {version}, this hone {VERSION}"))
    }
}

/// A run.
#[derive(Debug, Clone, Serialize)]
pub struct RunLine {
    pub run: Name,
    #[serde(flatten)]
    pub notice: Notice,
}

/// A connection for repeated overviews.
pub struct Observer {
    server: String,
    watch: Watch,
}

impl Observer {
    /// Connects to the server, and later reconnects automatically.
    ///
    /// # Errors
    /// If the server cannot be reached.
    pub async fn connect(access: &Access) -> anyhow::Result<Self> {
        let (sender, events) = mpsc::unbounded_channel();
        let client = connect(access, sender).await?;
        Ok(Self {
            server: access.url.clone(),
            watch: Watch::new(client, events).await?,
        })
    }

    /// A spectator over the same connection.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn spectator(&self) -> anyhow::Result<Spectator> {
        Ok(Spectator(self.watch.boards().await?))
    }

    /// Collects the state of all runs and workers.
    ///
    /// # Errors
    /// If the server cannot be reached now, or denies the credential a permission.
    pub async fn overview(&mut self) -> anyhow::Result<FleetOverview> {
        let messages = self.watch.collect(ANSWERS).await;
        let messages = messages.map_err(|error| cannot_use(&self.server, error))?;
        ensure!(
            self.watch.is_connected(),
            "the connection to {} is lost",
            self.server
        );
        Ok(FleetOverview::of(self.server.clone(), messages))
    }
}

/// Receives the games that workers are playing.
pub struct Spectator(BoardWatch);

impl Spectator {
    /// Requests the games of a run; must be repeated every few seconds.
    pub async fn request(&self, run: &Name) {
        self.0.request(run).await;
    }

    /// The next message: a run, a worker, and the games of the run that it plays; `None`
    /// once the client is closed. Cancel safe.
    pub async fn next(&mut self) -> Option<(Name, String, Vec<LiveGame>)> {
        loop {
            let (run, worker, bytes) = self.0.next().await?;
            if let Ok(shown) = decode::<Shown>(&bytes) {
                let now = jiff::Timestamp::now().as_millisecond();
                return Some((run, worker.to_string(), shown.games_at(now)));
            }
        }
    }
}

/// Collects the state of all runs and workers.
///
/// # Errors
/// If the server cannot be reached, or denies the credential a permission.
pub fn overview(access: &Access) -> anyhow::Result<FleetOverview> {
    runtime()?.block_on(async { Observer::connect(access).await?.overview().await })
}

/// Checks that a run can use the server.
///
/// # Errors
/// If it cannot be reached, refuses the credential, or denies it a permission.
pub fn check_reachable(access: &Access) -> anyhow::Result<()> {
    runtime()?.block_on(async {
        let (sender, mut events) = mpsc::unbounded_channel();
        let client = connect(access, sender).await?;
        let checked = check_rights(&client, &mut events).await;
        checked.map_err(|error| cannot_use(&access.url, error))
    })
}

/// The error of an operation on a server.
pub(super) fn cannot_use(server: &str, error: LinkError) -> anyhow::Error {
    anyhow::Error::new(error).context(format!("cannot use the fleet at {server}"))
}

impl FleetOverview {
    fn of(server: String, messages: Vec<FleetMessage>) -> Self {
        let mut workers = BTreeMap::new();
        let mut runs = BTreeMap::new();
        // With the runs whose notices this `hone` cannot read.
        let mut announced = BTreeSet::new();
        for one in messages {
            match one {
                FleetMessage::Worker { worker, bytes } => {
                    if let Some(machine) = MachineStatus::of(worker.to_string(), &bytes) {
                        workers.insert(worker.to_string(), machine);
                    }
                }
                FleetMessage::Run { run, bytes } => {
                    announced.insert(run.clone());
                    if let Ok(notice) = decode::<Notice>(&bytes) {
                        runs.insert(run, notice);
                    }
                }
            }
        }
        // A worker refuses a run that has ended until it forgets it.
        for machine in workers.values_mut() {
            let refuses = &mut machine.status.refuses;
            refuses.retain(|run, _| announced.contains(run));
        }
        let run = |(run, notice)| RunLine { run, notice };
        Self {
            server,
            workers: workers.into_values().collect(),
            runs: runs.into_iter().map(run).collect(),
        }
    }

    /// The overview as tables of text.
    pub fn text(&self) -> String {
        let cores: usize = self.workers.iter().map(|one| one.status.cores).sum();
        let mut text = format!(
            "{}: {}, {}, {}\n",
            self.server,
            counted(self.workers.len() as u64, "worker"),
            counted(cores as u64, "core"),
            counted(self.runs.len() as u64, "run")
        );
        if !self.workers.is_empty() {
            text += &self.workers_table();
        }
        if !self.runs.is_empty() {
            text += &self.runs_table();
        }
        text
    }

    fn workers_table(&self) -> String {
        let names = self.workers.iter().map(|one| one.worker.len());
        let width = names.max().unwrap_or(0).max(6);
        let mut text = format!(
            "\n{:<width$} {:>6} {:>5} {:>8} {:>10} {:>9} {:>8}  {:<15} playing\n",
            "worker", "cores", "busy", "games", "games/min", "forfeits", "failures", "platform"
        );
        for machine in &self.workers {
            let MachineStatus { worker, status, .. } = machine;
            let mut playing: Vec<_> = status.holds.keys().map(Name::to_string).collect();
            let building = status.building.iter();
            playing.extend(building.map(|run| format!("(builds the engines of {run})")));
            if status.leaving {
                playing.push("(leaving)".to_string());
            }
            text += &format!(
                "{worker:<width$} {:>6} {:>5} {:>8} {:>10.1} {:>9} {:>8}  {:<15} {}\n",
                status.cores,
                status.busy,
                status.games,
                status.pace,
                status.time_forfeits,
                status.failures,
                machine
                    .other_version()
                    .unwrap_or_else(|| status.platform.clone()),
                playing.join(" ")
            );
            for (run, why) in &status.refuses {
                text += &format!("{:width$}   does not play {run}: {why}\n", "");
            }
        }
        text
    }

    fn runs_table(&self) -> String {
        let mut text = format!(
            "\n{:<16} {:>8} {:>7} {:>9} {:>9}  run\n",
            "id", "priority", "threads", "recorded", "in flight"
        );
        for RunLine { run, notice } in &self.runs {
            text += &format!(
                "{:<16} {:>8} {:>7} {:>9} {:>9}  {}\n",
                run.to_string(),
                notice.priority,
                notice.threads,
                notice.recorded,
                notice.in_flight,
                notice.title
            );
            for worker in &notice.exclude {
                text += &format!("{:18}excludes {worker} (configuration)\n", "");
            }
            for (worker, why) in &notice.quarantined {
                text += &format!("{:18}in quarantine: {worker}: {why}\n", "");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{encode, samples};
    use crate::samples::{name, worker};

    #[test]
    fn only_refusals_of_listed_runs_are_shown() {
        let run = name("listed");
        let mut status = samples::status(&run, &[]);
        for run in [&run, &name("newer"), &name("ended")] {
            let reason = "its disk is full".to_string();
            status.refuses.insert(run.clone(), reason);
        }
        let newer = format!("{{\"hone\":{},\"body\":{{}}}}", VERSION + 1);
        let messages = vec![
            FleetMessage::Run {
                run: name("newer"),
                bytes: newer.into_bytes(),
            },
            FleetMessage::Worker {
                worker: worker("box"),
                bytes: encode(&status).expect("a status"),
            },
            FleetMessage::Run {
                run,
                bytes: encode(&samples::notice()).expect("a notice"),
            },
        ];
        let overview = FleetOverview::of("tls://box:4222".to_string(), messages);
        let text = overview.text();
        for run in ["listed", "newer"] {
            let line = format!("does not play {run}: its disk is full");
            assert!(text.contains(&line), "{text}");
        }
        assert!(!text.contains("ended"), "{text}");
    }

    #[test]
    fn a_worker_of_another_version_is_listed() {
        let status = encode(&samples::status(&name("run"), &[])).expect("a status");
        let text = String::from_utf8(status).expect("text");
        let older = text.replace(&format!("\"hone\":{VERSION},"), "\"hone\":1,");
        assert_ne!(older, text);
        let message = FleetMessage::Worker {
            worker: worker("old"),
            bytes: older.into_bytes(),
        };
        let overview = FleetOverview::of("tls://box:4222".to_string(), vec![message]);
        let json = serde_json::to_value(&overview).expect("JSON");
        assert_eq!(json["workers"][0]["protocol"], 1);
        assert_eq!(json["workers"][0]["platform"], "", "unknown");
        let text = overview.text();
        assert!(text.contains("1 worker, 0 cores"), "{text}");
        let line = text.lines().find(|line| line.starts_with("all/old"));
        let line = line.expect("a line");
        assert!(
            line.contains(&format!("protocol 1, this hone {VERSION}")),
            "{line}"
        );
    }
}
