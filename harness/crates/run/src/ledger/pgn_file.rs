//! Reads `games.pgn` game by game.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use hone_base::platform::open_regular;

/// The place of a game in `games.pgn` according to its row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PgnSpan {
    /// Offset of the first byte.
    pub offset: u64,
    pub bytes: u64,
}

impl PgnSpan {
    /// The offset of the first byte after the game.
    pub fn end(self) -> u64 {
        self.offset.saturating_add(self.bytes)
    }

    /// Whether the game begins at `offset`. A simulated game has no text and no place.
    pub(super) fn begins_at(self, offset: u64) -> bool {
        self.bytes == 0 || self.offset == offset
    }
}

/// An open `games.pgn`, with one game in memory at a time.
#[derive(Debug)]
pub struct GamesFile {
    file: File,
    text: Vec<u8>,
}

impl GamesFile {
    /// Opens a file of games.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: open_regular(path)?,
            text: Vec::new(),
        })
    }

    /// Length of the file in bytes.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn bytes(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// The game at a place; shorter if the file ends before.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn game(&mut self, place: PgnSpan) -> io::Result<&[u8]> {
        // Seeking to an offset of more than `i64::MAX` would be an error.
        let start = place.offset.min(self.bytes()?);
        self.file.seek(SeekFrom::Start(start))?;
        self.text.clear();
        (&self.file).take(place.bytes).read_to_end(&mut self.text)?;
        Ok(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_read_in_any_order_up_to_the_end_of_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("games.pgn");
        std::fs::write(&path, "one two three").unwrap();
        let mut games = GamesFile::open(&path).unwrap();
        assert_eq!(games.bytes().unwrap(), 13);
        for ((offset, bytes), text) in [
            ((8, 5), "three"),
            ((0, 3), "one"),
            ((4, 3), "two"),
            ((8, 9), "three"),
            ((20, 1), ""),
            ((4, 0), ""),
            ((u64::MAX, 1), ""),
        ] {
            let place = PgnSpan { offset, bytes };
            assert_eq!(games.game(place).unwrap(), text.as_bytes());
        }
        assert!(GamesFile::open(&dir.path().join("none")).is_err());
    }
}
