//! Errors of building an engine.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::git::GitError;
use hone_base::diagnostic::Diagnostic;

/// The reason why an engine could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error(transparent)]
    Git(#[from] GitError),
    /// The cache or its disk cannot be used.
    #[error("{0}")]
    Cache(#[source] Diagnostic),
    #[error("{0}")]
    Sandbox(#[source] Diagnostic),
    #[error("cannot run the build command of {commit}: {source}")]
    Shell { commit: String, source: io::Error },
    #[error(transparent)]
    Failed(Box<FailedBuild>),
    #[error("{commit} was built, but its program `{program}` is missing{found}")]
    NoProgram {
        commit: String,
        program: String,
        /// What was found in its place.
        #[source]
        found: Diagnostic,
    },
    #[error("{commit}: {reason}")]
    Bench {
        commit: String,
        reason: String,
        #[source]
        help: Diagnostic,
    },
    #[error("the source of {commit} cannot be used: {reason}")]
    Source { commit: String, reason: String },
    #[error("the uncommitted changes of {} have changed since the build and cannot be rebuilt", repository.display())]
    ChangesGone { repository: PathBuf },
    #[error("`cmd` is {program}; it must be a path inside the work tree, or {{out}}")]
    Outside { program: String },
    #[error(
        "`cmd` is {program}, but a symbolic link of the commit leads from there out of the work tree"
    )]
    LeadsOutside { program: String },
    #[error("{0}")]
    NotExecutable(#[source] Diagnostic),
}

/// The help for a disk that is full.
pub(super) const MAKE_ROOM: &str =
    "make room (`hone builds prune`), or set HONE_CACHE to a folder on another disk";

const OWN_FOLDER: &str = "set HONE_CACHE to a folder of your own";

/// The help for a file of the cache that cannot be written.
fn help_of(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some(MAKE_ROOM),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Some(OWN_FOLDER),
        _ => None,
    }
}

/// A build command that failed.
#[derive(Debug, thiserror::Error)]
#[error("{commit} does not build ({status}{}): {line}{}", self.not_found(), self.quoted())]
pub struct FailedBuild {
    /// Its id and subject.
    pub commit: String,
    pub line: String,
    pub status: String,
    /// The programs that it called and that were not found, each in quotes.
    pub missing: Vec<String>,
    /// The first error lines of the log and its last lines; empty if nothing was printed.
    pub excerpt: String,
    #[source]
    pub help: Diagnostic,
    pub log: PathBuf,
}

impl FailedBuild {
    fn not_found(&self) -> String {
        if self.missing.is_empty() {
            String::new()
        } else {
            format!("; not found: {}", self.missing.join(", "))
        }
    }

    fn quoted(&self) -> String {
        if self.excerpt.is_empty() {
            String::new()
        } else {
            format!("\n{}", self.excerpt)
        }
    }

    /// The same build with its log at this path.
    pub(super) fn with_log(mut self, log: PathBuf) -> Self {
        if !self.excerpt.is_empty() {
            let place = format!("the complete log is {}", log.display());
            self.help = self.help.help(place);
        }
        Self { log, ..self }
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
                | Self::NotExecutable(_)
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
            GitError::NoRepository { .. } | GitError::Ownership(_) | GitError::Bare { .. }
        )
    }

    /// The error of a file or folder.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.display().to_string();
        move |error| {
            let fault = Diagnostic::new(format!("{path}: {error}"));
            Self::Cache(help_of(&error).into_iter().fold(fault, Diagnostic::help))
        }
    }

    /// The error of a folder that cannot be the cache.
    pub(super) fn unusable(path: &Path, error: &io::Error) -> Self {
        let what = format!("cannot use the cache of builds {}: {error}", path.display());
        Self::Cache(Diagnostic::new(what).help(help_of(error).unwrap_or(OWN_FOLDER)))
    }

    /// The error of a cache of another user.
    pub(super) fn foreign_cache(path: &Path, owner: u32) -> Self {
        let what = format!(
            "the cache of builds {} belongs to another user (uid {owner}), whose programs would run with your rights",
            path.display()
        );
        Self::Cache(Diagnostic::new(what).help(OWN_FOLDER))
    }

    /// The error of a cache into which every user may write.
    pub(super) fn open_cache(path: &Path) -> Self {
        let path = path.display();
        let what = format!(
            "every user can write to the cache of builds {path}, and their programs would run with your rights"
        );
        Self::Cache(Diagnostic::new(what).help(format!(
            "`chmod o-w {path}` if its programs are yours, or set HONE_CACHE to another folder"
        )))
    }
}
