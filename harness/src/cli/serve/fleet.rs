//! The fleet of the live pages.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use clap::Args;
use serde_json::Value;
use tokio::time::{interval, sleep};

use hone_fleet::{
    Access, FleetOverview, MachineStatus, Name, Observer, Role, RunKey, RunLine, Spectator, Tokens,
    data_dir,
};
use hone_serve::{FleetFeed, FleetMachine, FleetRun, FleetStatus, RemoteGames, ServerOptions};

/// The options that allow actions.
pub(super) const TOKENS: [&str; 2] = ["token_file", "fleet_tokens"];

/// Interval between two requests for the status, in addition to the time of an answer.
const EVERY: Duration = Duration::from_secs(3);
/// Interval at which the games of open pages are requested.
const ASK: Duration = Duration::from_millis(500);
const ASK_AGAIN: Duration = Duration::from_secs(8);
/// Time before the next attempt to connect.
const RETRY: Duration = Duration::from_secs(5);

#[derive(Debug, Args)]
pub(super) struct FleetArgs {
    /// Allow the same to those who have a credential for runs of the fleet that
    /// `hone fleet up` serves on this machine; the credential is the token
    /// [default: the usual data folder].
    #[arg(long, value_name = "DATA", num_args = 0..=1, require_equals = true)]
    fleet_tokens: Option<Option<PathBuf>>,
    /// Show the machines and runs of a fleet, too: the one of this machine or
    /// of $HONE_FLEET, or the one that is named.
    #[arg(long, value_name = "FLEET", num_args = 0..=1, require_equals = true)]
    fleet: Option<Option<String>>,
}

impl FleetArgs {
    /// Adds the fleet to the options of the server.
    ///
    /// # Errors
    /// If the fleet does not exist.
    pub(super) fn add_to(self, options: &mut ServerOptions) -> anyhow::Result<()> {
        options.name_on_fleet = |dir| RunKey::name_in(dir).map(String::from);
        if let Some(data) = self.fleet_tokens {
            let data = match data {
                Some(data) => data,
                None => data_dir()?,
            };
            // The file of tokens is read each time, because a credential can be revoked.
            options.fleet_tokens = Some(Box::new(move |token| {
                let access = Access::of_line(token)?;
                let tokens = Tokens::open(&data).ok()?;
                tokens.submitter(&access).map(|name| name.to_string())
            }));
        }
        if let Some(named) = self.fleet {
            let access = Access::chosen(named.as_deref())?.for_role(Role::Submit)?;
            options.fleet = Some(Box::new(move |feed| start(access.clone(), feed)));
        }
        Ok(())
    }
}

/// Follows a fleet in a thread of its own, so that an unreachable server does not delay pages.
fn start(access: Access, feed: FleetFeed) -> anyhow::Result<()> {
    let runtime = hone_base::platform::runtime()?;
    thread::Builder::new()
        .name("fleet".into())
        .spawn(move || runtime.block_on(follow(&access, feed)))
        .context("cannot start the thread of the connection to the fleet")?;
    Ok(())
}

/// Polls until the server of the pages ends.
async fn follow(access: &Access, mut feed: FleetFeed) {
    while !feed.is_closed() {
        let error = match Observer::connect(access).await {
            Ok(observer) => follow_one(observer, &mut feed).await,
            Err(error) => error,
        };
        feed.fail(&error);
        sleep(RETRY).await;
    }
}

/// Polls status and games until an error, and returns it.
async fn follow_one(observer: Observer, feed: &mut FleetFeed) -> anyhow::Error {
    let games = feed.games();
    let spectator = match observer.spectator().await {
        Ok(spectator) => spectator,
        Err(error) => return error,
    };
    tokio::select! {
        error = show_status(observer, feed) => error,
        error = show_games(spectator, &games) => error,
    }
}

async fn show_status(mut observer: Observer, feed: &mut FleetFeed) -> anyhow::Error {
    loop {
        match observer.overview().await {
            Ok(fleet) => feed.show(status_of(fleet)),
            Err(error) => return error,
        }
        sleep(EVERY).await;
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

fn status_of(fleet: FleetOverview) -> FleetStatus {
    let json = match serde_json::to_value(&fleet) {
        Ok(Value::Object(json)) => json,
        _ => serde_json::Map::new(),
    };
    FleetStatus {
        server: fleet.server,
        machines: fleet.workers.into_iter().map(machine).collect(),
        runs: fleet.runs.into_iter().map(run).collect(),
        json,
    }
}

fn machine(line: MachineStatus) -> FleetMachine {
    let other_version = line.other_version();
    let MachineStatus { worker, status, .. } = line;
    let description = other_version.unwrap_or_else(|| {
        format!(
            "{}, {}, hone {}",
            status.processor, status.platform, status.hone
        )
    });
    let holds = status.holds.into_iter();
    let refuses = status.refuses.into_iter();
    FleetMachine {
        name: worker,
        description,
        cores: status.cores,
        busy: status.busy,
        pace: status.pace,
        games: status.games,
        time_forfeits: status.time_forfeits,
        failures: status.failures,
        holds: holds
            .map(|(run, pairs)| (run.into(), pairs.len() as u64))
            .collect(),
        building: status.building.into_iter().map(String::from).collect(),
        refuses: refuses.map(|(run, why)| (run.into(), why)).collect(),
        leaving: status.leaving,
    }
}

fn run(RunLine { run, notice }: RunLine) -> FleetRun {
    FleetRun {
        name: run.into(),
        title: notice.title,
        platform: notice.platform,
        priority: notice.priority,
        threads: notice.threads,
        recorded: notice.recorded,
        in_flight: notice.in_flight,
        draining: notice.draining,
        excluded: notice.exclude.iter().map(ToString::to_string).collect(),
        quarantined: notice.quarantined,
    }
}
