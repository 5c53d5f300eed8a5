//! The names of machines: those of runs that were played on fleets stay in the pool.

use std::path::Path;

use anyhow::Context;

use super::source::Source;
use crate::platform::write_whole;
use crate::run::files::machines::{Machine, WORKERS};
use crate::run::files::table::rows;

/// Adds the machines of all runs to the table of the pool in `dir`, completely or
/// not at all.
///
/// # Errors
/// Those of the file system, or of a table that cannot be read.
pub(super) fn carry(sources: &[Source], dir: &Path) -> anyhow::Result<()> {
    let path = dir.join(WORKERS);
    let mut all: Vec<Machine> = rows(&path)?;
    let before = all.len();
    for source in sources {
        for machine in source.machines()? {
            // A pool can be made again of the same runs.
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
