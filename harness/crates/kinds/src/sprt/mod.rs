//! `hone sprt`: a sequential test, or several in a row.

mod report;
mod stages;

use std::path::Path;

use anyhow::ensure;

use super::follow::follow_match;
use super::kind::{Engines, FollowUpOptions, RunKind, introduction, prepared};
use super::reread::Reread;
use hone_base::output::Announce;
use hone_experiment::{Sharded, SprtExperiment};
use hone_report::{Following, MatchReport, Scoreboard};
use hone_run::config::Config;
use hone_run::{Ended, Fold, Kind, Manifest, RunFiles, SessionError, View};
use hone_uci::openings::Opening;
use report::TestReport;

/// A sequential test of one engine against another: with its later stages, one of these, or
/// the test of tuned values.
pub struct SequentialTest;

impl SequentialTest {
    /// The results so far of the test in a folder, without later stages.
    ///
    /// # Errors
    /// If its files cannot be read.
    pub(crate) fn read(dir: &Path) -> anyhow::Result<MatchReport> {
        let files = RunFiles::open(dir)?;
        let fold = files.fold(Self::experiment(dir, &files.manifest)?)?;
        MatchReport::new(files, &fold)
    }
}

impl RunKind for SequentialTest {
    type Experiment = Sharded<SprtExperiment>;
    type Report = TestReport;

    const KIND: Kind = Kind::Sprt;

    fn check(config: &Config) -> anyhow::Result<()> {
        check_engines(config)?;
        stages::check(config)
    }

    fn check_submitted(config: &mut Config) -> anyhow::Result<()> {
        config.enter_first_stage();
        Self::check(config)
    }

    fn openings(config: &Config) -> Option<u64> {
        Some(config.sprt.unwrap_or_default().max_pairs)
    }

    fn shared_openings(config: &Config) -> Option<u64> {
        stages::shared_openings(config)
    }

    fn engines(
        config: &mut Config,
        base: &Path,
        opening: &Opening,
        announce: Announce<'_>,
    ) -> Result<Engines, SessionError> {
        let engines = prepared::<Self>(config, base, opening, announce)?;
        stages::check_engines(config, &engines.identities, base, announce)?;
        Ok(engines)
    }

    fn experiment(_dir: &Path, manifest: &Manifest) -> anyhow::Result<Self::Experiment> {
        check_engines(&manifest.config)?;
        let section = manifest.config.sprt.unwrap_or_default();
        let max_pairs = manifest.pairs.unwrap_or(section.max_pairs);
        let test = SprtExperiment::new(section.test(), max_pairs)?;
        Ok(Sharded::new(test, manifest.config.r#match.shard))
    }

    fn introduction(
        manifest: &Manifest,
        at_a_time: Option<usize>,
        dir: &Path,
    ) -> anyhow::Result<String> {
        let text = introduction(manifest, at_a_time, dir);
        Ok(match manifest.config.stage.len() {
            0 => text,
            _ => format!("{}: {text}", manifest.config.stage_words(0)),
        })
    }

    fn view(manifest: &Manifest, at_a_time: Option<usize>) -> impl View<Self::Experiment> {
        Scoreboard::of(manifest, at_a_time)
    }

    fn follow(files: RunFiles) -> anyhow::Result<Box<dyn Following>> {
        if files.manifest.config.stage.is_empty() {
            follow_match::<Self>(files)
        } else {
            Ok(Box::new(Reread::<Self>::new(files)))
        }
    }

    fn report(files: RunFiles, fold: Fold<Self::Experiment>) -> anyhow::Result<TestReport> {
        TestReport::read(files, &fold)
    }

    fn follow_up(
        report: &mut TestReport,
        options: &mut FollowUpOptions<'_>,
        announce: Announce<'_>,
    ) -> Result<Option<Ended>, SessionError> {
        stages::play(report, options, announce)
    }
}

fn check_engines(config: &Config) -> anyhow::Result<()> {
    ensure!(
        config.engine.len() == 2,
        "a test is between two engines, and {} are configured",
        config.engine.len()
    );
    Ok(())
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
        let error = SequentialTest::experiment(Path::new(""), &manifest).err();
        let error = error.expect("refused").to_string();
        assert_eq!(error, "a test is between two engines, and 1 are configured");
    }
}
