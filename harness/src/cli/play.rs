//! `hone sprt` and `hone match`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::common::{announce, failure};
use super::ends::{EndArgs, repeating};
use super::gate::GateArgs;
use super::{Exit, Failure};
use crate::config::{self, Config};
use crate::experiment::Verdict;
use crate::kinds::{Conclusion, Match, RunKind, Session, Test};
use crate::report::{self, Report, SummaryNotes};
use crate::run::Ended;

/// Test whether the first engine is stronger than the second.
///
/// Plays pairs of games until the sequential probability ratio test (SPRT) of
/// [sprt] decides. Exit code 0: H1 accepted (stronger); 1: H0 accepted; 3:
/// undecided at the end of the budget; 4: an engine does not build, or fails
/// too often.
#[derive(Debug, Args)]
pub(super) struct SprtArgs {
    /// The configuration, in TOML; see configs/sprt.toml for one with
    /// comments. Optional with --dev and --base.
    #[arg(required_unless_present_all = ["dev", "base"])]
    config: Option<PathBuf>,
    #[command(flatten)]
    gate: GateArgs,
    #[command(flatten)]
    run: RunArgs,
}

/// Play a match, a gauntlet or a round robin.
#[derive(Debug, Args)]
pub(super) struct MatchArgs {
    /// The configuration, in TOML; see configs/sprt.toml for one with
    /// comments.
    config: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, Args)]
struct RunArgs {
    /// Override a value of the configuration, as in `match.limit=nodes=5000`
    /// or `engine.dev.options.Hash=32`.
    #[arg(long = "set", value_name = "KEY.PATH=VALUE")]
    set: Vec<String>,
    /// The run's folder; by default a new one under results/.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    ends: EndArgs,
}

impl SprtArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let file = self.config.as_deref();
        let config = self.gate.config(file, &self.run.set)?;
        self.run.start::<Test>(config, file)
    }
}

impl MatchArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let config = config::load(&self.config, &self.run.set)?;
        self.run.start::<Match>(config, Some(&self.config))
    }
}

impl RunArgs {
    fn start<K: RunKind>(&self, mut config: Config, file: Option<&Path>) -> Result<Exit, Failure> {
        if self.ends.max_time.is_some() {
            config.r#match.max_time = self.ends.max_time;
        }
        start::<K>(config, file, self.out.as_deref(), &self.ends)
    }
}

/// Checks a configuration, which may come from `file`, and plays its run.
pub(super) fn start<K: RunKind>(
    config: Config,
    file: Option<&Path>,
    out: Option<&Path>,
    ends: &EndArgs,
) -> Result<Exit, Failure> {
    let source = || file.map_or("--set".to_string(), |file| file.display().to_string());
    K::check(&config).with_context(source)?;
    let session = Session::<K>::create(config, out, &mut announce);
    match session.and_then(|session| session.limited(ends.max_time()).run(&mut announce)) {
        Ok(conclusion) => conclude(conclusion.boxed(), ends),
        Err(error) => {
            if !error.is_of_run() {
                let text = report::failed_summary(&error.to_string(), &repeating(&[]));
                ends.summarize(&text)?;
            }
            Err(failure(error))
        }
    }
}

/// Shows the results of a run and says how the process should exit.
pub(super) fn conclude(
    conclusion: Conclusion<Box<dyn Report>>,
    ends: &EndArgs,
) -> Result<Exit, Failure> {
    let Conclusion {
        ended,
        folder,
        manifest,
        report,
    } = conclusion;
    show(&*report, ends.json).map_err(Failure::failed)?;
    let resume = format!("hone resume {}", folder.path().display());
    let is_unfinished = matches!(ended, Ended::Interrupted | Ended::OutOfTime);
    let notes = SummaryNotes {
        repeat: &repeating(&manifest.engines),
        resume: is_unfinished.then_some(resume.as_str()),
    };
    ends.summarize(&report.summary(notes))
        .map_err(Failure::failed)?;
    Ok(match ended {
        Ended::Verdict(Verdict::H1 | Verdict::Complete) => Exit::Done,
        Ended::Verdict(Verdict::H0) => Exit::Rejected,
        Ended::Verdict(Verdict::Inconclusive | Verdict::Repeated) => Exit::Inconclusive,
        Ended::Interrupted | Ended::Waiting => {
            errln!("Interrupted. All finished games are saved. Resume with `{resume}`.");
            Exit::Interrupted
        }
        Ended::OutOfTime => {
            errln!("Time limit reached. Resume with `{resume} --max-time TIME`.");
            Exit::Inconclusive
        }
    })
}

/// Prints the results, as text or as one JSON object.
pub(super) fn show(report: &dyn Report, json: bool) -> anyhow::Result<()> {
    if json {
        outln!("{}", report.json()?);
    } else {
        out!("{}", report.text());
    }
    Ok(())
}
