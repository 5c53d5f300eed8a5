//! Principal variations.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use shakmaty::{Chess, Position};

use super::referee::legal_uci_move;

/// The first illegal move of a variation in UCI notation, if there is one: it shows a
/// defect of the search before it costs a game. At most 12 characters; other characters
/// than letters and digits are shown as `?`.
///
/// The variation begins at `before`. If its first move is `played`, it is checked from
/// `after`, the position after that move.
pub fn illegal_move(before: &Chess, played: &[u8], after: &Chess, pv: &[u8]) -> Option<String> {
    match pv.strip_prefix(played) {
        Some([]) => None,
        Some(rest @ [b' ', ..]) => illegal_from(after, rest),
        _ => illegal_from(before, pv),
    }
}

fn illegal_from(position: &Chess, pv: &[u8]) -> Option<String> {
    let mut position = position.clone();
    for word in pv.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()) {
        match legal_uci_move(&position, word) {
            Some(legal) => position.play_unchecked(legal),
            None => {
                let shown = word.iter().take(12).map(|byte| match byte {
                    byte if byte.is_ascii_alphanumeric() => char::from(*byte),
                    _ => '?',
                });
                return Some(shown.collect());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use shakmaty::uci::UciMove;

    use super::*;

    fn uci(position: &Chess, text: &str) -> shakmaty::Move {
        let uci: UciMove = text.parse().expect(text);
        uci.to_move(position).expect(text)
    }

    #[test]
    fn the_first_illegal_move_is_returned() {
        let start = Chess::default();
        let mut after = start.clone();
        after.play_unchecked(uci(&start, "e2e4"));
        let illegal = |pv: &str| illegal_move(&start, b"e2e4", &after, pv.as_bytes());
        assert_eq!(illegal(""), None);
        assert_eq!(illegal("e2e4 e7e5 g1f3"), None);
        assert_eq!(illegal("e2e4"), None);
        assert_eq!(illegal("E2E4 E7E5 g1F3"), None);
        assert_eq!(illegal("d2d4 d7d5 e2e4"), None);
        assert_eq!(illegal("d2d4 e2e4"), Some("e2e4".to_string()));
        assert_eq!(illegal("e2e4q"), Some("e2e4q".to_string()));
        assert_eq!(illegal("e2e4 e2e4"), Some("e2e4".to_string()));
        assert_eq!(illegal("0000"), Some("0000".to_string()));
        assert_eq!(illegal("e2e4 {x} e7e5"), Some("?x?".to_string()));
        // After mate there is no move.
        assert_eq!(illegal("f2f3 e7e5 g2g4 d8h4"), None);
        assert!(illegal("f2f3 e7e5 g2g4 d8h4 a2a3").is_some());
    }
}
