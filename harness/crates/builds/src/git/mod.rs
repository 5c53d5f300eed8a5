//! Queries of a repository, by the program `git`. Nothing here writes to the user's
//! repository.
//!
//! * [`Repository`]: what is asked of it. `commit`: the answers of `git log`.
//! * `program`: starts `git` and reads whether it succeeded.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

mod commit;
mod program;

pub use commit::{Commit, parse_commits, short_id};
pub(crate) use program::{forget_surroundings, git, succeed, succeeded, without_own_filters};

use std::fs;
use std::io;
use std::path::{Path, PathBuf, absolute};
use std::process::ExitStatus;

use super::forge::Forge;
use hone_base::diagnostic::Diagnostic;
use hone_base::platform::full_path;
use program::{output, text};

/// The reason why a query of a repository failed.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("cannot start git: {source}")]
    Start { source: io::Error },
    #[error("{} is not in a git repository{detail}", place(path))]
    NoRepository {
        path: PathBuf,
        /// Empty, or more about the cause after a colon.
        detail: String,
    },
    #[error("{0}")]
    Ownership(#[source] Diagnostic),
    #[error("the repository in {} has no commit, tag or branch `{rev}`", place(path))]
    NoRevision {
        path: PathBuf,
        rev: String,
        #[source]
        help: Diagnostic,
    },
    #[error("{0}")]
    Shallow(#[source] Diagnostic),
    #[error("{0}")]
    Submodule(#[source] Diagnostic),
    #[error("{0}")]
    Partial(#[source] Diagnostic),
    #[error("{0}")]
    Incomplete(#[source] Diagnostic),
    #[error("{} has no work tree: its changes cannot be built", path.display())]
    Bare { path: PathBuf },
    #[error("git was killed ({status}) before it answered")]
    Killed {
        status: ExitStatus,
        #[source]
        help: Diagnostic,
    },
    #[error("git {command} failed: {detail}")]
    Failed { command: String, detail: String },
}

const UNSHALLOW: &str = "this clone is shallow; `git fetch --unshallow` fetches its whole history (`fetch-depth: 0` of actions/checkout)";

/// A folder, as messages name it.
fn place(path: &Path) -> String {
    if path == Path::new(".") || path == Path::new("") {
        "the current folder".to_string()
    } else {
        format!("`{}`", path.display())
    }
}

/// A repository on disk.
#[derive(Debug, Clone)]
pub struct Repository {
    /// The path as the user wrote it.
    path: PathBuf,
    /// Its git folder with objects and branches, shared by all its work trees.
    common: PathBuf,
}

impl Repository {
    /// The repository that `path` is in.
    ///
    /// # Errors
    /// [`GitError::NoRepository`], [`GitError::Ownership`].
    pub fn open(path: &Path) -> Result<Self, GitError> {
        let no_repository = |detail: &str| GitError::NoRepository {
            path: path.to_path_buf(),
            // This one only repeats the sentence.
            detail: if detail.contains("not a git repository") {
                String::new()
            } else {
                format!(": {}", detail.trim())
            },
        };
        if !path.is_dir() {
            return Err(no_repository("no such folder"));
        }
        let output = output(git(path).args(["rev-parse", "--git-common-dir"]))?;
        if !output.status.success() {
            let detail = String::from_utf8_lossy(&output.stderr);
            return Err(match exception_command(&detail) {
                Some(command) => {
                    let what = format!(
                        "git refuses the repository {}, because it belongs to another user",
                        path.display()
                    );
                    let help = format!("if you trust it, run `{command}`");
                    GitError::Ownership(Diagnostic::new(what).help(help))
                }
                None => no_repository(&detail),
            });
        }
        let common = path.join(text(&output));
        let common = full_path(&common).map_err(|error| no_repository(&error.to_string()))?;
        Ok(Self {
            path: path.to_path_buf(),
            common,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn common(&self) -> &Path {
        &self.common
    }

    /// The commit that a revision names.
    ///
    /// # Errors
    /// [`GitError::NoRevision`].
    pub fn commit(&self, rev: &str) -> Result<Commit, GitError> {
        let missing = || GitError::NoRevision {
            path: self.path.clone(),
            rev: rev.to_string(),
            help: self.help_for(rev),
        };
        let id = self.id(rev)?.ok_or_else(missing)?;
        let shown = self.log(&["-1", &id])?;
        shown.into_iter().next().ok_or_else(missing)
    }

    /// The id of the commit that a revision names; `None` if it does not exist.
    fn id(&self, rev: &str) -> Result<Option<String>, GitError> {
        if rev.is_empty() {
            return Ok(None);
        }
        let peeled = format!("{rev}^{{commit}}");
        let mut command = git(&self.path);
        command.args([
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &peeled,
        ]);
        let output = output(&mut command)?;
        Ok(output.status.success().then(|| text(&output)))
    }

    /// The help for a missing revision.
    fn help_for(&self, rev: &str) -> Diagnostic {
        let none = Diagnostic::default();
        if self.is_remote_branch(rev) {
            let remote = format!("origin/{rev}");
            return none.help(format!(
                "the remote branch `{remote}` exists; write `{remote}`"
            ));
        }
        if self.boundary().is_empty() {
            none
        } else {
            none.help(UNSHALLOW)
        }
    }

    /// Whether `origin` has a branch of exactly this name. `HEAD^1` is not a name.
    fn is_remote_branch(&self, name: &str) -> bool {
        // `origin/HEAD` is the default branch of the remote.
        if name == "HEAD" {
            return false;
        }
        let mut command = git(&self.path);
        command.args(["show-ref", "--verify", "--quiet"]);
        command.arg(format!("refs/remotes/origin/{name}"));
        succeed(&mut command).is_ok()
    }

    /// The commits where the history of a shallow clone ends; none in a whole one.
    fn boundary(&self) -> Vec<String> {
        let ends = fs::read_to_string(self.common.join("shallow")).unwrap_or_default();
        ends.lines().map(str::to_string).collect()
    }

    /// Refuses commits at the boundary of a shallow clone: their parents are missing, so they
    /// seem to add all their files.
    fn refuse_boundary(&self, commits: Vec<Commit>) -> Result<Vec<Commit>, GitError> {
        let boundary = self.boundary();
        match commits.iter().find(|commit| boundary.contains(&commit.id)) {
            None => Ok(commits),
            Some(commit) => {
                let what = format!(
                    "the history of {} ends at {}, because the clone is shallow: what this commit changes is unknown",
                    self.path.display(),
                    commit.describe()
                );
                Err(GitError::Shallow(Diagnostic::new(what).help(UNSHALLOW)))
            }
        }
    }

    /// Pathspecs that exclude the files `names` of `folder` from a search for changes. `None`
    /// if the folder is not in the work tree.
    pub fn without(&self, folder: &Path, names: &[&str]) -> Option<Vec<String>> {
        let mut command = git(&self.path);
        let top = succeed(command.args(["rev-parse", "--show-toplevel"])).ok()?;
        let top = Path::new(&top).canonicalize().ok()?;
        let folder = resolved(&absolute(folder).ok()?)?;
        let folder = folder.strip_prefix(top).ok()?;
        let pathspec = |name: &&str| {
            let path = folder.join(name);
            let path = path.to_str()?;
            // Git on Windows expects slashes.
            let path = if cfg!(windows) {
                path.replace('\\', "/")
            } else {
                path.to_string()
            };
            Some(format!(":(top,exclude,literal){path}"))
        };
        names.iter().map(pathspec).collect()
    }

    /// The commits of `to`'s first-parent history that are not in `from`'s, oldest first,
    /// without `from` itself.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn first_parents(&self, from: &str, to: &str) -> Result<Vec<Commit>, GitError> {
        let range = format!("{}..{}", self.commit(from)?.id, self.commit(to)?.id);
        self.log(&["--first-parent", "--reverse", &range])
    }

    /// The newest commits of `to`'s history that are not in `from`'s, newest first, at most
    /// `most` of them.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn newest_between(
        &self,
        from: &str,
        to: &str,
        most: usize,
    ) -> Result<Vec<Commit>, GitError> {
        let range = format!("{}..{}", self.commit(from)?.id, self.commit(to)?.id);
        self.log(&[&format!("--max-count={most}"), &range])
    }

    /// The ids of a revision's first-parent history, newest first, including the revision.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn history(&self, rev: &str) -> Result<Vec<String>, GitError> {
        let mut command = git(&self.path);
        command.args(["rev-list", "--first-parent", &self.commit(rev)?.id]);
        Ok(succeed(&mut command)?.lines().map(str::to_string).collect())
    }

    /// The commits of `to`'s first-parent history after `from` that change something in
    /// `paths` (anywhere if `paths` is empty), oldest first.
    ///
    /// # Errors
    /// [`GitError`]; [`GitError::Shallow`] if what one of them changes is unknown.
    pub fn changing(
        &self,
        paths: &[String],
        from: Option<&str>,
        to: &str,
    ) -> Result<Vec<Commit>, GitError> {
        let to = self.commit(to)?.id;
        let range = match from {
            Some(from) => format!("{}..{to}", self.commit(from)?.id),
            None => to,
        };
        self.log_changing(&["--first-parent", "--reverse", &range], paths)
    }

    /// The newest of these commits.
    ///
    /// # Errors
    /// As [`Self::changing`].
    pub fn newest_changing(&self, paths: &[String], to: &str) -> Result<Option<Commit>, GitError> {
        let to = self.commit(to)?.id;
        let commits = self.log_changing(&["--first-parent", "-1", &to], paths)?;
        Ok(commits.into_iter().next())
    }

    fn log_changing(&self, arguments: &[&str], paths: &[String]) -> Result<Vec<Commit>, GitError> {
        let commits = self.log_of(arguments, paths)?;
        match paths {
            [] => Ok(commits),
            _ => self.refuse_boundary(commits),
        }
    }

    /// The tag that matches `pattern` and is nearest in a revision's history, including the
    /// revision itself.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn newest_tag(&self, rev: &str, pattern: &str) -> Result<Option<String>, GitError> {
        let mut command = git(&self.path);
        command.args(["describe", "--tags", "--abbrev=0", "--match", pattern, rev]);
        let output = output(&mut command)?;
        Ok(output.status.success().then(|| text(&output)))
    }

    /// The tags of a commit that match `pattern`.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn tags_at(&self, commit: &str, pattern: &str) -> Result<Vec<String>, GitError> {
        if pattern.is_empty() {
            return Ok(Vec::new());
        }
        let mut command = git(&self.path);
        command.args(["tag", "--points-at", commit, "--list", pattern]);
        Ok(succeed(&mut command)?.lines().map(str::to_string).collect())
    }

    /// The host of its remote `origin`, if known.
    pub fn forge(&self) -> Option<Forge> {
        let mut command = git(&self.path);
        command.args(["config", "--get", "remote.origin.url"]);
        Forge::of(&succeed(&mut command).ok()?)
    }

    fn log(&self, arguments: &[&str]) -> Result<Vec<Commit>, GitError> {
        self.log_of(arguments, &[])
    }

    fn log_of(&self, arguments: &[&str], paths: &[String]) -> Result<Vec<Commit>, GitError> {
        let mut command = git(&self.path);
        command
            .args([
                "log",
                "-z",
                "--no-show-signature",
                "--encoding=UTF-8",
                "--format=%H%n%cI%n%an%n%B",
            ])
            .args(arguments)
            .arg("--")
            .args(paths);
        parse_commits(&succeed(&mut command)?)
    }
}

/// The command that git proposes if it refuses the repository of another user; `None` for
/// other messages.
fn exception_command(message: &str) -> Option<&str> {
    let mut lines = message.lines().map(str::trim);
    lines.find(|line| line.starts_with("git config") && line.contains("safe.directory"))
}

/// The absolute path of a folder that may not exist yet, with symbolic links resolved.
fn resolved(folder: &Path) -> Option<PathBuf> {
    let existing = folder.canonicalize().ok();
    existing.or_else(|| Some(resolved(folder.parent()?)?.join(folder.file_name()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_its_folder() {
        let no_revision = |path: &str| GitError::NoRevision {
            path: path.into(),
            rev: "nope".to_string(),
            help: Diagnostic::default(),
        };
        assert_eq!(
            no_revision(".").to_string(),
            "the repository in the current folder has no commit, tag or branch `nope`"
        );
        let elsewhere = no_revision("../engine").to_string();
        assert!(elsewhere.starts_with("the repository in `../engine` has no commit"));
    }

    #[test]
    fn the_command_that_git_proposes_is_found() {
        let command = "git config --global --add safe.directory '/srv/my engine'";
        let message = format!(
            "fatal: detected dubious ownership in repository at '/srv/my engine'\n\
             To add an exception for this directory, call:\n\n\t{command}\n"
        );
        assert_eq!(exception_command(&message), Some(command));
        assert_eq!(exception_command("fatal: not a git repository"), None);
    }

    #[test]
    fn a_folder_that_does_not_exist_is_resolved_like_one_that_does() {
        let existing = tempfile::tempdir().expect("a folder");
        let expected = existing.path().canonicalize().expect("it exists");
        assert_eq!(resolved(existing.path()), Some(expected.clone()));
        let missing = existing.path().join("a").join("b");
        assert_eq!(resolved(&missing), Some(expected.join("a").join("b")));
        #[cfg(unix)]
        {
            let link = existing.path().join("link");
            std::os::unix::fs::symlink(existing.path(), &link).expect("a link");
            assert_eq!(resolved(&link.join("a")), Some(expected.join("a")));
        }
    }
}
