//! Usual spellings of moves that the PGN reader skips silently: `h7h8q`, `e8Q`, `e8(Q)`,
//! `e8/Q`, `Bb5++`, `hxg6e.p.`.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::borrow::Cow;

use super::joined::joined;

/// The text of games as the PGN reader reads it whole; the numbers of the lines are the same.
pub(super) fn readable(text: &[u8]) -> Cow<'_, [u8]> {
    match joined(text) {
        Cow::Borrowed(text) => with_plain_moves(text),
        Cow::Owned(text) => Cow::Owned(with_plain_moves(&text).into_owned()),
    }
}

/// Replaces the spellings: `e8Q` by `e8=Q`, `Bb5++` by `Bb5+`; `e.p.` after a move is left out.
fn with_plain_moves(text: &[u8]) -> Cow<'_, [u8]> {
    let mut plain = Vec::new();
    let mut copied = 0_usize;
    let mut at = 0_usize;
    while let Some(&byte) = text.get(at) {
        let found = match byte {
            b'a'..=b'h' => letter(text, at),
            b'+' => double_check(text, at),
            _ => None,
        };
        let Some((length, replacement)) = found else {
            at = at.saturating_add(1);
            continue;
        };
        plain.extend_from_slice(text.get(copied..at).unwrap_or_default());
        plain.extend_from_slice(&replacement);
        at = at.saturating_add(length);
        copied = at;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    plain.extend_from_slice(text.get(copied..).unwrap_or_default());
    Cow::Owned(plain)
}

/// A spelling that begins with a letter from a to h: its length and what replaces it.
fn letter(text: &[u8], at: usize) -> Option<(usize, Vec<u8>)> {
    let rest = text.get(at..)?;
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    // A rank of a FEN may contain `b2b1r` too.
    if before.is_some_and(u8::is_ascii_alphanumeric) {
        return en_passant(text, at).map(|length| (length, Vec::new()));
    }
    let (squares, length, piece) = promotion(rest)?;
    let is_ended = !rest.get(length).is_some_and(u8::is_ascii_alphanumeric);
    is_ended.then(|| (length, [squares, b"=", &[piece]].concat()))
}

/// A promotion without its sign: its squares, its length, and the piece, in the case of its
/// notation.
fn promotion(text: &[u8]) -> Option<(&[u8], usize, u8)> {
    let (squares, cased): (_, fn(&u8) -> u8) = match text {
        [b'a'..=b'h', b'7', b'a'..=b'h', b'8', ..] | [b'a'..=b'h', b'2', b'a'..=b'h', b'1', ..] => {
            (4, u8::to_ascii_lowercase)
        }
        [b'a'..=b'h', b'x', b'a'..=b'h', b'1' | b'8', ..] => (4, u8::to_ascii_uppercase),
        [b'a'..=b'h', b'1' | b'8', ..] => (2, u8::to_ascii_uppercase),
        _ => return None,
    };
    let (squares, rest) = text.split_at_checked(squares)?;
    let (piece, written) = match rest {
        [b'(', piece, b')', ..] => (*piece, 3),
        [b'/', piece, ..] => (*piece, 2),
        [piece, ..] => (*piece, 1),
        [] => return None,
    };
    let length = squares.len().saturating_add(written);
    let piece = cased(&piece);
    b"qrbnQRBN"
        .contains(&piece)
        .then_some((squares, length, piece))
}

/// The length of `e.p.` or `ep` directly after a square that a pawn captures on.
fn en_passant(text: &[u8], at: usize) -> Option<usize> {
    let (before, rest) = text.split_at_checked(at)?;
    let is_after_square = matches!(before, [.., b'a'..=b'h', b'3' | b'6']);
    let length = [&b"e.p."[..], b"ep"]
        .into_iter()
        .find(|words| rest.starts_with(words))?
        .len();
    let is_ended = !rest.get(length).is_some_and(u8::is_ascii_alphanumeric);
    (is_after_square && is_ended).then_some(length)
}

/// Two check signs after a move.
fn double_check(text: &[u8], at: usize) -> Option<(usize, Vec<u8>)> {
    let (before, rest) = text.split_at_checked(at)?;
    let is_after_move = matches!(
        before,
        [.., b'a'..=b'h', b'1'..=b'8']
            | [.., b'1' | b'8' | b'=' | b'/', b'Q' | b'R' | b'B' | b'N']
            | [.., b'Q' | b'R' | b'B' | b'N', b')']
            | [.., b'-', b'O']
    );
    (is_after_move && rest.starts_with(b"++")).then(|| (2, b"+".to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotions_get_a_sign_and_nothing_else_changes() {
        for (text, expected) in [
            ("40. h7h8q b2a1n# 0-1", "40. h7h8=q b2a1=n# 0-1"),
            ("h7h8q", "h7h8=q"),
            ("h7h8Q e8q dxe8n+", "h7h8=q e8=Q dxe8=N+"),
            ("e8Q exd1N+ e8(R)! a1/B", "e8=Q exd1=N+ e8=R! a1=B"),
            (
                "h7h8=q a2a4 h7h8 xh7h8q h7h8qq e8=Q e8QQ e8(x)",
                "h7h8=q a2a4 h7h8 xh7h8q h7h8qq e8=Q e8QQ e8(x)",
            ),
            ("[FEN \"2b2b1r/8\"]", "[FEN \"2b2b1r/8\"]"),
        ] {
            assert_eq!(&*with_plain_moves(text.as_bytes()), expected.as_bytes());
        }
    }

    #[test]
    fn signs_after_a_move_are_plain() {
        for (text, expected) in [
            ("Bb5++ O-O-O++ e8Q++ e8=N++", "Bb5+ O-O-O+ e8=Q+ e8=N+"),
            ("hxg6e.p. exd3ep+ exd6 e.p.", "hxg6 exd3+ exd6 e.p."),
            ("[White \"C++ step d3epx\"]", "[White \"C++ step d3epx\"]"),
        ] {
            assert_eq!(&*with_plain_moves(text.as_bytes()), expected.as_bytes());
        }
    }
}
