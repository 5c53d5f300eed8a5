//! Which machine a number in the ledger's column `worker` is: `workers.csv` in
//! the run's folder, one row a machine, append-only.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::ids::{Name, WorkerId};
use super::message::Status;

/// Name of the file in a run's folder.
pub(crate) const FILE: &str = "workers.csv";

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Row {
    worker: usize,
    credential: Name,
    machine: Name,
    platform: String,
    processor: String,
    cores: usize,
}

/// The machines of a run by number.
#[derive(Debug)]
pub(crate) struct Roster {
    path: PathBuf,
    numbers: BTreeMap<WorkerId, usize>,
}

impl Roster {
    /// Reads what the run's folder has. A row that a kill has torn is removed.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn open(dir: &Path) -> anyhow::Result<Self> {
        let path = dir.join(FILE);
        let failed = || format!("cannot use {}", path.display());
        let mut text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            read => read.with_context(failed)?,
        };
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        if whole < text.len() {
            text.truncate(whole);
            std::fs::write(&path, &text).with_context(failed)?;
        }
        let mut numbers = BTreeMap::new();
        for row in csv::Reader::from_reader(text.as_bytes()).deserialize() {
            let row: Row = row.with_context(failed)?;
            let id = WorkerId {
                credential: row.credential,
                machine: row.machine,
            };
            numbers.insert(id, row.worker);
        }
        Ok(Self { path, numbers })
    }

    /// The machine's number; a new one is on disk when this returns.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn number(
        &mut self,
        id: &WorkerId,
        status: Option<&Status>,
    ) -> anyhow::Result<usize> {
        if let Some(number) = self.numbers.get(id) {
            return Ok(*number);
        }
        let number = self.numbers.values().max().map_or(0, |last| last + 1);
        let row = Row {
            worker: number,
            credential: id.credential.clone(),
            machine: id.machine.clone(),
            platform: status.map(|s| s.platform.clone()).unwrap_or_default(),
            processor: status.map(|s| s.processor.clone()).unwrap_or_default(),
            cores: status.map_or(0, |s| s.cores),
        };
        self.append(&row)
            .with_context(|| format!("cannot write {}", self.path.display()))?;
        self.numbers.insert(id.clone(), number);
        Ok(number)
    }

    fn append(&self, row: &Row) -> anyhow::Result<()> {
        let mut writer = csv::WriterBuilder::new()
            .has_headers(self.numbers.is_empty())
            .from_writer(Vec::new());
        writer.serialize(row)?;
        let mut file = File::options().create(true).append(true).open(&self.path)?;
        file.write_all(&writer.into_inner()?)?;
        Ok(file.sync_data()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_and_a_torn_row_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let id = |machine: &str| WorkerId {
            credential: Name::new("all").expect("a name"),
            machine: Name::new(machine).expect("a name"),
        };
        let mut roster = Roster::open(folder.path()).expect("new");
        assert_eq!(roster.number(&id("a"), None).expect("written"), 0);
        assert_eq!(roster.number(&id("b"), None).expect("written"), 1);
        let path = folder.path().join(FILE);
        let text = std::fs::read_to_string(&path).expect("there");
        std::fs::write(&path, format!("{text}2,all,c,")).expect("torn");
        let mut roster = Roster::open(folder.path()).expect("read");
        assert_eq!(roster.number(&id("b"), None).expect("known"), 1);
        assert_eq!(roster.number(&id("c"), None).expect("written"), 2);
        assert_eq!(
            std::fs::read_to_string(&path)
                .expect("there")
                .lines()
                .count(),
            4
        );
    }
}
