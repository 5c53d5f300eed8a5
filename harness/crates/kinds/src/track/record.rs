//! `elo.toml`: what a table of nights needs besides its rows.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::RECORD;
use super::used_openings::UsedOpenings;
use hone_base::platform::write_whole;

/// The file, in memory.
#[derive(Debug)]
pub(super) struct Record {
    path: PathBuf,
    content: Content,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
struct Content {
    /// As in the configuration of the last call.
    #[serde(skip_serializing_if = "Option::is_none")]
    false_alarm_nights: Option<u64>,
    used: UsedOpenings,
}

impl Record {
    /// The record in a folder of nights; empty if there is none, as beside older tables.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(super) fn read(dir: &Path) -> anyhow::Result<Self> {
        let path = dir.join(RECORD);
        let content = match fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text).with_context(|| {
                format!(
                    "{} is damaged: restore it from a copy, or remove it",
                    path.display()
                )
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Content::default(),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        Ok(Self { path, content })
    }

    /// `false_alarm_nights` of the last call of `hone track`.
    pub(super) fn false_alarm_nights(&self) -> Option<u64> {
        self.content.false_alarm_nights
    }

    /// The openings of all nights that were started since the file exists.
    pub(super) fn used(&self) -> UsedOpenings {
        self.content.used
    }

    /// Stores `false_alarm_nights`.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(super) fn set_false_alarm_nights(&mut self, nights: u64) -> anyhow::Result<()> {
        self.store(Content {
            false_alarm_nights: Some(nights),
            ..self.content
        })
    }

    /// Stores the used openings.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(super) fn set_used(&mut self, used: UsedOpenings) -> anyhow::Result<()> {
        self.store(Content {
            used,
            ..self.content
        })
    }

    fn store(&mut self, content: Content) -> anyhow::Result<()> {
        if content == self.content {
            return Ok(());
        }
        let text = toml::to_string(&content).context("the record cannot be put into TOML")?;
        let text = format!("# Written by `hone track`; belongs to elo.csv.\n{text}");
        write_whole(&self.path, |file| file.write_all(text.as_bytes()))
            .with_context(|| format!("cannot write {}", self.path.display()))?;
        self.content = content;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_back_as_it_was_written_and_a_damaged_one_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut record = Record::read(folder.path()).expect("there is none yet");
        assert_eq!(record.false_alarm_nights(), None);
        assert_eq!(record.used(), UsedOpenings::default());
        let used = UsedOpenings::default().after(12);
        record.set_false_alarm_nights(500).expect("written");
        record.set_used(used).expect("written");
        let again = Record::read(folder.path()).expect("reads");
        assert_eq!(again.content, record.content);
        assert_eq!(
            (again.false_alarm_nights(), again.used()),
            (Some(500), used)
        );
        fs::write(folder.path().join(RECORD), "used = 3").expect("written");
        let error = Record::read(folder.path())
            .expect_err("damaged")
            .to_string();
        assert!(error.contains("elo.toml is damaged"), "{error}");
    }
}
