//! `hone sprt`: a sequential test, or several in a row.

mod folders;
mod report;
mod single;
mod stages;

use std::path::{Path, PathBuf};

use super::kind::{Engines, FollowUpOptions, RunKind, introduction, prepared};
use super::reread::Reread;
use hone_base::output::Announce;
use hone_report::Following;
use hone_run::config::Config;
use hone_run::{Ended, Fold, Kind, Manifest, RunFiles, SessionError, View};
use hone_uci::openings::Opening;
use report::TestReport;
pub(super) use single::SingleTest;

/// A sequential test of one engine against another, and its further stages.
pub struct StagedTest;

impl RunKind for StagedTest {
    type Experiment = <SingleTest as RunKind>::Experiment;
    type Report = TestReport;

    const KIND: Kind = SingleTest::KIND;

    fn check(config: &Config) -> anyhow::Result<()> {
        SingleTest::check(config)?;
        stages::check(config)
    }

    fn check_submitted(config: &mut Config) -> anyhow::Result<()> {
        config.enter_first_stage();
        Self::check(config)
    }

    fn openings(config: &Config) -> Option<u64> {
        SingleTest::openings(config)
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

    fn experiment(dir: &Path, manifest: &Manifest) -> anyhow::Result<Self::Experiment> {
        SingleTest::experiment(dir, manifest)
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
        SingleTest::view(manifest, at_a_time)
    }

    fn follow(files: RunFiles) -> anyhow::Result<Box<dyn Following>> {
        if files.manifest.config.stage.is_empty() {
            SingleTest::follow(files)
        } else {
            Ok(Box::new(Reread::<Self>::new(files)))
        }
    }

    fn report(files: RunFiles, fold: Fold<Self::Experiment>) -> anyhow::Result<TestReport> {
        TestReport::read(files, fold)
    }

    fn follow_up(
        report: &mut TestReport,
        options: &mut FollowUpOptions<'_>,
        announce: Announce<'_>,
    ) -> Result<Option<Ended>, SessionError> {
        stages::play(report, options, announce)
    }

    fn later(manifest: &Manifest, dir: &Path) -> Vec<PathBuf> {
        folders::started(manifest, dir)
    }
}
