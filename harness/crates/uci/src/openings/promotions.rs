//! Promotions in UCI notation, as `h7h8q`, which the PGN reader skips silently.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::borrow::Cow;

/// Bytes of `h7h8`: the piece follows.
const SQUARES: usize = 4;

/// Whether a word is a promotion in UCI notation, with or without a check or annotation sign.
pub(super) fn is_uci_promotion(word: &[u8]) -> bool {
    let ranks = match word {
        [b'a'..=b'h', from, b'a'..=b'h', to, piece, rest @ ..]
            if b"qrbn".contains(piece) && !rest.first().is_some_and(u8::is_ascii_alphanumeric) =>
        {
            [*from, *to]
        }
        _ => return false,
    };
    matches!(&ranks, b"78" | b"21")
}

/// Replaces every `h7h8q` by `h7h8=q`, which the PGN reader accepts.
pub(super) fn with_promotion_signs(text: &[u8]) -> Cow<'_, [u8]> {
    let mut signed = Vec::new();
    let mut rest = text;
    while let Some(squares) = next_promotion(rest) {
        let (before, after) = rest.split_at(squares);
        signed.extend_from_slice(before);
        signed.push(b'=');
        rest = after;
    }
    if signed.is_empty() {
        Cow::Borrowed(text)
    } else {
        signed.extend_from_slice(rest);
        Cow::Owned(signed)
    }
}

/// End of the squares of the first promotion. It must be at the start of a word, because a
/// rank of a FEN may contain `b2b1r` too.
fn next_promotion(text: &[u8]) -> Option<usize> {
    let mut before = None;
    for (at, byte) in text.iter().enumerate() {
        let begins = !before.is_some_and(u8::is_ascii_alphanumeric);
        if begins && text.get(at..).is_some_and(is_uci_promotion) {
            return Some(at.saturating_add(SQUARES));
        }
        before = Some(byte);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotions_get_a_sign_and_nothing_else_changes() {
        for (text, expected) in [
            ("40. h7h8q b2a1n# 0-1", "40. h7h8=q b2a1=n# 0-1"),
            ("h7h8q", "h7h8=q"),
            (
                "h7h8=q a2a4 h7h8 xh7h8q h7h8qq",
                "h7h8=q a2a4 h7h8 xh7h8q h7h8qq",
            ),
            ("[FEN \"2b2b1r/8\"]", "[FEN \"2b2b1r/8\"]"),
        ] {
            assert_eq!(&*with_promotion_signs(text.as_bytes()), expected.as_bytes());
        }
    }
}
