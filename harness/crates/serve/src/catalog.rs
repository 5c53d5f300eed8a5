//! The runs and nights in a folder. A name from a request is only looked up here; it never
//! becomes a path.

use std::fs;
use std::path::{Path, PathBuf};

use hone_report::html::BELOW;
use hone_run::{MANIFEST, NIGHTS_RUNS, VERIFY, is_folder_of_nights, stage_folder_name};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Run,
    /// A later stage of a run, which is not listed separately.
    Stage,
    /// The nights of `hone track`.
    Nights,
}

/// A run or a folder of nights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CatalogEntry {
    /// Its name in URLs.
    pub id: String,
    pub path: PathBuf,
    pub sort: Sort,
}

/// All runs and nights in a folder, and one level below. Nights of the folder itself have the
/// name of the folder of their runs.
pub(super) fn list(folder: &Path) -> Vec<CatalogEntry> {
    let mut found = Vec::new();
    add_runs(folder, "", &mut found);
    if is_folder_of_nights(folder) {
        add_nights(NIGHTS_RUNS.to_string(), folder.to_path_buf(), &mut found);
    }
    for path in folders(folder) {
        let Some(name) = name_of(&path) else { continue };
        if is_folder_of_nights(&path) {
            add_nights(name, path, &mut found);
        } else {
            let verify = below(&name, path.join(VERIFY), Sort::Run);
            // The first stage is the run itself.
            let stages = (1..)
                .map_while(|index| below(&name, path.join(stage_folder_name(index)), Sort::Stage));
            found.extend(verify.into_iter().chain(stages));
        }
    }
    found
}

/// The run in a folder of the run `name`.
fn below(name: &str, path: PathBuf, sort: Sort) -> Option<CatalogEntry> {
    let is_folder = fs::symlink_metadata(&path).is_ok_and(|data| data.is_dir());
    (is_folder && path.join(MANIFEST).is_file()).then_some(CatalogEntry {
        id: format!("{name}{BELOW}{}", name_of(&path)?),
        path,
        sort,
    })
}

fn add_nights(id: String, path: PathBuf, found: &mut Vec<CatalogEntry>) {
    add_runs(&path.join(NIGHTS_RUNS), &format!("{id}{BELOW}"), found);
    found.push(CatalogEntry {
        id,
        path,
        sort: Sort::Nights,
    });
}

fn add_runs(folder: &Path, prefix: &str, found: &mut Vec<CatalogEntry>) {
    for path in folders(folder) {
        if !path.join(MANIFEST).is_file() {
            continue;
        }
        let Some(name) = name_of(&path) else { continue };
        found.push(CatalogEntry {
            id: format!("{prefix}{name}"),
            path,
            sort: Sort::Run,
        });
    }
}

fn folders(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
}

/// The name of a folder; `None` if it is not valid UTF-8, which a URL cannot contain.
fn name_of(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_str()?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_nights_and_what_lies_below_them() {
        let dir = tempfile::tempdir().expect("a folder");
        let runs = [
            "one",
            "tuning",
            "tuning/verify",
            "stages",
            "stages/stage-2",
            "stages/stage-4",
            "nightly/track/first",
        ];
        for run in runs {
            let folder = dir.path().join(run);
            fs::create_dir_all(&folder).expect("made");
            fs::write(folder.join(MANIFEST), "").expect("written");
        }
        fs::create_dir_all(dir.path().join("no-run/x")).expect("made");
        fs::write(dir.path().join("nightly/elo.csv"), "").expect("written");
        let mut found: Vec<(String, Sort)> = list(dir.path())
            .into_iter()
            .map(|found| (found.id, found.sort))
            .collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let expected = [
            ("nightly", Sort::Nights),
            ("nightly~first", Sort::Run),
            ("one", Sort::Run),
            ("stages", Sort::Run),
            ("stages~stage-2", Sort::Stage),
            ("tuning", Sort::Run),
            ("tuning~verify", Sort::Run),
        ];
        assert_eq!(found, expected.map(|(id, sort)| (id.to_string(), sort)));
    }

    /// `hone track` writes into `results/` unless `--out` names another folder.
    #[test]
    fn nights_of_the_folder_itself_are_listed_with_their_runs() {
        let dir = tempfile::tempdir().expect("a folder");
        for run in ["one", "track/first"] {
            let folder = dir.path().join(run);
            fs::create_dir_all(&folder).expect("made");
            fs::write(folder.join(MANIFEST), "").expect("written");
        }
        fs::write(dir.path().join("elo.csv"), "").expect("written");
        let found = list(dir.path());
        let ids: Vec<&str> = found.iter().map(|found| found.id.as_str()).collect();
        assert_eq!(ids, ["one", "track~first", "track"]);
        assert_eq!(found[2].path, dir.path());
        assert_eq!(found[2].sort, Sort::Nights);
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_elsewhere_are_not_followed() {
        let dir = tempfile::tempdir().expect("a folder");
        let elsewhere = tempfile::tempdir().expect("a folder");
        fs::write(elsewhere.path().join(MANIFEST), "").expect("written");
        std::os::unix::fs::symlink(elsewhere.path(), dir.path().join("link")).expect("made");
        assert_eq!(list(dir.path()), []);
    }
}
