//! Checks of a ledger before it is continued. A kill cuts off at most the pair that is being
//! written, between its games and its rows or within them. If more is missing, the ledger is
//! refused, and nothing is removed.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::error::LedgerError;
use super::files::{GAME_START, GAMES_CSV, MANIFEST};
use super::log::Log;
use super::pairs::Kept;

/// What is done about games that are in only one of the two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Recovery {
    /// The last pair, which a kill can have cut off, is removed and played again. More
    /// than that is an error.
    #[default]
    LastPair,
    /// All of them are removed and played again.
    Replay,
}

/// Refuses a PGN in which an edit has moved the games: those of the last pair must begin at
/// the offsets in its rows.
pub(super) fn check_offsets(pgn: &Log, kept: &Kept) -> Result<(), LedgerError> {
    for game in kept.last_pair.into_iter().flatten() {
        // A simulated game has no text.
        if game.bytes > 0 && start_at(pgn, game.offset)? != GAME_START {
            return Err(LedgerError::edited(&pgn.path));
        }
    }
    Ok(())
}

/// The bytes at `offset`: as many as [`GAME_START`] has, fewer at the end of the file.
fn start_at(pgn: &Log, offset: u64) -> Result<Vec<u8>, LedgerError> {
    let mut file = &pgn.file;
    let mut start = Vec::new();
    file.seek(SeekFrom::Start(offset))
        .and_then(|_| file.take(GAME_START.len() as u64).read_to_end(&mut start))
        .map_err(|source| pgn.error(source))?;
    Ok(start)
}

/// Refuses a ledger that lacks rows before a pair, and to remove more than a pair, or text
/// that is not the beginning of a game.
pub(super) fn check_missing(dir: &Path, pgn: &Log, kept: &Kept) -> Result<(), LedgerError> {
    if let Some(pair) = kept.misplaced {
        return Err(LedgerError::misplaced(dir, pair));
    }
    if kept.cut_pairs > 1 {
        let pairs = kept.cut_pairs;
        let what = format!(
            "ends before the games of the last {pairs} pairs of {GAMES_CSV}, more than a kill can leave out"
        );
        let help = "restore it from a copy; `hone resume --replay-missing` plays these pairs again";
        return Err(LedgerError::changed(&pgn.path, what, help));
    }
    let rest = start_at(pgn, kept.pgn_len)?;
    // A power cut can leave zeros.
    if !GAME_START.starts_with(&rest) && rest.first() != Some(&0) {
        return Err(LedgerError::edited(&pgn.path));
    }
    match games_after(pgn, kept.pgn_len)? {
        0..=2 => Ok(()),
        games => {
            let what = format!(
                "contains {games} games that {GAMES_CSV} does not list, more than a kill can leave"
            );
            let help = format!(
                "restore {GAMES_CSV} from a copy; `hone resume --replay-missing` removes these games and plays them again"
            );
            Err(LedgerError::changed(&pgn.path, what, &help))
        }
    }
}

/// Number of games that begin at or after `offset`.
fn games_after(pgn: &Log, offset: u64) -> Result<usize, LedgerError> {
    let failed = |source| pgn.error(source);
    let mut file = &pgn.file;
    file.seek(SeekFrom::Start(offset)).map_err(failed)?;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    let (mut games, mut after_blank) = (0_usize, true);
    while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 {
        if after_blank && line.starts_with(GAME_START) {
            games = games.saturating_add(1);
        }
        after_blank = line.trim_ascii().is_empty();
        line.clear();
    }
    Ok(games)
}

/// Refuses pairs that were played under other conditions.
pub(super) fn check_conditions(dir: &Path, kept: &Kept) -> Result<(), LedgerError> {
    match kept.foreign {
        Some(pair) => {
            let what = format!(
                "has changed since pair {} was played: all pairs of a run must be played under the same conditions",
                pair.saturating_add(1)
            );
            let help = "restore the file, or start a new run under the new conditions";
            Err(LedgerError::changed(&dir.join(MANIFEST), what, help))
        }
        None => Ok(()),
    }
}

/// Keeps the first `count` lines of a file.
pub(super) fn keep_lines(log: &mut Log, count: usize) -> Result<(), LedgerError> {
    let mut end = 0_u64;
    let mut file = &log.file;
    file.rewind().map_err(|source| log.error(source))?;
    let mut reader = BufReader::new(file);
    for _ in 0..count {
        match reader.skip_until(b'\n') {
            Ok(0) => break,
            Ok(bytes) => end = end.saturating_add(bytes as u64),
            Err(source) => return Err(log.error(source)),
        }
    }
    log.truncate(end)
}
