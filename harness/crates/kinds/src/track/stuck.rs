//! Nights that were started and cannot be finished.

use std::path::{Path, PathBuf};

use jiff::{Timestamp, Unit};

use super::night::Night;
use hone_base::diagnostic::Message;
use hone_run::ledger::LedgerError;
use hone_run::{Manifest, SessionError};

/// The nights that cannot be finished.
#[derive(Default)]
pub(super) struct Stuck {
    pub(super) commits: Vec<String>,
    /// The run of the newest commit, and the error.
    pub(super) newest: Option<(PathBuf, Manifest, SessionError)>,
}

/// The commit of a night's run.
pub(super) fn commit_of(manifest: &Manifest) -> Option<&str> {
    manifest.engines.first()?.commit.as_deref()
}

/// Whether a later run of the same commit has a row, because `--force` played it instead.
pub(super) fn is_replaced(manifest: &Manifest, nights: &[Night]) -> bool {
    let commit = commit_of(manifest);
    nights.iter().any(|night| {
        Some(night.commit.as_str()) == commit && is_later(night.date, manifest.created)
    })
}

/// Whether the run of a row (whose date has whole seconds) began after a run without a row. In
/// the same second, it did: a night played before would have taken longer.
fn is_later(row: Timestamp, created: Timestamp) -> bool {
    created
        .round(Unit::Second)
        .is_ok_and(|created| created <= row)
}

/// The consequence of a run that cannot be finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consequence {
    /// Its commit is the newest and has no row, and all others are played.
    Decides,
    /// The next process tries it again.
    TriedAgain,
    /// See [`is_replaced`].
    Replaced,
}

/// The message about a run that cannot be finished.
pub(super) fn message(run: &Path, error: &SessionError, consequence: Consequence) -> String {
    let run = run.display();
    let is_played = matches!(error, SessionError::Ledger(LedgerError::Locked(_)));
    // Its help explains how to resume the run.
    let why = Message::of_error(error).text;
    match consequence {
        Consequence::Replaced => format!(
            "warning: cannot finish {run}: {why}\nhelp: a later run of its commit replaces it"
        ),
        Consequence::Decides | Consequence::TriedAgain if is_played => format!(
            "warning: another `hone` process is playing {run}\nhelp: run the same command after it has ended; this adds the nightly to elo.csv"
        ),
        Consequence::Decides => {
            format!("cannot finish {run}; --force plays its commit again from the start")
        }
        Consequence::TriedAgain => format!(
            "warning: cannot finish {run}: {why}\nhelp: other commits are played without it, and the next `hone track` tries it again; remove this folder to give it up"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_the_same_second_is_replaced() {
        let at = |ms| Timestamp::from_millisecond(ms).expect("in range");
        for (row, is_replaced) in [(6000, true), (7000, true), (5000, false)] {
            assert_eq!(is_later(at(row), at(5600)), is_replaced, "{row}");
        }
    }
}
