//! The files that a job needs on another machine: the engines' programs, and nets that
//! an option names.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::message::{FileRef, is_tables_option};
use hone_base::checksum::sha256_file;
use hone_builds::record_of;
use hone_run::executor::{PairJob, Player};

/// A file on this machine, and its description in a job.
#[derive(Debug, Clone)]
pub(crate) struct LocalFile {
    pub path: PathBuf,
    pub file: FileRef,
}

/// The files that a job needs. Files in `known`, those of earlier jobs, are not read
/// again; new files are added.
///
/// # Errors
/// If a file cannot be read.
pub(crate) fn files_of(job: &PairJob, known: &mut Vec<LocalFile>) -> io::Result<Vec<LocalFile>> {
    let mut files = Vec::new();
    for (index, player) in job.players.iter().enumerate() {
        for (option, path) in paths_of(player) {
            let earlier = known
                .iter()
                .find(|one| one.path == path && is_same(one, option.as_ref(), player));
            let found = match earlier {
                Some(earlier) => LocalFile {
                    file: FileRef {
                        player: index,
                        option,
                        ..earlier.file.clone()
                    },
                    path,
                },
                None => {
                    let read = local_file(path, index, option, player)?;
                    known.push(read.clone());
                    read
                }
            };
            files.push(found);
        }
    }
    Ok(files)
}

/// Whether a known file of the same path is the same file: in a bisection, a program may
/// be rebuilt under the same path.
fn is_same(known: &LocalFile, option: Option<&String>, player: &Player) -> bool {
    match (&known.file.option, option) {
        (None, None) => known.file.sha256 == player.program.sha256(),
        (known, option) => known.is_some() && option.is_some(),
    }
}

/// A file of a job that is read for the first time.
fn local_file(
    path: PathBuf,
    index: usize,
    option: Option<String>,
    player: &Player,
) -> io::Result<LocalFile> {
    let sha256 = match player.program.sha256() {
        sha256 if option.is_none() && !sha256.is_empty() => sha256.to_string(),
        _ => sha256_file(&path)?,
    };
    let bench = match option {
        None => record_of(&path, &sha256).and_then(|record| record.bench),
        Some(_) => None,
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(LocalFile {
        file: FileRef {
            sha256,
            bytes: path.metadata()?.len(),
            name: name.trim_start_matches('.').to_string(),
            player: index,
            option,
            bench,
        },
        path,
    })
}

/// The path of the program, and the options whose values are files.
fn paths_of(player: &Player) -> Vec<(Option<String>, PathBuf)> {
    let base = player.launch.dir.clone().unwrap_or_default();
    let files = player.options.iter().filter_map(|(name, value)| {
        let path = base.join(value);
        let is_path = !value.is_empty() && value.contains(['.', '/', '\\']);
        (is_path && path.is_file()).then(|| (Some(name.clone()), path))
    });
    let program = (None, player.launch.program.clone());
    std::iter::once(program).chain(files).collect()
}

/// Warnings about options whose paths are not sent: folders, and absolute paths that are
/// not files.
pub(crate) fn path_warnings(job: &PairJob) -> Vec<String> {
    let warnings_of = |player: &Player| {
        let base = player.launch.dir.clone().unwrap_or_default();
        let values = player.options.iter().filter(|(_, value)| {
            let path = base.join(value);
            let may_be_path = value.contains(['.', '/', '\\']);
            may_be_path && (path.is_dir() || (Path::new(value).is_absolute() && !path.is_file()))
        });
        let warnings = values.map(|(option, value)| {
            let help = if is_tables_option(option) { "a worker with `--syzygy FOLDER` gives the engine its own endgame tables; on any other, this path must exist" } else { "this path must exist on every worker's machine; only files are sent" };
            format!(
                "warning: engine `{}`: option `{option}` = `{value}` is not sent to workers\nhelp: {help}",
                player.name
            )
        });
        warnings.collect::<Vec<_>>()
    };
    job.players.iter().flat_map(warnings_of).collect()
}

/// The job without paths of this machine.
pub(crate) fn without_paths(job: &PairJob) -> PairJob {
    let mut job = job.clone();
    for player in &mut job.players {
        let mut launch = (*player.launch).clone();
        let name = launch.program.file_name().unwrap_or_default();
        launch.program = PathBuf::from(name);
        launch.dir = None;
        player.launch = Arc::new(launch);
    }
    job
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::samples::pair_job;

    #[test]
    fn programs_and_nets_are_sent_and_paths_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("engine"), "program").expect("written");
        fs::write(at("net.nnue"), "weights").expect("written");
        let mut job = pair_job(0);
        for player in &mut job.players {
            let mut launch = (*player.launch).clone();
            launch.program = at("engine");
            launch.dir = Some(folder.path().into());
            player.launch = Arc::new(launch);
        }
        let options = [
            ("EvalFile", "net.nnue"),
            ("Hash", "16"),
            ("Book", "missing.bin"),
        ];
        job.players[1].options = options.map(|(a, b)| (a.to_string(), b.to_string())).into();
        let mut known = Vec::new();
        let files = files_of(&job, &mut known).expect("read");
        let named: Vec<_> = files
            .iter()
            .map(|one| (one.file.player, one.file.name.as_str()))
            .collect();
        assert_eq!(named, [(0, "engine"), (1, "engine"), (1, "net.nnue")]);
        assert_eq!(files[2].file.option.as_deref(), Some("EvalFile"));
        assert_eq!(files[0].file.sha256, files[1].file.sha256);
        // A file that changes later is not read again: all jobs name the same file.
        fs::write(at("net.nnue"), "other weights").expect("written");
        let again = files_of(&job, &mut known).expect("known");
        assert_eq!(again[2].file, files[2].file);
        let sent = without_paths(&job);
        assert_eq!(sent.players[0].launch.program, Path::new("engine"));
        assert_eq!(sent.players[0].launch.dir, None);
    }

    #[test]
    fn options_whose_paths_are_not_sent_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name).display().to_string();
        fs::write(at("net.nnue"), "weights").expect("written");
        fs::create_dir(at("syzygy")).expect("made");
        let options = [
            ("SyzygyPath", at("syzygy")),
            ("EvalFile", at("net.nnue")),
            ("Book", at("missing.bin")),
            ("Contempt", "0.5".to_string()),
            ("Hash", "16".to_string()),
        ];
        let mut job = pair_job(0);
        job.players[1].options = options.map(|(a, b)| (a.to_string(), b)).into();
        let warnings = path_warnings(&job);
        let [tables, book] = &warnings[..] else {
            panic!("{warnings:?}");
        };
        assert!(tables.contains("`old`: option `SyzygyPath`"), "{tables}");
        assert!(tables.contains("--syzygy"), "{tables}");
        assert!(book.contains("option `Book`"), "{book}");
        assert!(book.contains("every worker's machine"), "{book}");
    }
}
