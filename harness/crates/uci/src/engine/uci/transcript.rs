//! The last part of the dialogue with an engine, kept as evidence.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::collections::VecDeque;
use std::time::Instant;

use tracing::level_filters::LevelFilter;

/// The target of log events that are lines to or from an engine.
pub const UCI_TRAFFIC: &str = "uci";

/// Who wrote a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    ToEngine,
    FromEngine,
}

impl Direction {
    fn arrow(self) -> char {
        match self {
            Self::ToEngine => '>',
            Self::FromEngine => '<',
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    at: Instant,
    direction: Direction,
    len: usize,
}

/// The last lines exchanged with one engine: at most [`MAX_ENTRIES`] lines and
/// [`MAX_BYTES`] bytes.
#[derive(Debug)]
pub struct Transcript {
    /// The engine's process id and name, for the log.
    pid: u32,
    label: String,
    started: Instant,
    bytes: VecDeque<u8>,
    entries: VecDeque<Entry>,
}

const MAX_ENTRIES: usize = 4096;
const MAX_BYTES: usize = 64 * 1024;
/// Bytes kept of one line.
const MAX_LINE: usize = 8 * 1024;

impl Default for Transcript {
    fn default() -> Self {
        Self {
            pid: 0,
            label: String::new(),
            started: Instant::now(),
            bytes: VecDeque::with_capacity(MAX_BYTES),
            entries: VecDeque::new(),
        }
    }
}

impl Transcript {
    /// The transcript of the engine with this process id and name.
    pub fn of(pid: u32, label: String) -> Self {
        Self {
            pid,
            label,
            ..Self::default()
        }
    }

    /// Adds a line, or the first [`MAX_LINE`] bytes of it.
    pub fn push(&mut self, direction: Direction, at: Instant, line: &[u8]) {
        if LevelFilter::current() == LevelFilter::TRACE {
            self.log(direction, line);
        }
        let line = line.get(..MAX_LINE).unwrap_or(line);
        while self.bytes.len().saturating_add(line.len()) > MAX_BYTES
            || self.entries.len() >= MAX_ENTRIES
        {
            let Some(oldest) = self.entries.pop_front() else {
                break;
            };
            self.bytes.drain(..oldest.len);
        }
        self.bytes.extend(line);
        self.entries.push_back(Entry {
            at,
            direction,
            len: line.len(),
        });
    }

    #[cold]
    fn log(&self, direction: Direction, lines: &[u8]) {
        let arrow = direction.arrow();
        for line in String::from_utf8_lossy(lines).lines() {
            tracing::trace!(
                target: UCI_TRAFFIC,
                engine = self.label,
                pid = self.pid,
                sent = direction == Direction::ToEngine,
                line,
                "{}({}) {arrow} {line}",
                self.label,
                self.pid,
            );
        }
    }

    /// The lines from the engine since the last command that needs an answer (any but
    /// `stop`), the newest first, without line ends.
    pub fn answers(&self) -> impl Iterator<Item = String> {
        let mut end = self.bytes.len();
        let newest_first = self.entries.iter().rev().map(move |entry| {
            let start = end.saturating_sub(entry.len);
            let line: Vec<u8> = self.bytes.range(start..end).copied().collect();
            end = start;
            (entry.direction, line)
        });
        newest_first
            .filter(|(direction, line)| *direction == Direction::FromEngine || line != b"stop\n")
            .map_while(|(direction, line)| match direction {
                Direction::FromEngine => Some(line),
                Direction::ToEngine => None,
            })
            .map(|line| String::from_utf8_lossy(&line).trim_end().to_string())
    }

    /// The dialogue as text: seconds since the engine's start, `>` before lines to the
    /// engine and `<` before lines from it.
    pub fn render(&self) -> String {
        let mut text = String::new();
        let mut bytes = self.bytes.iter().copied();
        for entry in &self.entries {
            let line: Vec<u8> = bytes.by_ref().take(entry.len).collect();
            let arrow = entry.direction.arrow();
            let seconds = entry.at.saturating_duration_since(self.started);
            for part in String::from_utf8_lossy(&line).trim_end().split('\n') {
                text.push_str(&format!("{:12.6} {arrow} {part}\n", seconds.as_secs_f64()));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_last_lines_within_its_bound() {
        let mut transcript = Transcript::default();
        for number in 0..10_000 {
            let line = format!("info string {number} {}", "x".repeat(100));
            transcript.push(Direction::FromEngine, Instant::now(), line.as_bytes());
        }
        assert!(transcript.bytes.len() <= MAX_BYTES);
        let text = transcript.render();
        assert!(text.contains("info string 9999 "));
        assert!(!text.contains("info string 0 "));
    }

    #[test]
    fn empty_lines_are_bounded_too() {
        let mut transcript = Transcript::default();
        let now = Instant::now();
        transcript.push(Direction::ToEngine, now, b"go nodes 1\n");
        for _ in 0..100_000 {
            transcript.push(Direction::FromEngine, now, b"");
        }
        transcript.push(Direction::FromEngine, now, b"bestmove e2e4");
        assert_eq!(transcript.entries.len(), MAX_ENTRIES);
        let text = transcript.render();
        assert_eq!(text.lines().count(), MAX_ENTRIES);
        assert!(text.ends_with("< bestmove e2e4\n"), "the last are kept");
    }

    #[test]
    fn answers_are_the_lines_since_the_last_command_but_stop() {
        let mut transcript = Transcript::default();
        let now = Instant::now();
        assert_eq!(transcript.answers().next(), None);
        transcript.push(Direction::ToEngine, now, b"isready\n");
        transcript.push(Direction::FromEngine, now, b"readyok");
        transcript.push(
            Direction::ToEngine,
            now,
            b"position startpos\ngo infinite\n",
        );
        assert_eq!(transcript.answers().next(), None);
        transcript.push(Direction::FromEngine, now, b"info depth 1");
        transcript.push(Direction::ToEngine, now, b"stop\n");
        transcript.push(Direction::FromEngine, now, b"bestmove: e2e4 ");
        let answers: Vec<String> = transcript.answers().collect();
        assert_eq!(answers, ["bestmove: e2e4", "info depth 1"]);
    }

    #[test]
    fn shows_both_directions_line_by_line() {
        let mut transcript = Transcript::default();
        let now = Instant::now();
        transcript.push(Direction::ToEngine, now, b"position startpos\ngo nodes 1\n");
        transcript.push(Direction::FromEngine, now, b"bestmove e2e4");
        let text = transcript.render();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[1].ends_with("> go nodes 1"));
        assert!(lines[2].ends_with("< bestmove e2e4"));
    }
}
