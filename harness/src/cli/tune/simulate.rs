//! `hone tune --simulate MODEL.toml`.

use std::path::Path;

use anyhow::Context;

use crate::cli::errors::key_place::placed;
use crate::cli::{Exit, Failure};
use hone_base::platform::read_text;
use hone_base::{out, outln};
use hone_experiment::tune::model_file::Model;
use hone_experiment::tune::pair_model::draw_one;
use hone_experiment::tune::resolve::resolve_model;
use hone_experiment::tune::stream::{Purpose, stream};
use hone_experiment::tune::{Space, TuneExperiment, TuneSection};
use hone_experiment::{Experiment, Next};
use hone_kinds::tune::{TuneFacts, faulty, imported};
use hone_run::config::Config;
use hone_stats::elo::score_of_elo;

/// Tunes against the model: the experiment of a real run, with simulated results.
pub(super) fn run(
    config: &Config,
    file: &Path,
    model: &Path,
    is_dry: bool,
    json: bool,
) -> Result<Exit, Failure> {
    let section = config.tune.clone().unwrap_or_default();
    let model = read(model)?;
    let space = space(&section, &model).map_err(|error| placed(error, config, Some(file)))?;
    let mut strength = model.strength(&space)?;
    if is_dry {
        super::plan(&section, &space, json);
        return Ok(Exit::Done);
    }
    let seed = section.seed.unwrap_or(config.r#match.seed);
    let mut experiment = TuneExperiment::new(&section, space.clone(), seed);
    let mut outcomes = stream(seed, Purpose::Outcomes, 0);
    let mut batch = None;
    let mut distribution = [0.0; 5];
    for pair in 0..section.pairs() {
        let Next::Play(_) = experiment.plan(pair) else {
            return Err(anyhow::anyhow!("the plan of pair {pair} waits for later pairs").into());
        };
        if batch != Some(pair / section.batch) {
            batch = Some(pair / section.batch);
            let played = experiment
                .played(pair / section.batch)
                .context("a planned batch has values")?;
            let elo = strength.elo(&played.plus) - strength.elo(&played.minus);
            distribution = model.pairs.tilted(score_of_elo(elo));
        }
        experiment.take(Some(draw_one(&distribution, &mut outcomes)));
    }
    let facts = TuneFacts::of(&experiment, &section);
    let start = strength.elo(&space.start());
    let gain = strength.elo(&facts.final_values) - start;
    let facts = facts.with_true_gain(gain);
    if json {
        outln!("{}", serde_json::to_string(&facts.json())?);
    } else {
        out!("{}", facts.text());
    }
    Ok(Exit::Done)
}

fn read(path: &Path) -> anyhow::Result<Model> {
    let shown = path.display();
    let text = read_text(path).with_context(|| format!("cannot read {shown}"))?;
    Model::parse(&text).with_context(|| shown.to_string())
}

/// The parameters of the configuration, or all those of the model.
fn space(section: &TuneSection, model: &Model) -> anyhow::Result<Space> {
    let space = resolve_model(section, imported(section)?, model.landscape.axes());
    space.map_err(|error| faulty(error, section))
}
