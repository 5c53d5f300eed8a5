//! The files that a job names.

use serde::{Deserialize, Serialize};

use hone_builds::{MAX_PACK, is_commit_id};

/// Length of the parts in which files are sent, in bytes.
pub(crate) const CHUNK: usize = 512 * 1024;
/// Maximum length of a file that is sent, in bytes.
const MAX_FILE: u64 = 1024 * 1024 * 1024;

/// Number of digits of a SHA-256 that a message shows.
const SHOWN: usize = 12;

/// A file that a worker needs for a pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileRef {
    /// 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// Its length.
    pub bytes: u64,
    /// Its name, without a folder.
    pub name: String,
    /// Index of the player that needs it, 0 or 1.
    pub player: usize,
    /// The UCI option whose value is the file's path; `None` for the engine's
    /// program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// The node count of its `bench` on the machine of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bench: Option<u64>,
}

impl FileRef {
    /// Number of its parts, at least 1.
    pub(crate) fn chunks(&self) -> u64 {
        self.bytes.div_ceil(CHUNK as u64).max(1)
    }

    /// The error of a worker that has received the file with another SHA-256. The run
    /// recognizes it in the reason of a refusal.
    pub(crate) fn wrong_content(&self, found: &str) -> String {
        let found = found.get(..SHOWN).unwrap_or(found);
        format!(
            "{} came with sha256 {found}, and {}",
            self.name,
            self.announced()
        )
    }

    /// Whether the reason of a refusal is that this file has arrived with another SHA-256.
    pub(crate) fn is_wrong_in(&self, reason: &str) -> bool {
        reason.contains(" came with sha256 ") && reason.contains(&self.announced())
    }

    fn announced(&self) -> String {
        let sha256 = self.sha256.get(..SHOWN).unwrap_or(&self.sha256);
        format!("{sha256} was announced")
    }

    pub(super) fn check(&self) -> Result<(), &'static str> {
        let is_hex = |c: u8| matches!(c, b'0'..=b'9' | b'a'..=b'f');
        let is_forbidden = |c: char| matches!(c, '/' | '\\' | ':') || c.is_control();
        if self.sha256.len() != 64 || !self.sha256.bytes().all(is_hex) {
            return Err("a sha256 must have 64 lower-case hexadecimal digits");
        }
        if self.name.is_empty()
            || self.name.len() > 128
            || self.name.starts_with('.')
            || self.name.contains(is_forbidden)
        {
            return Err(
                "a file name must have 1 to 128 characters, no folder and no dot at its start",
            );
        }
        if self.bytes > MAX_FILE || self.player > 1 {
            return Err("a file is too large, or its player is not 0 or 1");
        }
        Ok(())
    }
}

/// The commit of an engine and how to build it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceRef {
    /// The archive of the commit's files, with the expected node count of `bench`.
    pub pack: FileRef,
    /// 40 hexadecimal digits.
    pub commit: String,
    /// The build command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// The program in the work tree, or `{out}`.
    pub cmd: String,
}

impl SourceRef {
    pub(super) fn check(&self) -> Result<(), &'static str> {
        self.pack.check()?;
        let is_long = |text: &str| text.len() > 4096;
        if !is_commit_id(&self.commit)
            || is_long(&self.cmd)
            || self.build.as_deref().is_some_and(is_long)
        {
            return Err(
                "a commit must have 40 hexadecimal digits, and its `build` and `cmd` at most 4096 bytes",
            );
        }
        if self.pack.bytes > MAX_PACK || self.pack.bench.is_none() {
            return Err("a commit's pack is too large, or its `bench` is missing");
        }
        Ok(())
    }
}
