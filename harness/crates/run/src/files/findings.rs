//! `findings.csv`: what speaks against a run's games and was found while they were played, by
//! [playing pairs again](crate::executor::spot_checks). The file exists from the first finding.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::table::{Table, rows};
use hone_stats::detect::{Finding, Rank, Test};

pub const FINDINGS: &str = "findings.csv";

/// Something that was found at a pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairFinding {
    pub at: jiff::Timestamp,
    /// From 1.
    pub pair: u64,
    pub test: Test,
    pub rank: Rank,
    pub detail: String,
}

impl PairFinding {
    /// What was found just now at a pair, numbered from 0.
    pub fn now(pair: u64, test: Test, rank: Rank, detail: String) -> Self {
        Self {
            at: jiff::Timestamp::now(),
            pair: pair.saturating_add(1),
            test,
            rank,
            detail,
        }
    }
}

impl From<PairFinding> for Finding {
    fn from(found: PairFinding) -> Self {
        Self {
            test: found.test,
            rank: found.rank,
            detail: found.detail,
            p_value: None,
        }
    }
}

/// The findings in a run's folder.
///
/// # Errors
/// If the file cannot be read.
pub fn read(dir: &Path) -> anyhow::Result<Vec<PairFinding>> {
    rows(&dir.join(FINDINGS))
}

/// Adds findings to those in a run's folder, except those that it has.
///
/// # Errors
/// Those of the file system, and if the file is damaged.
pub fn add(dir: &Path, findings: &[PairFinding]) -> anyhow::Result<()> {
    if findings.is_empty() {
        return Ok(());
    }
    let (mut table, known) = Table::open::<PairFinding>(dir.join(FINDINGS))?;
    for finding in findings.iter().filter(|one| !known.contains(one)) {
        table.add(finding)?;
    }
    table.sync()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_comes_back_once() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(read(folder.path()).expect("none"), []);
        let one = PairFinding::now(6, Test::Contradiction, Rank::Invalid, "a, \"b\"".into());
        let two = PairFinding {
            pair: 8,
            ..one.clone()
        };
        let all = [one, two];
        add(folder.path(), &all[..1]).expect("written");
        add(folder.path(), &all).expect("written");
        let read = read(folder.path()).expect("read");
        assert_eq!(read, all);
        assert_eq!(read[0].pair, 7);
        let finding = Finding::from(read[0].clone());
        assert!(finding.is_against_verdict() && finding.is_noteworthy());
    }
}
