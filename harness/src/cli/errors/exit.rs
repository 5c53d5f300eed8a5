//! Exit codes, part of the contract that scripts rely on.

use std::process::ExitCode;

use hone_experiment::Verdict;
use hone_run::{Ended, Kind, SessionError};

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done; for `sprt`, H1 was accepted.
    Done = 0,
    /// `sprt`: H0 was accepted; `track`: a regression; `check`: a check failed.
    Rejected = 1,
    /// Bad usage, configuration or input: nothing was started.
    Usage = 2,
    /// The budget is used up without a decision.
    Inconclusive = 3,
    /// Engines or machines failed too often; the run can be resumed.
    Failed = 4,
    /// Interrupted; the run can be resumed.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// An error with its exit code. Any other error becomes [`Exit::Usage`]: it occurred before
/// anything was started.
#[derive(Debug)]
pub(crate) struct Failure {
    pub exit: Exit,
    pub error: anyhow::Error,
}

impl Failure {
    /// An error after the start: the run can be resumed.
    pub(crate) fn failed(error: impl Into<anyhow::Error>) -> Self {
        Self {
            exit: Exit::Failed,
            error: error.into(),
        }
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self {
            exit: Exit::Usage,
            error: error.into(),
        }
    }
}

/// The failure of a run that ended with this error.
pub(in crate::cli) fn failure(error: SessionError) -> Failure {
    if error.is_after_start() {
        Failure::failed(error)
    } else {
        error.into()
    }
}

/// The exit code of a run that has ended so.
pub(in crate::cli) fn exit_of(ended: Ended, kind: Kind) -> Exit {
    let verdict = match ended {
        Ended::Verdict(verdict) => verdict,
        Ended::OutOfTime => return Exit::Inconclusive,
        Ended::Interrupted | Ended::Waiting => return Exit::Interrupted,
    };
    match verdict {
        Verdict::H1 | Verdict::Complete => Exit::Done,
        Verdict::H0 => Exit::Rejected,
        Verdict::Inconclusive | Verdict::Repeated => Exit::Inconclusive,
        // A shard of a test has no verdict.
        Verdict::ShardPlayed => {
            if kind.is_sequential_test() {
                Exit::Inconclusive
            } else {
                Exit::Done
            }
        }
    }
}
