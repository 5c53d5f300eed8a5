//! `hone tune`: games between an engine with perturbed parameters and the same engine with the
//! opposite perturbation.

mod budget;
mod description;
mod facts;
mod imported;
mod page;
mod pictures;
mod prepare;
mod report;
mod tested;
mod units;
mod values_csv;
mod verification;
mod view;

pub use description::{describe, description_json};
pub use facts::TuneFacts;
pub use imported::imported;
pub use prepare::{Prepared, faulty, prepare};

use std::path::Path;

use anyhow::Context;
use anyhow::ensure;

use super::kind::{FollowUpOptions, RunKind, playing};
use hone_base::output::Announce;
use hone_experiment::settings::TimeSpan;
use hone_experiment::tune::resolve::resolve;
use hone_experiment::tune::{Space, TuneExperiment, TuneSection};
use hone_report::Live;
use hone_run::config::Config;
use hone_run::{
    Ended, EngineIdentity, Fold, Kind, Manifest, RepeatRule, RunFiles, SessionError, View,
};
use report::TuneReport;

/// The tuning of an engine's parameters.
pub struct Tuning;

impl RunKind for Tuning {
    type Experiment = TuneExperiment;
    type Report = TuneReport;

    const KIND: Kind = Kind::Tune;

    /// The command adds the second engine after this check.
    fn check_submitted(config: &mut Config) -> anyhow::Result<()> {
        check(config)?;
        ensure!(config.tune.is_some(), "a tuning needs a [tune] table");
        Ok(())
    }

    /// Each pair has its own opening, and a tuning may have more pairs than a book has
    /// openings.
    fn openings(_config: &Config) -> Option<u64> {
        None
    }

    fn shared_openings(config: &Config) -> Option<u64> {
        verification::shared_openings(config)
    }

    /// The same games with other values are evidence that the values do not matter.
    fn repeats(_config: &Config) -> RepeatRule {
        RepeatRule::Count
    }

    fn max_time(config: &Config) -> Option<TimeSpan> {
        let own = config.tune.as_ref().and_then(|tune| tune.max_time);
        own.or(config.r#match.max_time)
    }

    /// Both sides are the same engine.
    fn folder_names(identities: &[EngineIdentity]) -> Vec<String> {
        let name = identities[0].folder_name();
        vec![name.replacen(prepare::PLUS, "", 1)]
    }

    fn experiment(_dir: &Path, manifest: &Manifest) -> anyhow::Result<TuneExperiment> {
        let (section, space) = tuned(&manifest.config)?;
        let seed = manifest.config.r#match.seed;
        Ok(TuneExperiment::new(&section, space, seed))
    }

    fn introduction(
        manifest: &Manifest,
        at_a_time: Option<usize>,
        dir: &Path,
    ) -> anyhow::Result<String> {
        let (section, space) = tuned(&manifest.config)?;
        let mut text = describe(&section, &space);
        if let Some(pairs) = at_a_time.filter(|pairs| *pairs as u64 > section.window) {
            text += &format!(
                "warning: {pairs} pairs at a time are possible, but `window` and `batch` in [tune] limit \
                 them to {} to {}\n",
                section.window,
                section.budget().most_in_flight()
            );
        }
        text += &format!("{} in {}", playing(at_a_time), dir.display());
        Ok(text)
    }

    fn view(_manifest: &Manifest, at_a_time: Option<usize>) -> impl View<TuneExperiment> {
        Live::new(view::Paths { at_a_time })
    }

    fn report(files: RunFiles, fold: Fold<TuneExperiment>) -> anyhow::Result<TuneReport> {
        let verification = verification::read(&files)?;
        TuneReport::new(files, fold, verification)
    }

    fn follow_up(
        report: &mut TuneReport,
        options: &mut FollowUpOptions<'_>,
        announce: Announce<'_>,
    ) -> Result<Option<Ended>, SessionError> {
        verification::play(report, options, announce)
    }
}

/// Refuses a configuration that does not have exactly one engine, or whose verifying test
/// cannot be played.
///
/// # Errors
/// The number of engines, or what is wrong with the book of the test.
pub fn check(config: &Config) -> anyhow::Result<()> {
    prepare::check_one_engine(config)?;
    verification::check(config)
}

/// The section and the parameters of a complete configuration.
///
/// # Errors
/// If the parameters are not valid.
pub fn tuned(config: &Config) -> anyhow::Result<(TuneSection, Space)> {
    let section = config.tune.clone().unwrap_or_default();
    let space = resolve(&section, vec![], &[], &[]).context("the manifest's parameters")?;
    Ok((section, space))
}
