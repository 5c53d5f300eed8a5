//! The machines behind the numbers in the ledger's column `worker`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;

use crate::ids::{Name, WorkerId};
use crate::message::Status;
use hone_run::files::machines::{Machine, WORKERS};
use hone_run::files::table::Table;

/// The machines of a run by number.
#[derive(Debug)]
pub(crate) struct Roster {
    table: Table,
    /// By worker and whether it builds the engines: the ledger has one number for each.
    numbers: BTreeMap<(WorkerId, bool), usize>,
    /// The first number that was never used.
    free: usize,
}

impl Roster {
    /// Reads the machines in the run's folder.
    ///
    /// # Errors
    /// Those of the file system, and if a name is not valid.
    pub(super) fn open(dir: &Path) -> anyhow::Result<Self> {
        let path = dir.join(WORKERS);
        let failed = format!("cannot use {}", path.display());
        let (table, rows) = Table::open::<Machine>(path)?;
        let mut numbers = BTreeMap::new();
        for row in rows {
            let id = WorkerId {
                credential: Name::new(&row.credential).context(failed.clone())?,
                machine: Name::new(&row.machine).context(failed.clone())?,
            };
            numbers.insert((id, row.built), row.worker);
        }
        let free = numbers.values().max().map_or(0, |last| last + 1);
        Ok(Self {
            table,
            numbers,
            free,
        })
    }

    /// Reserves the number of a worker that has played: it may be a local one, on the
    /// run's own machine.
    pub(super) fn reserve(&mut self, worker: usize) {
        self.free = self.free.max(worker + 1);
    }

    /// The machine with a number.
    pub(super) fn machine(&self, number: usize) -> Option<&WorkerId> {
        let mut all = self.numbers.iter();
        all.find(|(_, known)| **known == number)
            .map(|((id, _), _)| id)
    }

    /// The number of a machine that built its engines or did not. A new number is on disk
    /// after [`Roster::sync`].
    ///
    /// # Errors
    /// If its row cannot be written.
    pub(super) fn number(
        &mut self,
        id: &WorkerId,
        built: bool,
        status: Option<&Status>,
    ) -> anyhow::Result<usize> {
        let key = (id.clone(), built);
        if let Some(number) = self.numbers.get(&key) {
            return Ok(*number);
        }
        let number = self.free;
        self.table.add(&Machine {
            worker: number,
            credential: id.credential.to_string(),
            machine: id.machine.to_string(),
            platform: status.map(|s| s.platform.clone()).unwrap_or_default(),
            processor: status.map(|s| s.processor.clone()).unwrap_or_default(),
            cores: status.map_or(0, |s| s.cores),
            built,
        })?;
        self.numbers.insert(key, number);
        self.free += 1;
        Ok(number)
    }

    /// Writes new numbers to the disk.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn sync(&mut self) -> anyhow::Result<()> {
        self.table.sync()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::worker as id;

    #[test]
    fn numbers_stay_and_a_torn_row_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut roster = Roster::open(folder.path()).expect("new");
        assert_eq!(roster.number(&id("a"), false, None).expect("written"), 0);
        assert_eq!(roster.number(&id("b"), false, None).expect("written"), 1);
        // The same machine with engines that it built.
        assert_eq!(roster.number(&id("b"), true, None).expect("written"), 2);
        roster.sync().expect("written");
        let path = folder.path().join(WORKERS);
        let text = std::fs::read_to_string(&path).expect("there");
        std::fs::write(&path, format!("{text}3,all,c,")).expect("torn");
        let mut roster = Roster::open(folder.path()).expect("read");
        assert_eq!(roster.number(&id("b"), false, None).expect("known"), 1);
        assert_eq!(roster.number(&id("b"), true, None).expect("known"), 2);
        assert_eq!(roster.number(&id("c"), false, None).expect("written"), 3);
        assert_eq!(roster.machine(3), Some(&id("c")));
        roster.sync().expect("written");
        let text = std::fs::read_to_string(&path).expect("there");
        assert_eq!(text.lines().count(), 5);
        // Local workers have played in between.
        roster.reserve(5);
        roster.reserve(4);
        assert_eq!(roster.number(&id("e"), false, None).expect("written"), 6);
        // A file with a part of the header counts as empty.
        std::fs::write(&path, "worker,creden").expect("torn");
        let mut roster = Roster::open(folder.path()).expect("read");
        assert_eq!(roster.number(&id("d"), false, None).expect("written"), 0);
        roster.sync().expect("written");
        let text = std::fs::read_to_string(&path).expect("there");
        assert!(text.starts_with("worker,credential,"), "{text}");
    }
}
