//! Commits, from the output of `git log`.

use super::GitError;
use crate::bench;
use hone_base::text::printable;

/// A commit with the content of its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// All 40 digits.
    pub id: String,
    pub subject: String,
    /// Name of the author.
    pub author: String,
    /// Committer date.
    pub date: jiff::Timestamp,
    /// The node count in its message, as in `Bench: 1463953`.
    pub bench: Option<u64>,
}

/// The first digits of a commit's id. Any other text is returned unchanged.
pub fn short_id(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

impl Commit {
    /// [`short_id`] of its id.
    pub fn short(&self) -> &str {
        short_id(&self.id)
    }

    /// Its short id and its subject.
    pub fn describe(&self) -> String {
        format!("{} ({})", self.short(), self.subject)
    }
}

/// Parses the output of `git log -z`.
pub fn parse_commits(shown: &str) -> Result<Vec<Commit>, GitError> {
    let entries = shown.split('\0').filter(|entry| !entry.trim().is_empty());
    entries.map(parse_commit).collect()
}

fn parse_commit(entry: &str) -> Result<Commit, GitError> {
    let malformed = || GitError::Failed {
        command: "log".to_string(),
        detail: format!("cannot be understood: {entry:?}"),
    };
    let mut parts = entry.splitn(4, '\n');
    let (id, date) = parts.next().zip(parts.next()).ok_or_else(malformed)?;
    if !id.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(malformed());
    }
    let author = parts.next().unwrap_or("").to_string();
    let message = parts.next().unwrap_or("");
    Ok(Commit {
        id: id.to_string(),
        // It is shown in many places, so control characters are escaped here.
        subject: printable(message.lines().next().unwrap_or("")).into_owned(),
        author: printable(&author).into_owned(),
        date: date.parse().map_err(|_| malformed())?,
        bench: bench::of_message(message),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_an_id_is_left_whole() {
        assert_eq!(short_id("0123456789abcdef"), "0123456789");
        assert_eq!(short_id("012"), "012");
        let damaged = "é".repeat(40);
        assert_eq!(short_id(&damaged), &damaged[..10]);
        let damaged = format!("x{damaged}");
        assert_eq!(short_id(&damaged), damaged);
    }
}
