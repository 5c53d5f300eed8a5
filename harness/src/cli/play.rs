//! `hone sprt` and `hone match`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, ensure};
use clap::Args;

use super::common::{announce, failure};
use super::conditions::ConditionArgs;
use super::ends::{EndArgs, ResultArgs, repeating};
use super::gate::GateArgs;
use super::key_place::located;
use super::place::PlaceArgs;
use super::{Exit, Failure};
use crate::builds::Spec;
use crate::config::{Config, Draft};
use crate::experiment::Verdict;
use crate::kinds::{self, Conclusion, Match, Place, RunKind, Session, Test};
use crate::output::{numbered, with_causes};
use crate::platform::quoted;
use crate::report::{self, Report, SummaryNotes};
use crate::run::{Ended, Kind, RunFiles, SessionError};
use crate::settings::Shard;

/// Test whether the first engine is stronger than the second.
///
/// Plays pairs of games until the sequential probability ratio test (SPRT) of
/// [sprt] decides. Exit code 0: H1 accepted; 1: H0 accepted; 3: undecided at
/// the end of the budget, the time or a shard, or because games only repeat; 4:
/// an engine does not build, or fails too often.
#[derive(Debug, Args)]
pub(super) struct SprtArgs {
    /// The configuration, in TOML; see configs/sprt.toml for one with
    /// comments. Optional with --dev and --base.
    config: Option<PathBuf>,
    #[command(flatten)]
    gate: GateArgs,
    #[command(flatten)]
    run: RunArgs,
}

/// Play a match, a gauntlet or a round robin.
///
/// Give a configuration, or two or more engines: FILE, git:REV,
/// git:REPOSITORY@REV or worktree: (the uncommitted changes). Each engine plays
/// each other one; with `--set match.tournament=gauntlet` only the first plays
/// all others.
#[derive(Debug, Args)]
pub(super) struct MatchArgs {
    /// The configuration, in TOML (configs/sprt.toml is one with comments), or
    /// two or more engines.
    #[arg(required = true, value_name = "CONFIG.toml | ENGINE")]
    operands: Vec<String>,
    /// Pairs of each pairing.
    #[arg(long, visible_alias = "rounds", value_name = "N")]
    pairs: Option<std::num::NonZeroU32>,
    #[command(flatten)]
    conditions: ConditionArgs,
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
    /// Play only shard K of N: pairs K, K + N, K + 2N, … of the same schedule.
    /// It ends when its pairs are played; `hone pool` judges all shards
    /// together.
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    ends: EndArgs,
}

impl SprtArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let file = self.config.as_deref();
        let mut draft = self.gate.draft(file)?;
        self.run.apply(&mut draft);
        let mut config = self.gate.finish(draft, &self.run.set)?;
        self.gate.check_stages(&config)?;
        config.enter_first_stage();
        self.run.start::<Test>(config, file)
    }
}

impl MatchArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let (mut draft, file) = match &self.operands[..] {
            [file] => {
                let file = Path::new(file);
                (self.configured(file)?, Some(file))
            }
            engines => (named(engines)?, None),
        };
        let pairs = self.pairs.map(|pairs| i64::from(pairs.get()));
        draft.flag("--pairs", pairs, &["match", "pairs"]);
        self.run.apply(&mut draft);
        self.conditions.apply(&mut draft, &self.run.set)?;
        self.run.start::<Match>(draft.finish()?, file)
    }

    fn configured(&self, file: &Path) -> anyhow::Result<Draft> {
        let draft = Draft::read(Some(file));
        if file
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            return Ok(draft?);
        }
        draft.map_err(|error| {
            anyhow!("one operand is a configuration: {error}\nhelp: give two or more engines, as in `hone match ./new ./old`")
        })
    }
}

/// A draft with the engines of a command line.
fn named(operands: &[String]) -> anyhow::Result<Draft> {
    let mut draft = Draft::read(None)?;
    let mut taken = HashSet::new();
    for (index, operand) in operands.iter().enumerate() {
        ensure!(
            !operand.ends_with(".toml"),
            "`{operand}` is a configuration: give it alone, or engines alone"
        );
        let spec: Spec = operand.parse()?;
        let name = numbered(&spec.short_name(), |name| taken.insert(name.clone()));
        draft.take_engine(index, &name, &spec, operand);
    }
    Ok(draft)
}

impl RunArgs {
    /// Lays them over a draft, except `--set`.
    fn apply(&self, draft: &mut Draft) {
        self.ends.apply(draft);
        let shard = self.shard.map(|shard| shard.to_string());
        draft.flag("--shard", shard, &["match", "shard"]);
    }

    fn start<K: RunKind>(&self, config: Config, file: Option<&Path>) -> Result<Exit, Failure> {
        start::<K>(
            config,
            file,
            self.out.as_deref(),
            self.place.place()?,
            &self.ends,
        )
    }
}

/// Checks a configuration, which may come from `file`, and plays its run.
pub(super) fn start<K: RunKind>(
    config: Config,
    file: Option<&Path>,
    out: Option<&Path>,
    place: Place,
    ends: &EndArgs,
) -> Result<Exit, Failure> {
    let source = || {
        file.map_or("the command line".to_string(), |file| {
            file.display().to_string()
        })
    };
    K::check(&config).with_context(source)?;
    ends.results.check()?;
    let mut folder = None;
    let session = Session::<K>::create(config.clone(), out, &mut announce);
    let played = session.and_then(|session| {
        folder = Some(session.folder.path().to_path_buf());
        let session = session.limited(ends.max_time()).at(place);
        session.run(&mut announce)
    });
    match (played, folder) {
        (Ok(conclusion), _) => conclude(conclusion.boxed(), &ends.results),
        (Err(error), Some(folder)) if error.is_of_run() => {
            Err(stopped(error, &folder, &ends.results))
        }
        (Err(error), _) => {
            if !error.is_of_run() {
                let text = report::failed_summary(&error.to_string(), &repeating(None));
                ends.results.summarize(&text)?;
            }
            Err(located(error, &config, file))
        }
    }
}

/// Shows the results so far of a run that this error has stopped, and returns
/// the error as that of the process: what fails here must not hide it.
pub(super) fn stopped(error: SessionError, folder: &Path, results: &ResultArgs) -> Failure {
    let is_resumable = matches!(error, SessionError::Stopped { .. });
    let is_of_run = error.is_of_run();
    let failure = failure(error);
    if is_of_run && let Err(other) = show_stopped(&failure, is_resumable, folder, results) {
        errln!(
            "warning: the results so far are not shown: {}",
            with_causes(&other)
        );
    }
    failure
}

/// Shows the results of a stopped run, if it has any.
fn show_stopped(
    failure: &Failure,
    is_resumable: bool,
    folder: &Path,
    results: &ResultArgs,
) -> anyhow::Result<()> {
    let files = RunFiles::open(folder)?;
    if !files.has_pairs()? {
        return Ok(());
    }
    let manifest = files.manifest.clone();
    let report = kinds::of(files.manifest.kind).report(files)?;
    show(&*report, results.json)?;
    let page = folder.join(report.page_name());
    // The disk may be full.
    if page.is_file() {
        errln!("Report with every game: {}", page.display());
    }
    let resume = format!("hone resume {}", quoted(folder));
    let so_far = report.summary(SummaryNotes {
        repeat: &repeating(Some(&manifest)),
        resume: is_resumable.then_some(resume.as_str()),
    });
    results.summarize(&report::stopped_summary(
        &with_causes(&failure.error),
        &so_far,
    ))
}

/// Shows the results of a run and says how the process should exit.
pub(super) fn conclude(
    conclusion: Conclusion<Box<dyn Report>>,
    results: &ResultArgs,
) -> Result<Exit, Failure> {
    let Conclusion {
        ended,
        folder,
        manifest,
        report,
    } = conclusion;
    show(&*report, results.json).map_err(Failure::failed)?;
    let page = folder.path().join(report.page_name());
    errln!("Report with every game: {}", page.display());
    let resume = format!("hone resume {}", quoted(folder.path()));
    let is_unfinished = matches!(ended, Ended::Interrupted | Ended::OutOfTime);
    let notes = SummaryNotes {
        repeat: &repeating(Some(&manifest)),
        resume: is_unfinished.then_some(resume.as_str()),
    };
    results
        .summarize(&report.summary(notes))
        .map_err(Failure::failed)?;
    Ok(match ended {
        Ended::Verdict(verdict) => exit_of(verdict, manifest.kind),
        Ended::Interrupted | Ended::Waiting => {
            errln!("Interrupted. All finished pairs are saved. Resume with `{resume}`.");
            Exit::Interrupted
        }
        Ended::OutOfTime => {
            errln!("Time limit reached. Resume with `{resume} --max-time TIME`.");
            Exit::Inconclusive
        }
    })
}

/// How a process should exit whose run has come to its end.
pub(super) fn exit_of(verdict: Verdict, kind: Kind) -> Exit {
    match verdict {
        Verdict::H1 | Verdict::Complete => Exit::Done,
        Verdict::H0 => Exit::Rejected,
        Verdict::Inconclusive | Verdict::Repeated => Exit::Inconclusive,
        // A part of a test has no verdict.
        Verdict::ShardPlayed => match kind {
            Kind::Match => Exit::Done,
            _ => Exit::Inconclusive,
        },
    }
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
