//! `hone bisect`: matches between commits, which are built when they are needed.

mod builds;
mod course;
mod facts;
mod found;
mod history;
mod next_build;
mod page;
mod report;
mod view;

use std::path::Path;
use std::time::Duration;

use anyhow::ensure;

use super::kind::{Engines, Readiness, RunKind, Waiting, playing};
use hone_base::diagnostic::Diagnostic;
use hone_base::output::Announce;
use hone_builds::Builder;
use hone_experiment::bisect::{BisectExperiment, BuildOutcome, KnownBuild};
use hone_report::{Live, counted};
use hone_run::config::Config;
use hone_run::executor::Player;
use hone_run::{Fold, Kind, Manifest, RunFiles, SessionError, View};
use hone_uci::openings::Opening;
use report::BisectReport;

/// The search for the commit that changed an engine's strength.
pub struct Bisection;

impl RunKind for Bisection {
    type Experiment = BisectExperiment;
    type Report = BisectReport;

    const KIND: Kind = Kind::Bisect;
    const REMEDY: &str = "the good and the bad commit must play: choose another one";

    fn check(config: &Config) -> anyhow::Result<()> {
        ensure!(
            config.engine.len() == 1,
            "exactly one [[engine]] is needed; the configuration has {}",
            counted(config.engine.len() as u64, "engine")
        );
        ensure!(
            config.engine[0].git.is_some(),
            "the engine `{}` has no `git`, and commits of a repository are needed",
            config.engine[0].name
        );
        let section = config.bisect.clone().unwrap_or_default();
        for (end, name) in [(&section.good, "good"), (&section.bad, "bad")] {
            ensure!(
                !end.is_empty(),
                Diagnostic::new(format!("the {name} commit is missing"))
                    .help(format!("give --{name} REV, or `{name}` in [bisect]"))
            );
        }
        Ok(())
    }

    fn openings(config: &Config) -> Option<u64> {
        Some(config.bisect.clone().unwrap_or_default().max_pairs)
    }

    /// Makes an engine of each commit. None is built yet.
    fn engines(
        config: &mut Config,
        base: &Path,
        _opening: &Opening,
        _announce: Announce<'_>,
    ) -> Result<Engines, SessionError> {
        // Without a cache of builds no commit can be built.
        Builder::new().map_err(anyhow::Error::from)?;
        let commits = history::history(config, base)?;
        let skip = history::skipped(config, base, &commits)?;
        config.bisect.get_or_insert_default().skip = skip;
        let engine = config.engine.remove(0);
        config.engine = commits.iter().map(|c| history::at(&engine, c)).collect();
        let ends = [&commits[0], &commits[commits.len() - 1]];
        Ok(Engines {
            players: Vec::new(),
            identities: commits.iter().map(history::identity).collect(),
            folder_names: ends.map(|commit| commit.short().to_string()).into(),
            build_time: Duration::ZERO,
        })
    }

    fn same_engines(
        _manifest: &Manifest,
        _opening: &Opening,
        _announce: Announce<'_>,
    ) -> Result<(Vec<Player>, Duration), SessionError> {
        Ok((Vec::new(), Duration::ZERO))
    }

    fn experiment(dir: &Path, manifest: &Manifest) -> anyhow::Result<BisectExperiment> {
        let section = manifest.config.bisect.clone().unwrap_or_default();
        let last = manifest.engines.len().saturating_sub(1);
        ensure!(last >= 1, "the manifest has no commits");
        let is_timed = manifest.config.is_timed();
        let is_skipped =
            |rev: &Option<String>| rev.as_ref().is_some_and(|id| section.skip.contains(id));
        let commits = manifest.config.engine.iter().enumerate();
        let skipped = commits
            .filter(|(_, engine)| is_skipped(&engine.rev))
            .map(|(commit, _)| KnownBuild {
                after_pairs: 0,
                commit,
                outcome: BuildOutcome::Skipped,
            });
        let built = builds::read(dir)?
            .into_iter()
            .filter(|row| row.number <= last)
            .map(|row| KnownBuild {
                after_pairs: row.pairs,
                commit: row.number,
                outcome: row.outcome(is_timed),
            });
        let known = skipped.chain(built).collect();
        let max_failures = manifest.config.r#match.max_failures;
        Ok(BisectExperiment::new(section, last, known).with_max_failures(max_failures))
    }

    fn introduction(
        manifest: &Manifest,
        at_a_time: Option<usize>,
        dir: &Path,
    ) -> anyhow::Result<String> {
        Ok(format!(
            "bisecting {}, {} in {}",
            counted(manifest.engines.len() as u64 - 1, "commit"),
            playing(at_a_time),
            dir.display()
        ))
    }

    fn view(manifest: &Manifest, at_a_time: Option<usize>) -> impl View<BisectExperiment> {
        Live::new(view::Suspects::new(manifest, at_a_time))
    }

    fn prepare_next(
        waiting: Waiting<'_, BisectExperiment>,
        announce: Announce<'_>,
    ) -> Result<Readiness, SessionError> {
        next_build::prepare_next(waiting, announce)
    }

    fn found(manifest: &Manifest, experiment: &BisectExperiment) -> Option<String> {
        found::found(manifest, experiment)
    }

    fn report(files: RunFiles, fold: Fold<BisectExperiment>) -> anyhow::Result<BisectReport> {
        BisectReport::new(files, &fold)
    }
}
