//! Reads a ledger pair by pair, in memory that does not grow with its length.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};

use super::error::LedgerError;
use super::files::GAMES_CSV;
use super::pair_order::PairOrder;
use super::pgn_file::PgnSpan;
use super::row::{RecordedPair, RowError, RowReader};
use hone_base::platform::open_regular;
use hone_experiment::settings::Shard;

/// The complete pairs of a ledger at the time it was opened: pairs that a running process
/// appends later are not included. Each iterator reads the file from its beginning.
#[derive(Debug, Clone)]
pub struct Pairs {
    path: PathBuf,
    names: Vec<String>,
    /// Length of the whole lines in bytes.
    len: u64,
}

/// How much of a ledger is complete.
pub(super) struct Kept {
    pub(super) pairs: usize,
    /// Further complete pairs of rows, whose games are missing.
    pub(super) cut_pairs: usize,
    pub(super) csv_len: u64,
    pub(super) pgn_len: u64,
    /// The first pair whose games do not follow those of the rows before.
    pub(super) misplaced: Option<u64>,
    /// The first complete pair that was played under other conditions.
    pub(super) foreign: Option<u64>,
    /// The games of the last complete pair.
    pub(super) last_pair: Option<[PgnSpan; 2]>,
}

/// The pairs of a ledger in the order of arrival. Not to be used after an error.
pub struct Arrivals<'a> {
    pairs: &'a Pairs,
    rows: RowReader<Take<File>>,
    /// Length of `games.pgn` in bytes.
    pgn_len: u64,
}

/// The pairs of a shard in the order of their numbers, each once. Pairs that arrived
/// before a smaller number are buffered: about as many as were played at a time, if no
/// number of the shard is missing.
pub struct InOrder<'a> {
    arrivals: Arrivals<'a>,
    order: PairOrder<RecordedPair>,
    end: u64,
}

impl Pairs {
    /// Opens the ledger in a run's folder for reading. `names` are the engines' names, in
    /// the order of the configuration.
    ///
    /// # Errors
    /// [`LedgerError::Io`]. Rows are not parsed yet.
    pub fn open(dir: &Path, names: &[String]) -> Result<Self, LedgerError> {
        let path = dir.join(GAMES_CSV);
        // A kill has cut off what follows the last line end.
        match open_regular(&path).and_then(|mut file| whole_lines(&mut file)) {
            Ok(len) => Ok(Self {
                path,
                names: names.to_vec(),
                len,
            }),
            Err(source) => Err(LedgerError::Io { path, source }),
        }
    }

    /// Drops all pairs from the first one whose games do not end within the first
    /// `pgn_len` bytes of `games.pgn` or do not follow those of the rows before, and half a
    /// pair at the end. `conditions` is the digest of those under which the run is played.
    pub(super) fn cut(&mut self, pgn_len: u64, conditions: u64) -> Result<Kept, LedgerError> {
        let mut arrivals = self.by_arrival()?;
        arrivals.pgn_len = pgn_len;
        let mut kept = Kept {
            pairs: 0,
            cut_pairs: 0,
            csv_len: arrivals.rows.position(),
            pgn_len: 0,
            misplaced: None,
            foreign: None,
            last_pair: None,
        };
        while let Some(entry) = arrivals.next().transpose()? {
            if !entry.is_at(kept.pgn_len) {
                kept.misplaced = Some(entry.result.pair);
                break;
            }
            if !entry.is_under(conditions) {
                kept.foreign.get_or_insert(entry.result.pair);
            }
            let [_, second] = entry.pgn;
            kept.pairs = kept.pairs.saturating_add(1);
            kept.csv_len = arrivals.rows.position();
            kept.pgn_len = second.end();
            kept.last_pair = Some(entry.pgn);
        }
        if kept.csv_len < self.len {
            for entry in self.by_arrival()?.skip(kept.pairs) {
                entry?;
                kept.cut_pairs = kept.cut_pairs.saturating_add(1);
            }
        }
        self.len = kept.csv_len;
        Ok(kept)
    }

    /// All pairs in the order in which they were finished.
    ///
    /// # Errors
    /// [`LedgerError::Io`]. Each item is an error if the file cannot be read or a row is
    /// not valid.
    pub fn by_arrival(&self) -> Result<Arrivals<'_>, LedgerError> {
        let file = open_regular(&self.path).map_err(|source| LedgerError::Io {
            path: self.path.clone(),
            source,
        })?;
        let rows = RowReader::new(file.take(self.len));
        Ok(Arrivals {
            pairs: self,
            rows: rows.map_err(|error| self.row_error(1, error.into()))?,
            pgn_len: u64::MAX,
        })
    }

    /// The pairs of the run's shard with numbers below `end` (from 0) in the order of their
    /// numbers. Of pairs with the same number, only the first is included.
    ///
    /// # Errors
    /// As [`Pairs::by_arrival`].
    pub fn in_order(&self, shard: Shard, end: u64) -> Result<InOrder<'_>, LedgerError> {
        Ok(InOrder {
            arrivals: self.by_arrival()?,
            order: PairOrder::new(shard),
            end,
        })
    }

    fn row_error(&self, line: u64, source: RowError) -> LedgerError {
        let path = self.path.clone();
        match source {
            RowError::Csv(error) if error.is_io_error() => LedgerError::Io {
                path,
                source: error.into(),
            },
            source => LedgerError::Row { path, line, source },
        }
    }
}

impl Arrivals<'_> {
    /// The next pair.
    ///
    /// # Errors
    /// The line number and why the row is not valid.
    fn pair(&mut self) -> Result<Option<RecordedPair>, (u64, RowError)> {
        let names = &self.pairs.names;
        let Some(first) = self.rows.next_row(names)? else {
            return Ok(None);
        };
        let Some(second) = self.rows.next_row(names)? else {
            return Ok(None);
        };
        if second.pgn.end() > self.pgn_len {
            return Ok(None);
        }
        match RecordedPair::join(first, second) {
            Ok(entry) => Ok(Some(entry)),
            Err(error) => Err((self.rows.line(), error)),
        }
    }
}

impl Iterator for Arrivals<'_> {
    type Item = Result<RecordedPair, LedgerError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.pair()
            .map_err(|(line, source)| self.pairs.row_error(line, source))
            .transpose()
    }
}

impl Iterator for InOrder<'_> {
    type Item = Result<RecordedPair, LedgerError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.order.next() < self.end {
            if let Some(entry) = self.order.pop() {
                return Some(Ok(entry));
            }
            match self.arrivals.next() {
                Some(Ok(entry)) if entry.result.pair < self.end => {
                    self.order.add(entry.result.pair, entry);
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Some(Err(error)),
                None if self.order.skip_missing() => {}
                None => return None,
            }
        }
        None
    }
}

/// Bytes per read.
const CHUNK: u64 = 4096;

/// Length of the whole lines at a file's beginning.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    let mut part = Vec::new();
    let mut end = file.seek(SeekFrom::End(0))?;
    while end > 0 {
        let start = end.saturating_sub(CHUNK);
        file.seek(SeekFrom::Start(start))?;
        part.clear();
        (&mut *file)
            .take(end.saturating_sub(start))
            .read_to_end(&mut part)?;
        if let Some(at) = memchr::memrchr(b'\n', &part) {
            return Ok(start.saturating_add(at as u64).saturating_add(1));
        }
        end = start;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write;

    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::super::row::HEADER;
    use super::*;

    /// Bytes of a game.
    const GAME: u64 = 100;

    /// The rows of a pair (from 1) that arrived as the `nth` (from 0), which is also the
    /// number of its opening.
    fn rows(nth: u64, pair: u64) -> String {
        let row = |game: u64, white: &str, black: &str| {
            let offset = (2 * nth + game - 1) * GAME;
            format!(
                "{pair},{game},{white},{black},{nth},1-0,checkmate,9,1,1,1,1,{offset},ab,{GAME},\
                 5,4,1,1,1,1,1,1,0,1,0,0,0,0,,,0,0,0,0,0,0,0,0\n"
            )
        };
        row(1, "a", "b") + &row(2, "b", "a")
    }

    fn ledger_of(arrivals: &[u64]) -> String {
        let pairs = (0..).zip(arrivals).map(|(nth, pair)| rows(nth, *pair));
        HEADER.to_owned() + &pairs.collect::<String>()
    }

    fn written(text: &str) -> (TempDir, Pairs) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(GAMES_CSV), text).unwrap();
        let pairs = Pairs::open(dir.path(), &["a".to_string(), "b".to_string()]).unwrap();
        (dir, pairs)
    }

    /// Number of the pair, from 1, and of its opening.
    fn numbers(
        entries: impl Iterator<Item = Result<RecordedPair, LedgerError>>,
    ) -> Vec<(u64, u64)> {
        entries
            .map(|entry| entry.unwrap())
            .map(|entry| (entry.result.pair + 1, entry.opening_number))
            .collect()
    }

    proptest! {
        #[test]
        fn order_is_that_of_numbers_and_the_first_of_a_number_counts(
            arrivals in prop::collection::vec(1_u64..40, 0..60),
            end in 0_u64..45,
            of in 1_u32..4,
        ) {
            let (_dir, pairs) = written(&ledger_of(&arrivals));
            let all: Vec<(u64, u64)> = arrivals.iter().copied().zip(0..).collect();
            let mut sorted = all.clone();
            sorted.sort_by_key(|(pair, _)| *pair);
            sorted.dedup_by_key(|(pair, _)| *pair);
            sorted.retain(|(pair, _)| *pair <= end);
            prop_assert_eq!(numbers(pairs.by_arrival().unwrap()), all);
            let last: Shard = format!("{of}/{of}").parse().unwrap();
            for shard in last.all() {
                let mut own = sorted.clone();
                own.retain(|(pair, _)| shard.contains(pair - 1));
                prop_assert_eq!(numbers(pairs.in_order(shard, end).unwrap()), own);
            }
        }
    }

    #[test]
    fn pairs_wait_only_for_smaller_numbers_of_their_shard() {
        let numbers = [2, 1, 4, 3, 2, 5];
        for (number, of) in [(1, 1), (2, 3)] {
            let arrivals = numbers.map(|pair| (pair - 1) * of + number);
            let (_dir, pairs) = written(&ledger_of(&arrivals));
            let shard = format!("{number}/{of}").parse().unwrap();
            let mut ordered = pairs.in_order(shard, 5 * of).unwrap();
            let mut waiting = Vec::new();
            while ordered.next().transpose().unwrap().is_some() {
                waiting.push(ordered.order.waiting());
            }
            assert_eq!(waiting, [1, 0, 1, 0, 0], "{shard}");
        }
    }

    #[test]
    fn half_a_pair_and_half_a_line_are_left_out() {
        let whole = ledger_of(&[1, 2]);
        for end in [
            ledger_of(&[1]).len(),
            ledger_of(&[1]).len() + 60,
            whole.len() - 1,
        ] {
            let (_dir, mut pairs) = written(&whole[..end]);
            assert_eq!(numbers(pairs.by_arrival().unwrap()), [(1, 0)]);
            let kept = pairs.cut(u64::MAX, 0).unwrap();
            let lens = (kept.csv_len, kept.pgn_len);
            assert_eq!(kept.pairs, 1);
            assert_eq!(lens, (ledger_of(&[1]).len() as u64, 2 * GAME));
        }
    }

    #[test]
    fn pairs_whose_games_are_missing_are_cut_off() {
        let (_dir, mut pairs) = written(&ledger_of(&[1, 2, 3]));
        let kept = pairs.cut(6 * GAME - 1, 0).unwrap();
        assert_eq!((kept.pairs, kept.pgn_len), (2, 4 * GAME));
        assert_eq!(kept.csv_len, ledger_of(&[1, 2]).len() as u64);
        assert_eq!(numbers(pairs.by_arrival().unwrap()), [(1, 0), (2, 1)]);
        let kept = pairs.cut(0, 0).unwrap();
        assert_eq!((kept.pairs, kept.pgn_len), (0, 0));
        assert_eq!(kept.csv_len, HEADER.len() as u64);
    }

    #[test]
    fn pairs_from_a_missing_row_on_are_cut_off() {
        let whole = ledger_of(&[1, 2, 3, 4]);
        let (_dir, mut pairs) = written(&whole.replace(&rows(1, 2), ""));
        let kept = pairs.cut(8 * GAME, 0).unwrap();
        assert_eq!((kept.pairs, kept.cut_pairs), (1, 2));
        assert_eq!((kept.misplaced, kept.pgn_len), (Some(2), 2 * GAME));
        assert_eq!(kept.csv_len, ledger_of(&[1]).len() as u64);
        let (_dir, mut pairs) = written(&whole);
        let kept = pairs.cut(8 * GAME, 0).unwrap();
        assert_eq!((kept.pairs, kept.misplaced), (4, None));
    }

    #[test]
    fn an_empty_file_has_no_pairs() {
        for text in ["", "pair,ga"] {
            let (_dir, mut pairs) = written(text);
            assert_eq!(numbers(pairs.in_order(Shard::WHOLE, 9).unwrap()), []);
            assert_eq!(pairs.cut(u64::MAX, 0).unwrap().csv_len, 0);
        }
    }

    #[test]
    fn pairs_appended_after_opening_are_not_included() {
        let (dir, pairs) = written(&ledger_of(&[1]));
        let path = dir.path().join(GAMES_CSV);
        let mut file = OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(rows(1, 2).as_bytes()).unwrap();
        assert_eq!(numbers(pairs.by_arrival().unwrap()), [(1, 0)]);
    }

    #[test]
    fn an_error_names_the_line() {
        let good = ledger_of(&[1, 2]);
        let third = rows(2, 3);
        for (bad, line, why) in [
            (third.replace("3,1,a", "3,1,x"), 6, "`x`"),
            (third.replace("3,2,b", "3,2,x"), 7, "`x`"),
            (third.replace("3,2,b", "4,2,b"), 7, "follow each other"),
            (third.replace(",9,", ",many,"), 6, "field 7"),
            (third.replace("1-0", "2-0"), 6, "`2-0`"),
        ] {
            let (_dir, pairs) = written(&(good.clone() + &bad + &rows(3, 4)));
            let mut arrivals = pairs.by_arrival().unwrap();
            let before = numbers(arrivals.by_ref().take(2));
            assert_eq!(before, [(1, 0), (2, 1)]);
            let error = arrivals.next().unwrap().unwrap_err().to_string();
            let place = format!("{GAMES_CSV}, line {line}: ");
            assert!(error.contains(&place) && error.contains(why), "{error}");
        }
    }

    #[test]
    fn the_last_line_end_is_found_wherever_it_is() {
        for (lines, rest) in [
            (0, 0),
            (0, 5000),
            (3, 0),
            (3, 4096),
            (9000, 4095),
            (1, 9000),
        ] {
            let mut file = tempfile::tempfile().unwrap();
            let text = "x".repeat(lines) + if lines > 0 { "\n" } else { "" };
            write!(file, "{text}{}", "y".repeat(rest)).unwrap();
            assert_eq!(whole_lines(&mut file).unwrap(), text.len() as u64);
        }
    }
}
