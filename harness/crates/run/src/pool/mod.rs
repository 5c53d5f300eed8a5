//! Pools the ledgers of several runs: the shards of a run that several machines have
//! played, or other runs of the same configuration, engines, book and seed.
//!
//! A pool is a run with its own ledger. As in every run, the verdict rests on the pairs
//! in their order, up to the first missing one.

mod agreement;
mod duplicates;
mod folder;
mod machines;
mod merge;
mod missing;
mod source;

use std::path::{Path, PathBuf};

use anyhow::ensure;

use crate::Folder;
use duplicates::SeenPairs;
use folder::{OpenPool, Target};
use hone_base::diagnostic::Diagnostic;
pub use missing::{MissingPairs, missing};
use source::Source;

/// Runs that can be pooled, and the folder of the pool. No pair is written yet.
pub struct Plan {
    sources: Vec<Source>,
    pool: OpenPool,
}

/// A pool that is written.
pub struct Pooled {
    pub folder: Folder,
    /// Number of runs, without the pool itself.
    pub runs: usize,
    /// Number of pairs that were not in the pool before.
    pub added: u64,
}

impl Plan {
    /// Opens and checks the runs in `dirs`, and opens the pool: the folder `out`, or a new
    /// one. If `out` is a pool already, it gets the pairs that it does not have.
    ///
    /// # Errors
    /// If a run cannot be read, is damaged or does not belong to the others, two runs have
    /// different games for a pair, or the folder cannot be made. On an error, no new folder
    /// is left behind.
    pub fn new(dirs: &[PathBuf], out: Option<&Path>) -> anyhow::Result<Self> {
        let old = out.filter(|out| Target::exists(out));
        let old = old.map(Target::open).transpose()?;
        let mut sources = open_sources(dirs, out)?;
        let mut target = match old {
            Some(target) => target,
            None => Target::planned(&sources)?,
        };
        let old = out.filter(|_| target.is_old());
        let old = old.map(|out| out.display().to_string());
        let (first_name, first) = match &old {
            Some(name) => (name.as_str(), target.manifest()),
            None => (sources[0].name(), sources[0].manifest()),
        };
        for source in &sources {
            agreement::check((first_name, first), (source.name(), source.manifest()))?;
        }
        let mut known = SeenPairs::default();
        target.add_to(&mut known)?;
        for source in &sources {
            source.add_to(&mut known)?;
        }
        target.register(&mut sources)?;
        Ok(Self {
            sources,
            pool: target.opened(out)?,
        })
    }

    /// Writes the pool. If writing is interrupted, pooling the same runs again continues it.
    ///
    /// # Errors
    /// Those of the file system, and if the games of a run cannot be read.
    pub fn write(self) -> anyhow::Result<Pooled> {
        let (folder, added) = self.pool.write(&self.sources)?;
        Ok(Pooled {
            folder,
            runs: self.sources.len(),
            added,
        })
    }
}

/// Opens the runs, each once, without the folder of the pool.
///
/// # Errors
/// If a run cannot be read or pooled, or none is left.
fn open_sources(dirs: &[PathBuf], out: Option<&Path>) -> anyhow::Result<Vec<Source>> {
    let mut taken: Vec<PathBuf> = out
        .and_then(|out| out.canonicalize().ok())
        .into_iter()
        .collect();
    let mut sources = Vec::new();
    for dir in dirs {
        if let Ok(path) = dir.canonicalize() {
            if taken.contains(&path) {
                continue;
            }
            taken.push(path);
        }
        let source = Source::open(dir)?;
        check_kind(&source)?;
        check_stages(&source)?;
        sources.push(source);
    }
    ensure!(!sources.is_empty(), "the only run given is the pool itself");
    Ok(sources)
}

/// Refuses kinds of runs whose pairs depend on earlier results.
fn check_kind(source: &Source) -> anyhow::Result<()> {
    let kind = source.manifest().kind;
    ensure!(
        kind.has_fixed_players(),
        "{} is a {}: its pairs depend on earlier results, so it cannot be pooled",
        source.name(),
        kind.noun()
    );
    Ok(())
}

/// Refuses tests in stages and their later stages: only one stage would be pooled, and its
/// verdict is not that of the test.
fn check_stages(source: &Source) -> anyhow::Result<()> {
    let manifest = source.manifest();
    ensure!(
        manifest.config.stage.len() < 2 && manifest.earlier.is_empty(),
        Diagnostic::new(format!("{} is a test in stages ([[stage]]), which cannot be pooled: a stage is played only if the one before is passed", source.name()))
            .help("play each stage as a test of its own, without [[stage]]")
    );
    Ok(())
}
