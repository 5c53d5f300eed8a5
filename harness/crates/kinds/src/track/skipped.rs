//! Commits that `hone track --since` skips.

use serde::Serialize;

use hone_base::diagnostic::Message;
use hone_builds::{Commit, short_id};
use hone_report::escape_markdown;
use hone_run::PrepareError;

/// A commit that does not build or start, or has another bench than its message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct SkippedCommit {
    commit: String,
    subject: String,
    /// The reason, in one line.
    reason: String,
    /// What to do about it.
    #[serde(skip)]
    help: Vec<String>,
}

impl SkippedCommit {
    /// A commit that does not build.
    pub(super) fn not_building(commit: &Commit) -> Self {
        Self {
            commit: commit.id.clone(),
            subject: commit.subject.clone(),
            reason: "it does not build".to_string(),
            help: Vec::new(),
        }
    }

    /// A commit whose engine has this `error`.
    pub(super) fn not_playing(commit: &Commit, error: &PrepareError) -> Self {
        let message = Message::of_error(error);
        Self {
            reason: format!("{} ({})", error.flaw(), message.text),
            help: message.help,
            ..Self::not_building(commit)
        }
    }

    /// The message when it is skipped.
    pub(super) fn message(&self) -> String {
        let mut text = format!(
            "skipped, as {}: {} ({})",
            self.reason,
            short_id(&self.commit),
            self.subject
        );
        for line in &self.help {
            text += &format!("\nhelp: {line}");
        }
        text
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
    use std::time::Duration;

    use super::*;
    use hone_base::diagnostic::Diagnostic;
    use hone_uci::engine::uci::StartError;

    #[test]
    fn each_commit_is_listed_in_a_line_of_its_own() {
        assert_eq!(markdown(&[]), "");
        let skipped = SkippedCommit {
            commit: "0123456789abcdef".to_string(),
            subject: "Broken".to_string(),
            reason: "it ends\nat once".to_string(),
            help: Vec::new(),
        };
        let text = markdown(&[skipped.clone(), skipped]);
        let item = "- `0123456789` Broken: it ends at once\n";
        assert_eq!(text, format!("Skipped commits:\n\n{item}{item}\n"));
    }

    #[test]
    fn the_help_of_an_error_follows_the_message() {
        let commit = Commit {
            id: "0123456789abcdef".to_string(),
            subject: "Slow".to_string(),
            author: String::new(),
            date: jiff::Timestamp::UNIX_EPOCH,
            bench: None,
        };
        let error = PrepareError::Start {
            name: "dev".to_string(),
            source: StartError::NoUciok {
                command: "./a".to_string(),
                within: Duration::from_secs(1),
                details: Diagnostic::default().help("raise `startup_ms` in [match]"),
            },
        };
        let skipped = SkippedCommit::not_playing(&commit, &error);
        let reason =
            "it builds but does not start (engine `dev`: `./a` did not send `uciok` within 1 s)";
        assert_eq!(skipped.reason, reason);
        assert_eq!(
            skipped.message(),
            format!(
                "skipped, as {reason}: 0123456789 (Slow)\n\
                 help: raise `startup_ms` in [match]"
            )
        );
        let error = PrepareError::Chess960 {
            name: "dev".to_string(),
        };
        let skipped = SkippedCommit::not_playing(&commit, &error);
        let begin = "it builds but does not support the configuration (engine `dev` ";
        assert!(skipped.reason.starts_with(begin), "{}", skipped.reason);
    }
}
