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
pub(crate) async fn check(
    subject: &Subject,
    report: &mut dyn FnMut(&CheckResult),
) -> Vec<CheckResult> {
    let mut outcomes = Vec::new();
    for (name, rule) in checks::ALL {
        let outcome = match Dialogue::start(subject).await {
            Ok(mut dialogue) => {
                let result = rule(&mut dialogue).await;
                CheckResult {
                    name,
                    passed: result.is_ok(),
                    detail: result.map_or_else(|fault| fault, |note| note.unwrap_or_default()),
                    dialogue: dialogue.end().await,
                }
            }
            Err(fault) => CheckResult {
                name,
                passed: false,
                detail: fault,
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
    outcomes
}
