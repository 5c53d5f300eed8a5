//! The ledger of a run: `games.csv` with one row per game in the order of
//! arrival, and `games.pgn`. Both are append-only. The rows of a pair are written after
//! its games, so that opening the ledger finds by their offsets what a kill has cut off,
//! and removes it. Besides `run.toml`, `findings.csv`, and `builds.csv` of a bisection, a run has
//! no other state.

mod error;
mod files;
mod in_use;
mod lock;
mod log;
mod pair_order;
mod pairs;
mod pgn_file;
mod recovery;
mod row;
mod sync;
mod tail;

use std::fs;
use std::path::{Path, PathBuf};

pub use error::LedgerError;
pub(crate) use files::GAME_START;
pub use files::GAMES_CSV;
pub use files::{FAILURES, GAMES_EPD, GAMES_PGN, MANIFEST};
pub use in_use::is_played;
pub use in_use::is_whole_run_played;
pub use lock::Lock;
use log::Log;
pub use pair_order::PairOrder;
pub use pairs::Arrivals;
pub use pairs::Pairs;
pub use pgn_file::{GamesFile, PgnSpan};
pub use recovery::Recovery;
pub use row::{RecordedPair, Row};
pub use tail::{Grown, Tail};

use crate::executor::{Evidence, PlayedPair};
use crate::files::findings::{self, PairFinding};
use hone_base::diagnostic::Diagnostic;
use hone_base::text::numbered;
use sync::Syncer;

/// Maximum number of failures of a run whose evidence is kept, about 200 KiB each.
const MAX_EVIDENCE: usize = 1000;

/// The ledger of a run that is being played.
#[derive(Debug)]
pub struct Ledger {
    dir: PathBuf,
    names: Vec<String>,
    conditions: u64,
    csv: Log,
    pgn: Log,
    epd: Option<Log>,
    syncer: Syncer,
    /// Folders in `failures/`; `None` until they are counted.
    evidence_count: Option<usize>,
}

/// The settings of a run that its ledger depends on.
#[derive(Debug, Clone, Copy)]
pub struct LedgerOptions<'a> {
    /// The engines' names, in the order of the configuration.
    pub names: &'a [String],
    /// Whether the final positions are written to `games.epd`.
    pub epd: bool,
    /// The digest of the conditions under which pairs are played.
    pub conditions: u64,
    pub recovery: Recovery,
}

impl Ledger {
    /// Opens the ledger in a run's folder, and removes what a kill has left of an
    /// incomplete pair. Returns the complete pairs.
    ///
    /// # Errors
    /// [`LedgerError`]: a file cannot be read or written, more is missing than a kill can
    /// have cut off, a row is missing or `games.pgn` has been edited, pairs were played under other
    /// conditions, or a row is not valid.
    pub fn open(
        dir: &Path,
        lock: Lock,
        options: LedgerOptions<'_>,
    ) -> Result<(Self, Pairs), LedgerError> {
        let Lock { mut csv, mut pgn } = lock;
        let mut epd = if options.epd {
            Some(Log::open(dir, GAMES_EPD, true)?)
        } else {
            None
        };
        let mut pairs = Pairs::open(dir, options.names)?;
        let kept = pairs.cut(pgn.len, options.conditions)?;
        recovery::check_conditions(dir, &kept)?;
        recovery::check_offsets(&pgn, &kept)?;
        if options.recovery == Recovery::LastPair {
            recovery::check_missing(dir, &pgn, &kept)?;
        }
        if kept.pairs > 0 {
            tracing::info!("{}: {} pairs are finished", dir.display(), kept.pairs);
        }
        csv.truncate(kept.csv_len)?;
        pgn.truncate(kept.pgn_len)?;
        if let Some(epd) = &mut epd {
            recovery::keep_lines(epd, kept.pairs * 2)?;
        }
        if csv.len == 0 {
            csv.append(row::HEADER.as_bytes())?;
        }
        let files = [Some(&csv), Some(&pgn), epd.as_ref()];
        let syncer =
            Syncer::start(files.into_iter().flatten()).map_err(|source| csv.error(source))?;
        let ledger = Self {
            dir: dir.to_path_buf(),
            names: options.names.to_vec(),
            conditions: options.conditions,
            csv,
            pgn,
            epd,
            syncer,
            evidence_count: None,
        };
        Ok((ledger, pairs))
    }

    /// Adds a pair: its games, then its rows.
    ///
    /// # Errors
    /// [`LedgerError::Io`], [`LedgerError::Gone`]; the pair is then not in the
    /// ledger.
    pub fn append(&mut self, played: &PlayedPair) -> Result<(), LedgerError> {
        self.check_in_place()?;
        self.syncer.check()?;
        let lens = [Some(&self.pgn), self.epd.as_ref()].map(|log| log.map_or(0, |log| log.len));
        let appended = self.append_to_all(played);
        if appended.is_err() {
            let logs = [Some(&mut self.pgn), self.epd.as_mut()];
            for (log, len) in logs.into_iter().zip(lens) {
                // If this fails too, opening the ledger removes the rest.
                let _ = log.map(|log| log.truncate(len));
            }
        }
        appended
    }

    /// The rows come last: what they do not list is removed when the ledger is opened.
    fn append_to_all(&mut self, played: &PlayedPair) -> Result<(), LedgerError> {
        let games = [0, 1].map(|game| played.texts[game].pgn.as_str());
        let offset = self.pgn.len;
        if let Some(epd) = &mut self.epd {
            let lines = [0, 1].map(|game| played.texts[game].epd.as_str());
            epd.append(lines.concat().as_bytes())?;
        }
        self.pgn.append(games.concat().as_bytes())?;
        let offsets = [offset, offset + games[0].len() as u64];
        let rows = Row::pair(&self.names, played, offsets, self.conditions);
        self.csv.append(rows.as_bytes())?;
        self.syncer.mark_dirty();
        Ok(())
    }

    /// Writes the evidence of a failure to `failures/<pair>-<game>/`, both numbers from
    /// 1; of a game that was played again, to `failures/<pair>-<game>-2/`, and so on.
    /// After [`MAX_EVIDENCE`] failures nothing is written.
    ///
    /// # Errors
    /// [`LedgerError::Io`].
    pub(crate) fn keep_evidence(&mut self, evidence: &Evidence) -> Result<(), LedgerError> {
        let kept = *self.evidence_count.get_or_insert_with(|| {
            // The folder is missing before the first failure.
            fs::read_dir(self.dir.join(FAILURES)).map_or(0, Iterator::count)
        });
        if kept >= MAX_EVIDENCE {
            tracing::info!("failure of pair {}: no evidence kept", evidence.pair + 1);
            return Ok(());
        }
        self.evidence_count = Some(kept + 1);
        let stem = format!("{}-{}", evidence.pair + 1, evidence.game + 1);
        let failures = self.dir.join(FAILURES);
        let folder = failures.join(numbered(&stem, |name| !failures.join(name).exists()));
        let write = |(name, text): &(&str, String)| fs::write(folder.join(name), text);
        fs::create_dir_all(&folder)
            .and_then(|()| evidence.files.iter().try_for_each(write))
            .map_err(|source| LedgerError::Io {
                path: folder.clone(),
                source,
            })
    }

    /// Writes what was found at a pair to the run's folder.
    ///
    /// # Errors
    /// [`LedgerError::Finding`].
    pub(crate) fn keep_finding(&mut self, finding: PairFinding) -> Result<(), LedgerError> {
        findings::add(&self.dir, &[finding])
            .map_err(|error| LedgerError::Finding(Diagnostic::of(error)))
    }

    /// Refuses to continue if a file was deleted or replaced, because appended data would
    /// be lost. A deleted file is written again from its open handle, so that the run can
    /// be resumed.
    fn check_in_place(&mut self) -> Result<(), LedgerError> {
        let logs = [Some(&mut self.pgn), Some(&mut self.csv), self.epd.as_mut()];
        let mut gone = None;
        for log in logs.into_iter().flatten() {
            if !log.is_in_place() {
                let restored = log.restore().is_ok();
                let path = log.path.clone();
                gone = gone.or(Some(LedgerError::Gone { path, restored }));
            }
        }
        gone.map_or(Ok(()), Err)
    }

    /// Syncs all files to the disk.
    ///
    /// # Errors
    /// [`LedgerError::Io`], [`LedgerError::Gone`].
    pub fn sync(&mut self) -> Result<(), LedgerError> {
        self.check_in_place()?;
        for log in [Some(&self.pgn), Some(&self.csv), self.epd.as_ref()]
            .into_iter()
            .flatten()
        {
            log.file.sync_data().map_err(|source| log.error(source))?;
        }
        self.syncer.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_os = "linux")]
    use crate::executor::GameText;
    #[cfg(target_os = "linux")]
    use hone_experiment::PairResult;

    fn empty(dir: &Path, epd: bool) -> Ledger {
        let names = ["one", "two"].map(String::from);
        let options = LedgerOptions {
            names: &names,
            epd,
            conditions: 0,
            recovery: Recovery::LastPair,
        };
        let lock = Lock::begin(dir).expect("free");
        Ledger::open(dir, lock, options).expect("empty").0
    }

    #[test]
    fn the_number_of_failures_with_evidence_is_limited() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut ledger = empty(dir.path(), false);
        let failures = dir.path().join(FAILURES);
        // From an earlier process.
        for number in 1..MAX_EVIDENCE {
            fs::create_dir_all(failures.join(format!("{number}-2"))).expect("made");
        }
        for pair in 0..3 {
            let evidence = Evidence {
                pair,
                game: 0,
                files: vec![("summary.txt", "x".to_string())],
            };
            ledger.keep_evidence(&evidence).expect("kept or counted");
        }
        let kept = fs::read_dir(&failures).expect("there").count();
        assert_eq!(kept, MAX_EVIDENCE);
        assert!(failures.join("1-1").join("summary.txt").exists());
    }

    /// A file that cannot be synced. The system may report the error only once.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_could_not_be_synced_ends_the_run() {
        let played = played();
        for append in [true, false] {
            let dir = tempfile::tempdir().expect("a folder");
            let mut ledger = empty(dir.path(), false);
            let (_reader, writer) = std::io::pipe().expect("a pipe");
            let log = Log {
                path: "lost".into(),
                file: std::os::fd::OwnedFd::from(writer).into(),
                len: 0,
            };
            ledger.syncer = Syncer::start(std::iter::once(&log)).expect("a thread");
            ledger.syncer.mark_dirty();
            let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
            let error = loop {
                let done = if append {
                    ledger.append(&played)
                } else {
                    ledger.sync()
                };
                if let Err(error) = done {
                    break error.to_string();
                }
                assert!(std::time::Instant::now() < deadline, "no error");
                std::thread::sleep(std::time::Duration::from_millis(50));
            };
            assert!(error.contains("lost"), "{error}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pair_that_cannot_be_appended_leaves_nothing() {
        for fails in [files::GAMES_CSV, GAMES_PGN] {
            let dir = tempfile::tempdir().expect("a folder");
            let texts = || {
                [files::GAMES_CSV, GAMES_PGN, GAMES_EPD]
                    .map(|name| fs::read_to_string(dir.path().join(name)).expect("there"))
            };
            let mut ledger = empty(dir.path(), true);
            ledger.append(&played()).expect("written");
            let before = texts();
            let Ledger { csv, pgn, .. } = &mut ledger;
            let logs = [csv, pgn].into_iter();
            logs.filter(|log| log.path.ends_with(fails))
                .for_each(make_read_only);
            let error = ledger.append(&played()).expect_err("read-only").to_string();
            assert!(error.contains(fails), "{error}");
            assert_eq!(texts(), before, "{fails}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn of_two_errors_the_first_is_reported() {
        use std::os::fd::AsRawFd;
        let dir = tempfile::tempdir().expect("a folder");
        let mut ledger = empty(dir.path(), false);
        make_read_only(&mut ledger.csv);
        // A pipe cannot be truncated.
        let (_reader, writer) = std::io::pipe().expect("a pipe");
        ledger.pgn.path = format!("/proc/self/fd/{}", writer.as_raw_fd()).into();
        ledger.pgn.file = std::os::fd::OwnedFd::from(writer).into();
        let error = ledger.append(&played()).expect_err("read-only").to_string();
        assert!(error.contains(files::GAMES_CSV), "{error}");
    }

    #[cfg(target_os = "linux")]
    fn make_read_only(log: &mut Log) {
        log.file = fs::File::open(&log.path).expect("there");
    }

    #[cfg(target_os = "linux")]
    fn played() -> PlayedPair {
        let text = || GameText {
            pgn: "[Event \"?\"]\n\n1/2-1/2\n\n".to_string(),
            epd: "position\n".to_string(),
            detail: hone_uci::rules::Detail::None,
        };
        PlayedPair {
            result: PairResult {
                pair: 0,
                engines: [0, 1],
                games: [0, 1].map(crate::samples::drawn_game),
            },
            opening_number: 1,
            texts: [text(), text()],
            worker: 0,
            finished_ms: 0,
        }
    }
}
