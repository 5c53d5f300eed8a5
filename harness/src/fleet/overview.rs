//! Who is on a fleet: runs and machines, as they tell of themselves.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context;
use serde::Serialize;
use tokio::sync::mpsc;

use super::access::Access;
use super::ids::Name;
use super::message::{Notice, Status, decode};
use super::nats::{Heard, Watch, connect};

/// How long is waited for answers.
const ANSWERS: Duration = Duration::from_millis(1500);

/// What was heard of a fleet.
#[derive(Debug, Serialize)]
pub(crate) struct Overview {
    pub(crate) server: String,
    pub(crate) workers: Vec<Machine>,
    pub(crate) runs: Vec<RunLine>,
}

/// A worker.
#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) worker: String,
    #[serde(flatten)]
    pub(crate) status: Status,
}

/// A run.
#[derive(Debug, Serialize)]
pub(crate) struct RunLine {
    pub(crate) run: Name,
    #[serde(flatten)]
    pub(crate) notice: Notice,
}

/// Asks everybody on the fleet.
///
/// # Errors
/// If the server cannot be reached.
pub(crate) fn overview(access: &Access) -> anyhow::Result<Overview> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the connection cannot start")?;
    let heard = runtime.block_on(async {
        let (events, _) = mpsc::unbounded_channel();
        let client = connect(access, events).await?;
        let mut watch = Watch::new(client).await?;
        anyhow::Ok(watch.ask(ANSWERS).await?)
    })?;
    let mut workers = BTreeMap::new();
    let mut runs = BTreeMap::new();
    for one in heard {
        match one {
            Heard::Worker { worker, bytes } => {
                if let Ok(status) = decode::<Status>(&bytes) {
                    workers.insert(worker.to_string(), status);
                }
            }
            Heard::Run { run, bytes } => {
                if let Ok(notice) = decode::<Notice>(&bytes) {
                    runs.insert(run, notice);
                }
            }
        }
    }
    let machine = |(worker, status)| Machine { worker, status };
    let run = |(run, notice)| RunLine { run, notice };
    Ok(Overview {
        server: access.url.clone(),
        workers: workers.into_iter().map(machine).collect(),
        runs: runs.into_iter().map(run).collect(),
    })
}

impl Overview {
    /// As a table.
    pub(crate) fn text(&self) -> String {
        let cores: usize = self.workers.iter().map(|one| one.status.cores).sum();
        let mut text = format!(
            "{}: {} workers, {cores} cores, {} runs\n",
            self.server,
            self.workers.len(),
            self.runs.len()
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
            "worker", "cores", "busy", "games", "games/min", "time loss", "failures", "platform"
        );
        for Machine { worker, status } in &self.workers {
            let mut playing: Vec<_> = status.holds.keys().map(Name::to_string).collect();
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
                status.platform,
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
                text += &format!("{:18}leaves out {worker}: its configuration\n", "");
            }
            for (worker, why) in &notice.excluded {
                text += &format!("{:18}in quarantine: {worker}: {why}\n", "");
            }
        }
        text
    }
}
