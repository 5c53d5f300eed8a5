//! Openings from games, with moves in two bytes each.

use std::{path::Path, sync::Arc};

use shakmaty::{Role, Square, uci::UciMove};

use super::{BookError, BookOptions, Opening, games::Games, unreadable::first_fault};

/// The openings of games, all in one list of moves.
#[derive(Debug, Default)]
pub(super) struct PackedGames {
    moves: Vec<u16>,
    /// End of each game in `moves`.
    ends: Vec<u32>,
    /// Start positions other than the standard one, by game.
    starts: Vec<(u32, Arc<str>)>,
}

/// The leading moves of every game of a file.
///
/// # Errors
/// The first fault of the text; the first faulty game.
pub(super) fn read_games(
    path: &Path,
    text: &[u8],
    options: BookOptions,
) -> Result<PackedGames, BookError> {
    if let Some((line, fault)) = first_fault(text, options.plies) {
        return Err(BookError::of_movetext(path, line, &fault));
    }
    let mut packed = PackedGames::default();
    for game in Games::new(text, options.plies, options.variant) {
        let game = game.map_err(|bad| BookError::of_game(path, &bad))?;
        if let Some(start) = game.start.as_ref().map(Opening::from_position)
            && let Some(fen) = start.fen
        {
            packed.starts.push((packed.ends.len() as u32, fen));
        }
        let mode = options.variant.castling_mode();
        let moves = game.moves.iter().map(|m| pack(m.to_uci(mode)));
        packed.moves.extend(moves);
        packed.ends.push(packed.moves.len() as u32);
    }
    packed.moves.shrink_to_fit();
    Ok(packed)
}

impl PackedGames {
    /// Number of games.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The opening of the game at `index`, which must be below the length.
    pub(super) fn opening(&self, index: usize) -> Opening {
        let from = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        let moves: Vec<String> = self.moves[from as usize..self.ends[index] as usize]
            .iter()
            .map(|&packed| unpack(packed).to_string())
            .collect();
        let fen = self
            .starts
            .binary_search_by_key(&(index as u32), |(game, _)| *game)
            .ok()
            .map(|place| Arc::clone(&self.starts[place].1));
        Opening {
            fen,
            moves: moves.join(" ").into(),
        }
    }
}

/// Six bits for each square, three for the promotion.
fn pack(uci: UciMove) -> u16 {
    let UciMove::Normal {
        from,
        to,
        promotion,
    } = uci
    else {
        unreachable!("standard chess has no other moves: {uci}")
    };
    let promotion = promotion.map_or(0, u16::from);
    u16::from(from) | u16::from(to) << 6 | promotion << 12
}

fn unpack(packed: u16) -> UciMove {
    let square = |bits: u16| Square::new(u32::from(bits & 63));
    UciMove::Normal {
        from: square(packed),
        to: square(packed >> 6),
        promotion: Role::try_from(packed >> 12).ok(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::{Chess, Position};

    use super::*;
    use crate::openings::Variant;

    /// What [`first_fault`] accepts is read with every game and move.
    #[test]
    fn text_without_a_fault_is_read_whole() {
        for (text, plies) in [
            (
                "\u{feff}[Event \"TCEC S20\"]\n\n1. e4 *\n\n[Event \"S21\"]\n\n1. d4 *\n",
                &[1, 1][..],
            ),
            (
                "  [Event \"S20\"]\n\t[Round \"r1\"]\n1. e4 *\n\n [Event \"S21\"]\n\n1. d4 *\n",
                &[1, 1],
            ),
            (
                " \r\n [Event \"S20\"]\r\n % z9\r\n\r\n1. e4 *\r\n\r\n [Event \"S21\"]\r\n1. d4 *\r\n",
                &[1, 1],
            ),
            ("1. e4 (1. d4 *) c5 *\n\n1. d4 *\n", &[2, 1]),
            (
                "1. e4 c5 1-0 {resigns} $1 N\n[Result \"1-0\"]\n1. d4 *\n",
                &[2, 1],
            ),
            ("1. e4 c5 0-1\r\n\r\n1. d4 *\r\n", &[2, 1]),
            ("1. e4$1 e5$2$14 2. Nf3!$1 (2. d4$10) Nc6 *", &[4]),
            (
                "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. 0-0-0 0–0–0 *",
                &[10],
            ),
        ] {
            assert_eq!(played(text), plies, "{text}");
        }
        for castling in ["O-O", "0-0", "0–0", "0—0+", "O-O!?", "O-O$3", "4O-O"] {
            let text = format!("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. {castling} d6 *");
            assert_eq!(played(&text), [8], "{text}");
        }
    }

    /// The plies of each game.
    fn played(text: &str) -> Vec<usize> {
        assert_eq!(first_fault(text.as_bytes(), None), None, "{text}");
        let games = Games::new(text.as_bytes(), None, Variant::Standard);
        games.map(|game| game.unwrap().moves.len()).collect()
    }

    proptest! {
        #[test]
        fn packed_moves_come_back(choices in prop::collection::vec(any::<prop::sample::Index>(), 1..120)) {
            let mut position = Chess::default();
            for choice in choices {
                let legal = position.legal_moves();
                if legal.is_empty() {
                    break;
                }
                let chosen = legal[choice.index(legal.len())];
                let uci = chosen.to_uci(Variant::Chess960.castling_mode());
                prop_assert_eq!(unpack(pack(uci)), uci);
                position.play_unchecked(chosen);
            }
        }
    }
}
