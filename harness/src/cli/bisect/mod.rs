//! `hone bisect`: which commit changed an engine's strength.

mod simulate;

use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::Args;

use super::common::{announce, failure, is_inside, write_page};
use super::ends::EndArgs;
use super::{Exit, Failure};
use crate::config::{self, Config};
use crate::experiment::{Experiment, Verdict};
use crate::kinds::bisect::{Bisection, Outcome, Suspects, experiment_of, html, write_files};
use crate::report::html::Source;
use crate::run::{Ended, Fold, Folder, Manifest, open_pairs};

/// Find the commit that lost (or gained) Elo.
///
/// Plays matches between commits of the first-parent history from --good to
/// --bad, always those two from which most is to be learned, until one commit
/// is the culprit with the asked probability. Commits that do not build are
/// passed over. Exit code 0: named; 3: budget used up, or nothing changed.
#[derive(Debug, Args)]
pub(super) struct BisectArgs {
    /// The configuration, in TOML: one [[engine]] with `git`, how it is built,
    /// and how games are played.
    #[arg(default_value = "configs/bisect.toml")]
    config: PathBuf,
    /// A commit, tag or branch before the change.
    #[arg(long, value_name = "REV")]
    good: Option<String>,
    /// A commit, tag or branch after the change.
    #[arg(long, value_name = "REV")]
    bad: Option<String>,
    /// Look for a gain: the bad commit is the stronger one.
    #[arg(long)]
    gained: bool,
    /// Override a value of the configuration, as in
    /// `bisect.probability=0.99` or `match.limit=nodes=5000`.
    #[arg(long = "set", value_name = "KEY.PATH=VALUE")]
    set: Vec<String>,
    /// The run's folder; by default a new one under results/.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    ends: EndArgs,
    /// Play nothing: bisect N planted histories for each size of the loss, and
    /// compare with plain bisection by sequential tests.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    #[arg(conflicts_with_all = ["good", "bad", "gained", "out"])]
    simulate: Option<u64>,
}

impl BisectArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if let Some(histories) = self.simulate {
            return simulate::run(histories, self.ends.json);
        }
        let config = self.configuration()?;
        let run = Bisection::create(config, self.out.as_deref(), &mut announce).map_err(failure)?;
        play(run, &self.ends)
    }

    fn configuration(&self) -> anyhow::Result<Config> {
        let path = self.config.display();
        let mut config = config::load(&self.config, &self.set)?;
        ensure!(
            config.engine.len() == 1 && config.engine[0].git.is_some(),
            "{path}: one [[engine]] with `git` is bisected; {} are configured",
            config.engine.len()
        );
        let section = config.bisect.get_or_insert_default();
        section.gained |= self.gained;
        for (end, given, name) in [
            (&mut section.good, &self.good, "good"),
            (&mut section.bad, &self.bad, "bad"),
        ] {
            if let Some(given) = given {
                end.clone_from(given);
            }
            ensure!(
                !end.is_empty(),
                "which commit is the {name} one? Give --{name} REV"
            );
        }
        Ok(config)
    }
}

/// Continues a run.
pub(super) fn resume(path: &Path, ends: &EndArgs) -> Result<Exit, Failure> {
    play(Bisection::resume(path).map_err(failure)?, ends)
}

/// Says what a run came to so far.
pub(super) fn report(
    folder: &Folder,
    manifest: &Manifest,
    page: Option<&Path>,
    json: bool,
) -> Result<Exit, Failure> {
    let pairs = open_pairs(folder, manifest)?;
    let experiment = experiment_of(folder.path(), manifest)?;
    let fold = Fold::of(experiment, manifest.engines.len(), &pairs)?;
    let outcome = Outcome::of(&folder.name(), manifest, &fold, &pairs)?;
    if let Some(path) = page {
        let source = Source {
            dir: folder.path(),
            manifest,
            pairs: &pairs,
            inside: is_inside(path, folder.path()),
        };
        write_page(path, html(&outcome, source)?)?;
    }
    print(&outcome, json)?;
    Ok(Exit::Done)
}

fn play(mut run: Bisection, ends: &EndArgs) -> Result<Exit, Failure> {
    if let Some(time) = ends.max_time {
        run.max_time = Some(time.duration());
    }
    let folder = run.folder.clone();
    let manifest = run.manifest.clone();
    errln!(
        "bisecting {} commits, playing {} pairs at a time in {}",
        manifest.engines.len() - 1,
        manifest.concurrency,
        folder.path().display()
    );
    let mut view = Suspects::new(&manifest);
    let played = run.play(&mut view, &mut announce);
    view.finish();
    let (ended, fold) = played.map_err(Failure::failed)?;
    let pairs = open_pairs(&folder, &manifest).map_err(Failure::failed)?;
    let outcome = Outcome::of(&folder.name(), &manifest, &fold, &pairs).map_err(Failure::failed)?;
    let source = Source {
        dir: folder.path(),
        manifest: &manifest,
        pairs: &pairs,
        inside: true,
    };
    write_files(&outcome, source).map_err(Failure::failed)?;
    print(&outcome, ends.json)?;
    ends.summarize(&outcome.markdown())
        .map_err(Failure::failed)?;
    let resume = format!("hone resume {}", folder.path().display());
    Ok(match ended {
        Ended::Verdict(_) if fold.experiment.verdict() == Some(Verdict::Complete) => Exit::Done,
        Ended::Verdict(_) => Exit::Inconclusive,
        Ended::OutOfTime => {
            errln!("Time limit reached. Resume with `{resume} --max-time TIME`.");
            Exit::Inconclusive
        }
        Ended::Interrupted | Ended::Waiting => {
            errln!("Interrupted. All finished games are saved. Resume with `{resume}`.");
            Exit::Interrupted
        }
    })
}

/// Prints the result.
fn print(outcome: &Outcome, json: bool) -> Result<(), Failure> {
    if json {
        outln!("{}", serde_json::to_string(outcome)?);
    } else {
        out!("{}\n{}\n", outcome.table(), outcome.sentence());
    }
    Ok(())
}
