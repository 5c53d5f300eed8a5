//! The submodules of a work tree.

use std::path::{Path, PathBuf};

use super::git::{self, GitError, succeed};

/// The mode of a submodule in an index.
const MODE: &[u8] = b"160000 ";

/// Refuses a work tree with changed files in submodules: a snapshot contains only the commits
/// of its submodules.
///
/// # Errors
/// [`GitError::Submodule`], and those of git.
pub(super) fn refuse_changed(top: &Path) -> Result<(), GitError> {
    for name in in_index(top)? {
        let path = top.join(name);
        if !path.join(".git").exists() {
            continue;
        }
        let mut status = git::git(&path);
        status.args(git::without_own_filters(&path)?);
        // Those inside it come next.
        status.args(["status", "--porcelain", "--ignore-submodules=all"]);
        if !succeed(status.arg("--untracked-files=no"))?.is_empty() {
            return Err(GitError::Submodule { path });
        }
        refuse_changed(&path)?;
    }
    Ok(())
}

/// Removes the submodules from the index of a work tree, so that `git clean` removes their
/// folders too.
///
/// # Errors
/// Those of git.
pub(super) fn forget(top: &Path) -> Result<(), GitError> {
    let submodules = in_index(top)?;
    if submodules.is_empty() {
        return Ok(());
    }
    let mut forget = git::git(top);
    forget.args(["update-index", "--force-remove", "--"]);
    succeed(forget.args(submodules)).map(drop)
}

/// The submodules in the index of a work tree, as paths from `top`, its root.
fn in_index(top: &Path) -> Result<Vec<PathBuf>, GitError> {
    let listed = git::succeeded(git::git(top).args(["ls-files", "-z", "--stage"]))?;
    let entries = listed.stdout.split(|byte| *byte == 0);
    let submodules = entries.filter(|entry| entry.starts_with(MODE));
    // The path comes after the first tab.
    let names = submodules.filter_map(|entry| entry.splitn(2, |byte| *byte == b'\t').nth(1));
    Ok(names.map(path_of).collect())
}

/// Converts a path in git's output.
#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
