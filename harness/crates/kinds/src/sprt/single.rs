//! One sequential test: a whole run, a stage of one, or the verification of a
//! tuning.

use std::path::Path;

use anyhow::ensure;

use crate::follow::FollowedMatch;
use crate::kind::RunKind;
use hone_experiment::{Sharded, SprtExperiment};
use hone_report::{Following, MatchReport, Scoreboard};
use hone_run::config::Config;
use hone_run::{Fold, Kind, Manifest, RunFiles, View};

/// A sequential test of one engine against another, without further stages.
pub struct SingleTest;

impl SingleTest {
    /// The results so far of the test in a folder.
    ///
    /// # Errors
    /// If its files cannot be read.
    pub fn read(dir: &Path) -> anyhow::Result<MatchReport> {
        Self::read_report(RunFiles::open(dir)?)
    }
}

impl RunKind for SingleTest {
    type Experiment = Sharded<SprtExperiment>;
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

    fn experiment(_dir: &Path, manifest: &Manifest) -> anyhow::Result<Self::Experiment> {
        Self::check(&manifest.config)?;
        let section = manifest.config.sprt.unwrap_or_default();
        let max_pairs = manifest.pairs.unwrap_or(section.max_pairs);
        let test = SprtExperiment::new(section.test(), max_pairs)?;
        Ok(Sharded::new(test, manifest.config.r#match.shard))
    }

    fn view(manifest: &Manifest, at_a_time: Option<usize>) -> impl View<Self::Experiment> {
        Scoreboard::new(manifest, at_a_time)
    }

    fn follow(files: RunFiles) -> anyhow::Result<Box<dyn Following>> {
        let experiment = Self::experiment(files.folder.path(), &files.manifest)?;
        Ok(Box::new(FollowedMatch::new(files, experiment)?))
    }

    fn report(files: RunFiles, fold: Fold<Self::Experiment>) -> anyhow::Result<MatchReport> {
        MatchReport::new(files, &fold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_with_one_engine_is_refused() {
        let manifest = toml::from_str(
            "hone = \"1\"\nkind = \"sprt\"\ncreated = \"2026-01-01T00:00:00Z\"\nbase = \"/\"\n\
             concurrency = 1\nengines = []\n[config.match]\n[[config.engine]]\nname = \"a\"\n\
             cmd = \"a\"\n",
        );
        let manifest: Manifest = manifest.expect("a manifest");
        let error = SingleTest::experiment(Path::new(""), &manifest).err();
        let error = error.expect("refused").to_string();
        assert!(error.contains("two engines, and 1"), "{error}");
    }
}
