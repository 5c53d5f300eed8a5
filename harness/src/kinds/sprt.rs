//! `hone sprt`: a sequential test.

use std::path::Path;

use anyhow::ensure;

#[cfg(feature = "serve")]
use super::follow::{FollowedMatch, Following};
use super::kind::RunKind;
use crate::config::Config;
use crate::experiment::SprtExperiment;
use crate::report::{MatchReport, Scoreboard};
use crate::run::{Fold, Kind, Manifest, RunFiles, View};

/// A sequential test of one engine against another.
pub(crate) struct Test;

impl RunKind for Test {
    type Experiment = SprtExperiment;
    type Report = MatchReport;

    const KIND: Kind = Kind::Sprt;

    fn check(config: &Config) -> anyhow::Result<()> {
        ensure!(
            config.engine.len() == 2,
            "a test is between two engines, and {} are configured",
            config.engine.len()
        );
        Ok(())
    }

    fn openings(config: &Config) -> Option<u64> {
        Some(config.sprt.unwrap_or_default().max_pairs)
    }

    fn experiment(_dir: &Path, manifest: &Manifest) -> anyhow::Result<SprtExperiment> {
        let section = manifest.config.sprt.unwrap_or_default();
        Ok(SprtExperiment::new(section.test(), section.max_pairs)?)
    }

    fn view(manifest: &Manifest) -> impl View<SprtExperiment> {
        Scoreboard::new(manifest)
    }

    #[cfg(feature = "serve")]
    fn follow(files: RunFiles) -> anyhow::Result<Box<dyn Following>> {
        let experiment = Self::experiment(files.folder.path(), &files.manifest)?;
        Ok(Box::new(FollowedMatch::new(files, experiment)?))
    }

    fn report(files: RunFiles, fold: Fold<SprtExperiment>) -> anyhow::Result<MatchReport> {
        MatchReport::new(files, &fold)
    }
}
