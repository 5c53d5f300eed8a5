//! `hone sprt`: a sequential test.

use std::path::Path;

use anyhow::ensure;

use super::kind::RunKind;
use crate::config::Config;
use crate::experiment::{Sharded, SprtExperiment};
use crate::report::{MatchReport, Scoreboard};
use crate::run::{Fold, Kind, Manifest, RunFiles, View};

/// A sequential test of one engine against another.
pub(crate) struct Test;

impl RunKind for Test {
    type Experiment = Sharded<SprtExperiment>;
    type Report = MatchReport;

    const KIND: Kind = Kind::Sprt;
    const IS_DIVISIBLE: bool = true;

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

    fn experiment(_dir: &Path, manifest: &Manifest) -> anyhow::Result<Self::Experiment> {
        let section = manifest.config.sprt.unwrap_or_default();
        let test = SprtExperiment::new(section.test(), section.max_pairs)?;
        Ok(Sharded::new(test, manifest.config.r#match.shard))
    }

    fn view(manifest: &Manifest) -> impl View<Self::Experiment> {
        Scoreboard::new(manifest)
    }

    fn report(files: RunFiles, fold: Fold<Self::Experiment>) -> anyhow::Result<MatchReport> {
        Ok(MatchReport::new(files, &fold)?)
    }
}
