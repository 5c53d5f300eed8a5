//! Commits that `hone track --since` skips.

use serde::Serialize;

use crate::builds::{Commit, short_id};
use crate::report::escape_markdown;

/// A commit that does not build or start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct SkippedCommit {
    commit: String,
    subject: String,
    /// The reason, as text.
    reason: String,
}

impl SkippedCommit {
    pub(super) fn new(commit: &Commit, reason: String) -> Self {
        Self {
            commit: commit.id.clone(),
            subject: commit.subject.clone(),
            reason,
        }
    }

    /// The message when it is skipped.
    pub(super) fn message(&self) -> String {
        format!(
            "skipped, as {}: {} ({})",
            self.reason,
            short_id(&self.commit),
            self.subject
        )
    }
}

/// The skipped commits as Markdown; empty without any.
pub(super) fn markdown(skipped: &[SkippedCommit]) -> String {
    if skipped.is_empty() {
        return String::new();
    }
    let item = |one: &SkippedCommit| {
        let [subject, reason] = [&one.subject, &one.reason].map(|text| escape_markdown(text));
        format!("- `{}` {subject}: {reason}\n", short_id(&one.commit))
    };
    let items: String = skipped.iter().map(item).collect();
    format!("Skipped commits:\n\n{items}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_commit_is_listed_in_a_line_of_its_own() {
        assert_eq!(markdown(&[]), "");
        let skipped = SkippedCommit {
            commit: "0123456789abcdef".to_string(),
            subject: "Broken".to_string(),
            reason: "it ends\nat once".to_string(),
        };
        let text = markdown(&[skipped.clone(), skipped]);
        let item = "- `0123456789` Broken: it ends at once\n";
        assert_eq!(text, format!("Skipped commits:\n\n{item}{item}\n"));
    }
}
