//! `hone runs`: the runs in a folder.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::{Exit, Failure};
use crate::experiment::Verdict;
use crate::kinds;
use crate::report::{TestVerdict, first_engine};
use crate::run::{Folder, Kind, Manifest, RunFiles, list_runs};
use crate::stats::Summary;

/// List the runs in a folder, oldest first.
#[derive(Debug, Args)]
pub(super) struct RunsArgs {
    /// The folder of runs.
    #[arg(default_value = "results")]
    folder: PathBuf,
    /// Print one JSON object on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listing {
    runs: Vec<RunLine>,
    /// Folders of runs that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    damaged: Vec<Damaged>,
}

#[derive(Serialize)]
struct RunLine {
    run: String,
    kind: Kind,
    verdict: TestVerdict,
    /// Whether it has come to its end.
    finished: bool,
    /// Whether it ended because its games repeat.
    #[serde(rename = "repeated_games", skip_serializing_if = "std::ops::Not::not")]
    is_repeated: bool,
    engines: Vec<String>,
    pairs: u64,
    elo: Option<f64>,
}

#[derive(Serialize)]
struct Damaged {
    run: String,
    reason: String,
}

impl RunLine {
    fn read(folder: Folder, manifest: Manifest) -> anyhow::Result<Self> {
        let files = RunFiles::of(folder, manifest)?;
        let fold = kinds::fold_of(&files)?;
        let verdict = fold.verdict();
        let elo = Summary::new(first_engine(&fold.tally).pentanomial).elo;
        Ok(Self {
            run: files.folder.name(),
            kind: files.manifest.kind,
            verdict: verdict.into(),
            finished: verdict.is_some(),
            is_repeated: verdict == Some(Verdict::Repeated),
            engines: files.manifest.names(),
            pairs: fold.tally.pairs,
            elo: elo.map(|elo| elo.estimate),
        })
    }
}

impl Listing {
    fn read(results: &Path) -> Self {
        let mut listing = Self {
            runs: Vec::new(),
            damaged: Vec::new(),
        };
        for (path, manifest) in list_runs(results) {
            let folder = Folder::open(&path);
            let run = folder.name();
            match manifest.and_then(|manifest| RunLine::read(folder, manifest)) {
                Ok(line) => listing.runs.push(line),
                Err(error) => listing.damaged.push(Damaged {
                    run,
                    reason: super::errors::message(&error),
                }),
            }
        }
        listing
    }
}

impl RunsArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let listing = Listing::read(&self.folder);
        if self.json {
            outln!("{}", serde_json::to_string(&listing)?);
        } else if listing.runs.is_empty() && listing.damaged.is_empty() {
            outln!("no runs in {}", self.folder.display());
        } else {
            out!("{}", table(&listing));
        }
        Ok(Exit::Done)
    }
}

fn table(listing: &Listing) -> String {
    let mut text = format!(
        "{:<48} {:<6} {:<11} {:>8} {:>9}  engines\n",
        "run", "kind", "state", "pairs", "Elo"
    );
    for run in &listing.runs {
        let state = match (run.finished, run.verdict) {
            (false, _) => "unfinished".to_string(),
            (true, TestVerdict::None) if run.is_repeated => "undecided".to_string(),
            (true, TestVerdict::None) => "finished".to_string(),
            (true, verdict) => verdict.to_string(),
        };
        let elo = run.elo.map_or("-".to_string(), |elo| format!("{elo:+.1}"));
        text += &format!(
            "{:<48} {:<6} {state:<11} {:>8} {elo:>9}  {}\n",
            run.run,
            run.kind.name(),
            run.pairs,
            run.engines.join(" - ")
        );
    }
    for Damaged { run, reason } in &listing.damaged {
        text += &format!("{run:<48} damaged: {reason}\n");
    }
    text
}
