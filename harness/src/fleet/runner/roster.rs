//! Which machine a number in the ledger's column `worker` is.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;

use crate::fleet::ids::{Name, WorkerId};
use crate::fleet::message::Status;
use crate::fleet::table::Table;
use crate::run::files::machines::{Machine, WORKERS};

/// The machines of a run by number.
#[derive(Debug)]
pub(crate) struct Roster {
    table: Table,
    /// A worker that builds its engines is another one in the ledger.
    numbers: BTreeMap<(WorkerId, bool), usize>,
    /// All numbers from here on are free.
    free: usize,
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
            numbers.insert((id, row.built), row.worker);
        }
        let free = numbers.values().max().map_or(0, |last| last + 1);
        Ok(Self {
            table,
            numbers,
            free,
        })
    }

    /// Gives no new machine the number of a worker that has played: it may be one
    /// of the machine of the run.
    pub(crate) fn keep_free(&mut self, worker: usize) {
        self.free = self.free.max(worker + 1);
    }

    /// The machine with a number.
    pub(crate) fn machine(&self, number: usize) -> Option<&WorkerId> {
        let mut all = self.numbers.iter();
        all.find(|(_, known)| **known == number)
            .map(|((id, _), _)| id)
    }

    /// The number of a machine that built its engines, or did not; a new one is
    /// on disk after [`Roster::sync`].
    ///
    /// # Errors
    /// If its row cannot be written.
    pub(crate) fn number(
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

    /// Brings new numbers to the disk.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn sync(&mut self) -> anyhow::Result<()> {
        self.table.sync()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::samples::worker as id;

    #[test]
    fn numbers_stay_and_a_torn_row_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut roster = Roster::open(folder.path()).expect("new");
        assert_eq!(roster.number(&id("a"), false, None).expect("written"), 0);
        assert_eq!(roster.number(&id("b"), false, None).expect("written"), 1);
        // The same machine with engines of its own.
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
        // Workers of the run's own machine have played in between.
        roster.keep_free(5);
        roster.keep_free(4);
        assert_eq!(roster.number(&id("e"), false, None).expect("written"), 6);
        // Nothing but a part of the header is as good as nothing.
        std::fs::write(&path, "worker,creden").expect("torn");
        let mut roster = Roster::open(folder.path()).expect("read");
        assert_eq!(roster.number(&id("d"), false, None).expect("written"), 0);
        roster.sync().expect("written");
        let text = std::fs::read_to_string(&path).expect("there");
        assert!(text.starts_with("worker,credential,"), "{text}");
    }
}
