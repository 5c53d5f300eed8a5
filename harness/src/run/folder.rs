//! `results/<run>/`: where everything about a run is.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::manifest::{Kind, MANIFEST, Manifest};

/// The folder of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Folder {
    path: PathBuf,
}

/// Why a folder cannot hold a new run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FolderError {
    #[error("{} contains a run already\nhelp: resume it with `hone resume {}`, or choose another --out", path.display(), path.display())]
    Taken { path: PathBuf },
    #[error("cannot make the run's folder {}: {source}", path.display())]
    Create { path: PathBuf, source: io::Error },
}

/// Where runs go unless another folder is asked for.
const RESULTS: &str = "results";

impl Folder {
    /// Makes the folder of a new run: `out`, or a new one under `results/`
    /// named after the date and the engines.
    ///
    /// # Errors
    /// [`FolderError`].
    pub(crate) fn create(
        out: Option<&Path>,
        kind: Kind,
        names: &[String],
    ) -> Result<Self, FolderError> {
        let Some(out) = out else {
            return Self::create_fresh(kind, names);
        };
        let path = out.to_path_buf();
        let folder = Self { path: path.clone() };
        folder.check_free()?;
        let absolute = fs::create_dir_all(&path).and_then(|()| path.canonicalize());
        match absolute {
            Ok(_) => Ok(folder),
            Err(source) => Err(FolderError::Create { path, source }),
        }
    }

    /// Refuses a folder that contains a run. The answer holds as long as the
    /// folder is locked.
    ///
    /// # Errors
    /// [`FolderError::Taken`].
    pub(crate) fn check_free(&self) -> Result<(), FolderError> {
        let path = self.path.clone();
        match path.join(MANIFEST).exists() {
            true => Err(FolderError::Taken { path }),
            false => Ok(()),
        }
    }

    /// The folder of a run that is there already.
    pub(crate) fn open(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
        }
    }

    /// Makes a folder that nobody else has: of several processes that start
    /// within a second, each gets its own.
    fn create_fresh(kind: Kind, names: &[String]) -> Result<Self, FolderError> {
        let now = jiff::Zoned::now().strftime("%Y-%m-%d-%H%M%S").to_string();
        let names: Vec<String> = names.iter().take(2).map(|name| slug(name)).collect();
        let stem = format!("{now}-{}-{}", kind.name(), names.join("-"));
        let results = Path::new(RESULTS);
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            move |source| FolderError::Create { path, source }
        };
        fs::create_dir_all(results).map_err(failed(results))?;
        let mut number = 1;
        loop {
            let path = match number {
                1 => results.join(&stem),
                number => results.join(format!("{stem}-{number}")),
            };
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(failed(&path)(error)),
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The run's name: that of its folder.
    pub(crate) fn name(&self) -> String {
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

/// The runs in a folder with their manifests, oldest first; those whose
/// manifest cannot be read last. Folders without a manifest are skipped.
pub(crate) fn list_runs(results: &Path) -> Vec<(PathBuf, anyhow::Result<Manifest>)> {
    let entries = fs::read_dir(results).into_iter().flatten().flatten();
    let mut runs: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.join(MANIFEST).exists())
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

/// A name as part of a folder's name.
fn slug(name: &str) -> String {
    let clean: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "._+".contains(c) {
                c
            } else {
                '_'
            }
        })
        .take(24)
        .collect();
    clean
}
