//! Faults of a PGN text that the PGN reader skips or reports at their end.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use pgn_reader::SanPlus;
use thiserror::Error;

use super::{source::BYTE_ORDER_MARK, spellings::readable};
use hone_base::text::shown_word;

/// Maximum length of a tag in bytes.
pub(crate) const TAG_BYTES: usize = 4096;

/// A fault of a PGN text. [`pgn_reader::Reader`] skips all but an unclosed comment and a long
/// tag silently, so the remaining moves would be those of another game.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MovetextFault {
    #[error("\"{0}\" is not a move")]
    Word(String),
    #[error("\"{0}\" is not a move; write castling as O-O or O-O-O")]
    Castling(String),
    #[error("moves after the result of a game; put an empty line without spaces between games")]
    AfterResult,
    #[error("the comment that begins here is not closed; end it with `}}`")]
    Comment,
    #[error("the variation that begins here is not closed; end it with `)`")]
    Variation,
    #[error("`)` without `(`; remove it, or put `(` where the variation begins")]
    Closing,
    #[error("the tag that begins here has no end, or is longer than {TAG_BYTES} bytes; shorten it")]
    Tag,
}

/// The first fault of a PGN text, with its line from 1, if the first `plies` of each game are
/// read (`None` for all).
pub fn first_fault(text: &[u8], plies: Option<usize>) -> Option<(u64, MovetextFault)> {
    let text = readable(text);
    let mut faults = Faults::of(&text, plies.unwrap_or(usize::MAX));
    let (at, fault) = faults.next()?;
    Some((faults.line(at), fault))
}

/// The first fault at which the reader cannot continue, with its line from 1.
pub(super) fn first_fatal_fault(text: &[u8]) -> Option<(u64, MovetextFault)> {
    let text = readable(text);
    let mut faults = Faults::of(&text, usize::MAX);
    let is_fatal = |(_, fault): &(usize, MovetextFault)| {
        matches!(fault, MovetextFault::Comment | MovetextFault::Tag)
    };
    let (at, fault) = faults.find(is_fatal)?;
    Some((faults.line(at), fault))
}

/// The context of a byte in a PGN text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the moves of a game, where spaces before a tag are insignificant.
    Tags,
    /// At the start of a line of moves.
    LineStart,
    /// After the carriage return at the start of a line of moves.
    Return,
    /// Elsewhere among the moves.
    Moves,
}

impl Place {
    /// The context after `byte`, or after the token that it begins.
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Moves, b'\n') => Self::LineStart,
            (Self::LineStart, b'\r') => Self::Return,
            // As in [`pgn_reader::Reader`], an empty line or a tag ends the moves.
            (Self::LineStart, b'\n' | b'[')
            | (Self::Return, b'\n')
            | (Self::Tags, b' ' | b'\t' | b'\r' | b'\n' | b'[' | b'%') => Self::Tags,
            _ => Self::Moves,
        }
    }
}

/// Iterator over the faults of a text, each with its place in bytes.
struct Faults<'a> {
    text: &'a [u8],
    rest: &'a [u8],
    place: Place,
    /// Number of variations that contain the next byte, and the place of the outermost one.
    depth: usize,
    variation: usize,
    has_result: bool,
    /// Plies of the current game that are left to read.
    left: usize,
    plies: usize,
}

impl<'a> Faults<'a> {
    fn of(text: &'a [u8], plies: usize) -> Self {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        Self {
            text,
            rest: text,
            place: Place::Tags,
            depth: 0,
            variation: 0,
            has_result: false,
            left: plies,
            plies,
        }
    }

    /// The line of a place, from 1.
    fn line(&self, at: usize) -> u64 {
        let before = self.text.get(..at).unwrap_or(self.text);
        let ends = memchr::memchr_iter(b'\n', before).count() as u64;
        ends.saturating_add(1)
    }

    /// Ends the current game.
    fn end_game(&mut self) -> Option<(usize, MovetextFault)> {
        self.has_result = false;
        let left = std::mem::replace(&mut self.left, self.plies);
        let is_open = std::mem::take(&mut self.depth) > 0 && left > 0;
        is_open.then_some((self.variation, MovetextFault::Variation))
    }

    /// The length of the token that begins with `byte`, and its fault.
    fn token(&mut self, byte: u8, at: usize) -> (usize, Option<MovetextFault>) {
        let rest = self.rest;
        let is_line_start = matches!(self.place, Place::Tags | Place::LineStart);
        match byte {
            b'[' if is_line_start => {
                let length = tag_length(rest);
                let is_long = length.is_none_or(|length| length > TAG_BYTES);
                let length = length.unwrap_or(rest.len());
                (length, is_long.then_some(MovetextFault::Tag))
            }
            b'%' if is_line_start => (until(rest, b'\n'), None),
            b';' => (until(rest, b'\n'), None),
            b'{' => match memchr::memchr(b'}', rest) {
                Some(end) => (end.saturating_add(1), None),
                None => (rest.len(), Some(MovetextFault::Comment)),
            },
            b'(' => {
                if self.depth == 0 {
                    self.variation = at;
                }
                self.depth = self.depth.saturating_add(1);
                (1, None)
            }
            b')' => match self.depth.checked_sub(1) {
                Some(depth) => {
                    self.depth = depth;
                    (1, None)
                }
                None => (1, (self.left > 0).then_some(MovetextFault::Closing)),
            },
            b'*' => {
                self.has_result |= self.depth == 0;
                (1, None)
            }
            // The reader skips a word directly after these with them.
            b'$' | b'}' => {
                let word = word_at(rest, 1);
                let inner = without_marks(word.get(1..).unwrap_or_default());
                let is_lost = self.left > 0 && (is_castling(inner) || looks_like_a_move(inner));
                let fault = is_lost.then(|| MovetextFault::Word(shown_word(word)));
                (word.len(), fault)
            }
            _ if is_token_end(byte) => (1, None),
            _ => {
                let word = word_at(rest, 0);
                (word.len(), self.fault_of(word))
            }
        }
    }

    fn fault_of(&mut self, word: &[u8]) -> Option<MovetextFault> {
        if is_result(word) {
            self.has_result |= self.depth == 0;
            return None;
        }
        let bare = without_marks(word);
        let is_castling = is_castling(bare);
        if !is_castling && !looks_like_a_move(word) {
            return None;
        }
        if !is_readable(word) {
            if self.left == 0 {
                return None;
            }
            // The marks may be the fault.
            let shown = shown_word(if is_readable(bare) { word } else { bare });
            return Some(if is_castling {
                MovetextFault::Castling(shown)
            } else {
                MovetextFault::Word(shown)
            });
        }
        if self.depth > 0 {
            return None;
        }
        self.left = self.left.saturating_sub(1);
        let is_after = std::mem::take(&mut self.has_result);
        is_after.then_some(MovetextFault::AfterResult)
    }
}

impl Iterator for Faults<'_> {
    type Item = (usize, MovetextFault);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(&byte) = self.rest.first() {
            let place = self.place.after(byte);
            if place == Place::Tags
                && self.place != Place::Tags
                && let Some(fault) = self.end_game()
            {
                return Some(fault);
            }
            let at = self.text.len().saturating_sub(self.rest.len());
            let (length, fault) = self.token(byte, at);
            self.place = place;
            self.rest = self.rest.get(length..).unwrap_or_default();
            if let Some(fault) = fault {
                return Some((at, fault));
            }
        }
        self.end_game()
    }
}

fn until(text: &[u8], end: u8) -> usize {
    memchr::memchr(end, text).unwrap_or(text.len())
}

/// Length of the tag at the start of a text, with the quote or bracket that ends it, as
/// [`pgn_reader::Reader`] reads it: a line end ends a tag too. `None` if nothing ends it.
fn tag_length(text: &[u8]) -> Option<usize> {
    let mut end = memchr::memchr3(b'"', b'\n', b']', text)?;
    if text.get(end) == Some(&b'"') {
        loop {
            end = end.saturating_add(1);
            let rest = text.get(end..)?;
            end = end.saturating_add(memchr::memchr3(b'\\', b'"', b'\n', rest)?);
            match text.get(end) {
                Some(b'\\') => end = end.saturating_add(1),
                Some(b'"') => break,
                _ => return Some(end),
            }
        }
    }
    end = end.saturating_add(1);
    let rest = text.get(end..).unwrap_or_default();
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r');
    let blanks = rest.iter().take_while(is_blank).count();
    let is_closed = rest.get(blanks) == Some(&b']');
    let bracket = if is_closed {
        blanks.saturating_add(1)
    } else {
        0
    };
    Some(end.saturating_add(bracket))
}

/// The start of a text up to the end of a token after `start`.
fn word_at(text: &[u8], start: usize) -> &[u8] {
    let after = text.get(start..).unwrap_or_default();
    let length = after
        .iter()
        .take_while(|byte| !is_token_end(**byte))
        .count();
    text.get(..start.saturating_add(length)).unwrap_or(text)
}

/// Whether a byte ends a token of [`pgn_reader::Reader`].
fn is_token_end(byte: u8) -> bool {
    b" \t\n\r{}()!?$;.*".contains(&byte)
}

/// A word without punctuation marks at its ends.
fn without_marks(word: &[u8]) -> &[u8] {
    let is_mark = |byte: &u8| b"\"'[]<>,:".contains(byte);
    let start = word.iter().take_while(|byte| is_mark(byte)).count();
    let word = word.get(start..).unwrap_or_default();
    let end = word.iter().rposition(|byte| !is_mark(byte));
    let length = end.map_or(0, |end| end.saturating_add(1));
    word.get(..length).unwrap_or(word)
}

/// Whether a word has both letters and a digit, like a move. Move numbers, results and glyphs
/// have no letter; words such as `ep` or `N` have no digit.
fn looks_like_a_move(word: &[u8]) -> bool {
    word.iter().any(u8::is_ascii_digit) && word.iter().any(u8::is_ascii_alphabetic)
}

/// Whether a word begins with the result of a game.
fn is_result(word: &[u8]) -> bool {
    let Some(start) = word.first().filter(|start| b"01\xc2".contains(start)) else {
        return false;
    };
    let word = String::from_utf8_lossy(word.get(..16).unwrap_or(word));
    let word = word.replace(['–', '—'], "-");
    match start {
        b'0' => word.starts_with("0-1"),
        b'1' => word.starts_with("1-0") || word.starts_with("1/2-1/2"),
        _ => word.starts_with("½-½"),
    }
}

/// Whether a word is castling in any notation: two or three letters O or zeros, with or without
/// dashes between.
fn is_castling(word: &[u8]) -> bool {
    // A move number may precede the letters; zeros are castling themselves.
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let after = word.get(digits..).unwrap_or_default();
    let is_letter = |byte: &u8| b"Oo\xce\xd0".contains(byte);
    let word = match (after.first(), word.first()) {
        (Some(byte), _) if is_letter(byte) => after,
        (_, Some(b'0')) => word,
        // Most words.
        _ => return false,
    };
    let Ok(text) = std::str::from_utf8(word) else {
        return false;
    };
    let text = text.trim_end_matches(['+', '#']);
    // Latin, zero, Greek and Cyrillic.
    let letters = ['O', 'o', '0', 'Ο', 'ο', 'О', 'о'];
    let is_dash = |c: char| matches!(c, '-' | '_' | '\u{2010}'..='\u{2015}' | '\u{2212}');
    let count = text.chars().filter(|c| letters.contains(c)).count();
    (2..=3).contains(&count)
        && text.starts_with(letters)
        && text.ends_with(letters)
        && text.chars().all(|c| letters.contains(&c) || is_dash(c))
}

fn is_readable(word: &[u8]) -> bool {
    // Castling with zeros, which the reader supports and `SanPlus` does not.
    let is_sign = |byte: &u8| matches!(byte, b'+' | b'#');
    let signs = word.iter().rev().take_while(|byte| is_sign(byte)).count();
    let (castling, _) = word
        .split_at_checked(word.len().saturating_sub(signs))
        .unwrap_or((word, b""));
    if castling.starts_with(b"0") && !looks_like_a_move(castling) {
        let text = String::from_utf8_lossy(castling).replace(['–', '—'], "-");
        return matches!(&*text, "0-0" | "0-0-0");
    }
    // `1.e4` is two words, `1e4` is one.
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let san = word.get(digits..).unwrap_or_default();
    SanPlus::from_ascii(san).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn not_a_move(word: &str) -> MovetextFault {
        MovetextFault::Word(word.to_string())
    }

    #[test]
    fn marks_and_blanks_before_tags_mean_nothing() {
        for text in [
            "\u{feff}[Event \"TCEC S20\"]\n\n1. e4 *\n\n[Event \"S21\"]\n\n1. d4 *\n",
            "  [Event \"TCEC S20\"]\n\t[Round \"r1\"]\n1. e4 *\n\n [Event \"S21\"]\n\n1. d4 *\n",
            " \r\n [Event \"S20\"]\r\n % z9\r\n\r\n1. e4 *\r\n\r\n [Event \"S21\"]\r\n1. d4 *\r\n",
        ] {
            assert_eq!(first_fault(text.as_bytes(), None), None, "{text}");
        }
        // The reader parses such a tag as a part of the moves before it.
        let joined = "1. e4 e5\n [Round \"r1\"]\n1. d4 *\n";
        assert_eq!(
            first_fault(joined.as_bytes(), None),
            Some((2, not_a_move("r1")))
        );
    }

    #[test]
    fn words_like_moves_that_are_none_are_found() {
        let text = "[Event \"x9y\"]\n\n1. e4! {a9b} e5 2.Nf3 Nc6 (2... Zz9)\n 1-0";
        assert_eq!(
            first_fault(text.as_bytes(), None),
            Some((3, not_a_move("Zz9")))
        );
        for word in ["Qxx9", "e9", "e4xyz"] {
            let text = format!("1. e4 e5 2. {word} *");
            assert_eq!(
                first_fault(text.as_bytes(), None),
                Some((1, not_a_move(word)))
            );
        }
        let fine = "1. e4 e5 2. O-O-O+ exd6 e.p. 0-0 e8=Q# Nbd7!? $14 N += 1/2-1/2 ; z9\n% z9\n";
        assert_eq!(first_fault(fine.as_bytes(), None), None);
        let uci = "1. e2e4 {book} d7d5 2. e4d5 c7c5 3. d5c6 g8f6 4. c6b7 g7g6 5. b7a8q f8g7 *\n";
        assert_eq!(first_fault(uci.as_bytes(), None), None);
        // Between a move number and a promotion there must be a dot or a space.
        assert_eq!(
            first_fault(b"5b7a8q", None),
            Some((1, not_a_move("5b7a8q")))
        );
    }

    #[test]
    fn moves_after_a_result_are_found() {
        for (text, line) in [
            ("1. e4 c5 *\n1. d4 d5 *\n", 2),
            ("1. e4 c5 1-0 1.d4 d5 *\n", 1),
            ("1. e4 c5 1-0\n{next} 1. d4 *\n", 2),
            ("1. e4 c5 1/2–1/2 O-O\n", 1),
            ("1. e4 c5 ½-½\n \n1. d4 *\n", 3),
        ] {
            let fault = first_fault(text.as_bytes(), None);
            assert_eq!(fault, Some((line, MovetextFault::AfterResult)), "{text}");
        }
        for text in [
            "1. e4 (1. d4 *) c5 *\n\n1. d4 *\n",
            "1. e4 c5 1-0 {resigns} $1 N\n[Result \"1-0\"]\n1. d4 *\n",
            "1. e4 c5 0-1\r\n\r\n1. d4 *\r\n",
        ] {
            assert_eq!(first_fault(text.as_bytes(), None), None, "{text}");
        }
    }

    #[test]
    fn castling_that_is_not_read_is_found() {
        for word in [
            "O–O",
            "O–O+",
            "O−O−O",
            "o-o",
            "o-o-o",
            "OO",
            "OOO",
            "00",
            "0_0",
            "О-О",
            "1O–O",
            "0-O",
            "O-O,",
            "\"O-O\"",
            "<O-O-O>",
        ] {
            let text = format!("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. {word} d6 *");
            let fault = first_fault(text.as_bytes(), None);
            let castling = MovetextFault::Castling(word.to_string());
            assert_eq!(fault, Some((1, castling)), "{text}");
        }
        for word in ["O-O", "0-0", "0–0", "0—0+", "O-O!?", "O-O$3", "4O-O"] {
            let text = format!("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. {word} d6 *");
            assert_eq!(first_fault(text.as_bytes(), None), None, "{text}");
        }
        let queenside = "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. 0-0-0 0–0–0 *";
        assert_eq!(first_fault(queenside.as_bytes(), None), None);
    }

    #[test]
    fn a_glyph_may_follow_a_move_directly() {
        let text = "1. e4$1 e5$2$14 2. Nf3!$1 (2. d4$10) Nc6 *";
        assert_eq!(first_fault(text.as_bytes(), None), None);
        // The reader skips each of these words.
        for word in ["$14Nf3", "}Nf3", "Nf3,", "<Nf3>", "$1O-O"] {
            let text = format!("1. e4 e5 2. {word} Nc6 *");
            assert_eq!(
                first_fault(text.as_bytes(), None),
                Some((1, not_a_move(word)))
            );
        }
    }

    #[test]
    fn variations_and_comments_that_are_not_closed_have_their_line() {
        for (text, line, fault) in [
            (
                "1. e4\n(1. d4 (1. c4) d5\n\n1. c4 *\n",
                2,
                MovetextFault::Variation,
            ),
            (
                "1. e4\n(1. d4\n[Event \"a\"]\n",
                2,
                MovetextFault::Variation,
            ),
            ("1. e4\n\n1. d4 (", 3, MovetextFault::Variation),
            ("1. e4\n1. d4) c5 *\n", 2, MovetextFault::Closing),
            ("1. e4\n{ a\n\n1. d4 *\n", 2, MovetextFault::Comment),
        ] {
            assert_eq!(
                first_fault(text.as_bytes(), None),
                Some((line, fault)),
                "{text}"
            );
        }
        let closed = "1. e4 (1. d4 (1. c4 ; )\n)) {)} c5 *\n";
        assert_eq!(first_fault(closed.as_bytes(), None), None);
    }

    #[test]
    fn moves_on_the_line_of_a_tag_are_checked() {
        let text = "[Event \"a\\\"]9z\"] [Site \"b\" ] 1. e4 Zz9 *\n";
        assert_eq!(
            first_fault(text.as_bytes(), None),
            Some((1, not_a_move("Zz9")))
        );
        for length in [TAG_BYTES - 20, TAG_BYTES, 1 << 20] {
            let text = format!("1. e4 *\n\n[Event \"{}\"]\n1. d4 *\n", "x".repeat(length));
            let fault = (length >= TAG_BYTES).then_some((3, MovetextFault::Tag));
            assert_eq!(first_fault(text.as_bytes(), None), fault, "{length}");
        }
    }

    #[test]
    fn only_faults_within_the_plies_that_are_read_count() {
        let late = "1. d4 Nf6 2. Bg5 c5 3. d5 Ne4 4. Bf4 Qb6 38. b9Q Rxb8 1-0\n";
        for (text, plies, line) in [
            (late, 8, None),
            (late, 9, Some(1)),
            ("1. e4 e5 2. Zz9 O–O $14Nf3 ) (2. d4 *\n\n1. d4 *", 2, None),
            ("1. e4 (1. Zz9) e5\n2. Nf3 *", 1, None),
            ("1. e4 e5 *\n\n1. d4\nZz9 *", 2, Some(4)),
            ("Zz9", 0, None),
            // These lose later games.
            ("1. e4 e5 *\n1. d4 d5 *", 2, Some(2)),
            ("1. e4 e5 2. Nf3\n{a *", 2, Some(2)),
        ] {
            let fault = first_fault(text.as_bytes(), Some(plies));
            assert_eq!(fault.map(|(line, _)| line), line, "{text}");
        }
    }

    #[test]
    fn a_long_word_is_cut() {
        let text = format!("1. {}9", "z".repeat(1 << 20));
        let message = first_fault(text.as_bytes(), None)
            .expect("a fault")
            .1
            .to_string();
        assert!(message.len() < 300 && message.contains("zz…"), "{message}");
    }
}
