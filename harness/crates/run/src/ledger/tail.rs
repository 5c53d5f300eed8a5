//! Follows a ledger that another process writes: each call returns the pairs that were
//! appended since the last one.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::error::LedgerError;
use super::files::GAMES_CSV;
use super::row::{Parsed, RecordedPair, RowError, RowReader};
use hone_base::platform::open_regular;

/// Maximum bytes that one call reads: a long ledger takes several calls.
const CHUNK: u64 = 4 << 20;

/// A ledger and the position up to which it has been read.
#[derive(Debug)]
pub struct Tail {
    path: PathBuf,
    names: Vec<String>,
    headers: Option<csv::StringRecord>,
    /// Bytes and pairs that have been read.
    offset: u64,
    pairs: u64,
}

/// The result of [`Tail::read`].
#[derive(Debug, Default)]
pub struct Grown {
    /// The appended pairs, in the order of arrival.
    pub entries: Vec<RecordedPair>,
    /// Whether another call would read more.
    pub has_more: bool,
    /// Whether the file has become shorter, so that earlier results are obsolete. The next
    /// call starts at the beginning.
    pub is_cut: bool,
}

impl Tail {
    /// The ledger in a run's folder, from its beginning. `names` are the
    /// engines' names, in the order of the configuration.
    pub fn new(dir: &Path, names: &[String]) -> Self {
        Self {
            path: dir.join(GAMES_CSV),
            names: names.to_vec(),
            headers: None,
            offset: 0,
            pairs: 0,
        }
    }

    /// Reads the complete pairs that were appended since the last call, at most [`CHUNK`]
    /// bytes of them.
    ///
    /// # Errors
    /// [`LedgerError`]: the file cannot be read, or a row is not valid. The next call
    /// starts at the beginning.
    pub fn read(&mut self) -> Result<Grown, LedgerError> {
        let grown = self.advance();
        if grown.is_err() {
            self.reset();
        }
        grown
    }

    fn advance(&mut self) -> Result<Grown, LedgerError> {
        let (text, has_more) = match self.text() {
            Ok(Some(text)) => text,
            Ok(None) => {
                self.reset();
                return Ok(Grown {
                    is_cut: true,
                    ..Grown::default()
                });
            }
            Err(source) => return Err(self.io(source)),
        };
        let mut grown = Grown {
            has_more,
            ..Grown::default()
        };
        let fresh = self.headers.is_none();
        let rows = match self.headers.clone() {
            Some(headers) => Ok(RowReader::with_headers(&text[..], headers)),
            None => RowReader::new(&text[..]),
        };
        let mut rows = rows.map_err(|error| self.row(1, error.into()))?;
        if fresh {
            if text.is_empty() {
                return Ok(Grown::default());
            }
            self.headers = Some(rows.headers().clone());
        }
        let start = self.offset;
        // Half a pair is read again once it is complete.
        self.offset = start.saturating_add(rows.position());
        while let Some(first) = self.next(&mut rows)? {
            let Some(second) = self.next(&mut rows)? else {
                break;
            };
            let line = self.line().saturating_add(1);
            let entry = RecordedPair::join(first, second).map_err(|error| self.row(line, error))?;
            grown.entries.push(entry);
            self.pairs = self.pairs.saturating_add(1);
            self.offset = start.saturating_add(rows.position());
        }
        // A line longer than `CHUNK` cannot be read.
        grown.has_more &= self.offset > start;
        Ok(grown)
    }

    /// The line of the next pair's first row.
    fn line(&self) -> u64 {
        self.pairs.saturating_mul(2).saturating_add(2)
    }

    fn next(&self, rows: &mut RowReader<&[u8]>) -> Result<Option<Parsed>, LedgerError> {
        rows.next_row(&self.names)
            .map_err(|(_, source)| self.row(self.line(), source))
    }

    /// The whole lines of the next [`CHUNK`] bytes, and whether the file has more; `None`
    /// if the file has become shorter than what was read.
    fn text(&self) -> std::io::Result<Option<(Vec<u8>, bool)>> {
        let mut file = open_regular(&self.path)?;
        let len = file.metadata()?.len();
        if len < self.offset {
            return Ok(None);
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut text = Vec::new();
        file.take(CHUNK).read_to_end(&mut text)?;
        let has_more = self.offset.saturating_add(text.len() as u64) < len;
        text.truncate(memchr::memrchr(b'\n', &text).map_or(0, |at| at.saturating_add(1)));
        Ok(Some((text, has_more)))
    }

    fn reset(&mut self) {
        self.headers = None;
        self.offset = 0;
        self.pairs = 0;
    }

    fn io(&self, source: std::io::Error) -> LedgerError {
        let path = self.path.clone();
        LedgerError::Io { path, source }
    }

    fn row(&self, line: u64, source: RowError) -> LedgerError {
        let path = self.path.clone();
        LedgerError::Row { path, line, source }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write;

    use super::super::row::HEADER;
    use super::*;

    fn rows(pair: u64) -> String {
        let row = |game: u64, white: &str, black: &str| {
            format!(
                "{pair},{game},{white},{black},1,1-0,checkmate,9,1,1,1,1,0,ab,9,\
                 5,4,1,1,1,1,1,1,0,1,0,0,0,0,,,0,0,0,0,0,0,0,0\n"
            )
        };
        row(1, "a", "b") + &row(2, "b", "a")
    }

    fn numbers(grown: &Grown) -> Vec<u64> {
        grown
            .entries
            .iter()
            .map(|entry| entry.result.pair + 1)
            .collect()
    }

    #[test]
    fn each_pair_is_read_once_and_only_when_it_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(GAMES_CSV);
        let names = ["a".to_string(), "b".to_string()];
        let mut tail = Tail::new(dir.path(), &names);
        assert!(tail.read().is_err(), "there is no file");
        fs::write(&path, "").unwrap();
        assert!(numbers(&tail.read().unwrap()).is_empty());
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        let mut read = Vec::new();
        // Byte by byte, so that every incomplete state is read.
        for byte in format!("{HEADER}{}{}{}", rows(2), rows(1), rows(3)).bytes() {
            file.write_all(&[byte]).unwrap();
            read.extend(numbers(&tail.read().unwrap()));
        }
        assert_eq!(read, [2, 1, 3]);
        assert!(numbers(&tail.read().unwrap()).is_empty());
    }

    #[test]
    fn a_ledger_that_was_cut_is_read_from_its_beginning() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(GAMES_CSV);
        let names = ["a".to_string(), "b".to_string()];
        let mut tail = Tail::new(dir.path(), &names);
        fs::write(&path, HEADER.to_owned() + &rows(1) + &rows(2)).unwrap();
        assert_eq!(numbers(&tail.read().unwrap()), [1, 2]);
        fs::write(&path, HEADER.to_owned() + &rows(1)).unwrap();
        assert!(tail.read().unwrap().is_cut);
        assert_eq!(numbers(&tail.read().unwrap()), [1]);
    }

    #[test]
    fn a_line_without_an_end_is_not_read_forever() {
        let dir = tempfile::tempdir().unwrap();
        for start in ["", HEADER] {
            let text = start.to_owned() + &"x".repeat(2 * CHUNK as usize);
            fs::write(dir.path().join(GAMES_CSV), text).unwrap();
            let mut tail = Tail::new(dir.path(), &["a".to_string(), "b".to_string()]);
            assert!((0..3).any(|_| !tail.read().unwrap().has_more), "{start}");
        }
    }

    #[test]
    fn a_long_ledger_comes_in_pieces_and_a_bad_row_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(GAMES_CSV);
        let names = ["a".to_string(), "b".to_string()];
        let count = 40_000;
        let text: String = (1..=count).map(rows).collect();
        assert!(text.len() as u64 > CHUNK);
        fs::write(&path, HEADER.to_owned() + &text).unwrap();
        let mut tail = Tail::new(dir.path(), &names);
        let first = tail.read().unwrap();
        assert!(first.has_more && !first.entries.is_empty());
        let second = tail.read().unwrap();
        let all = first.entries.len() + second.entries.len();
        assert_eq!((all as u64, second.has_more), (count, false));

        fs::write(&path, HEADER.to_owned() + &rows(1) + "2,1,a,x,1\n").unwrap();
        let mut tail = Tail::new(dir.path(), &names);
        let error = tail.read().unwrap_err().to_string();
        assert!(error.contains("line 4"), "{error}");
    }
}
