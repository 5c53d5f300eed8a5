//! Joins the paragraphs of a game: an empty line between its moves does not end it.
//!
//! The PGN reader ends a game at any empty line. Here a space is put on the empty lines that
//! are within a game, so that the numbers of the lines stay. A game ends at an empty line if
//! it has a result, if a tag follows, or if moves follow that begin with move 1. Moves without
//! tags before them also end where moves without a number follow.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::borrow::Cow;
use std::io::{self, Read};

const CHUNK: usize = 1 << 16;

/// The text of games, with a space on each empty line within a game. Comments outside of games
/// are left out.
pub(super) fn joined(text: &[u8]) -> Cow<'_, [u8]> {
    let mut joiner = Joiner::default();
    let mut same = 0_usize;
    let mut out = Vec::new();
    for chunk in text.chunks(CHUNK) {
        joiner.push_all(chunk, &mut out);
        if !joiner.changed {
            same = same.saturating_add(out.len());
            out.clear();
        }
    }
    joiner.finish(&mut out);
    if !joiner.changed {
        return Cow::Borrowed(text);
    }
    let start = text.get(..same).unwrap_or(text);
    Cow::Owned([start, &out].concat())
}

/// A reader of games as [`joined`] returns them.
#[derive(Debug)]
pub struct JoinedGames<R> {
    source: R,
    joiner: Joiner,
    ready: io::Cursor<Vec<u8>>,
    ended: bool,
}

impl<R: Read> JoinedGames<R> {
    pub fn new(source: R) -> Self {
        Self {
            source,
            joiner: Joiner::default(),
            ready: io::Cursor::new(Vec::new()),
            ended: false,
        }
    }
}

impl<R: Read> Read for JoinedGames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.ready.read(buffer)?;
            if count > 0 || self.ended || buffer.is_empty() {
                return Ok(count);
            }
            let mut chunk = [0; 1 << 13];
            let read = self.source.read(&mut chunk)?;
            let chunk = chunk.get(..read).unwrap_or_default();
            let out = self.ready.get_mut();
            out.clear();
            self.joiner.push_all(chunk, out);
            if read == 0 {
                self.ended = true;
                self.joiner.finish(out);
            }
            self.ready.set_position(0);
        }
    }
}

/// The part of a game that the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Stage {
    #[default]
    Between,
    Tags,
    Moves,
}

/// The token that the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Token {
    #[default]
    Plain,
    Comment,
    RestOfLine,
    Tag,
    /// The quoted value of a tag.
    Value,
    /// After a backslash in it.
    Escape,
}

/// Text that is held back until it is known whether a game continues after it.
#[derive(Debug, Default)]
struct Held {
    text: Vec<u8>,
    /// Digits that may be a move number, with the dots after them.
    number: Vec<u8>,
}

#[derive(Debug)]
struct Joiner {
    stage: Stage,
    token: Token,
    is_line_start: bool,
    has_tags: bool,
    has_moves: bool,
    has_result: bool,
    depth: usize,
    /// The current word, up to its fourth byte, with a hyphen for each dash.
    word: Vec<u8>,
    held: Option<Held>,
    changed: bool,
}

impl Default for Joiner {
    fn default() -> Self {
        Self {
            stage: Stage::default(),
            token: Token::default(),
            is_line_start: true,
            has_tags: false,
            has_moves: false,
            has_result: false,
            depth: 0,
            word: Vec::new(),
            held: None,
            changed: false,
        }
    }
}

impl Joiner {
    fn push_all(&mut self, text: &[u8], out: &mut Vec<u8>) {
        for &byte in text {
            self.push(byte, out);
        }
    }

    fn push(&mut self, byte: u8, out: &mut Vec<u8>) {
        if let Some(held) = self.held.take() {
            self.push_held(held, byte, out);
            return;
        }
        let was_line_start = self.is_line_start;
        self.step_line(byte);
        if self.token != Token::Plain {
            out.push(byte);
            self.step_token(byte);
            return;
        }
        if self.holds(byte, was_line_start) {
            self.is_line_start = was_line_start;
            self.push_held(Held::default(), byte, out);
            return;
        }
        out.push(byte);
        let is_blank = byte.is_ascii_whitespace() || b"\xef\xbb\xbf".contains(&byte);
        match (self.stage, byte) {
            (_, b'[') if was_line_start => self.begin_tag(),
            (Stage::Tags, b'[') => self.token = Token::Tag,
            (_, b'%') if was_line_start => self.token = Token::RestOfLine,
            (Stage::Moves, b'\n') if was_line_start => self.begin_game(Stage::Between),
            // A byte order mark does not end the start of a line.
            (Stage::Between, _) if is_blank => self.is_line_start |= was_line_start,
            (Stage::Tags, _) if is_blank => self.is_line_start |= was_line_start,
            _ => {
                self.stage = Stage::Moves;
                self.step_moves(byte);
            }
        }
    }

    /// Whether it depends on the following text what `byte` means.
    fn holds(&self, byte: u8, was_line_start: bool) -> bool {
        match self.stage {
            Stage::Between => matches!(byte, b'{' | b';'),
            Stage::Tags => false,
            Stage::Moves => was_line_start && matches!(byte, b'\r' | b'\n') && !self.has_result,
        }
    }

    /// Whether the next byte is at the start of a line; a carriage return is nowhere.
    fn step_line(&mut self, byte: u8) {
        self.is_line_start = byte == b'\n' || (self.is_line_start && byte == b'\r');
    }

    fn step_token(&mut self, byte: u8) {
        self.token = match (self.token, byte) {
            (Token::Comment, b'}') | (Token::Tag, b']') => Token::Plain,
            (Token::RestOfLine | Token::Tag | Token::Value | Token::Escape, b'\n') => Token::Plain,
            (Token::Tag, b'"') | (Token::Escape, _) => Token::Value,
            (Token::Value, b'"') => Token::Tag,
            (Token::Value, b'\\') => Token::Escape,
            (token, _) => token,
        };
    }

    fn begin_tag(&mut self) {
        if self.stage != Stage::Tags {
            self.begin_game(Stage::Tags);
        }
        self.has_tags = true;
        self.token = Token::Tag;
    }

    fn begin_game(&mut self, stage: Stage) {
        self.stage = stage;
        (self.has_tags, self.has_moves, self.has_result) = (false, false, false);
        self.depth = 0;
        self.word.clear();
    }

    fn step_moves(&mut self, byte: u8) {
        match byte {
            b'{' => self.token = Token::Comment,
            b';' => self.token = Token::RestOfLine,
            b'(' => self.depth = self.depth.saturating_add(1),
            b')' => self.depth = self.depth.saturating_sub(1),
            b'*' => self.has_result |= self.depth == 0,
            _ => {}
        }
        if byte.is_ascii_whitespace() || b"{;().".contains(&byte) {
            self.word.clear();
            return;
        }
        self.has_moves |= byte.is_ascii_alphabetic();
        // The dashes of three bytes.
        let byte = match byte {
            0xe2 => b'-',
            0x80 | 0x93 | 0x94 => return,
            byte => byte,
        };
        if self.word.len() < 4 {
            self.word.push(byte);
        }
        let is_result = matches!(&*self.word, b"1-" | b"0-1" | b"1/2" | b"\xc2\xbd");
        self.has_result |= is_result && self.depth == 0;
    }

    fn push_held(&mut self, mut held: Held, byte: u8, out: &mut Vec<u8>) {
        let was_line_start = self.is_line_start;
        self.step_line(byte);
        if self.token != Token::Plain {
            self.step_token(byte);
        } else if byte.is_ascii_digit() || (byte == b'.' && !held.number.is_empty()) {
            held.number.push(byte);
            self.held = Some(held);
            return;
        } else if !held.number.is_empty() {
            self.decide(held, byte, false, out);
            return;
        } else if byte == b'{' {
            self.token = Token::Comment;
        } else if byte == b';' || (byte == b'%' && was_line_start) {
            self.token = Token::RestOfLine;
        } else if !byte.is_ascii_whitespace() {
            self.decide(held, byte, byte == b'[' && was_line_start, out);
            return;
        }
        held.text.push(byte);
        self.held = Some(held);
    }

    /// Writes the held text, now that the token after it is known.
    fn decide(&mut self, held: Held, byte: u8, is_tag: bool, out: &mut Vec<u8>) {
        if is_tag {
            self.push_line_ends(&held.text, out);
            self.begin_game(Stage::Between);
            self.is_line_start = true;
        } else if self.stage == Stage::Between || self.continues(&held.number, byte) {
            self.push_without_empty_lines(&held.text, out);
            self.stage = Stage::Moves;
            self.is_line_start = false;
        } else {
            out.extend_from_slice(&held.text);
            self.begin_game(Stage::Moves);
            self.is_line_start = false;
        }
        for &digit in &held.number {
            self.push(digit, out);
        }
        self.push(byte, out);
    }

    /// Whether a token after an empty line belongs to the same game: `number` with `byte` after
    /// it, or `byte` alone.
    fn continues(&self, number: &[u8], byte: u8) -> bool {
        match (number, byte) {
            (b"", b'*' | b'(' | b')' | b'$' | 0xc2) => true,
            (b"", _) => self.has_tags || !self.has_moves,
            // `1-0` and `1/2-1/2`; `1...` is a move of Black.
            (b"1", b'-' | b'/' | 0xe2) => true,
            (b"1" | b"1.", _) => !self.has_moves,
            _ => true,
        }
    }

    fn push_line_ends(&mut self, text: &[u8], out: &mut Vec<u8>) {
        let is_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
        let before = out.len();
        out.extend(text.iter().filter(is_end));
        self.changed |= out.len().saturating_sub(before) != text.len();
    }

    fn push_without_empty_lines(&mut self, text: &[u8], out: &mut Vec<u8>) {
        // Text is held from the start of a line, or from a comment.
        let mut is_line_start = text.first() != Some(&b'{');
        for (at, &byte) in text.iter().enumerate() {
            let rest = text.get(at..).unwrap_or_default();
            if is_line_start && (rest.starts_with(b"\n") || rest.starts_with(b"\r\n")) {
                out.push(b' ');
                self.changed = true;
            }
            out.push(byte);
            is_line_start = byte == b'\n';
        }
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        let Some(held) = self.held.take() else {
            return;
        };
        if self.token == Token::Comment {
            // It is not closed, which the reader must find.
            out.extend_from_slice(&held.text);
        } else {
            self.push_line_ends(&held.text, out);
        }
        out.extend_from_slice(&held.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lines_within_a_game_get_a_space() {
        for (text, expected) in [
            (
                "[Event \"x\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6\n\n3. d4 d5 *\n",
                "[Event \"x\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6\n \n3. d4 d5 *\n",
            ),
            (
                "[Event \"x\"]\n\n{ A remark. }\n\n1. e4 1/2-1/2\n\n[Event \"y\"]\n",
                "[Event \"x\"]\n\n{ A remark. }\n \n1. e4 1/2-1/2\n\n[Event \"y\"]\n",
            ),
            (
                "[Event \"x\"]\r\n\r\n1. e4\r\n\r\n\r\n(1. d4)\r\n\r\n1... e5\r\n\r\n1-0\r\n",
                "[Event \"x\"]\r\n\r\n1. e4\r\n \r\n \r\n(1. d4)\r\n \r\n1... e5\r\n \r\n1-0\r\n",
            ),
            (
                "1. e4 e5\n\n2. Nf3\n\n0-1\n",
                "1. e4 e5\n \n2. Nf3\n \n0-1\n",
            ),
            (
                "[A \"b\"]\n\n1. e4\n\n; c\n\n{d\n\n}\ne5 *",
                "[A \"b\"]\n\n1. e4\n \n; c\n \n{d\n \n}\ne5 *",
            ),
            // Comments that belong to no game.
            (
                "1. e4 *\n\n{ a }\n\n[A \"b\"]\n*\n",
                "1. e4 *\n\n\n\n[A \"b\"]\n*\n",
            ),
            (
                "[A \"b\"]\n\n1. e4 *\n\n; a\n",
                "[A \"b\"]\n\n1. e4 *\n\n\n",
            ),
        ] {
            let found = joined(text.as_bytes());
            assert_eq!(String::from_utf8_lossy(&found), expected, "{text}");
            let mut streamed = Vec::new();
            JoinedGames::new(text.as_bytes())
                .read_to_end(&mut streamed)
                .unwrap();
            assert_eq!(streamed, expected.as_bytes());
        }
    }

    #[test]
    fn games_stay_apart() {
        for text in [
            "1. e4 e5\n\n1. d4 d5 *\n",
            "[A \"]\\\"[\"]\n\n1. e4 *\n\n[B \"c\"]\n\n1. d4 *\n",
            "[A \"b\"]\n1. e4 e5\n\n[B \"c\"]\n1. d4\n",
            "[A \"b\"]\n1. e4 e5\n\n1. d4 d5\n",
            "e4 e5\n\nd4 d5\n",
            "1. e4 1–0\n\ne4 e5\n",
            "1. e4 0-0 1/2-1/2\n\n2. d4\n",
            "1. e4 {a\n\nb} *\n\n{c",
            "\u{feff}[A \"b\"]\n\n*\n\n% x\n[A \"b\"] 1. e4 *\n",
        ] {
            let found = joined(text.as_bytes());
            assert!(matches!(found, Cow::Borrowed(_)), "{text}");
            assert_eq!(&*found, text.as_bytes());
        }
    }

    #[test]
    fn text_longer_than_a_chunk_is_joined() {
        let game = "[A \"b\"]\n\n1. e4 e5\n\n2. d4 *\n\n";
        let text = "1. e4 *\n\n".repeat(CHUNK / 3) + &game.repeat(CHUNK / 8);
        let expected = text.replace("e5\n\n2", "e5\n \n2");
        assert!(*joined(text.as_bytes()) == *expected.as_bytes());
    }
}
