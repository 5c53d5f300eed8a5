//! Errors of building an engine.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::git::GitError;

/// The reason why an engine could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("{0}")]
    Sandbox(String),
    #[error("cannot run the build command of {commit}: {source}")]
    Shell { commit: String, source: io::Error },
    #[error(transparent)]
    Failed(Box<FailedBuild>),
    #[error("{commit} was built, but there is no program `{program}`{found}")]
    NoProgram {
        commit: String,
        program: String,
        /// What was found in its place, with a help line.
        found: String,
    },
    /// The reason may end with a help line, which the builder does not know.
    #[error("{commit}: {reason}")]
    Bench { commit: String, reason: String },
    #[error("the source of {commit} cannot be used: {reason}")]
    Source { commit: String, reason: String },
    #[error("the uncommitted changes of {} have changed since the build and cannot be rebuilt", repository.display())]
    ChangesGone { repository: PathBuf },
    #[error("{}: {source}{}", path.display(), help_of(source))]
    Io { path: PathBuf, source: io::Error },
    #[error("cannot build {commit}: the disk of {} is full{MAKE_ROOM}", path.display())]
    NoRoom { commit: String, path: PathBuf },
    #[error("`cmd` is {program}; it must be a path inside the work tree, or {{out}}")]
    Outside { program: String },
    #[error(
        "`cmd` is {program}, but a symbolic link of the commit leads from there out of the work tree"
    )]
    LeadsOutside { program: String },
    #[error("{commit} was built, but its program is not executable\nhelp: {help}")]
    NotExecutable { commit: String, help: String },
    #[error("no folder for the cache of builds\nhelp: set HONE_CACHE to a folder")]
    NoCache,
    #[error(
        "cannot use the cache of builds {}: {source}{}",
        path.display(), cache_help(source)
    )]
    Cache { path: PathBuf, source: io::Error },
    #[error(
        "the cache of builds {} belongs to another user (uid {owner}), whose programs would run with your rights\nhelp: set HONE_CACHE to a folder of your own",
        path.display()
    )]
    ForeignCache { path: PathBuf, owner: u32 },
    #[error(
        "every user can write to the cache of builds {}, and their programs would run with your rights\nhelp: `chmod o-w {}` if its programs are yours, or set HONE_CACHE to another folder",
        path.display(), path.display()
    )]
    OpenCache { path: PathBuf },
    #[error(
        "the path of the cache of builds is not UTF-8: {}\nhelp: set HONE_CACHE to another folder",
        path.display()
    )]
    CachePath { path: PathBuf },
}

const MAKE_ROOM: &str =
    "\nhelp: make room (`hone builds prune`), or set HONE_CACHE to a folder on another disk";

const OWN_FOLDER: &str = "\nhelp: set HONE_CACHE to a folder of your own";

/// The help for a file of the cache that cannot be written.
fn help_of(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => MAKE_ROOM,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => OWN_FOLDER,
        _ => "",
    }
}

/// The help for a folder that cannot be the cache.
fn cache_help(error: &io::Error) -> &'static str {
    match help_of(error) {
        "" => OWN_FOLDER,
        help => help,
    }
}

/// A build command that failed.
#[derive(Debug, thiserror::Error)]
#[error("{commit} does not build ({status}): {line}{}{hint}{}", self.quoted(), self.place_of_log())]
pub struct FailedBuild {
    /// Its id and subject.
    pub commit: String,
    pub line: String,
    pub status: String,
    /// The first error lines of the log and its last lines; empty if nothing was printed.
    pub excerpt: String,
    /// Empty, or a help line.
    pub hint: &'static str,
    pub log: PathBuf,
}

impl FailedBuild {
    fn quoted(&self) -> String {
        if self.excerpt.is_empty() {
            String::new()
        } else {
            format!("\n{}", self.excerpt)
        }
    }

    fn place_of_log(&self) -> String {
        if self.excerpt.is_empty() {
            String::new()
        } else {
            format!("\nhelp: the complete log is {}", self.log.display())
        }
    }
}

impl BuildError {
    /// Whether the commit itself is at fault (it does not build), rather than the machine,
    /// the repository or the configuration.
    pub fn is_of_commit(&self) -> bool {
        matches!(
            self,
            Self::Failed(_)
                | Self::NoProgram { .. }
                | Self::NotExecutable { .. }
                | Self::LeadsOutside { .. }
        )
    }

    /// Whether the repository does not have the revision.
    pub fn is_of_revision(&self) -> bool {
        matches!(self, Self::Git(GitError::NoRevision { .. }))
    }

    /// Whether the repository does not exist, or has no work tree.
    pub fn is_of_repository(&self) -> bool {
        let Self::Git(error) = self else {
            return false;
        };
        matches!(
            error,
            GitError::NoRepository { .. } | GitError::Ownership { .. } | GitError::Bare { .. }
        )
    }

    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        |source| Self::Io { path, source }
    }
}
