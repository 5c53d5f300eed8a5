//! Several ledgers as one run: the shards that machines have played apart, or
//! any other runs of the same configuration, engines, book and seed.
//!
//! The run that results has a ledger of its own. It is judged as every run is:
//! in pair order, up to the first pair that is missing.

mod agreement;
mod duplicates;
mod folder;
mod machines;
mod merge;
mod missing;
mod source;

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};

use crate::run::{Folder, Kind, Manifest};
use crate::settings::Shard;
use duplicates::SeenPairs;
use folder::{OpenPool, Target};
pub(crate) use missing::missing;
use source::Source;

/// Runs that belong together, and the folder that they are pooled in. None of
/// their pairs is written yet.
pub(crate) struct Plan {
    sources: Vec<Source>,
    pool: OpenPool,
}

/// What pooling has done.
pub(crate) struct Pooled {
    pub folder: Folder,
    /// The runs given; the pool itself is not among them.
    pub runs: usize,
    /// Pairs that were not in the folder before.
    pub added: u64,
}

impl Plan {
    /// Plans to make one run of the runs in `dirs`: in the folder `out`, or in
    /// a new one. If `out` is a pool already, it gets the pairs that it does
    /// not have.
    ///
    /// # Errors
    /// If a run cannot be read, is damaged or does not belong to the others, two
    /// runs disagree about a pair, or the folder cannot be made. No new folder is
    /// left behind.
    pub(crate) fn new(dirs: &[PathBuf], out: Option<&Path>) -> anyhow::Result<Self> {
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

    /// Writes the pool. If that is interrupted, the same plan continues it.
    ///
    /// # Errors
    /// Those of the file system, or of a run's games that cannot be read.
    pub(crate) fn write(self) -> anyhow::Result<Pooled> {
        let (folder, added) = self.pool.take(&self.sources)?;
        Ok(Pooled {
            folder,
            runs: self.sources.len(),
            added,
        })
    }
}

/// Opens the runs, each once, and not the folder that they are pooled in.
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

fn check_kind(source: &Source) -> anyhow::Result<()> {
    match source.manifest().kind {
        Kind::Match | Kind::Sprt => Ok(()),
        kind => bail!(
            "{} is a {}: its pairs depend on earlier results, so it cannot be pooled",
            source.name(),
            kind.name()
        ),
    }
}

/// Only the first stage would be pooled, and its verdict is not that of the test.
fn check_stages(source: &Source) -> anyhow::Result<()> {
    ensure!(
        source.manifest().config.stage.len() < 2,
        "{} is a test in stages ([[stage]]), which cannot be pooled: a stage is played only if the one before is passed\nhelp: play each stage as a test of its own, without [[stage]]",
        source.name()
    );
    Ok(())
}

/// The shards that a pool was made of, if all are shards of one division.
pub(crate) fn division(manifest: &Manifest) -> Option<Shard> {
    let mut shards = manifest.pooled.iter().map(|run| run.shard);
    let first = shards.next().filter(|first| !first.is_whole())?;
    shards
        .all(|shard| shard.of() == first.of())
        .then_some(first)
}
