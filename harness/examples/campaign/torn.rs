//! Ledgers whose last bytes are missing, as if they had not reached the disk.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use rand::{Rng, RngExt};

use super::records::{self, Row};

/// The files of a ledger, as they were before bytes were cut off.
pub(crate) struct Torn {
    before: Vec<(PathBuf, Vec<u8>)>,
    /// The pair whose bytes were cut off.
    pub(crate) pair: u64,
    /// What was cut, printed with a failure.
    pub(crate) what: String,
}

/// Cuts within the last pair of a run: its rows, its games, or both. `None` if it has no
/// pair.
pub(crate) fn tear(run: &Path, random: &mut impl Rng) -> anyhow::Result<Option<Torn>> {
    let rows = records::rows(run)?;
    let whole = rows.len() - rows.len() % 2;
    let Some([first, second]) = rows[..whole].last_chunk() else {
        return Ok(None);
    };
    let csv = run.join("games.csv");
    let pgn = run.join("games.pgn");
    let before = [&csv, &pgn].map(|path| Ok((path.clone(), fs::read(path)?)));
    let before = before.into_iter().collect::<std::io::Result<Vec<_>>>()?;
    let last_rows = rows_begin(&before[0].1, rows.len() - whole)..before[0].1.len() as u64;
    let games = first.pgn_offset..end(second);
    let what = match random.random_range(0..3) {
        0 => {
            let at = random.random_range(last_rows);
            cut(&csv, at)?;
            format!("games.csv cut at {at}")
        }
        1 => {
            let at = random.random_range(games);
            cut(&pgn, at)?;
            cut(&csv, last_rows.start)?;
            format!("games.csv at {}, games.pgn at {at}", last_rows.start)
        }
        _ => {
            let at = random.random_range(games);
            cut(&pgn, at)?;
            format!("games.pgn cut at {at}, its rows are there")
        }
    };
    Ok(Some(Torn {
        before,
        pair: first.pair,
        what,
    }))
}

impl Torn {
    /// Whether the files are as the cut left them or shorter.
    pub(crate) fn is_untouched(&self) -> anyhow::Result<bool> {
        for (path, before) in &self.before {
            if !before.starts_with(&fs::read(path)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Restores the files.
    pub(crate) fn restore(&self) -> anyhow::Result<()> {
        for (path, before) in &self.before {
            fs::write(path, before)?;
        }
        Ok(())
    }
}

fn end(row: &Row) -> u64 {
    row.pgn_offset + row.pgn_bytes
}

/// Where the last whole pair begins in a text with `more` whole rows after it.
fn rows_begin(text: &[u8], more: usize) -> u64 {
    let mut ends = memchr::memrchr_iter(b'\n', text);
    ends.nth(2 + more).map_or(0, |at| at as u64 + 1)
}

fn cut(path: &Path, len: u64) -> std::io::Result<()> {
    OpenOptions::new().write(true).open(path)?.set_len(len)
}
