//! `hone sprt` and `hone match`.

use std::path::PathBuf;

use clap::Args;

use super::common::{announce, failure};
use super::ends::{EndArgs, repeating};
use super::gate::GateArgs;
use super::{Exit, Failure};
use crate::config::{self, Config};
use crate::experiment::Verdict;
use crate::kinds::experiment_of;
use crate::report::{self, RunFacts, Scoreboard, SummaryNotes};
use crate::run::{Ended, Kind, Session, open_pairs};

/// Test whether the first engine is stronger than the second.
///
/// Plays pairs of games until the sequential probability ratio test of [sprt]
/// decides. Exit code 0: H1 accepted (stronger); 1: H0 accepted; 3: budget
/// used up without a decision; 4: an engine does not build, or failed.
#[derive(Debug, Args)]
pub(super) struct SprtArgs {
    /// The configuration, in TOML; see configs/sprt.toml for one with
    /// comments. With --dev and --base there need not be any.
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
        let config = self.gate.config(self.config.as_deref(), &self.run.set)?;
        start(config, Kind::Sprt, &self.run)
    }
}

impl MatchArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let config = config::load(&self.config, &self.run.set)?;
        let engines = config.engine.len();
        if config.r#match.stop.is_some() && engines > 2 {
            return Err(anyhow::anyhow!(
                "{}: `stop` is for matches of two engines, and {engines} are configured",
                self.config.display()
            )
            .into());
        }
        start(config, Kind::Match, &self.run)
    }
}

fn start(config: Config, kind: Kind, args: &RunArgs) -> Result<Exit, Failure> {
    let mut config = config;
    if args.ends.max_time.is_some() {
        config.r#match.max_time = args.ends.max_time;
    }
    match Session::create(config, kind, args.out.as_deref(), &mut announce) {
        Ok(session) => play(session, &args.ends),
        Err(error) => {
            let text = report::failed_summary(&error.to_string(), &repeating(&[]));
            args.ends.summarize(&text)?;
            Err(failure(error))
        }
    }
}

pub(super) fn play(session: Session, ends: &EndArgs) -> Result<Exit, Failure> {
    let session = ends.limit(session);
    let folder = session.folder.clone();
    let manifest = session.manifest.clone();
    errln!(
        "playing {} pairs at a time in {}",
        manifest.concurrency,
        folder.path().display()
    );
    let experiment = experiment_of(&folder, &manifest)?;
    let mut scoreboard = Scoreboard::new(manifest.names());
    let played = session.play(experiment, &mut scoreboard);
    scoreboard.finish();
    let (ended, fold) = played.map_err(failure)?;
    let pairs = open_pairs(&folder, &manifest).map_err(Failure::failed)?;
    let facts = RunFacts::new(folder.name(), &manifest, &fold, &pairs).map_err(Failure::failed)?;
    report::write_files(&folder, &facts, &manifest, &pairs).map_err(Failure::failed)?;
    print(&facts, ends.json)?;
    let resume = format!("hone resume {}", folder.path().display());
    let goes_on = matches!(ended, Ended::Interrupted | Ended::OutOfTime);
    let notes = SummaryNotes {
        repeat: &repeating(&facts.engines),
        resume: goes_on.then_some(resume.as_str()),
    };
    ends.summarize(&report::summary(&facts, notes))
        .map_err(Failure::failed)?;
    Ok(match ended {
        Ended::Verdict(Verdict::H1 | Verdict::Complete) => Exit::Done,
        Ended::Verdict(Verdict::H0) => Exit::Rejected,
        Ended::Verdict(Verdict::Inconclusive) => Exit::Inconclusive,
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

/// Prints the result.
pub(super) fn print(facts: &RunFacts, json: bool) -> Result<(), Failure> {
    if json {
        outln!("{}", serde_json::to_string(facts)?);
    } else {
        out!("{}", report::results_block(facts));
        outln!("\n{}", report::verdict_sentence(facts));
    }
    Ok(())
}
