//! `hone tune`: what a run of it came to, and how that is shown.

mod live;
mod outcome;
mod page;
mod pictures;

pub(crate) use live::Paths;
pub(crate) use outcome::Outcome;
pub(crate) use page::html;

use std::fs;

use anyhow::Context;
use serde_json::{Map, Value, json};

use crate::config::Config;
use crate::experiment::tune::resolve::resolve;
use crate::experiment::tune::section::VerifySection;
use crate::experiment::tune::{TuneExperiment, TuneSection};
use crate::report::html::Source;
use crate::report::{REPORT_HTML, REPORT_JSON};
use crate::run::{Folder, Kind, Manifest};

/// The values to copy, in the run's folder.
const VALUES: &str = "values.txt";

/// The experiment of a run, from its manifest.
pub(crate) fn experiment(manifest: &Manifest) -> anyhow::Result<TuneExperiment> {
    let section = section(manifest);
    let space = resolve(&section, &[], &[]).context("the manifest's parameters")?;
    Ok(TuneExperiment::new(
        &section,
        space,
        manifest.config.r#match.seed,
    ))
}

/// What is tuned.
pub(crate) fn section(manifest: &Manifest) -> TuneSection {
    manifest.config.tune.clone().unwrap_or_default()
}

/// Writes the report files of a tuning into its folder.
pub(crate) fn write_files(
    folder: &Folder,
    experiment: &TuneExperiment,
    outcome: &Outcome,
    source: Source<'_>,
) -> anyhow::Result<()> {
    let json = serde_json::to_string_pretty(&full(folder, outcome.json(), Value::Null))?;
    let files = [
        (REPORT_JSON, Some(json + "\n")),
        (VALUES, Some(outcome.exports())),
        ("paths.svg", pictures::file(&pictures::paths(experiment))?),
        (
            "responses.svg",
            pictures::file(&pictures::responses(outcome))?,
        ),
    ];
    for (name, text) in files {
        let Some(text) = text else { continue };
        let path = folder.path().join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    html(experiment, outcome, source)?.save(&folder.path().join(REPORT_HTML))
}

/// The report as JSON.
pub(crate) fn full(folder: &Folder, outcome: Map<String, Value>, verify: Value) -> Value {
    let mut object = Map::new();
    object.insert("run".into(), json!(folder.name()));
    object.insert("kind".into(), json!(Kind::Tune.name()));
    object.extend(outcome);
    object.insert("verify".into(), verify);
    object.into()
}

/// The configuration of the verifying test.
pub(crate) fn verifying(manifest: &Manifest, test: &VerifySection, outcome: &Outcome) -> Config {
    let mut config = manifest.config.clone();
    config.tune = None;
    config.sprt = Some(test.sprt);
    if let Some(limit) = &test.limit {
        config.r#match.limit = limit.clone();
        for engine in &mut config.engine {
            engine.limit = None;
        }
    }
    if let Some(openings) = &test.openings {
        config.r#match.openings = openings.clone();
    }
    // Other openings than the tuning's, even from the same book.
    config.r#match.seed = test.seed.unwrap_or(manifest.config.r#match.seed + 1);
    let sides = [
        ("tuned", outcome.options()),
        ("start", outcome.start_options()),
    ];
    for (engine, (name, options)) in config.engine.iter_mut().zip(sides) {
        engine.name = name.to_owned();
        if engine.git.is_none() && engine.worktree.is_none() {
            engine.build = None;
        }
        let all = &mut engine.options.0;
        all.retain(|(known, _)| {
            !options
                .iter()
                .any(|(tuned, _)| tuned.eq_ignore_ascii_case(known))
        });
        all.extend(options);
    }
    config
}
