//! `hone runs`: lists runs.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::{Exit, Failure};
use crate::experiment::Experiment;
use crate::kinds::experiment_of;
use crate::ledger::LedgerError;
use crate::report::RunFacts;
use crate::run::{Fold, Folder, Manifest, list_runs, open_pairs};

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
}

#[derive(Serialize)]
struct RunLine {
    run: String,
    kind: &'static str,
    verdict: &'static str,
    /// Whether it has come to its end.
    finished: bool,
    engines: Vec<String>,
    pairs: u64,
    elo: Option<f64>,
}

impl RunLine {
    fn read(
        folder: &Folder,
        manifest: &Manifest,
        experiment: Box<dyn Experiment>,
    ) -> Result<Self, LedgerError> {
        let pairs = open_pairs(folder, manifest)?;
        let fold = Fold::of(experiment, manifest.engines.len(), &pairs)?;
        let facts = RunFacts::new(folder.name(), manifest, &fold, &pairs)?;
        Ok(Self {
            run: facts.run,
            kind: facts.kind,
            verdict: facts.verdict,
            finished: fold.experiment.verdict().is_some(),
            engines: manifest.names(),
            pairs: facts.pairs,
            elo: facts.elo.map(|elo| elo.estimate),
        })
    }
}

impl RunsArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let mut runs = Vec::new();
        for (path, manifest) in list_runs(&self.folder) {
            let folder = Folder::open(&path);
            let experiment = experiment_of(&folder, &manifest)?;
            match RunLine::read(&folder, &manifest, experiment) {
                Ok(line) => runs.push(line),
                Err(error) => errln!("warning: cannot read {}: {error}", path.display()),
            }
        }
        if self.json {
            outln!("{}", serde_json::to_string(&Listing { runs })?);
        } else if runs.is_empty() {
            outln!("no runs in {}", self.folder.display());
        } else {
            out!("{}", table(&runs));
        }
        Ok(Exit::Done)
    }
}

fn table(runs: &[RunLine]) -> String {
    let mut text = format!(
        "{:<48} {:<6} {:<11} {:>8} {:>9}  engines\n",
        "run", "kind", "state", "pairs", "Elo"
    );
    for run in runs {
        let state = match (run.finished, run.verdict) {
            (false, _) => "unfinished",
            (true, "none") => "finished",
            (true, verdict) => verdict,
        };
        let elo = run.elo.map_or("-".to_string(), |elo| format!("{elo:+.1}"));
        text += &format!(
            "{:<48} {:<6} {state:<11} {:>8} {elo:>9}  {}\n",
            run.run,
            run.kind,
            run.pairs,
            run.engines.join(" - ")
        );
    }
    text
}
