//! The changes that `hone resume` can make to a run before continuing it.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use super::fold_of;
use super::place::Place;
use hone_base::diagnostic::Diagnostic;
use hone_base::output::Announce;
use hone_base::text::with_causes;
use hone_experiment::Verdict;
use hone_report::counted;
use hone_run::config::check_concurrency;
use hone_run::ledger::{Lock, Recovery};
use hone_run::prepare::warnings::warn_of_repeats;
use hone_run::{BookIdentity, Folder, Manifest, RunFiles, started_stages, started_verification};

/// The changes of one `hone resume`, which are undone if the run is refused.
pub struct Changes {
    /// How a damaged ledger is treated.
    recovery: Recovery,
    /// Where the run is continued.
    place: Place,
    /// The manifests before each change, with their folders.
    before: Vec<(PathBuf, Manifest)>,
}

impl Changes {
    /// No changes yet.
    pub fn new(recovery: Recovery, place: Place) -> Self {
        Self {
            recovery,
            place,
            before: Vec::new(),
        }
    }

    /// Sets the number of pairs played at the same time in a run and in its follow-up runs.
    ///
    /// # Errors
    /// If the number is out of range, or a run is being played or cannot be read or
    /// written.
    pub fn concurrency(
        &mut self,
        dir: &Path,
        pairs: usize,
        announce: Announce<'_>,
    ) -> anyhow::Result<()> {
        check_concurrency(pairs).map_err(|error| anyhow::anyhow!("`--concurrency`: {error}"))?;
        // Another process must not be playing it.
        let _held = Lock::resume(dir, self.recovery)?;
        let mut manifest = Manifest::read(dir)?;
        // The workers of a pool's sources have the next numbers.
        let own = manifest.pooled.iter().map(|run| run.first_worker).min();
        if let Some(own) = own.filter(|own| pairs > *own) {
            bail!(
                "`--concurrency`: {pairs} is out of range: a pool of runs has {own} worker number{} for this machine",
                if own == 1 { "" } else { "s" }
            );
        }
        let followers = follow_up_runs(&manifest, dir);
        manifest.concurrency = pairs;
        // For follow-up runs that are not started yet.
        manifest.config.r#match.concurrency = Some(pairs);
        let (config, engines) = (&manifest.config, &manifest.engines);
        manifest.placement = self.place.placement(config, engines, pairs, announce)?;
        // First the runs that another process may have locked.
        for follower in followers {
            self.concurrency(&follower, pairs, &mut |_| {})?;
        }
        self.write(dir, &manifest)
    }

    /// Sets the share of an engine's games that may be lost by failures, in a run and in its
    /// follow-up runs.
    ///
    /// # Errors
    /// If a run is being played or cannot be read or written.
    pub fn max_failures(&mut self, dir: &Path, share: f64) -> anyhow::Result<()> {
        // Another process must not be playing it.
        let _held = Lock::resume(dir, self.recovery)?;
        let mut manifest = Manifest::read(dir)?;
        let followers = follow_up_runs(&manifest, dir);
        manifest.config.r#match.max_failures = share;
        // First the runs that another process may have locked.
        for follower in followers {
            self.max_failures(&follower, share)?;
        }
        self.write(dir, &manifest)
    }

    /// Sets the pairs of each pairing of a match, or the most pairs of a test; of a test
    /// in stages, those of the stage that was started last, and of a tuning those of the
    /// test of its values.
    ///
    /// # Errors
    /// If it is not such a run, has more pairs or its verdict, is being played, or cannot
    /// be read or written.
    pub fn pairs(&mut self, dir: &Path, pairs: u64, announce: Announce<'_>) -> anyhow::Result<()> {
        // Another process must not be playing it.
        let _held = Lock::resume(dir, self.recovery)?;
        let mut manifest = Manifest::read(dir)?;
        if let Some(last) = follow_up_runs(&manifest, dir).pop() {
            return self.pairs(&last, pairs, announce);
        }
        let planned = manifest.planned_pairs().with_context(|| {
            format!(
                "--pairs is for matches and tests, and {} is a {}",
                dir.display(),
                manifest.kind.noun()
            )
        })?;
        ensure!(
            manifest.pooled.is_empty(),
            Diagnostic::new(format!(
                "--pairs is not for pools, and {} is one",
                dir.display()
            ))
            .help("set the same `--pairs` for each of its runs, and pool them into a new folder")
        );
        ensure!(
            pairs >= planned,
            "`--pairs`: {pairs} is too small: this run already has {}; give {planned} or more",
            counted(planned, "planned pair")
        );
        if pairs == planned {
            return Ok(());
        }
        manifest.pairs = Some(pairs);
        let files = RunFiles::of(Folder::open(dir), manifest)?;
        let fold = fold_of(&files)?;
        // A shard may have no pair among the new ones; the shards of a pool must agree.
        ensure!(
            matches!(fold.verdict(), None | Some(Verdict::ShardPlayed)),
            Diagnostic::new(format!(
                "`--pairs`: the run has ended after {}, and more pairs do not change its result",
                counted(fold.tally.judged_pairs(), "pair")
            ))
            .help(format!("see it with `hone report {}`", dir.display()))
        );
        let manifest = &files.manifest;
        let distinct = manifest.book.as_ref().map(BookIdentity::distinct_openings);
        let kind = manifest.kind;
        warn_of_repeats(kind, Some(pairs), distinct, manifest.repeats, announce);
        self.write(dir, manifest)
    }

    /// Adds the verifying test to a tuning that was started without one.
    ///
    /// # Errors
    /// If it is not a tuning, is being played, or cannot be read or written.
    pub fn verification(&mut self, dir: &Path) -> anyhow::Result<()> {
        // Another process must not be playing it.
        let _held = Lock::resume(dir, self.recovery)?;
        let mut manifest = Manifest::read(dir)?;
        ensure!(
            manifest.kind.has_tuned_values(),
            "--verify is for tunings, and {} is a {}",
            dir.display(),
            manifest.kind.noun()
        );
        let section = manifest.config.tune.get_or_insert_default();
        if section.verify.is_some() {
            return Ok(());
        }
        section.verify.get_or_insert_default();
        self.write(dir, &manifest)
    }

    fn write(&mut self, dir: &Path, manifest: &Manifest) -> anyhow::Result<()> {
        let before = Manifest::read(dir)?;
        manifest.write(dir)?;
        self.before.push((dir.to_path_buf(), before));
        Ok(())
    }

    /// Undoes all changes, the last one first, and warns of those that stay.
    pub fn undo(self, announce: Announce<'_>) {
        for (dir, before) in self.before.into_iter().rev() {
            if let Err(error) = before.write(&dir) {
                announce(&format!(
                    "warning: a change of the refused run stays: {}",
                    with_causes(&error)
                ));
            }
        }
    }
}

/// The folders of the follow-up runs of the run in `dir` that have been started: later stages
/// of a test, or the test of tuned values.
fn follow_up_runs(manifest: &Manifest, dir: &Path) -> Vec<PathBuf> {
    let stages = started_stages(manifest, dir);
    stages
        .into_iter()
        .chain(started_verification(manifest, dir))
        .collect()
}
