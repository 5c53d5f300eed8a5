//! Removes from the cache what has not been used for some time.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use super::cache::{
    BUILDS, Cache, FAILED, SOURCES, TREES, entries, folders, is_partial, size, tree_name,
};
use super::error::BuildError;
use super::hold::{Claim, is_being_removed, remove_all};
use super::record;
use super::tree::LOCK;
use hone_base::platform::full_path;

/// The result of pruning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Freed {
    pub builds: usize,
    pub trees: usize,
    /// Old builds that were kept because a process uses them.
    pub in_use: usize,
    pub bytes: u64,
}

/// Age from which an unfinished build counts as abandoned.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

impl Cache {
    /// Removes builds and work trees that have not been used for `unused_for`, and unfinished
    /// builds of killed processes. Builds and trees in use are kept. Several processes may
    /// prune at the same time.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn prune(&self, unused_for: Duration) -> Result<Freed, BuildError> {
        let mut freed = Freed::default();
        for folder in [BUILDS, TREES, SOURCES] {
            freed.remove_remains(&self.path().join(folder))?;
        }
        freed.prune_builds(&self.path().join(BUILDS), unused_for)?;
        let trees = self.path().join(TREES);
        freed.prune_trees(&trees, unused_for)?;
        freed.prune_sources(&self.path().join(SOURCES), &trees, unused_for)?;
        for folder in [FAILED, SOURCES] {
            freed.prune_files(&self.path().join(folder), unused_for)?;
        }
        Ok(freed)
    }
}

impl Freed {
    /// Removes what a killed `prune` has left.
    fn remove_remains(&mut self, folder: &Path) -> Result<(), BuildError> {
        for dir in entries(folder, fs::FileType::is_dir) {
            if is_being_removed(&dir) {
                let bytes = size(&dir);
                let is_removed = remove_all(&dir).map_err(BuildError::io(&dir))?;
                self.bytes += if is_removed { bytes } else { 0 };
            }
        }
        Ok(())
    }

    fn prune_builds(&mut self, builds: &Path, unused_for: Duration) -> Result<(), BuildError> {
        for dir in folders(builds) {
            let record = dir.join(record::RECORD);
            let goes = match is_partial(&dir) {
                // Another process may still be building it.
                true => is_old(&dir, unused_for.max(ABANDONED)),
                false if record.exists() => is_old(&record, unused_for),
                // A damaged build.
                false => is_old(&dir, unused_for),
            };
            if !goes {
                continue;
            }
            match Claim::of_build(&record) {
                Some(claim) => self.builds += self.remove(claim, &dir)?,
                None => self.in_use += 1,
            }
        }
        Ok(())
    }

    fn prune_trees(&mut self, trees: &Path, unused_for: Duration) -> Result<(), BuildError> {
        for dir in folders(trees) {
            if is_old(&dir, unused_for)
                && let Some(claim) = Claim::of_tree(&dir.join(LOCK))
            {
                self.trees += self.remove(claim, &dir)?;
            }
        }
        Ok(())
    }

    /// Removes repositories of sources, unless one is being built in its work tree.
    fn prune_sources(
        &mut self,
        sources: &Path,
        trees: &Path,
        unused_for: Duration,
    ) -> Result<(), BuildError> {
        for repository in folders(sources) {
            let common = match full_path(&repository) {
                // Another process has removed it.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                path => path.map_err(BuildError::io(&repository))?,
            };
            let tree = trees.join(tree_name(&common));
            let is_building = tree.exists() && Claim::of_tree(&tree.join(LOCK)).is_none();
            if is_old(&repository, unused_for) && !is_building {
                self.remove(Claim::default(), &repository)?;
            }
        }
        Ok(())
    }

    fn prune_files(&mut self, folder: &Path, unused_for: Duration) -> Result<(), BuildError> {
        for file in entries(folder, fs::FileType::is_file) {
            if !is_old(&file, unused_for) {
                continue;
            }
            let bytes = fs::metadata(&file).map_or(0, |file| file.len());
            match fs::remove_file(&file) {
                Ok(()) => self.bytes += bytes,
                // Another process has removed it.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(BuildError::io(&file)(error)),
            }
        }
        Ok(())
    }

    /// Removes a folder. Returns the number of folders that it has removed: 0 if another
    /// process was faster.
    fn remove(&mut self, claim: Claim, dir: &Path) -> Result<usize, BuildError> {
        let bytes = size(dir);
        let is_removed = claim.remove(dir).map_err(BuildError::io(dir))?;
        self.bytes += if is_removed { bytes } else { 0 };
        Ok(usize::from(is_removed))
    }
}

/// Whether a file or folder was last modified at least `age` ago.
fn is_old(path: &Path, age: Duration) -> bool {
    let used = fs::metadata(path).and_then(|file| file.modified());
    used.is_ok_and(|used| used.elapsed().unwrap_or_default() >= age)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recipe;

    /// On Windows, a process that looks at a lock prevents another from renaming the folder.
    #[cfg(unix)]
    #[test]
    fn several_processes_may_prune_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let made = |folder: &str, number: usize, file: &str| {
            let folder = dir.path().join(folder).join(number.to_string());
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(file), "old").unwrap();
        };
        for number in 0..100 {
            made(BUILDS, number, record::RECORD);
            made(TREES, number, "file");
            made(SOURCES, number, "file");
        }
        let cache = Cache::at(dir.path());
        let freed: Vec<Freed> = std::thread::scope(|scope| {
            let pruning: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| cache.prune(Duration::ZERO).unwrap()))
                .collect();
            let freed = pruning.into_iter().map(|thread| thread.join().unwrap());
            freed.collect()
        });
        // A folder that one of them is removing is not removed by another.
        assert_eq!(freed.iter().map(|freed| freed.builds).sum::<usize>(), 100);
        assert_eq!(freed.iter().map(|freed| freed.trees).sum::<usize>(), 100);
        for folder in [BUILDS, TREES, SOURCES] {
            let left = fs::read_dir(dir.path().join(folder)).unwrap();
            assert_eq!(left.count(), 0, "{folder}");
        }
    }

    #[test]
    fn the_remains_of_a_killed_prune_are_neither_listed_nor_kept() {
        let dir = tempfile::tempdir().unwrap();
        let left = dir.path().join(BUILDS).join("0123-4567~removed-1-2");
        fs::create_dir_all(&left).unwrap();
        fs::write(left.join(Recipe::program_name()), "left").unwrap();
        assert!(folders(&dir.path().join(BUILDS)).is_empty());
        let freed = Cache::at(dir.path()).prune(Duration::MAX).unwrap();
        assert_eq!((freed.builds, freed.bytes), (0, 4));
        assert!(!left.exists());
    }
}
