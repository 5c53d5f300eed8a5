//! Checks whether an engine follows the UCI protocol. Each check keeps its dialogue.
//!
//! * [`dialogue`]: one engine process and the commands for it.
//! * [`checks`]: the checks.

mod checks;
mod dialogue;
mod subject;

use serde::Serialize;

pub use subject::Subject;

use crate::engine::uci::{Client, StartError};
use checks::{Check, Needs};
use dialogue::{Dialogue, Searched};
use hone_base::diagnostic::{Diagnostic, shown};

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckResult {
    pub name: &'static str,
    /// `None` if the check was not made.
    pub passed: Option<bool>,
    /// The fault, or a remark; may be empty.
    pub detail: String,
    /// The dialogue with the engine as text.
    #[serde(skip)]
    pub dialogue: String,
}

/// Runs all checks, each with a new process, and calls `report` after each. If the engine
/// sends no `uciok`, only the first check is reported. If the first search gets no
/// `bestmove` in time, the other checks that search are not made: each would wait as long. If
/// it moves before `stop`, what it does while it thinks is not checked.
///
/// # Errors
/// [`StartError::Spawn`].
pub async fn check(
    subject: &Subject,
    report: &mut dyn FnMut(&CheckResult),
) -> Result<Vec<CheckResult>, StartError> {
    let mut outcomes = Vec::new();
    let mut has_started = false;
    let mut searched = Searched::Nothing;
    let mut thinks = true;
    for (name, needs, check) in checks::ALL {
        let missing = match needs {
            Needs::Search | Needs::Infinite | Needs::Thinking if searched == Searched::Silent => {
                Some(NO_SEARCH)
            }
            Needs::Thinking if !thinks => Some(NO_THINKING),
            _ => None,
        };
        let outcome = if let Some(missing) = missing {
            CheckResult {
                name,
                passed: None,
                detail: missing.to_string(),
                dialogue: String::new(),
            }
        } else {
            match Client::start(&subject.launch, subject.startup()).await {
                Ok(client) => {
                    has_started = true;
                    let mut dialogue = Dialogue::new(client, subject.patience);
                    let outcome = run(name, check, subject, &mut dialogue).await;
                    if searched == Searched::Nothing {
                        searched = dialogue.searched();
                    }
                    CheckResult {
                        dialogue: dialogue.end().await,
                        ..outcome
                    }
                }
                Err(error @ StartError::Spawn { .. }) if !has_started => return Err(error),
                Err(error @ StartError::NoUciok { .. }) => {
                    let longer = "if it needs longer, raise `--patience`";
                    failed(name, shown(&Diagnostic::of(error).help(longer)))
                }
                Err(error) => failed(name, shown(&error)),
            }
        };
        thinks &= needs != Needs::Infinite || outcome.passed == Some(true);
        report(&outcome);
        outcomes.push(outcome);
        if !has_started {
            break;
        }
    }
    Ok(outcomes)
}

/// Why a check is not made.
const NO_SEARCH: &str = "the first search gave no `bestmove`";
const NO_THINKING: &str = "`go infinite` failed";

/// A check that failed without a dialogue.
fn failed(name: &'static str, fault: String) -> CheckResult {
    CheckResult {
        name,
        passed: Some(false),
        detail: fault,
        dialogue: String::new(),
    }
}

/// Sets the options and runs a check. The result has no dialogue yet.
async fn run(
    name: &'static str,
    check: Check,
    subject: &Subject,
    dialogue: &mut Dialogue,
) -> CheckResult {
    let result = match dialogue.configure(&subject.options).await {
        Ok(()) => check(dialogue).await,
        Err(fault) => Err(fault),
    };
    match result {
        Ok(note) => CheckResult {
            name,
            passed: Some(true),
            detail: note.unwrap_or_default(),
            dialogue: String::new(),
        },
        Err(fault) => failed(name, fault),
    }
}
