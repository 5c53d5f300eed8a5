//! The submodules of a work tree.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::BuildError;
use super::git::{self, GitError, succeed};
use hone_base::diagnostic::Diagnostic;

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
            let what = format!(
                "the submodule {} has uncommitted changes, which a build would not get",
                path.display()
            );
            let help = "commit them in the submodule and push that commit, or undo them";
            return Err(GitError::Submodule(Diagnostic::new(what).help(help)));
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

/// Removes the clones of submodules if their addresses, or that of `origin`, have changed since
/// the last call: git would use the earlier addresses. `file` keeps them between calls.
///
/// # Errors
/// Those of git, or if a file cannot be written.
pub(super) fn forget_if_changed(top: &Path, file: &Path) -> Result<(), BuildError> {
    let modules = fs::read_to_string(top.join(".gitmodules")).unwrap_or_default();
    let mut origin = git::git(top);
    origin.args(["config", "--get", "remote.origin.url"]);
    let addresses = format!("{}\n{modules}", succeed(&mut origin).unwrap_or_default());
    if fs::read_to_string(file).is_ok_and(|before| before == addresses) {
        return Ok(());
    }
    let clones = top.join(".git").join("modules");
    if clones.exists() {
        fs::remove_dir_all(&clones).map_err(BuildError::io(&clones))?;
    }
    let mut known = git::git(top);
    known.args([
        "config",
        "--local",
        "--null",
        "--name-only",
        "--get-regexp",
        r"^submodule\.",
    ]);
    // The command fails without submodules.
    for key in succeed(&mut known)
        .unwrap_or_default()
        .split_terminator('\0')
    {
        succeed(git::git(top).args(["config", "--local", "--unset-all", key]))?;
    }
    fs::write(file, addresses).map_err(BuildError::io(file))
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
