//! `hone sprt` and `hone match`, and what `hone resume` and `hone report`
//! share with them.

use std::path::{Path, PathBuf};

use clap::Args;

use super::ends::{EndArgs, repeating};
use super::gate::GateArgs;
use super::{Exit, Failure, bisect, track, tune};
use crate::config::{self, Config, Tournament};
use crate::experiment::{Experiment, SprtExperiment, TournamentExperiment, Verdict};
use crate::report::html::{self, Page, Source};
use crate::report::{self, RunFacts, Scoreboard, SummaryNotes};
use crate::run::{
    Ended, Fold, Folder, Kind, Manifest, Session, SessionError, bisect_experiment, open_pairs,
};

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

/// Continue a run that was interrupted or stopped.
#[derive(Debug, Args)]
pub(super) struct ResumeArgs {
    /// The run's folder.
    run: PathBuf,
    #[command(flatten)]
    ends: EndArgs,
}

/// Print what a run came to, finished or not, or what all nights say.
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The run's folder, or that of `hone track`.
    run: PathBuf,
    /// Also write it as one page of HTML that needs nothing but itself:
    /// pictures, failures, and every game on a board.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print one JSON object on standard output.
    #[arg(long)]
    json: bool,
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

impl ResumeArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if Manifest::read(&self.run)?.kind == Kind::Bisect {
            return bisect::resume(&self.run, &self.ends);
        }
        let session = Session::resume(&self.run, &mut announce).map_err(failure)?;
        match session.manifest.kind {
            Kind::Tune => tune::resume(self.ends.limit(session), self.ends.json),
            Kind::Match | Kind::Sprt | Kind::Bisect => play(session, &self.ends),
        }
    }
}

impl ReportArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if track::is_folder_of_nights(&self.run) {
            return track::report(&self.run, self.html.as_deref(), self.json);
        }
        let folder = Folder::open(&self.run);
        let manifest = Manifest::read(folder.path())?;
        if manifest.kind == Kind::Tune {
            return tune::report(&folder, &manifest, self.html.as_deref(), self.json);
        }
        if manifest.kind == Kind::Bisect {
            return bisect::report(&folder, &manifest, self.html.as_deref(), self.json);
        }
        let pairs = open_pairs(&folder, &manifest)?;
        let experiment = experiment_of(&folder, &manifest)?;
        let fold = Fold::of(experiment, manifest.engines.len(), &pairs)?;
        let facts = RunFacts::new(folder.name(), &manifest, &fold, &pairs)?;
        if let Some(path) = &self.html {
            let source = Source {
                dir: folder.path(),
                manifest: &manifest,
                pairs: &pairs,
                inside: is_inside(path, folder.path()),
            };
            write_page(path, html::run_page(&facts, source)?)?;
        }
        print(&facts, self.json)?;
        Ok(Exit::Done)
    }
}

/// Whether a page at `path` lies in the run's folder, so that its links may
/// be relative.
pub(super) fn is_inside(path: &Path, folder: &Path) -> bool {
    let parent = match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => return false,
    };
    match (parent.canonicalize(), folder.canonicalize()) {
        (Ok(parent), Ok(folder)) => parent == folder,
        _ => false,
    }
}

/// Writes a page where the user asked for it.
pub(super) fn write_page(path: &Path, page: Page) -> anyhow::Result<()> {
    page.save(path)?;
    eprintln!("wrote {}", path.display());
    Ok(())
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

pub(super) fn announce(what: &str) {
    eprintln!("{what}");
}

/// The experiment a run's manifest describes.
pub(super) fn experiment_of(
    folder: &Folder,
    manifest: &Manifest,
) -> anyhow::Result<Box<dyn Experiment>> {
    let config = &manifest.config;
    let engines = config.engine.len();
    let pairs = config.r#match.pairs;
    Ok(match manifest.kind {
        Kind::Sprt => {
            let sprt = config.sprt.unwrap_or_default();
            Box::new(SprtExperiment::new(sprt.test(), sprt.max_pairs)?)
        }
        Kind::Tune => Box::new(tune::experiment(manifest)?),
        Kind::Bisect => Box::new(bisect_experiment(folder.path(), manifest)?),
        Kind::Match => {
            let play = &config.r#match;
            let tournament = match play.tournament {
                Tournament::RoundRobin => TournamentExperiment::round_robin(engines, pairs),
                Tournament::Gauntlet => TournamentExperiment::gauntlet(engines, pairs),
            };
            Box::new(tournament.stopping_when(play.stop))
        }
    })
}

fn play(session: Session, ends: &EndArgs) -> Result<Exit, Failure> {
    let session = ends.limit(session);
    let folder = session.folder.clone();
    let manifest = session.manifest.clone();
    eprintln!(
        "playing {} at a time; everything about this run is in {}",
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
            eprintln!("Interrupted. Nothing is lost: continue with `{resume}`");
            Exit::Interrupted
        }
        Ended::OutOfTime => {
            eprintln!("The time is spent: continue with `{resume} --max-time TIME`");
            Exit::Inconclusive
        }
    })
}

/// The result: for people on standard error, as JSON on standard output.
fn print(facts: &RunFacts, json: bool) -> Result<(), Failure> {
    eprint!("{}", report::results_block(facts));
    eprintln!("\n{}", report::verdict_sentence(facts));
    if json {
        println!("{}", serde_json::to_string(facts)?);
    }
    Ok(())
}

pub(super) fn failure(error: SessionError) -> Failure {
    if error.is_after_start() {
        Failure::failed(error)
    } else {
        error.into()
    }
}
