//! One text for each position, in whichever way a book writes it.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::borrow::Cow;

use shakmaty::{EnPassantMode, fen::Epd};

use super::Variant;
use super::epd::PositionLine;
use crate::rules::without_counters;

/// A position without its counters, so that equal positions have equal text. One that is not
/// legal keeps its text.
pub(super) fn normal_form(line: &[u8], variant: Variant) -> Cow<'_, [u8]> {
    let fields = without_counters(line);
    // Nearly all lines of a book; to parse all of them would take longer than to read the book.
    match split(fields) {
        Some((_, b"-")) => return Cow::Borrowed(fields),
        Some((start, square)) if is_without_pawn(start, square) => {
            return Cow::Owned([start, b"-"].concat());
        }
        _ => {}
    }
    match PositionLine::parse(line).and_then(|line| line.position(variant)) {
        Ok(position) => {
            let epd = Epd::from_position(&position, EnPassantMode::Legal);
            Cow::Owned(epd.to_string().into_bytes())
        }
        Err(_) => Cow::Borrowed(fields),
    }
}

/// The first three of four fields, with the space after them, and the en passant square. `None`
/// if the three can be written in another way: their castling rights are not in the order
/// `KQkq`, or the spaces are not single.
fn split(fields: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut parts = fields.split(|byte| *byte == b' ');
    let (board, _turn, castling) = (parts.next()?, parts.next()?, parts.next()?);
    let square = parts.next()?;
    let mut allowed = b"KQkq".iter();
    let mut rights = castling.iter();
    let is_ordered = castling == b"-" || rights.all(|right| allowed.any(|next| next == right));
    let is_normal = parts.next().is_none() && is_ordered && !has_split_number(board);
    let start = fields.get(..fields.len().checked_sub(square.len())?)?;
    is_normal.then_some((start, square))
}

/// Whether a row of empty squares is written as several numbers.
fn has_split_number(board: &[u8]) -> bool {
    let following = board.get(1..).unwrap_or_default();
    let pairs = board.iter().zip(following);
    pairs.fold(false, |found, (one, next)| {
        found | (one.is_ascii_digit() & next.is_ascii_digit())
    })
}

/// Whether no pawn stands beside the one that has just passed `square`, so that none can capture
/// it. False also for text that is not an en passant square of the side to move in `start`.
fn is_without_pawn(start: &[u8], square: &[u8]) -> bool {
    let mut fields = start.split(|byte| *byte == b' ');
    let (board, turn) = (fields.next().unwrap_or_default(), fields.next());
    let (row, pawn) = match (turn, square) {
        (Some(b"w"), [b'a'..=b'h', b'6']) => (3, b'P'),
        (Some(b"b"), [b'a'..=b'h', b'3']) => (4, b'p'),
        _ => return false,
    };
    let Some(row) = board.split(|byte| *byte == b'/').nth(row) else {
        return false;
    };
    // Files from 0.
    let file = square.first().map_or(0, |file| file.saturating_sub(b'a'));
    let mut at = 0_u8;
    for byte in row {
        if *byte == pawn && at.abs_diff(file) == 1 {
            return false;
        }
        at = at.saturating_add(match byte {
            b'1'..=b'8' => byte.saturating_sub(b'0'),
            _ => 1,
        });
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_en_passant_square_stays_only_if_a_pawn_can_capture_there() {
        for (line, normal) in [
            (
                "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1",
                "4k3/8/8/8/4P3/8/8/4K3 b - -",
            ),
            (
                "4k3/8/8/8/p3P3/8/8/4K3 b - e3",
                "4k3/8/8/8/p3P3/8/8/4K3 b - -",
            ),
            (
                "4k3/8/8/8/4Pp2/8/8/4K3 b - e3",
                "4k3/8/8/8/4Pp2/8/8/4K3 b - e3",
            ),
            (
                "4k3/8/8/6Pp/8/8/8/4K3 w - h6",
                "4k3/8/8/6Pp/8/8/8/4K3 w - h6",
            ),
            (
                "4k3/8/8/5P1p/8/8/8/4K3 w - h6",
                "4k3/8/8/5P1p/8/8/8/4K3 w - -",
            ),
            // The capture would uncover the king.
            (
                "8/8/8/8/k3Pp1R/8/8/4K3 b - e3",
                "8/8/8/8/k3Pp1R/8/8/4K3 b - -",
            ),
            // These are not legal.
            ("4k3/8/8/8/8/8/8/4K3 b - e9", "4k3/8/8/8/8/8/8/4K3 b - e9"),
            (
                "4k3/8/8/8/4P3/8/8/4K3 w - e3",
                "4k3/8/8/8/4P3/8/8/4K3 w - e3",
            ),
        ] {
            let found = normal_form(line.as_bytes(), Variant::Standard);
            assert_eq!(String::from_utf8_lossy(&found), normal, "{line}");
        }
    }
}
