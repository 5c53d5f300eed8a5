//! `results/<run>/`: the folder of a run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::bail;

use super::kind::Kind;
use super::manifest::{MANIFEST, Manifest};
use crate::ledger::{GAMES_CSV, GAMES_EPD, GAMES_PGN};
use hone_base::diagnostic::Diagnostic;
use hone_base::platform::{is_unfinished, quoted};
use hone_base::text::{counted, numbered};

/// The folder of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    path: PathBuf,
}

/// Why a folder cannot hold a new run.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("{0}")]
    Taken(#[source] Diagnostic),
    #[error("{0}")]
    Foreign(#[source] Diagnostic),
    #[error("cannot make the run's folder {}: {source}", path.display())]
    Create { path: PathBuf, source: io::Error },
}

/// Names of the report's files in the folder of a run.
pub const REPORT_JSON: &str = "report.json";
pub const REPORT_MD: &str = "report.md";
pub const REPORT_HTML: &str = "report.html";

/// Files of a run that a new one may find without a manifest. The ledger must be without games,
/// which its lock checks; the others are written anew.
const OF_A_RUN: [&str; 7] = [
    GAMES_CSV,
    GAMES_PGN,
    GAMES_EPD,
    "command-line.json",
    REPORT_JSON,
    REPORT_MD,
    REPORT_HTML,
];

/// The folder of new runs without `--out`.
pub const RESULTS: &str = "results";

/// The folder of the test that verifies tuned values, inside that of the tuning.
pub const VERIFY: &str = "verify";
/// The table of nights, in the folder of `hone track`.
pub const NIGHTS_TABLE: &str = "elo.csv";
/// The folder of the nights' runs, in the folder of `hone track`.
pub const NIGHTS_RUNS: &str = "track";

/// Whether a folder is one of `hone track`, not of a run.
pub fn is_folder_of_nights(folder: &Path) -> bool {
    folder.join(NIGHTS_TABLE).is_file() && !folder.join(MANIFEST).exists()
}

/// The name of the folder of a test's stage `index` (from 0, and not the first), inside that
/// of the run.
pub fn stage_folder_name(index: usize) -> String {
    format!("stage-{}", index.saturating_add(1))
}

/// The folders of the later stages of the test in `dir` that have been started.
pub fn started_stages(manifest: &Manifest, dir: &Path) -> Vec<PathBuf> {
    (1..manifest.config.stage.len())
        .map(|index| dir.join(stage_folder_name(index)))
        .take_while(|stage| stage.join(MANIFEST).exists())
        .collect()
}

/// The folder of the test of the tuned values in `dir`; `None` for another kind of run, and
/// before it is started.
pub fn started_verification(manifest: &Manifest, dir: &Path) -> Option<PathBuf> {
    let test = dir.join(VERIFY);
    let is_started = manifest.kind.has_tuned_values() && test.join(MANIFEST).exists();
    is_started.then_some(test)
}

impl Folder {
    /// Makes the folder of a new run: `out`, or a new one under `results/`
    /// named after the date, the engines and the limit.
    ///
    /// # Errors
    /// [`FolderError`].
    pub fn create(
        out: Option<&Path>,
        kind: Kind,
        names: &[String],
        limit: &str,
    ) -> Result<Self, FolderError> {
        let Some(out) = out else {
            return Self::create_fresh(kind, names, limit);
        };
        let folder = Self::open(out);
        folder.check_unused()?;
        // Only `canonicalize` refuses an empty path.
        match fs::create_dir_all(out).and_then(|()| out.canonicalize()) {
            Ok(_) => Ok(folder),
            Err(source) => Err(FolderError::Create {
                path: folder.path,
                source,
            }),
        }
    }

    /// Refuses a folder for a new run, `out` or one under `results/`, that contains a run or
    /// cannot be made. The folder is not made yet.
    ///
    /// # Errors
    /// [`FolderError`].
    pub fn check_new(out: Option<&Path>) -> Result<(), FolderError> {
        if let Some(out) = out {
            Self::open(out).check_unused()?;
        }
        let path = out.unwrap_or(Path::new(RESULTS));
        let mut parents = path.ancestors();
        let existing = parents.find(|parent| parent.exists());
        match tempfile::tempdir_in(existing.unwrap_or(Path::new("."))) {
            Ok(_) => Ok(()),
            Err(error) => Err(FolderError::Create {
                path: path.to_path_buf(),
                // Without the name of the temporary folder.
                source: error.kind().into(),
            }),
        }
    }

    /// Refuses a folder for a new run that contains a run or other files.
    ///
    /// # Errors
    /// [`FolderError::Taken`], [`FolderError::Foreign`].
    pub fn check_unused(&self) -> Result<(), FolderError> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let foreign = names.find(|name| !OF_A_RUN.contains(&name.as_str()) && !is_unfinished(name));
        // Another process may have started a run meanwhile.
        self.check_free()?;
        match foreign {
            Some(name) => {
                let what = format!(
                    "cannot play a new run in {}: it contains `{name}`, which is not of a run",
                    self.path.display()
                );
                let error = Diagnostic::new(what).help("choose another --out");
                Err(FolderError::Foreign(error))
            }
            None => Ok(()),
        }
    }

    /// Refuses a folder that contains a run. Only the holder of its lock can rely on that.
    ///
    /// # Errors
    /// [`FolderError::Taken`].
    pub fn check_free(&self) -> Result<(), FolderError> {
        let path = &self.path;
        if path.join(MANIFEST).exists() {
            let what = format!("{} contains a run already", path.display());
            let run = quoted(path);
            let help = format!("resume it with `hone resume {run}`, or choose another --out");
            Err(FolderError::Taken(Diagnostic::new(what).help(help)))
        } else {
            Ok(())
        }
    }

    /// The folder of an existing run.
    pub fn open(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
        }
    }

    /// Makes a new folder: each of several processes that start within a second gets its
    /// own.
    fn create_fresh(kind: Kind, names: &[String], limit: &str) -> Result<Self, FolderError> {
        let now = jiff::Zoned::now().strftime("%Y-%m-%d-%H%M%S").to_string();
        let names: Vec<String> = names.iter().take(2).map(|name| slug(name)).collect();
        let (names, limit) = (names.join("-"), slug(limit));
        let stem = format!("{now}-{}-{names}-{limit}", kind.name());
        let results = Path::new(RESULTS);
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            move |source| FolderError::Create { path, source }
        };
        make_results(results).map_err(failed(results))?;
        let mut made = Ok(());
        let name = numbered(&stem, |name| {
            made = fs::create_dir(results.join(name));
            !matches!(&made, Err(error) if error.kind() == io::ErrorKind::AlreadyExists)
        });
        let path = results.join(name);
        made.map_err(failed(&path))?;
        Ok(Self { path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The run's name: that of its folder.
    pub fn name(&self) -> String {
        self.path
            .canonicalize()
            .ok()
            .and_then(|path| {
                path.file_name()
                    .map(|name| name.to_string_lossy().into_owned())
            })
            .unwrap_or_else(|| self.path.display().to_string())
    }
}

/// Makes the folder of all runs, if it is missing, with a file that hides it
/// from git, so that runs do not show up as changes of a repository.
fn make_results(results: &Path) -> io::Result<()> {
    if results.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(results)?;
    fs::write(results.join(".gitignore"), "*\n")
}

/// The name that stands for the newest run in a folder.
pub const LATEST: &str = "latest";

/// The folder of the run that a user names: by its path, by its name or the
/// beginning of its name in `results/` or in another folder, or as `latest`.
///
/// # Errors
/// If the run does not exist or the name fits several.
pub fn find_run(named: &Path) -> anyhow::Result<PathBuf> {
    find_run_in(Path::new(RESULTS), named)
}

fn find_run_in(results: &Path, named: &Path) -> anyhow::Result<PathBuf> {
    // An existing path takes precedence; that it is not a run is reported later.
    if named.exists() {
        return Ok(named.to_path_buf());
    }
    let (folder, start) = match (named.parent(), named.file_name()) {
        (Some(parent), Some(start)) if parent.as_os_str().is_empty() => (results, start),
        (Some(parent), Some(start)) => (parent, start),
        _ => return Ok(named.to_path_buf()),
    };
    let start = start.to_string_lossy();
    if start == LATEST {
        let readable = list_runs(folder)
            .into_iter()
            .rev()
            .find(|(_, run)| run.is_ok());
        return match readable {
            Some((path, _)) => Ok(path),
            None => bail!("{} contains no runs", folder.display()),
        };
    }
    let runs = run_folders(folder);
    let name = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    };
    if let Some(exact) = runs.iter().find(|path| name(path) == start) {
        return Ok(exact.clone());
    }
    let found: Vec<&PathBuf> = runs
        .iter()
        .filter(|path| name(path).starts_with(&*start))
        .collect();
    match &found[..] {
        [one] => Ok((*one).clone()),
        // A path; that it is not a run is reported later.
        [] if folder != results => Ok(named.to_path_buf()),
        [] => bail!(
            Diagnostic::new(format!(
                "no run `{}`: {} has {}",
                named.display(),
                folder.display(),
                counted(runs.len() as u64, "run")
            ))
            .help("`hone runs` lists them; `latest` is the newest")
        ),
        several => {
            let names: Vec<String> = several.iter().take(3).map(|path| name(path)).collect();
            bail!(
                Diagnostic::new(format!(
                    "`{}` is the beginning of {} runs: {}{}",
                    named.display(),
                    several.len(),
                    names.join(", "),
                    if several.len() > 3 { ", …" } else { "" }
                ))
                .help("write more of the name")
            )
        }
    }
}

/// The folders in a folder that have a manifest, by name.
pub fn run_folders(results: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(results).into_iter().flatten().flatten();
    let mut runs: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.join(MANIFEST).exists())
        .collect();
    runs.sort();
    runs
}

/// The runs in a folder with their manifests, oldest first; those whose
/// manifest cannot be read last. Folders without a manifest are skipped.
pub fn list_runs(results: &Path) -> Vec<(PathBuf, anyhow::Result<Manifest>)> {
    let mut runs: Vec<_> = run_folders(results)
        .into_iter()
        .map(|path| {
            let manifest = Manifest::read(&path);
            (path, manifest)
        })
        .collect();
    runs.sort_by(|(one, a), (other, b)| match (a, b) {
        (Ok(a), Ok(b)) => a.created.cmp(&b.created),
        (Err(_), Err(_)) => one.cmp(other),
        (a, b) => a.is_err().cmp(&b.is_err()),
    });
    runs
}

/// A name as part of a folder's name: at most 24 characters, other than letters, digits and
/// `._+` replaced by `_`.
fn slug(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "._+".contains(c) {
                c
            } else {
                '_'
            }
        })
        .take(24)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_other_files_is_refused_for_a_new_run() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = Folder::open(dir.path());
        for left in OF_A_RUN.into_iter().chain([".hone-abc123.tmp"]) {
            fs::write(dir.path().join(left), "").expect("written");
        }
        folder.check_unused().expect("what a killed start leaves");
        Folder::open(&dir.path().join("new"))
            .check_unused()
            .expect("not made yet");
        fs::write(dir.path().join("thesis.tex"), "").expect("written");
        let error = folder.check_unused().expect_err("refused").to_string();
        assert!(
            error.contains("it contains `thesis.tex`, which is not"),
            "{error}"
        );
        fs::write(dir.path().join(MANIFEST), "").expect("written");
        let error = folder.check_unused().expect_err("refused").to_string();
        assert!(error.contains("contains a run already"), "{error}");
    }

    /// Folders with manifests that cannot be read, which is enough to be found.
    fn runs(names: &[&str]) -> tempfile::TempDir {
        let results = tempfile::tempdir().expect("made");
        for name in names {
            let run = results.path().join(name);
            fs::create_dir(&run).expect("made");
            fs::write(run.join(MANIFEST), "").expect("written");
        }
        results
    }

    #[test]
    fn the_beginning_of_a_name_is_enough() {
        let results = runs(&["2026-01-01-sprt", "2026-01-02-match", "2026-01-02-match-2"]);
        let find = |named: &str| find_run_in(results.path(), Path::new(named));
        let name = |named: &str| find(named).map(|path| path.file_name().map(ToOwned::to_owned));
        assert_eq!(
            name("2026-01-01").expect("one"),
            Some("2026-01-01-sprt".into())
        );
        // A whole name, with which another one begins.
        let whole = name("2026-01-02-match").expect("one");
        assert_eq!(whole, Some("2026-01-02-match".into()));
        let several = find("2026-01-02").expect_err("two").to_string();
        assert!(
            several.contains("2 runs: 2026-01-02-match, 2026-01-02-match-2"),
            "{several}"
        );
        let none = find("2025").expect_err("none").to_string();
        assert!(none.contains("no run `2025`"), "{none}");
        let inside = results.path().join("2026-01-01");
        let found = find_run_in(Path::new("elsewhere"), &inside).expect("by its path");
        assert!(found.ends_with("2026-01-01-sprt"));
    }

    #[test]
    fn the_folder_of_all_runs_is_hidden_from_git() {
        let folder = tempfile::tempdir().expect("made");
        let results = folder.path().join("results");
        make_results(&results).expect("made");
        let ignore = results.join(".gitignore");
        assert_eq!(fs::read_to_string(&ignore).expect("there"), "*\n");
        // A user's file is not changed.
        fs::write(&ignore, "").expect("written");
        make_results(&results).expect("there already");
        assert_eq!(fs::read_to_string(&ignore).expect("there"), "");
    }
}
