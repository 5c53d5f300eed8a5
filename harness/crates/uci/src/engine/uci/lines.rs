//! Reads an engine's output line by line without allocating.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::io;
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncReadExt};

use hone_base::platform::DirectRead;

/// Bytes of one line that are kept, up to the last whole word; the rest of a longer line is
/// dropped, so that an engine that never ends its line cannot fill the memory.
const MAX_LINE: usize = 64 * 1024;

/// Splits a byte stream into lines, ended by `\n` or `\r\n`.
#[derive(Debug)]
pub struct LineReader<R> {
    source: R,
    buffer: Box<[u8]>,
    /// The unread part of the buffer.
    start: usize,
    end: usize,
    /// The unread part has no line end before this index.
    scanned: usize,
    /// Whether the rest of a line longer than the buffer, whose beginning was returned, is
    /// being dropped.
    dropping: bool,
    /// When the newest bytes arrived.
    arrived: Instant,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub fn new(source: R) -> Self {
        Self {
            source,
            buffer: vec![0; MAX_LINE].into_boxed_slice(),
            start: 0,
            end: 0,
            scanned: 0,
            dropping: false,
            arrived: Instant::now(),
        }
    }

    /// The next complete line in the buffer, without its line end, or the beginning of a
    /// line that fills the buffer.
    pub fn buffered(&mut self) -> Option<&[u8]> {
        loop {
            let unread = self.buffer.get(self.scanned..self.end)?;
            let Some(at) = memchr::memchr(b'\n', unread) else {
                return self.take_endless();
            };
            let end = self.scanned.saturating_add(at);
            let line = self.start..end;
            self.start = end.saturating_add(1);
            self.scanned = self.start;
            if std::mem::take(&mut self.dropping) {
                continue;
            }
            let line = self.buffer.get(line)?;
            return Some(line.strip_suffix(b"\r").unwrap_or(line));
        }
    }

    /// The beginning of a line that fills the buffer, if its end is not in the buffer;
    /// `None` while more can be read. Drops what follows such a beginning.
    fn take_endless(&mut self) -> Option<&[u8]> {
        self.scanned = self.end;
        let is_full = self.start == 0 && self.end == self.buffer.len();
        if !is_full && !self.dropping {
            return None;
        }
        let line = self.start..self.end;
        self.start = self.end;
        if std::mem::replace(&mut self.dropping, true) {
            return None;
        }
        let line = self.buffer.get(line)?;
        // A number that is cut would be another number.
        let whole = line.iter().rposition(u8::is_ascii_whitespace);
        Some(whole.and_then(|end| line.get(..end)).unwrap_or(line))
    }

    /// The unread bytes: after [`LineReader::buffered`] has returned `None`, a line without
    /// its end.
    pub(super) fn unfinished(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// Waits for more bytes; call it after [`LineReader::buffered`] has returned `None`.
    /// Returns `false` at the end of the stream. Cancel safe.
    ///
    /// # Errors
    /// Those of the stream.
    pub async fn fill(&mut self) -> io::Result<bool> {
        self.make_room();
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        let count = self.source.read(room).await?;
        Ok(self.filled(count))
    }

    /// [`LineReader::fill`] with a blocking read; `None` if the thread's read timer fired
    /// first.
    pub(super) fn fill_blocking(&mut self) -> Option<io::Result<bool>>
    where
        R: DirectRead,
    {
        self.make_room();
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        let read = self.source.read_blocking(room);
        read.map(|count| count.map(|count| self.filled(count)))
            .transpose()
    }

    /// Reads the bytes that have arrived, without waiting. The end of the stream and errors
    /// are left to the next [`LineReader::fill`].
    pub(super) fn fill_available(&mut self)
    where
        R: DirectRead,
    {
        self.make_room();
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        if let Ok(Some(count)) = self.source.read_available(room) {
            self.filled(count);
        }
    }

    /// Makes sure that the buffer has room for more bytes.
    fn make_room(&mut self) {
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
            self.scanned = 0;
        } else if self.end == self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end = self.end.saturating_sub(self.start);
            self.scanned = self.scanned.saturating_sub(self.start);
            self.start = 0;
        }
    }

    fn filled(&mut self, count: usize) -> bool {
        self.arrived = Instant::now();
        self.end = self.end.saturating_add(count);
        count > 0
    }

    /// When the newest bytes arrived.
    pub fn arrived(&self) -> Instant {
        self.arrived
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8]) -> Vec<Vec<u8>> {
        let runtime = hone_base::platform::runtime().expect("runtime");
        runtime.block_on(async {
            let mut reader = LineReader::new(input);
            let mut lines = Vec::new();
            loop {
                while let Some(line) = reader.buffered() {
                    lines.push(line.to_vec());
                }
                if !reader.fill().await.expect("reading from memory") {
                    return lines;
                }
            }
        })
    }

    #[test]
    fn splits_at_both_kinds_of_line_end() {
        assert_eq!(
            lines(b"one\ntwo\r\n\nthree\nrest"),
            [&b"one"[..], b"two", b"", b"three"]
        );
    }

    #[test]
    fn of_a_line_longer_than_the_buffer_the_beginning_is_read() {
        let first = "info depth 3 score cp 7 pv e2e4";
        for before in ["", "uciok\n"] {
            for length in [MAX_LINE, MAX_LINE + 1, 3 * MAX_LINE + 5] {
                let long = "x".repeat(length);
                let input = format!("{before}{first} {long}\nbestmove e2e4\n");
                let lines = lines(input.as_bytes());
                let expected = [before.trim_end(), first, "bestmove e2e4"];
                let expected = &expected[usize::from(before.is_empty())..];
                assert_eq!(
                    lines,
                    expected
                        .iter()
                        .map(|line| line.as_bytes())
                        .collect::<Vec<_>>()
                );
            }
        }
        let endless = vec![b'x'; 2 * MAX_LINE];
        assert_eq!(lines(&endless), [&endless[..MAX_LINE]]);
    }

    #[test]
    fn lines_across_buffer_ends_stay_whole() {
        let mut input = Vec::new();
        for number in 0..20_000 {
            input.extend_from_slice(format!("info string line {number}\n").as_bytes());
        }
        let lines = lines(&input);
        assert_eq!(lines.len(), 20_000);
        assert_eq!(lines[19_999], b"info string line 19999");
    }
}
