//! Who is on a fleet: runs and machines, by their notices and statuses.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde::Serialize;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use super::access::Access;
use super::ids::Name;
#[cfg(feature = "serve")]
use super::live_message::Shown;
use super::message::{MessageError, Notice, Status, VERSION, decode};
#[cfg(feature = "serve")]
use super::nats::BoardWatch;
use super::nats::{Heard, Watch, connect};
#[cfg(feature = "serve")]
use crate::executor::LiveGame;
use crate::report::counted;

/// How long is waited for answers.
const ANSWERS: Duration = Duration::from_millis(1500);

/// What is known of a fleet.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Overview {
    pub(crate) server: String,
    pub(crate) workers: Vec<Machine>,
    pub(crate) runs: Vec<RunLine>,
}

/// A worker.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Machine {
    pub(crate) worker: String,
    /// The protocol version of its `hone`, if it is another than here: nothing else of
    /// its message can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) protocol: Option<u32>,
    #[serde(flatten)]
    pub(crate) status: Status,
}

impl Machine {
    /// The machine that has sent a message; `None` if it is damaged.
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

    /// What is known of a machine whose `hone` has another protocol version.
    pub(crate) fn other_version(&self) -> Option<String> {
        let version = self.protocol?;
        Some(format!("protocol {version}, this hone {VERSION}"))
    }
}

/// A run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct RunLine {
    pub(crate) run: Name,
    #[serde(flatten)]
    pub(crate) notice: Notice,
}

/// Somebody who looks at a fleet again and again.
pub(crate) struct Observer {
    server: String,
    watch: Watch,
}

impl Observer {
    /// Connects to the server; from then on it connects again by itself.
    ///
    /// # Errors
    /// If the server cannot be reached.
    pub(crate) async fn connect(access: &Access) -> anyhow::Result<Self> {
        let (events, _) = mpsc::unbounded_channel();
        let client = connect(access, events).await?;
        Ok(Self {
            server: access.url.clone(),
            watch: Watch::new(client).await?,
        })
    }

    /// Somebody who watches games, over the same connection.
    ///
    /// # Errors
    /// If the server refuses.
    #[cfg(feature = "serve")]
    pub(crate) async fn spectator(&self) -> anyhow::Result<Spectator> {
        Ok(Spectator(self.watch.boards().await?))
    }

    /// Asks everybody on the fleet.
    ///
    /// # Errors
    /// If the server cannot be reached now.
    pub(crate) async fn look(&mut self) -> anyhow::Result<Overview> {
        let heard = self.watch.ask(ANSWERS).await?;
        ensure!(
            self.watch.is_connected(),
            "the connection to {} is lost",
            self.server
        );
        Ok(Overview::of(self.server.clone(), heard))
    }
}

/// Somebody who watches games on a fleet.
#[cfg(feature = "serve")]
pub(crate) struct Spectator(BoardWatch);

#[cfg(feature = "serve")]
impl Spectator {
    /// Asks for the games of a run; to be repeated every few seconds.
    pub(crate) async fn ask(&self, run: &Name) {
        self.0.ask(run).await;
    }

    /// A run, a worker, and the games that it plays. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<(Name, String, Vec<LiveGame>)> {
        loop {
            let (run, worker, bytes) = self.0.next().await?;
            if let Ok(shown) = decode::<Shown>(&bytes) {
                let now = jiff::Timestamp::now().as_millisecond();
                return Some((run, worker.to_string(), shown.games_at(now)));
            }
        }
    }
}

/// Asks everybody on the fleet.
///
/// # Errors
/// If the server cannot be reached.
pub(crate) fn overview(access: &Access) -> anyhow::Result<Overview> {
    runtime()?.block_on(async { Observer::connect(access).await?.look().await })
}

/// Connects to the server and leaves it.
///
/// # Errors
/// If it cannot be reached, or refuses the credential.
pub(crate) fn check_reachable(access: &Access) -> anyhow::Result<()> {
    runtime()?.block_on(Observer::connect(access)).map(drop)
}

fn runtime() -> anyhow::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the async runtime")
}

impl Overview {
    fn of(server: String, heard: Vec<Heard>) -> Self {
        let mut workers = BTreeMap::new();
        let mut runs = BTreeMap::new();
        for one in heard {
            match one {
                Heard::Worker { worker, bytes } => {
                    if let Some(machine) = Machine::of(worker.to_string(), &bytes) {
                        workers.insert(worker.to_string(), machine);
                    }
                }
                Heard::Run { run, bytes } => {
                    if let Ok(notice) = decode::<Notice>(&bytes) {
                        runs.insert(run, notice);
                    }
                }
            }
        }
        let run = |(run, notice)| RunLine { run, notice };
        Self {
            server,
            workers: workers.into_values().collect(),
            runs: runs.into_iter().map(run).collect(),
        }
    }

    /// As a table.
    pub(crate) fn text(&self) -> String {
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
            let Machine { worker, status, .. } = machine;
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
    use crate::fleet::message::{encode, samples};
    use crate::fleet::samples::{name, worker};

    #[test]
    fn a_worker_of_another_version_is_listed() {
        let status = encode(&samples::status(&name("run"), &[])).expect("a status");
        let text = String::from_utf8(status).expect("text");
        let older = text.replace("\"hone\":2,\"body\"", "\"hone\":1,\"body\"");
        assert_ne!(older, text);
        let heard = Heard::Worker {
            worker: worker("old"),
            bytes: older.into_bytes(),
        };
        let overview = Overview::of("tls://box:4222".to_string(), vec![heard]);
        let json = serde_json::to_value(&overview).expect("JSON");
        assert_eq!(json["workers"][0]["protocol"], 1);
        assert_eq!(json["workers"][0]["platform"], "", "it is not known");
        let text = overview.text();
        assert!(text.contains("1 worker, 0 cores"), "{text}");
        let line = text.lines().find(|line| line.starts_with("all/old"));
        let line = line.expect("a line");
        assert!(line.contains("protocol 1, this hone 2"), "{line}");
    }
}
