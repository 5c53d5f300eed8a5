//! The cache: the folder of builds.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::TempDir;

use super::error::BuildError;
use super::git::Repository;
use super::hold::Claim;
use super::hold::{BuildHold, is_being_removed};
use super::recipe::Recipe;
use super::record::{self, BuildRecord, Built};
use super::tree::{LOCK, WorkTree};
use hone_base::checksum::{sha256_file, sha256_of};
use hone_base::diagnostic::Diagnostic;
use hone_base::output::Announce;
use hone_base::platform::{
    Outsider, UserFolder, create_private, is_same_file, open_lock, outsider, sync, user_folder,
};

/// The cache: the folder of builds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    dir: PathBuf,
}

/// A build in the cache.
#[derive(Debug, Clone)]
pub struct Listed {
    pub dir: PathBuf,
    pub record: BuildRecord,
    pub last_used: SystemTime,
    pub bytes: u64,
}

pub(super) const BUILDS: &str = "builds";
pub(super) const TREES: &str = "trees";
pub(super) const FAILED: &str = "failed";
pub(super) const SOURCES: &str = "sources";
/// Part of the name of an unfinished build; a unique suffix follows.
const PARTIAL: &str = ".partial-";

impl Cache {
    /// The user's cache: `$HONE_CACHE`, or else `hone` in [`UserFolder::Cache`].
    ///
    /// # Errors
    /// [`BuildError::Cache`].
    pub fn of_user() -> Result<Self, BuildError> {
        let own = std::env::var_os("HONE_CACHE").filter(|value| !value.is_empty());
        let dir = own
            .map(PathBuf::from)
            .or_else(|| Some(user_folder(UserFolder::Cache)?.join("hone")))
            .ok_or_else(|| {
                let none = Diagnostic::new("no folder for the cache of builds");
                BuildError::Cache(none.help("set HONE_CACHE to a folder"))
            })?;
        let cache = Self::at(&dir);
        // Build commands and manifests are text.
        match cache.dir.to_str() {
            Some(_) => Ok(cache),
            None => {
                let path = cache.dir.display();
                let what = format!("the path of the cache of builds is not UTF-8: {path}");
                let help = "set HONE_CACHE to another folder";
                Err(BuildError::Cache(Diagnostic::new(what).help(help)))
            }
        }
    }

    /// A cache in a folder, which may not exist yet.
    pub fn at(dir: &Path) -> Self {
        // Build commands run in other folders, so the path must be absolute.
        let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_path_buf());
        Self { dir }
    }

    /// Checks that only this user or root can have written programs here, and creates the
    /// folder if it does not exist.
    ///
    /// # Errors
    /// [`BuildError::Cache`].
    pub(super) fn open(&self) -> Result<(), BuildError> {
        if !self.dir.is_dir() {
            let made = create_private(&self.dir).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => io::ErrorKind::NotADirectory.into(),
                _ => error,
            });
            return made.map_err(self.unusable());
        }
        for path in [
            self.dir.clone(),
            self.dir.join(BUILDS),
            self.dir.join(TREES),
        ] {
            if path != self.dir && !path.exists() {
                continue;
            }
            match outsider(&path).map_err(self.unusable())? {
                Some(Outsider::Owner(owner)) => {
                    return Err(BuildError::foreign_cache(&path, owner));
                }
                Some(Outsider::Everybody) => return Err(BuildError::open_cache(&path)),
                None => {}
            }
        }
        Ok(())
    }

    /// Checks that the builds can be listed. A cache that does not exist yet has none.
    ///
    /// # Errors
    /// [`BuildError::Cache`].
    pub fn check(&self) -> Result<(), BuildError> {
        match fs::read_dir(&self.dir) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.unusable()(error)),
            _ => Ok(()),
        }
    }

    fn unusable(&self) -> impl Fn(io::Error) -> BuildError {
        move |error| BuildError::unusable(&self.dir, &error)
    }

    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// The build of a source (a commit or a tree), if it exists and is complete.
    pub(super) fn find(&self, recipe: &Recipe, source: &str) -> Option<Built> {
        let address = recipe.address(source);
        let dir = self.dir.join(BUILDS).join(&address);
        // Held before it is read, so that it is not pruned in between.
        let hold = BuildHold::of(&dir.join(record::RECORD));
        let record = BuildRecord::read(&dir)?;
        let built = self.built(recipe, &address, record, hold);
        let built = Built {
            was_cached: true,
            ..built
        };
        // A program that was changed, truncated or removed is built again.
        let is_whole = match sha256_file(&built.program) {
            Ok(sha256) => sha256 == built.record.sha256,
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(_) => return None,
        };
        if !is_whole {
            let _ = fs::remove_dir_all(&dir);
            return None;
        }
        if let Ok(file) = File::options().append(true).open(dir.join(record::RECORD)) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(built)
    }

    pub(super) fn built(
        &self,
        recipe: &Recipe,
        address: &str,
        record: BuildRecord,
        hold: BuildHold,
    ) -> Built {
        let dir = self.dir.join(BUILDS).join(address);
        Built {
            program: recipe.program_in(&dir),
            args: recipe.args(),
            record,
            was_cached: false,
            hold,
        }
    }

    /// The work tree of a repository. Waits until no other process uses it.
    pub(super) fn work_tree(
        &self,
        of: &Repository,
        announce: Announce<'_>,
    ) -> Result<WorkTree, BuildError> {
        let dir = self.dir.join(TREES).join(tree_name(of.common()));
        let path = dir.join(LOCK);
        loop {
            create_private(&dir).map_err(BuildError::io(&dir))?;
            let lock = open_lock(&path).map_err(BuildError::io(&path))?;
            match lock.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    announce("waiting for another build of this repository");
                    lock.lock().map_err(BuildError::io(&path))?;
                }
                Err(TryLockError::Error(source)) => return Err(BuildError::io(&path)(source)),
            }
            // The previous owner may have removed the lock file with its tree.
            if is_same_file(&lock, &path).unwrap_or(false) {
                return WorkTree::open(dir, lock, of);
            }
        }
    }

    /// Removes the work tree of a repository, unless it is in use.
    pub(super) fn remove_work_tree(&self, of: &Repository) -> Result<(), BuildError> {
        let dir = self.dir.join(TREES).join(tree_name(of.common()));
        match Claim::of_tree(&dir.join(LOCK)) {
            Some(claim) => claim.remove(&dir).map(drop).map_err(BuildError::io(&dir)),
            None => Ok(()),
        }
    }

    /// The folder of sources sent to other machines or received from them.
    pub(super) fn sources(&self) -> Result<PathBuf, BuildError> {
        self.open()?;
        let dir = self.dir.join(SOURCES);
        create_private(&dir).map_err(BuildError::io(&dir))?;
        Ok(dir)
    }

    /// A new empty folder for a build, removed unless the build is published. Its name is
    /// random, because process ids are not unique if containers share the cache.
    pub(super) fn fresh_partial(&self, address: &str) -> Result<TempDir, BuildError> {
        let builds = self.dir.join(BUILDS);
        let prefix = format!("{address}{PARTIAL}");
        create_private(&builds)
            .and_then(|()| TempDir::with_prefix_in(prefix, &builds))
            .map_err(BuildError::io(&builds))
    }

    /// Moves a finished build to its final place, and holds it. If another process was
    /// faster, its build is kept and its record returned.
    pub(super) fn publish(
        &self,
        partial: &TempDir,
        address: &str,
        record: BuildRecord,
    ) -> Result<(BuildRecord, BuildHold), BuildError> {
        let builds = self.dir.join(BUILDS);
        let to = builds.join(address);
        let program = record.program_in(partial.path());
        sync(&program).map_err(BuildError::io(&program))?;
        // Held before another process can find it, except on Windows, which does not rename a
        // folder that has an open file.
        let hold = cfg!(unix).then(|| BuildHold::of(&partial.path().join(record::RECORD)));
        if let Err(error) = fs::rename(partial.path(), &to) {
            let other = BuildHold::of(&to.join(record::RECORD));
            if let Some(record) = BuildRecord::read(&to) {
                return Ok((record, other));
            }
            drop(other);
            // Remains after a power failure or a killed `prune`, not a build.
            fs::remove_dir_all(&to)
                .map_err(|_| error)
                .and_then(|()| fs::rename(partial.path(), &to))
                .map_err(BuildError::io(&to))?;
        }
        // Some file systems cannot sync folders.
        let _ = sync(&builds);
        let path = to.join(record::RECORD);
        let hold = hold.unwrap_or_else(|| BuildHold::of(&path));
        if !path.exists() {
            let removed = io::Error::other("another process has removed the build");
            return Err(BuildError::io(&to)(removed));
        }
        Ok((record, hold))
    }

    /// Path of the log of a failed build.
    pub(super) fn failed_log(&self, address: &str) -> PathBuf {
        self.dir.join(FAILED).join(format!("{address}.log"))
    }

    pub(super) fn keep_failed(&self, log: &Path, place: &Path) -> Result<(), BuildError> {
        let folder = self.dir.join(FAILED);
        create_private(&folder)
            .and_then(|()| fs::copy(log, place))
            .map(drop)
            .map_err(BuildError::io(place))
    }

    /// All builds, the most recently used first.
    pub fn list(&self) -> Vec<Listed> {
        let mut builds: Vec<Listed> = folders(&self.dir.join(BUILDS))
            .into_iter()
            .filter_map(|dir| {
                let record = BuildRecord::read(&dir)?;
                let last_used = fs::metadata(dir.join(record::RECORD))
                    .ok()?
                    .modified()
                    .ok()?;
                let bytes = size(&dir);
                Some(Listed {
                    dir,
                    record,
                    last_used,
                    bytes,
                })
            })
            .collect();
        builds.sort_by(|a, b| b.last_used.cmp(&a.last_used).then(a.dir.cmp(&b.dir)));
        builds
    }
}

/// Whether a folder is that of an unfinished build.
pub(super) fn is_partial(dir: &Path) -> bool {
    let name = dir.file_name().unwrap_or_default();
    name.to_string_lossy().contains(PARTIAL)
}

/// A readable, unique name for the work tree of a repository.
pub(super) fn tree_name(common: &Path) -> String {
    let digest = sha256_of(common.as_os_str().as_encoded_bytes());
    let is_dot_git = common.file_name().is_some_and(|name| name == ".git");
    let named = if is_dot_git {
        common.parent()
    } else {
        Some(common)
    };
    let name = named.and_then(Path::file_name).unwrap_or_default();
    let name: String = name
        .to_string_lossy()
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c))
        .take(24)
        .collect();
    format!("{name}-{digest:.12}")
}

/// The folders in a folder, except those that are being removed.
pub(super) fn folders(dir: &Path) -> Vec<PathBuf> {
    let mut folders = entries(dir, fs::FileType::is_dir);
    folders.retain(|folder| !is_being_removed(folder));
    folders
}

/// The paths in a folder whose type is wanted.
pub(super) fn entries(dir: &Path, is_wanted: impl Fn(&fs::FileType) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| is_wanted(&kind)))
        .map(|entry| entry.path())
        .collect()
}

/// Bytes of the files in a folder.
pub(super) fn size(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => size(&entry.path()),
            _ => entry.metadata().map_or(0, |file| file.len()),
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows does not rename a folder that has an open file.
    #[test]
    fn a_published_build_is_held() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path());
        let partial = cache.fresh_partial("0123-4567").unwrap();
        fs::write(partial.path().join(Recipe::program_name()), "an engine").unwrap();
        let text = "repository = \"r\"\ncommit = \"0123\"\nsubject = \"s\"\ncmd = \"\"\n\
            sha256 = \"\"\ndate = \"2026-01-01T00:00:00Z\"\ncreated = \"2026-01-01T00:00:00Z\"\n";
        let record: BuildRecord = toml::from_str(text).unwrap();
        record.write(partial.path()).unwrap();
        let (_, hold) = cache.publish(&partial, "0123-4567", record).unwrap();
        let freed = cache.prune(std::time::Duration::ZERO).unwrap();
        assert_eq!((freed.builds, freed.in_use), (0, 1));
        drop(hold);
        assert_eq!(cache.list().len(), 1);
    }

    /// Two processes in containers that share a cache may have the same id.
    #[test]
    fn a_build_has_a_folder_of_its_own_while_it_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path());
        let first = cache.fresh_partial("0123-4567").unwrap();
        let program = first.path().join(Recipe::program_name());
        fs::write(&program, "an engine").unwrap();
        let second = cache.fresh_partial("0123-4567").unwrap();
        assert_eq!(fs::read(&program).unwrap(), b"an engine");
        assert_eq!(fs::read_dir(second.path()).unwrap().count(), 0);
        // `prune` recognises the folders that a killed process leaves.
        assert!(is_partial(first.path()) && is_partial(second.path()));
        drop([first, second]);
        let left = fs::read_dir(dir.path().join(BUILDS)).unwrap();
        assert_eq!(left.count(), 0);
    }
}
