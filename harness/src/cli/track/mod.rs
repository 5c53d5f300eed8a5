//! `hone track`: Elo from night to night.

mod nights;
mod play;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Value, json};

use super::common::{is_inside, write_page};
use super::ends::EndArgs;
use super::{Exit, Failure};
use crate::config::false_alarm_nights;
use crate::config::{self, Config};
use crate::run::{MANIFEST, Manifest};
use crate::track::{Direction, Night, RUNS, Role, Status, TABLE, chart, html, in_order, read};
use nights::{Tracker, Went};

/// Follow an engine's strength from night to night.
///
/// Builds the newest commit, plays it against a pinned reference, the last
/// release and the build of the night before, and adds a row to
/// results/elo.csv. Exit code 0: nothing got worse; 1: a regression; 3: the
/// time is spent; 4: the commit does not build.
#[derive(Debug, Args)]
pub(super) struct TrackArgs {
    /// The configuration, in TOML; see configs/nightly.toml for one with
    /// comments.
    config: PathBuf,
    /// Override a value of the configuration, as in `track.pairs=100`.
    #[arg(long = "set", value_name = "KEY.PATH=VALUE")]
    set: Vec<String>,
    /// The folder of elo.csv, elo.html, elo.md, elo.svg and of the nights'
    /// runs.
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// Play every commit after this one that has not been played yet.
    #[arg(long, value_name = "REV")]
    since: Option<String>,
    /// Play the newest commit even if it has been played.
    #[arg(long, conflicts_with = "since")]
    force: bool,
    #[command(flatten)]
    ends: EndArgs,
}

impl TrackArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let config = config::load(&self.config, &self.set)?;
        check(&config).with_context(|| self.config.display().to_string())?;
        let mut tracker = Tracker::open(config, &self.out, self.ends.max_time)?;
        let went = tracker.play_all(self.since.as_deref(), self.force);
        // Whatever ended it, what has been played is worth showing.
        let status = tracker.status();
        let played = tracker.played();
        write_files(&self.out, &status, tracker.nights()).map_err(Failure::failed)?;
        let page = status.markdown("elo.svg");
        self.ends.summarize(&page).map_err(Failure::failed)?;
        let went = went?;
        if self.ends.json {
            outln!("{}", object(&status, played)?);
        } else {
            out!("{}", status.sentences());
        }
        Ok(match went {
            Went::Interrupted => Exit::Interrupted,
            Went::OutOfTime => Exit::Inconclusive,
            Went::Through if is_regression(&status, played) => Exit::Rejected,
            Went::Through => Exit::Done,
        })
    }
}

/// Of the nights just played; if there was none to play, of the last.
fn is_regression(status: &Status, played: &[String]) -> bool {
    let mut changes = played.iter().flat_map(|commit| status.noticed_at(commit));
    status.is_regression() || changes.any(|change| change.direction == Direction::Loss)
}

fn check(config: &Config) -> anyhow::Result<()> {
    if config.track.is_none() {
        bail!("there is no [track], with the anchor at least");
    }
    match &config.engine[..] {
        [engine] if engine.git.is_some() && engine.rev.is_none() => Ok(()),
        [engine] if engine.rev.is_some() => {
            bail!("`rev` does not go with [track]: the history followed is its `branch`")
        }
        [_] => bail!("the engine must be built from a repository: `git` names it"),
        engines => bail!(
            "one engine is tracked, in one [[engine]] table; {} are configured",
            engines.len()
        ),
    }
}

/// Whether a folder is one of nights and not a run's.
pub(super) fn is_folder_of_nights(folder: &Path) -> bool {
    folder.join(TABLE).is_file() && !folder.join(MANIFEST).exists()
}

/// What the nights in a folder come to, from their rows.
pub(super) fn report(folder: &Path, page: Option<&Path>, json: bool) -> Result<Exit, Failure> {
    let nights = read(&folder.join(TABLE))?;
    let ordered = in_order(&nights);
    let mut matches = ordered.iter().rev().flat_map(|night| &night.matches);
    let anchor = matches.find(|played| played.role == Role::Anchor);
    let anchor = anchor.map_or("", |played| played.commit.as_str());
    // The last night's run knows the configuration, if it is still there.
    let last = ordered
        .last()
        .map(|night| folder.join(RUNS).join(&night.run));
    let section = last.and_then(|run| Manifest::read(&run).ok()?.config.track);
    let alarms = section.map_or_else(false_alarm_nights, |section| section.false_alarm_nights);
    let status = Status::new(&nights, anchor, alarms);
    if let Some(path) = page {
        let page = html(&status, &nights, folder, is_inside(path, folder))?;
        write_page(path, page)?;
    }
    if json {
        outln!("{}", object(&status, &[])?);
    } else {
        out!("{}", status.sentences());
    }
    Ok(Exit::Done)
}

fn write_files(out: &Path, status: &Status, nights: &[Night]) -> anyhow::Result<()> {
    let files = [
        ("elo.svg", chart(status)?),
        ("elo.md", status.markdown("elo.svg")),
    ];
    for (name, text) in files {
        let path = out.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    html(status, nights, out, true)?.save(&out.join("elo.html"))
}

fn object(status: &Status, played: &[String]) -> anyhow::Result<Value> {
    let mut object = json!({
        "kind": "track",
        "verdict": if is_regression(status, played) { "regression" } else { "none" },
        "played": played,
    });
    let Value::Object(more) = serde_json::to_value(status)? else {
        bail!("a status is an object");
    };
    if let Some(object) = object.as_object_mut() {
        object.extend(more);
    }
    Ok(object)
}
