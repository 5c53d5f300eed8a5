//! Which machine a number in the ledger's column `worker` is.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;

use super::ids::{Name, WorkerId};
use super::message::Status;
use super::table::Table;
use crate::run::machines::{Machine, WORKERS};

/// The machines of a run by number.
#[derive(Debug)]
pub(crate) struct Roster {
    table: Table,
    numbers: BTreeMap<WorkerId, usize>,
}

impl Roster {
    /// Reads what the run's folder has.
    ///
    /// # Errors
    /// Those of the file system, and if a name is not valid.
    pub(crate) fn open(dir: &Path) -> anyhow::Result<Self> {
        let path = dir.join(WORKERS);
        let failed = format!("cannot use {}", path.display());
        let (table, rows) = Table::open::<Machine>(path)?;
        let mut numbers = BTreeMap::new();
        for row in rows {
            let id = WorkerId {
                credential: Name::new(&row.credential).context(failed.clone())?,
                machine: Name::new(&row.machine).context(failed.clone())?,
            };
            numbers.insert(id, row.worker);
        }
        Ok(Self { table, numbers })
    }

    /// The machine with a number.
    pub(crate) fn machine(&self, number: usize) -> Option<&WorkerId> {
        let mut all = self.numbers.iter();
        all.find(|(_, known)| **known == number).map(|(id, _)| id)
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
        self.table.append(&Machine {
            worker: number,
            credential: id.credential.to_string(),
            machine: id.machine.to_string(),
            platform: status.map(|s| s.platform.clone()).unwrap_or_default(),
            processor: status.map(|s| s.processor.clone()).unwrap_or_default(),
            cores: status.map_or(0, |s| s.cores),
        })?;
        self.numbers.insert(id.clone(), number);
        Ok(number)
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
        let path = folder.path().join(WORKERS);
        let text = std::fs::read_to_string(&path).expect("there");
        std::fs::write(&path, format!("{text}2,all,c,")).expect("torn");
        let mut roster = Roster::open(folder.path()).expect("read");
        assert_eq!(roster.number(&id("b"), None).expect("known"), 1);
        assert_eq!(roster.number(&id("c"), None).expect("written"), 2);
        assert_eq!(roster.machine(2), Some(&id("c")));
        let text = std::fs::read_to_string(&path).expect("there");
        assert_eq!(text.lines().count(), 4);
        // Nothing but a part of the header is as good as nothing.
        std::fs::write(&path, "worker,creden").expect("torn");
        let mut roster = Roster::open(folder.path()).expect("read");
        assert_eq!(roster.number(&id("d"), None).expect("written"), 0);
        let text = std::fs::read_to_string(&path).expect("there");
        assert!(text.starts_with("worker,credential,"), "{text}");
    }
}
