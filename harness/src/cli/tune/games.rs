//! `hone tune` with real games.

use std::path::Path;

use anyhow::Context;
use serde_json::Value;

use super::{budget, dry_run};
use crate::cli::common::{announce, failure, is_inside, write_page};
use crate::cli::{Exit, Failure};
use crate::config::Config;
use crate::experiment::tune::Space;
use crate::experiment::tune::resolve::resolve;
use crate::experiment::tune::section::{ParamSection, VerifySection};
use crate::experiment::{SprtExperiment, Verdict};
use crate::kinds::tune::{Outcome, Paths, experiment, full, html, section, verifying, write_files};
use crate::report::html::Source;
use crate::report::{self, RunFacts, Scoreboard};
use crate::run::{Contenders, Ended, Fold, Folder, Kind, MANIFEST, Manifest, Session, open_pairs};

/// The folder of the verifying test, in the run's.
const VERIFY: &str = "verify";

/// Starts a run.
pub(super) fn run(
    mut config: Config,
    path: &Path,
    out: Option<&Path>,
    is_dry: bool,
    json: bool,
) -> Result<Exit, Failure> {
    let space = prepare(&mut config, path)?;
    let mut section = config.tune.clone().unwrap_or_default();
    if let (None, Some(time)) = (section.pairs, section.max_time) {
        section.pairs = budget::measured(&config, time)?;
        if section.pairs.is_none() {
            return Ok(Exit::Interrupted);
        }
    }
    // The manifest leaves nothing to defaults.
    section.pairs = Some(section.pairs());
    config.tune = Some(section.clone());
    if is_dry {
        out!("{}", dry_run::describe(&section, &space));
        return Ok(Exit::Done);
    }
    let session = Session::create(config, Kind::Tune, out, &mut announce).map_err(failure)?;
    err!("{}", dry_run::describe(&section, &space));
    play(session, json)
}

/// Continues a run.
pub(in crate::cli) fn resume(session: Session, json: bool) -> Result<Exit, Failure> {
    play(session, json)
}

/// Says what a run came to so far.
pub(in crate::cli) fn report(
    folder: &Folder,
    manifest: &Manifest,
    page: Option<&Path>,
    json: bool,
) -> Result<Exit, Failure> {
    let pairs = open_pairs(folder, manifest)?;
    let mut fold = Fold::of(experiment(manifest)?, manifest.engines.len(), &pairs)?;
    let section = section(manifest);
    fold.experiment.conclude();
    let outcome = Outcome::of(&fold.experiment, &section);
    if !json {
        out!("{}", outcome.text());
    }
    let source = Source {
        dir: folder.path(),
        manifest,
        pairs: &pairs,
        inside: true,
    };
    write_files(folder, &fold.experiment, &outcome, source).map_err(Failure::failed)?;
    if let Some(path) = page {
        let source = Source {
            inside: is_inside(path, folder.path()),
            ..source
        };
        write_page(path, html(&fold.experiment, &outcome, source)?)?;
    }
    if json {
        let verify = folder.path().join(VERIFY);
        let verify = if verify.join(MANIFEST).exists() {
            verified(&Folder::open(&verify), json)?
        } else {
            Value::Null
        };
        outln!(
            "{}",
            serde_json::to_string(&full(folder, outcome.json(), verify))?
        );
    }
    Ok(Exit::Done)
}

/// Makes the configuration complete: the engine twice, every parameter with
/// all it needs, so that the manifest alone says what is played.
fn prepare(config: &mut Config, path: &Path) -> Result<Space, Failure> {
    if config.engine.len() != 1 {
        return Err(anyhow::anyhow!(
            "{}: one engine is tuned, in one [[engine]] table; {} are configured",
            path.display(),
            config.engine.len()
        )
        .into());
    }
    let base = std::env::current_dir().context("the working directory is gone")?;
    let contenders =
        Contenders::prepare(config, &base, &mut announce).map_err(|error| failure(error.into()))?;
    let section = config.tune.get_or_insert_default();
    let space = resolve(section, &contenders.options[0], &config.engine[0].options.0)?;
    for param in space.params() {
        check_known(&contenders.options[0], &param.name)?;
    }
    section.params = space
        .params()
        .iter()
        .map(|param| (param.name.clone(), ParamSection::of(param)))
        .collect();
    section.import = None;
    section.group = vec![];
    section.exclude = vec![];
    let mut minus = config.engine[0].clone();
    minus.name = format!("{} minus", minus.name);
    config.engine[0].name += " plus";
    config.engine.push(minus);
    // The order of a run is that of its manifest, which sorts by name.
    Ok(resolve(section, &[], &[])?)
}

fn check_known(options: &[crate::engine::uci::EngineOption], name: &str) -> anyhow::Result<()> {
    let is_known = options
        .iter()
        .any(|option| option.name.eq_ignore_ascii_case(name));
    anyhow::ensure!(
        is_known,
        "the engine has no option `{name}`: it cannot be tuned"
    );
    Ok(())
}

fn play(session: Session, json: bool) -> Result<Exit, Failure> {
    let folder = session.folder.clone();
    let manifest = session.manifest.clone();
    let section = section(&manifest);
    if manifest.concurrency as u64 > section.window {
        errln!(
            "warning: only {} of {} pairs play at a time: `window` in [tune] limits them",
            section.window,
            manifest.concurrency
        );
    }
    errln!(
        "playing {} pairs at a time in {}",
        manifest.concurrency,
        folder.path().display()
    );
    let mut view = Paths::new();
    let played = session.play(experiment(&manifest)?, &mut view);
    view.finish();
    let (ended, mut fold) = played.map_err(failure)?;
    let resume = format!("hone resume {}", folder.path().display());
    if ended == Ended::Interrupted {
        errln!("Interrupted. All finished games are saved. Resume with `{resume}`.");
        return Ok(Exit::Interrupted);
    }
    fold.experiment.conclude();
    let outcome = Outcome::of(&fold.experiment, &section);
    if !json {
        out!("{}", outcome.text());
    }
    let pairs = open_pairs(&folder, &manifest).map_err(Failure::failed)?;
    let source = Source {
        dir: folder.path(),
        manifest: &manifest,
        pairs: &pairs,
        inside: true,
    };
    write_files(&folder, &fold.experiment, &outcome, source).map_err(Failure::failed)?;
    if ended == Ended::OutOfTime {
        errln!(
            "Time limit reached after {} of {} pairs: these values are not final. Resume with `{resume}`.",
            fold.absorbed(),
            section.pairs()
        );
        if json {
            let object = full(&folder, outcome.json(), Value::Null);
            outln!("{}", serde_json::to_string(&object)?);
        }
        return Ok(Exit::Inconclusive);
    }
    let (exit, verify) = match &section.verify {
        Some(test) => verify(&folder, &manifest, test, &outcome, json)?,
        None => {
            errln!(
                "The tuned values are not tested. Run again with --verify to test them against the start."
            );
            (Exit::Done, Value::Null)
        }
    };
    if json {
        outln!(
            "{}",
            serde_json::to_string(&full(&folder, outcome.json(), verify))?
        );
    }
    Ok(exit)
}

/// Plays the sequential test of the tuned values against the start, or goes on
/// with it.
fn verify(
    folder: &Folder,
    manifest: &Manifest,
    test: &VerifySection,
    outcome: &Outcome,
    json: bool,
) -> Result<(Exit, Value), Failure> {
    let path = folder.path().join(VERIFY);
    let session = if path.join(MANIFEST).exists() {
        Session::resume(&path, &mut announce)
    } else {
        let config = verifying(manifest, test, outcome);
        Session::create(config, Kind::Sprt, Some(&path), &mut announce)
    };
    let session = session.map_err(|error| Failure::failed(anyhow::Error::new(error)))?;
    let manifest = session.manifest.clone();
    let sprt = manifest.config.sprt.unwrap_or_default();
    errln!(
        "\nTesting the tuned values against the start: Elo {} against {}",
        sprt.elo0,
        sprt.elo1
    );
    let test = SprtExperiment::new(sprt.test(), sprt.max_pairs)?;
    let mut scoreboard = Scoreboard::new(manifest.names());
    let folder = session.folder.clone();
    let played = session.play(test, &mut scoreboard);
    scoreboard.finish();
    let (ended, _) = played.map_err(failure)?;
    let value = verified(&folder, json)?;
    Ok(match ended {
        Ended::Verdict(Verdict::H1) => (Exit::Done, value),
        Ended::Verdict(Verdict::H0) => {
            errln!("Keep the old values: the tuned ones are not stronger.");
            (Exit::Rejected, value)
        }
        Ended::Verdict(_) | Ended::OutOfTime => (Exit::Inconclusive, value),
        Ended::Interrupted | Ended::Waiting => (Exit::Interrupted, value),
    })
}

/// The facts of the verifying test, also written into its folder.
fn verified(folder: &Folder, json: bool) -> Result<Value, Failure> {
    let manifest = Manifest::read(folder.path())?;
    let pairs = open_pairs(folder, &manifest)?;
    let sprt = manifest.config.sprt.unwrap_or_default();
    let test = SprtExperiment::new(sprt.test(), sprt.max_pairs)?;
    let fold = Fold::of(test, manifest.engines.len(), &pairs)?;
    let facts = RunFacts::new(folder.name(), &manifest, &fold, &pairs)?;
    report::write_files(folder, &facts, &manifest, &pairs).map_err(Failure::failed)?;
    if !json {
        out!("{}", report::results_block(&facts));
        outln!("\n{}", report::verdict_sentence(&facts));
    }
    Ok(serde_json::to_value(&facts)?)
}
