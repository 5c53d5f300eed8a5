//! Words of a PGN text that look like moves but are not.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use pgn_reader::SanPlus;

use super::{promotions::is_uci_promotion, source::BYTE_ORDER_MARK};

/// The context of a byte in a PGN text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the moves of a game, where spaces before a tag are insignificant.
    Tags,
    /// At the start of a line of moves.
    LineStart,
    /// Elsewhere among the moves.
    Moves,
}

impl Place {
    /// The context after `byte`, or after the line that it begins.
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Moves, b'\n') | (Self::LineStart, b'\r') => Self::LineStart,
            // As in [`pgn_reader::Reader`], an empty line or a tag ends the moves.
            (Self::LineStart, b'\n' | b'[')
            | (Self::Tags, b' ' | b'\t' | b'\r' | b'\n' | b'[' | b'%') => Self::Tags,
            _ => Self::Moves,
        }
    }
}

/// The first word of a PGN text that looks like a move but is not one, with its line from 1.
/// [`pgn_reader::Reader`] skips such words silently, so the remaining moves would be those of
/// another game.
pub(crate) fn unreadable_move(text: &[u8]) -> Option<(u64, String)> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let mut rest = text;
    let mut place = Place::Tags;
    while let Some(&byte) = rest.first() {
        let length = match byte {
            b'[' | b'%' if place != Place::Moves => until(rest, b'\n'),
            b';' => until(rest, b'\n'),
            b'{' => until(rest, b'}').saturating_add(1),
            _ if is_word(byte) => {
                let length = rest.iter().take_while(|&&byte| is_word(byte)).count();
                let (word, _) = rest.split_at_checked(length)?;
                if looks_like_a_move(word) && !is_readable(word) {
                    let before = text.strip_suffix(rest).unwrap_or(text);
                    let ends = memchr::memchr_iter(b'\n', before).count() as u64;
                    let word = String::from_utf8_lossy(word).into_owned();
                    return Some((ends.saturating_add(1), word));
                }
                length
            }
            _ => 1,
        };
        place = place.after(byte);
        rest = rest.get(length..).unwrap_or_default();
    }
    None
}

fn until(text: &[u8], end: u8) -> usize {
    memchr::memchr(end, text).unwrap_or(text.len())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"$+#=-!?/_".contains(&byte) || byte >= 0x80
}

/// Whether a word has both letters and a digit, like a move. Move numbers, results and glyphs
/// have no letter; words such as `ep` or `N` have no digit.
fn looks_like_a_move(word: &[u8]) -> bool {
    word.iter().any(u8::is_ascii_digit) && word.iter().any(u8::is_ascii_alphabetic)
}

fn is_readable(word: &[u8]) -> bool {
    // `1.e4` is two words, `1e4` and `e4!?` are one.
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut word = word.get(digits..).unwrap_or_default().trim_ascii();
    while let Some((b'!' | b'?', before)) = word.split_last() {
        word = before;
    }
    SanPlus::from_ascii(word).is_ok() || (digits == 0 && is_uci_promotion(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openings::{Variant, games::Games};

    #[test]
    fn marks_and_blanks_before_tags_mean_nothing() {
        for text in [
            "\u{feff}[Event \"TCEC S20\"]\n\n1. e4 *\n\n[Event \"S21\"]\n\n1. d4 *\n",
            "  [Event \"TCEC S20\"]\n\t[Round \"r1\"]\n1. e4 *\n\n [Event \"S21\"]\n\n1. d4 *\n",
            " \r\n [Event \"S20\"]\r\n % z9\r\n\r\n1. e4 *\r\n\r\n [Event \"S21\"]\r\n1. d4 *\r\n",
        ] {
            assert_eq!(unreadable_move(text.as_bytes()), None, "{text}");
            let games = Games::new(text.as_bytes(), None, Variant::Standard);
            let plies: Vec<usize> = games.map(|game| game.unwrap().moves.len()).collect();
            assert_eq!(plies, [1, 1], "{text}");
        }
        // The reader parses such a tag as a part of the moves before it.
        let joined = "1. e4 e5\n [Round \"r1\"]\n1. d4 *\n";
        assert_eq!(unreadable_move(joined.as_bytes()), Some((2, "r1".into())));
    }

    #[test]
    fn words_like_moves_that_are_none_are_found() {
        let text = "[Event \"x9y\"]\n\n1. e4! {a9b} e5 2.Nf3 Nc6 (2... Zz9)\n 1-0";
        assert_eq!(unreadable_move(text.as_bytes()), Some((3, "Zz9".into())));
        for word in ["Qxx9", "e9", "e4xyz"] {
            let text = format!("1. e4 e5 2. {word} *");
            assert_eq!(unreadable_move(text.as_bytes()), Some((1, word.into())));
        }
        let fine = "1. e4 e5 2. O-O-O+ exd6 e.p. 0-0 e8=Q# Nbd7!? $14 N += 1/2-1/2 ; z9\n% z9\n";
        assert_eq!(unreadable_move(fine.as_bytes()), None);
        let uci = "1. e2e4 {book} d7d5 2. e4d5 c7c5 3. d5c6 g8f6 4. c6b7 g7g6 5. b7a8q f8g7 *\n";
        assert_eq!(unreadable_move(uci.as_bytes()), None);
        // Between a move number and a promotion there must be a dot or a space.
        let (_, word) = unreadable_move(b"5b7a8q").expect("not read");
        assert_eq!(word, "5b7a8q");
    }
}
