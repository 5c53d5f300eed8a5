//! Why the engines are not ready to play.

use std::io;
use std::path::PathBuf;

use super::preflight::PreflightError;
use hone_base::diagnostic::Diagnostic;
use hone_builds::BuildError;
use hone_uci::engine::uci::{AnswerError, OptionError, StartError};

/// Why the engines are not ready to play.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    #[error("engine `{name}`: {error}")]
    Build {
        name: String,
        #[source]
        error: Diagnostic,
    },
    #[error("engine `{name}`: {source}")]
    Source { name: String, source: BuildError },
    #[error("engine `{name}`: `cmd` is empty or its quotes do not match: {cmd}")]
    Command { name: String, cmd: String },
    #[error("engine `{name}`: no program `{program}`{hint}")]
    Missing {
        name: String,
        program: String,
        /// Whether `build` was run.
        is_built: bool,
        #[source]
        hint: Diagnostic,
    },
    #[error("engine `{name}`: {source}")]
    Start { name: String, source: StartError },
    /// It was built, and does not start.
    #[error("{error} ({})", error.flaw())]
    Broken {
        name: String,
        #[source]
        error: Box<PrepareError>,
    },
    #[error("engine `{name}`: {error}")]
    Option {
        name: String,
        error: OptionError,
        #[source]
        help: Diagnostic,
    },
    #[error("engine `{name}` does not support Chess960 (no option `UCI_Chess960`)")]
    Chess960 { name: String },
    #[error("engine `{name}` is not ready for a game: {why}")]
    Ready {
        name: String,
        error: AnswerError,
        /// The error in words.
        #[source]
        why: Diagnostic,
    },
    #[error("{0}")]
    Sandbox(#[source] Diagnostic),
    #[error("cannot start: {0}")]
    Preflight(#[from] PreflightError),
    #[error("engine `{name}`: cannot read {}: {source}", path.display())]
    Read {
        name: String,
        path: PathBuf,
        source: io::Error,
    },
}

/// The help of an option that only some engines have.
pub(super) fn option_help(error: &OptionError) -> Diagnostic {
    if matches!(error, OptionError::Unknown { .. }) {
        Diagnostic::default().help("set an option of one engine in `options` of its [[engine]], or by `--set engine.NAME.options.OPTION=VALUE`; `hone sprt` also has `--dev-option` and `--base-option`")
    } else {
        Diagnostic::default()
    }
}

impl PrepareError {
    /// This error of the engine `name`, as the error of a broken build.
    pub fn into_broken(self, name: &str) -> Self {
        Self::Broken {
            name: name.to_string(),
            error: Box::new(self),
        }
    }

    /// This error with the help for a wrong bench of the engine at `index` in the configuration.
    pub(super) fn with_bench_help(mut self, index: usize) -> Self {
        if let Self::Source { source, .. } = &mut self
            && let BuildError::Bench { help, .. } = source
        {
            *help = Diagnostic::default().help(format!(
                "`--set engine.{index}.bench=record` (in its [[engine]] `bench = \"record\"`) plays without this comparison"
            ));
        }
        self
    }

    /// The engine whose bench is not the expected one.
    pub fn wrong_bench(&self) -> Option<&str> {
        match self {
            Self::Source {
                name,
                source: BuildError::Bench { .. },
            } => Some(name),
            _ => None,
        }
    }

    /// What is wrong with an engine that was built from a commit and has this error.
    pub fn flaw(&self) -> &'static str {
        if self.wrong_bench().is_some() {
            "it builds but has another bench"
        } else if self.without_support().is_some() {
            "it builds but does not support the configuration"
        } else {
            "it builds but does not start"
        }
    }

    /// The engine that does not support the options or the variant of the configuration. If
    /// another build of it does, this build is broken, and not the configuration.
    pub fn without_support(&self) -> Option<&str> {
        match self {
            Self::Option { name, .. } | Self::Chess960 { name } => Some(name),
            _ => None,
        }
    }

    /// Whether the engine's process ended.
    pub(super) fn is_exit(&self) -> bool {
        match self {
            Self::Start { source, .. } => matches!(source, StartError::Ended { .. }),
            Self::Ready { error, .. } => matches!(error, AnswerError::Disconnected),
            Self::Preflight(error) => matches!(error, PreflightError::Ended { .. }),
            _ => false,
        }
    }

    /// Whether the engine's process did not answer in time.
    pub(super) fn is_timeout(&self) -> bool {
        match self {
            Self::Start { source, .. } => matches!(source, StartError::NoUciok { .. }),
            Self::Ready { error, .. } => matches!(error, AnswerError::TimedOut),
            Self::Preflight(error) => matches!(error, PreflightError::Silent { .. }),
            _ => false,
        }
    }

    /// Whether a build was started.
    pub fn is_after_start(&self) -> bool {
        match self {
            Self::Build { .. } | Self::Broken { .. } => true,
            Self::Missing { is_built, .. } => *is_built,
            Self::Source { source, .. } => {
                source.is_of_commit() || matches!(source, BuildError::Bench { .. })
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_base::diagnostic::shown;

    #[test]
    fn a_wrong_bench_has_a_help_for_its_engine() {
        let source = |bench: bool| PrepareError::Source {
            name: "base".to_string(),
            source: if bench {
                BuildError::Bench {
                    commit: "c (s)".to_string(),
                    reason: "its message gives bench 6, but the bench is 5".to_string(),
                    help: Diagnostic::default(),
                }
            } else {
                BuildError::Sandbox(Diagnostic::default())
            },
        };
        let wrong = source(true).with_bench_help(1);
        assert_eq!(wrong.wrong_bench(), Some("base"));
        assert_eq!(
            shown(&wrong),
            "engine `base`: c (s): its message gives bench 6, but the bench is 5\n\
             help: `--set engine.1.bench=record` (in its [[engine]] `bench = \"record\"`) \
             plays without this comparison"
        );
        let other = source(false);
        assert_eq!(other.wrong_bench(), None);
        let text = shown(&other);
        assert_eq!(shown(&other.with_bench_help(0)), text);
    }

    #[test]
    fn the_help_about_an_engine_comes_last() {
        let source = PrepareError::Start {
            name: "a".to_string(),
            source: StartError::NoUciok {
                command: "./a".to_string(),
                within: std::time::Duration::from_secs(10),
                details: Diagnostic::new("; its last line: `UCIOK`").help("raise it"),
            },
        };
        assert_eq!(
            shown(&source.into_broken("a")),
            "engine `a`: `./a` did not send `uciok` within 10 s; its last line: `UCIOK` \
             (it builds but does not start)\nhelp: raise it"
        );
    }
}
