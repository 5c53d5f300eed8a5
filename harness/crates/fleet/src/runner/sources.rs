//! The commits of a run's engines, for workers that build.

use std::collections::BTreeMap;

use super::files::LocalFile;
use crate::message::{FileRef, SourceRef};
use hone_base::checksum::sha256_file;
use hone_base::diagnostic::shown;
use hone_base::errln;
use hone_builds::{BuildError, Cache, Pack, record_of};

/// The sources of engines by the SHA-256 of their programs; `None` for a program that
/// another machine cannot build.
#[derive(Debug, Default)]
pub(super) struct Sources(BTreeMap<String, Option<LocalSource>>);

#[derive(Debug, Clone)]
struct LocalSource {
    pack: LocalFile,
    source: SourceRef,
}

impl Sources {
    /// The sources of a job's programs, and their packs.
    pub(super) fn of(&mut self, files: &[LocalFile]) -> (Vec<SourceRef>, Vec<LocalFile>) {
        let programs = files.iter().filter(|one| one.file.option.is_none());
        let sources = programs.filter_map(|program| {
            let sha256 = program.file.sha256.clone();
            let known = self.0.entry(sha256).or_insert_with(|| {
                source_of(program).unwrap_or_else(|error| {
                    errln!(
                        "warning: workers cannot build {}: {}",
                        program.file.name,
                        shown(&error)
                    );
                    None
                })
            });
            let mut known = known.clone()?;
            known.source.pack.player = program.file.player;
            Some((known.source, known.pack))
        });
        sources.unzip()
    }

    /// The packs of the sources of all jobs so far.
    pub(crate) fn packs(&self) -> Vec<LocalFile> {
        let known = self.0.values().flatten();
        known.map(|source| source.pack.clone()).collect()
    }
}

fn source_of(program: &LocalFile) -> Result<Option<LocalSource>, BuildError> {
    let Some(record) = record_of(&program.path, &program.file.sha256) else {
        return Ok(None);
    };
    let Some(pack) = Pack::of(&Cache::of_user()?, &record)? else {
        return Ok(None);
    };
    let file = FileRef {
        sha256: sha256_file(&pack.path).map_err(BuildError::io(&pack.path))?,
        bytes: pack
            .path
            .metadata()
            .map_err(BuildError::io(&pack.path))?
            .len(),
        name: format!("{}.pack", pack.commit),
        player: program.file.player,
        option: None,
        bench: Some(pack.bench),
    };
    Ok(Some(LocalSource {
        source: SourceRef {
            pack: file.clone(),
            commit: pack.commit,
            build: pack.build,
            cmd: pack.cmd,
        },
        pack: LocalFile {
            path: pack.path,
            file,
        },
    }))
}
