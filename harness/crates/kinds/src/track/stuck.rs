//! Nights that were started and are not finished, or cannot be.

use std::path::{Path, PathBuf};

use jiff::{Timestamp, Unit};

use super::RUNS;
use super::night::Night;
use hone_base::diagnostic::Message;
use hone_base::text::with_causes;
use hone_run::ledger::LedgerError;
use hone_run::{Manifest, SessionError, list_runs};

/// The nights that cannot be finished.
#[derive(Default)]
pub(super) struct Stuck {
    pub(super) commits: Vec<String>,
    /// The run of the newest commit, and the error.
    pub(super) newest: Option<(PathBuf, Manifest, SessionError)>,
}

/// Runs without a row in the folder `out`, oldest first, except those that `--force` has
/// replaced. `announce` gets a warning about each that cannot be read.
pub(super) fn unfinished(
    out: &Path,
    nights: &[Night],
    announce: fn(&str),
) -> Vec<(PathBuf, Manifest)> {
    let mut runs = Vec::new();
    for (path, manifest) in list_runs(&out.join(RUNS)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if nights.iter().any(|night| night.run == name) {
            continue;
        }
        match manifest {
            Ok(manifest) if is_replaced(&manifest, nights) => {
                tracing::info!("{} is replaced by a later run", path.display());
            }
            Ok(manifest) => runs.push((path, manifest)),
            Err(error) => announce(&format!("warning: skipped: {}", with_causes(&error))),
        }
    }
    runs
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
