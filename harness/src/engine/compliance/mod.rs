//! Whether an engine keeps to the UCI protocol: each rule a check of its own,
//! with the dialogue that shows it.
//!
//! * [`dialogue`]: one engine process and what is asked of it.
//! * [`checks`]: the rules.

mod checks;
mod dialogue;
mod subject;

use serde::Serialize;

pub(crate) use subject::Subject;

use crate::engine::uci::{Client, StartError};
use dialogue::Dialogue;

/// How one check went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct CheckResult {
    pub name: &'static str,
    pub passed: bool,
    /// What was wrong, or why there was nothing to check.
    pub detail: String,
    /// The dialogue.
    #[serde(skip)]
    pub dialogue: String,
}

/// Runs all checks, each with a fresh process, telling `report` of each.
///
/// # Errors
/// If the program cannot be started: then it has no protocol to check.
pub(crate) async fn check(
    subject: &Subject,
    report: &mut dyn FnMut(&CheckResult),
) -> Result<Vec<CheckResult>, StartError> {
    let mut outcomes = Vec::new();
    for (name, rule) in checks::ALL {
        let outcome = match Client::start(&subject.launch, subject.patience).await {
            Ok(client) => {
                let mut dialogue = Dialogue::new(client, subject.patience);
                let result = match dialogue.configure(&subject.options).await {
                    Ok(()) => rule(&mut dialogue).await,
                    Err(fault) => Err(fault),
                };
                CheckResult {
                    name,
                    passed: result.is_ok(),
                    detail: result.map_or_else(|fault| fault, |note| note.unwrap_or_default()),
                    dialogue: dialogue.end().await,
                }
            }
            Err(error @ StartError::Spawn { .. }) if outcomes.is_empty() => return Err(error),
            Err(error) => CheckResult {
                name,
                passed: false,
                detail: error.to_string(),
                dialogue: String::new(),
            },
        };
        report(&outcome);
        let useless = !outcome.passed && outcomes.is_empty();
        outcomes.push(outcome);
        if useless {
            // It does not even start: nothing else can be said.
            break;
        }
    }
    Ok(outcomes)
}
