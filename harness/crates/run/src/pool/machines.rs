//! The table of machines of a pool, from the runs that were played on fleets.

use std::path::Path;

use anyhow::Context;

use super::source::Source;
use crate::files::machines::{Machine, WORKERS};
use crate::files::table::rows;
use hone_base::platform::write_whole;

/// Adds the machines of all runs to the table of the pool in `dir`.
///
/// # Errors
/// Those of the file system, and if a table cannot be read. The table is then unchanged.
pub(super) fn carry(sources: &[Source], dir: &Path) -> anyhow::Result<()> {
    let path = dir.join(WORKERS);
    let mut all: Vec<Machine> = rows(&path)?;
    let before = all.len();
    for source in sources {
        for machine in source.machines()? {
            // The same run may be pooled again.
            if all.iter().all(|known| known.worker != machine.worker) {
                all.push(machine);
            }
        }
    }
    if all.len() == before {
        return Ok(());
    }
    write(&path, &all).with_context(|| format!("cannot write {}", path.display()))
}

fn write(path: &Path, machines: &[Machine]) -> anyhow::Result<()> {
    write_whole(path, |file| {
        let mut table = csv::Writer::from_writer(file);
        for machine in machines {
            table.serialize(machine)?;
        }
        Ok(table.flush()?)
    })
}
