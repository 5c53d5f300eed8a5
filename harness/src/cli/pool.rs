//! `hone pool`: several runs as one.

use std::path::PathBuf;

use clap::Args;

use super::args::ends::ResultArgs;
use super::errors::exit::exit_of;
use super::results::outcome::{resuming, show};
use super::{Exit, Failure};
use hone_base::errln;
use hone_kinds as kinds;
use hone_report::{counted, write_files};
use hone_run::pool::{self, Plan, Pooled};
use hone_run::{Ended, RunFiles, find_run};

/// Judge the shards of a run, played on several machines, as one run.
///
/// The ledgers of the runs are joined in a new folder and judged in pair order,
/// up to the first pair that is missing. Configuration, engines, book and seed
/// must agree. With the same --out, later calls add the pairs that are new. Tests
/// in stages ([[stage]]) cannot be pooled.
#[derive(Debug, Args)]
pub(super) struct PoolArgs {
    /// The runs: their folders, or the beginnings of their names in results/.
    #[arg(required = true, value_name = "RUN", add = super::completions::run())]
    runs: Vec<PathBuf>,
    /// The folder of the pool; by default a new one under results/.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    results: ResultArgs,
}

impl PoolArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        self.results.check()?;
        let runs: Vec<PathBuf> = self
            .runs
            .iter()
            .map(|run| find_run(run))
            .collect::<anyhow::Result<_>>()?;
        let Pooled {
            folder,
            runs,
            added,
        } = Plan::new(&runs, self.out.as_deref())?
            .write()
            .map_err(Failure::failed)?;
        let dir = folder.path();
        let runs = counted(runs as u64, "run");
        let pairs = counted(added, "new pair");
        errln!("pooled {runs} in {}: {pairs}", dir.display());
        self.judge(RunFiles::open(dir).map_err(Failure::failed)?)
    }

    /// Prints the results of the pool and its missing pairs.
    fn judge(&self, files: RunFiles) -> Result<Exit, Failure> {
        let judged = || {
            let fold = kinds::fold_of(&files)?;
            let missing = pool::missing(&files.manifest, &fold);
            anyhow::Ok((fold.verdict(), missing))
        };
        let (verdict, missing) = judged().map_err(Failure::failed)?;
        let kind = files.manifest.kind;
        let dir = files.folder.path().to_path_buf();
        let report = kinds::report(files).map_err(Failure::failed)?;
        write_files(&*report, &dir).map_err(Failure::failed)?;
        show(&*report, self.results.json).map_err(Failure::failed)?;
        let resume = resuming(&dir);
        let to_resume = verdict.is_none().then_some(resume.as_str());
        self.results
            .summarize(&report.summary(to_resume))
            .map_err(Failure::failed)?;
        if let Some(verdict) = verdict {
            return Ok(exit_of(Ended::Verdict(verdict), kind));
        }
        for part in missing {
            errln!("{}", part.text);
        }
        errln!(
            "No verdict yet. Resume the runs and pool again, or play the missing pairs on this machine with `{resume}`."
        );
        Ok(Exit::Inconclusive)
    }
}
