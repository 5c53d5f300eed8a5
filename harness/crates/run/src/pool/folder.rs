//! The folder of a pool.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, ensure};

use super::duplicates::SeenPairs;
use super::machines;
use super::merge::Merged;
use super::source::Source;
use crate::config::default_concurrency;
use crate::files::findings;
use crate::ledger::{FAILURES, Ledger, LedgerOptions, Lock, Pairs, Recovery};
use crate::{
    Folder, MANIFEST, Manifest, PooledRun,
    prepare::{conditions, processors},
};
use hone_base::diagnostic::Diagnostic;
use hone_experiment::settings::Shard;

/// A pool before it is opened for writing.
pub(super) struct Target {
    manifest: Manifest,
    /// Folder and ledger, if the pool exists already.
    old: Option<Files>,
}

/// A pool that is open for writing.
pub(super) struct OpenPool {
    manifest: Manifest,
    files: Files,
}

/// The folder of a pool and its ledger.
struct Files {
    folder: Folder,
    ledger: Ledger,
    pairs: Pairs,
}

impl Target {
    /// Whether a folder contains a run.
    pub(super) fn exists(dir: &Path) -> bool {
        dir.join(MANIFEST).exists()
    }

    /// An existing pool.
    ///
    /// # Errors
    /// If the run there is not a pool, is in use or cannot be read.
    pub(super) fn open(dir: &Path) -> anyhow::Result<Self> {
        let manifest = Manifest::read(dir)?;
        ensure!(
            !manifest.pooled.is_empty(),
            Diagnostic::new(format!(
                "{} contains a run that is not a pool",
                dir.display()
            ))
            .help("choose another --out")
        );
        let lock = Lock::resume(dir, Recovery::LastPair)?;
        let (ledger, pairs) = open_ledger(dir, &manifest, lock)?;
        let folder = Folder::open(dir);
        let old = Some(Files {
            folder,
            ledger,
            pairs,
        });
        Ok(Self { manifest, old })
    }

    /// A pool that does not exist yet, with the paths and engines of the first run.
    ///
    /// # Errors
    /// If the working directory cannot be found.
    pub(super) fn planned(sources: &[Source]) -> anyhow::Result<Self> {
        let mut manifest = sources[0].manifest().clone();
        let play = &mut manifest.config.r#match;
        play.shard = Shard::WHOLE;
        play.max_time = None;
        let created = sources.iter().map(|source| source.manifest().created);
        manifest.hone = env!("CARGO_PKG_VERSION").to_string();
        manifest.created = created.min().unwrap_or(manifest.created);
        manifest.pooled = Vec::new();
        if !manifest.base.is_dir() {
            manifest.base = std::env::current_dir().context("cannot find the working directory")?;
        }
        let concurrency = manifest.config.r#match.concurrency;
        manifest.concurrency = concurrency.unwrap_or_else(default_concurrency);
        // Used only if missing pairs are played on this machine.
        let placement = processors::placement(
            &manifest.config,
            &manifest.engines,
            manifest.concurrency,
            &mut |_| {},
        );
        manifest.placement = placement.unwrap_or_default();
        Ok(Self {
            manifest,
            old: None,
        })
    }

    /// Whether the pool exists already.
    pub(super) fn is_old(&self) -> bool {
        self.old.is_some()
    }

    pub(super) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Adds the pairs of an existing pool to `known`.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(super) fn add_to(&self, known: &mut SeenPairs) -> anyhow::Result<()> {
        let Some(old) = &self.old else {
            return Ok(());
        };
        let name = Arc::from(old.folder.path().display().to_string());
        for entry in old.pairs.by_arrival()? {
            known.add(&entry?, &name)?;
        }
        Ok(())
    }

    /// Lists the runs in the manifest, and assigns numbers to their workers; the first
    /// numbers are reserved for this machine.
    ///
    /// # Errors
    /// If the pairs of a run cannot be read, or a run has more workers than when it was
    /// pooled before and the next numbers are taken.
    pub(super) fn register(&mut self, sources: &mut [Source]) -> anyhow::Result<()> {
        for source in sources {
            let run = source.manifest();
            let is_this = |known: &PooledRun| {
                (known.created, known.shard) == (run.created, run.config.r#match.shard)
            };
            let ends = |runs: &[PooledRun]| runs.iter().map(PooledRun::end_of_workers).max();
            let end = ends(&self.manifest.pooled);
            let mut pooled = self.manifest.pooled.iter_mut();
            if let Some(known) = pooled.find(|known| is_this(known)) {
                let workers = source.end_of_workers()?;
                if workers > known.workers {
                    ensure!(
                        Some(known.end_of_workers()) == end,
                        Diagnostic::new(format!("{} has more workers than when it was first pooled, and their numbers are taken by another run", known.run))
                            .help("pool the runs into a new folder")
                    );
                    known.workers = workers;
                }
                source.first_worker = known.first_worker;
                continue;
            }
            let first_worker = end.unwrap_or(self.manifest.concurrency);
            let workers = ends(&run.pooled).unwrap_or(run.concurrency);
            let workers = workers.max(source.end_of_workers()?);
            self.manifest.pooled.push(PooledRun {
                run: source.folder_name(),
                shard: run.config.r#match.shard,
                created: run.created,
                first_worker,
                workers,
            });
            source.first_worker = first_worker;
        }
        Ok(())
    }

    /// Opens the pool for writing. If it does not exist yet, its folder is made: `out`, or a
    /// new one.
    ///
    /// # Errors
    /// If its folder cannot be made.
    pub(super) fn opened(self, out: Option<&Path>) -> anyhow::Result<OpenPool> {
        let Self { manifest, old } = self;
        let files = match old {
            Some(old) => old,
            None => create(&manifest, out)?,
        };
        Ok(OpenPool { manifest, files })
    }
}

impl OpenPool {
    /// Writes the manifest and the new pairs. Returns the folder and the number of new pairs.
    ///
    /// # Errors
    /// Those of the file system, and if the games of a run cannot be read.
    pub(super) fn write(self, sources: &[Source]) -> anyhow::Result<(Folder, u64)> {
        let Self { manifest, files } = self;
        let runs = sources.iter().map(Source::played);
        let runs = runs.collect::<anyhow::Result<Vec<_>>>()?;
        let Files {
            folder,
            mut ledger,
            pairs,
        } = files;
        manifest.write(folder.path())?;
        machines::carry(sources, folder.path())?;
        for source in sources {
            findings::add(folder.path(), &source.findings()?)?;
        }
        let mut present = HashSet::new();
        for entry in pairs.by_arrival()? {
            present.insert(entry?.result.pair);
        }
        let before = present.len();
        for played in Merged::new(runs) {
            let played = played?;
            if present.insert(played.result.pair) {
                ledger.append(&played)?;
            }
        }
        ledger.sync()?;
        for source in sources {
            copy_failures(source, folder.path())?;
        }
        Ok((folder, (present.len() - before) as u64))
    }
}

/// Makes the folder of a new pool.
fn create(manifest: &Manifest, out: Option<&Path>) -> anyhow::Result<Files> {
    let names: Vec<String> = manifest
        .engines
        .iter()
        .map(|engine| engine.folder_name())
        .collect();
    let limit = format!("{}_pool", manifest.config.r#match.limit);
    let folder = Folder::create(out, manifest.kind, &names, &limit)?;
    let lock = Lock::begin(folder.path())?;
    // Another process may have held the lock in between.
    folder.check_free()?;
    lock.check_empty()?;
    manifest.write(folder.path())?;
    let (ledger, pairs) = open_ledger(folder.path(), manifest, lock)?;
    Ok(Files {
        folder,
        ledger,
        pairs,
    })
}

fn open_ledger(dir: &Path, manifest: &Manifest, lock: Lock) -> anyhow::Result<(Ledger, Pairs)> {
    let options = LedgerOptions {
        names: &manifest.names(),
        epd: manifest.config.pgn.epd,
        conditions: conditions::read(dir)?,
        recovery: Recovery::LastPair,
    };
    Ok(Ledger::open(dir, lock, options)?)
}

/// Copies the evidence of failures that is not in the pool yet.
fn copy_failures(source: &Source, pool: &Path) -> anyhow::Result<()> {
    for from in source.failures() {
        let Some(name) = from.file_name() else {
            continue;
        };
        let to = pool.join(FAILURES).join(name);
        if !to.exists() {
            copy_folder(&from, &to).with_context(|| format!("cannot copy {}", from.display()))?;
        }
    }
    Ok(())
}

/// Copies the files of a folder. An interrupted copy does not have its name.
fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    let partial: PathBuf = to.with_extension("partial");
    fs::create_dir_all(&partial)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), partial.join(entry.file_name()))?;
    }
    fs::rename(&partial, to)
}
