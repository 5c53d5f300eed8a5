//! The truth of a run: `games.csv`, one row a game in the order of arrival,
//! and `games.pgn` beside it. Append-only; a pair's rows go out in one write,
//! its games just before, so whatever a kill cuts off is known by its offset
//! and removed. No state is kept anywhere else.

mod files;
mod games;
mod pairs;
mod row;
mod sync;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, Write};
use std::path::{Path, PathBuf};

pub(crate) use files::{FAILURES, GAMES_CSV, GAMES_EPD, GAMES_PGN, LedgerError};
pub(crate) use games::GamesFile;
pub(crate) use pairs::InOrder;
pub use pairs::Pairs;
pub(crate) use row::{Entry, Row};

use crate::executor::{Evidence, PlayedPair};
use sync::Syncer;

/// The ledger of a run that is being played.
#[derive(Debug)]
pub struct Ledger {
    dir: PathBuf,
    names: Vec<String>,
    csv: Log,
    pgn: Log,
    epd: Option<Log>,
    syncer: Syncer,
}

/// A file that only grows.
#[derive(Debug)]
struct Log {
    path: PathBuf,
    file: File,
    len: u64,
}

impl Log {
    fn open(dir: &Path, name: &str) -> Result<Self, LedgerError> {
        let path = dir.join(name);
        let open = || {
            let file = OpenOptions::new()
                .read(true)
                .append(true)
                .create(true)
                .open(&path)?;
            let len = file.metadata()?.len();
            Ok((file, len))
        };
        match open() {
            Ok((file, len)) => Ok(Self { path, file, len }),
            Err(source) => Err(LedgerError::Io { path, source }),
        }
    }

    fn error(&self, source: io::Error) -> LedgerError {
        LedgerError::Io {
            path: self.path.clone(),
            source,
        }
    }

    /// Adds bytes in one write; if that fails half-way, takes back what was
    /// written.
    fn append(&mut self, bytes: &[u8]) -> Result<(), LedgerError> {
        if let Err(source) = self.file.write_all(bytes) {
            // If this fails too, opening the ledger again will cut it off.
            let _ = self.file.set_len(self.len);
            return Err(self.error(source));
        }
        self.len += bytes.len() as u64;
        Ok(())
    }

    fn truncate(&mut self, len: u64) -> Result<(), LedgerError> {
        if len != self.len {
            self.file
                .set_len(len)
                .map_err(|source| self.error(source))?;
            self.len = len;
        }
        Ok(())
    }
}

impl Ledger {
    /// Opens the ledger in the run's folder, or begins one, and takes its lock.
    /// `names` are the engines' names, in the order of the configuration.
    /// Incomplete pairs at its end are removed. Returns the pairs it holds.
    ///
    /// # Errors
    /// [`LedgerError`]: another `hone` has it, a file cannot be read or
    /// written, or a row that is not the last makes no sense.
    pub fn open(dir: &Path, names: &[String], epd: bool) -> Result<(Self, Pairs), LedgerError> {
        let mut csv = Log::open(dir, GAMES_CSV)?;
        match csv.file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LedgerError::Locked { path: csv.path }),
            Err(TryLockError::Error(source)) => return Err(csv.error(source)),
        }
        let mut pgn = Log::open(dir, GAMES_PGN)?;
        let mut epd = if epd {
            Some(Log::open(dir, GAMES_EPD)?)
        } else {
            None
        };
        let mut pairs = Pairs::open(dir, names)?;
        let kept = pairs.cut(pgn.len)?;
        if kept.pairs > 0 {
            tracing::info!("{}: {} pairs are finished", dir.display(), kept.pairs);
        }
        csv.truncate(kept.csv_len)?;
        pgn.truncate(kept.pgn_len)?;
        if let Some(epd) = &mut epd {
            recover_lines(epd, kept.pairs * 2)?;
        }
        if csv.len == 0 {
            csv.append(row::HEADER.as_bytes())?;
        }
        let files = [Some(&csv), Some(&pgn), epd.as_ref()];
        let syncer = Syncer::start(files.into_iter().flatten().map(|log| &log.file))
            .map_err(|source| csv.error(source))?;
        let ledger = Self {
            dir: dir.to_path_buf(),
            names: names.to_vec(),
            csv,
            pgn,
            epd,
            syncer,
        };
        Ok((ledger, pairs))
    }

    /// Adds a pair: its games, then its rows.
    ///
    /// # Errors
    /// [`LedgerError::Io`]; the pair is then not in the ledger.
    pub fn append(&mut self, played: &PlayedPair) -> Result<(), LedgerError> {
        let games = [0, 1].map(|game| played.texts[game].pgn.as_str());
        let offset = self.pgn.len;
        if let Some(epd) = &mut self.epd {
            let lines = [0, 1].map(|game| played.texts[game].epd.as_str());
            epd.append(lines.concat().as_bytes())?;
        }
        self.pgn.append(games.concat().as_bytes())?;
        let offsets = [offset, offset + games[0].len() as u64];
        let rows = Row::pair(&self.names, played, offsets);
        if let Err(error) = self.csv.append(rows.as_bytes()) {
            self.pgn.truncate(offset)?;
            return Err(error);
        }
        self.syncer.mark();
        Ok(())
    }

    /// Keeps what is known of a failure in `failures/<pair>-<game>/`, both
    /// numbers from 1; of a game played again, with a further number.
    ///
    /// # Errors
    /// [`LedgerError::Io`].
    pub fn keep_evidence(&mut self, evidence: &Evidence) -> Result<(), LedgerError> {
        let stem = format!("{}-{}", evidence.pair + 1, evidence.game + 1);
        let folder = (1..)
            .map(|number| match number {
                1 => stem.clone(),
                number => format!("{stem}-{number}"),
            })
            .map(|name| self.dir.join(FAILURES).join(name))
            .find(|path| !path.exists())
            .expect("numbers do not end");
        let write = |(name, text): &(&str, String)| fs::write(folder.join(name), text);
        fs::create_dir_all(&folder)
            .and_then(|()| evidence.files.iter().try_for_each(write))
            .map_err(|source| LedgerError::Io {
                path: folder.clone(),
                source,
            })
    }

    /// Writes everything to the disk.
    ///
    /// # Errors
    /// [`LedgerError::Io`].
    pub fn sync(&self) -> Result<(), LedgerError> {
        for log in [Some(&self.pgn), Some(&self.csv), self.epd.as_ref()]
            .into_iter()
            .flatten()
        {
            log.file.sync_data().map_err(|source| log.error(source))?;
        }
        Ok(())
    }
}

/// Keeps the first `count` lines of a file.
fn recover_lines(log: &mut Log, count: usize) -> Result<(), LedgerError> {
    let mut end = 0;
    let mut file = &log.file;
    file.rewind().map_err(|source| log.error(source))?;
    let mut reader = BufReader::new(file);
    for _ in 0..count {
        match reader.skip_until(b'\n') {
            Ok(0) => break,
            Ok(bytes) => end += bytes as u64,
            Err(source) => return Err(log.error(source)),
        }
    }
    log.truncate(end)
}
