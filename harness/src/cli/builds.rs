//! `hone builds`: the cache of engines built from commits.

use std::time::{Duration, SystemTime};

use clap::{Args, Subcommand};
use indicatif::{HumanBytes, HumanDuration};
use serde::Serialize;
use serde_json::json;

use super::{Exit, Failure};
use hone_base::{out, outln};
use hone_builds::{BuildRecord, Cache, Listed, short_id};
use hone_experiment::settings::TimeSpan;
use hone_report::counted;

/// List or prune the cache of engines built from commits.
///
/// The cache is in $HONE_CACHE, or else in `hone` in the user's cache folder.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct BuildsArgs {
    #[command(subcommand)]
    command: Option<BuildsCommand>,
    /// Print one JSON object on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum BuildsCommand {
    Prune(PruneArgs),
}

/// Remove builds and work trees that are no longer in use.
///
/// Builds that a run plays with stay.
/// A run that is resumed later rebuilds its engines.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct PruneArgs {
    /// Remove what was last used longer ago than this: 30d, 12h or 90m.
    #[arg(long, value_name = "AGE")]
    older_than: Option<TimeSpan>,
    /// Remove everything that is not in use.
    #[arg(long)]
    all: bool,
}

#[derive(Serialize)]
struct BuildLine {
    folder: String,
    seconds_unused: u64,
    bytes: u64,
    #[serde(flatten)]
    record: BuildRecord,
}

impl BuildsArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let cache = Cache::of_user()?;
        cache.check()?;
        match self.command {
            Some(BuildsCommand::Prune(prune)) => {
                let age = prune.older_than.map_or(Duration::ZERO, TimeSpan::duration);
                let freed = cache.prune(age)?;
                outln!(
                    "removed {} and {}: {}",
                    counted(freed.builds as u64, "build"),
                    counted(freed.trees as u64, "work tree"),
                    HumanBytes(freed.bytes)
                );
                if freed.in_use > 0 {
                    let verb = if freed.in_use == 1 { "is" } else { "are" };
                    let kept = counted(freed.in_use as u64, "build");
                    outln!("kept {kept} that {verb} in use");
                }
            }
            None => {
                let builds: Vec<BuildLine> = cache.list().into_iter().map(line).collect();
                if self.json {
                    outln!("{}", json!({ "cache": cache.path(), "builds": builds }));
                } else if builds.is_empty() {
                    outln!("no builds in {}", cache.path().display());
                } else {
                    out!("{}", table(&builds));
                }
            }
        }
        Ok(Exit::Done)
    }
}

fn line(build: Listed) -> BuildLine {
    let unused = SystemTime::now().duration_since(build.last_used);
    BuildLine {
        folder: build.dir.display().to_string(),
        seconds_unused: unused.unwrap_or_default().as_secs(),
        bytes: build.bytes,
        record: build.record,
    }
}

fn table(builds: &[BuildLine]) -> String {
    let mut text = format!(
        "{:<12} {:>12} {:>14} {:>10}  {:<40} built by\n",
        "commit", "bench", "last used", "size", "subject"
    );
    for build in builds {
        let record = &build.record;
        let mark = if record.tree.is_some() { "+" } else { "" };
        let subject: String = record.subject.chars().take(40).collect();
        text += &format!(
            "{:<12} {:>12} {:>14} {:>10}  {subject:<40} {}\n",
            format!("{}{mark}", short_id(&record.commit)),
            record
                .bench
                .map_or("-".to_string(), |nodes| nodes.to_string()),
            HumanDuration(Duration::from_secs(build.seconds_unused)).to_string(),
            HumanBytes(build.bytes).to_string(),
            record.build.as_deref().unwrap_or("-"),
        );
    }
    text
}
