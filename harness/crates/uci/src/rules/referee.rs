//! The referee of a game: checks every move with a rules library that is independent of
//! the engines, and ends games by the rules of chess.

use shakmaty::attacks::queen_attacks;
use shakmaty::san::San;
use shakmaty::uci::{IllegalUciMoveError, UciMove};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position, Role};

use crate::rules::{Outcome, Termination};

/// How a game ended by the rules of chess.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    pub outcome: Outcome,
    pub termination: Termination,
}

/// The position of a game, and the earlier positions that may repeat.
#[derive(Debug, Clone)]
pub struct Referee {
    position: Chess,
    /// Keys of the positions since the last capture or pawn move, the current one last.
    keys: Vec<u64>,
}

/// Reads a move in UCI notation, in upper or lower case.
fn uci_move(text: &[u8]) -> Option<UciMove> {
    let mut lower = [0; 5];
    let lower = lower.get_mut(..text.len())?;
    lower.copy_from_slice(text);
    lower.make_ascii_lowercase();
    UciMove::from_ascii(lower).ok()
}

/// The legal move of `position` that a text in UCI notation names.
pub fn legal_uci_move(position: &Chess, text: &[u8]) -> Option<Move> {
    legal_move(&uci_move(text)?, position).ok()
}

/// The legal move of `position` that `uci` names. In Chess960 only the king taking its own
/// rook is castling: `e1g1` would otherwise be legal only if king and rook have the usual
/// squares.
///
/// # Errors
/// [`IllegalUciMoveError`].
pub(crate) fn legal_move(uci: &UciMove, position: &Chess) -> Result<Move, IllegalUciMoveError> {
    let legal = uci.to_move(position)?;
    let mode = position.castles().mode();
    match mode {
        CastlingMode::Chess960 if legal.is_castle() && legal.to_uci(mode) != *uci => {
            Err(IllegalUciMoveError)
        }
        _ => Ok(legal),
    }
}

impl Referee {
    /// The referee of a game that starts at `position`.
    pub fn new(position: Chess) -> Self {
        let key = position_key(&position);
        Self {
            position,
            keys: vec![key],
        }
    }

    /// The position on the board.
    pub fn position(&self) -> &Chess {
        &self.position
    }

    /// Whose turn it is.
    pub fn turn(&self) -> Color {
        self.position.turn()
    }

    /// The legal move that a text in UCI notation names, in upper or lower case.
    pub fn find(&self, text: &[u8]) -> Option<Move> {
        self.find_written(text).map(|(legal, _)| legal)
    }

    /// [`Referee::find`] with the move in algebraic notation.
    pub fn find_written(&self, text: &[u8]) -> Option<(Move, San)> {
        let uci = uci_move(text)?;
        let UciMove::Normal {
            from,
            to,
            promotion,
        } = uci
        else {
            return None;
        };
        let board = self.position.board();
        let role = board.role_at(from)?;
        if promotion.is_some() || matches!(role, Role::Pawn | Role::King) {
            let legal = legal_move(&uci, &self.position).ok()?;
            return Some((legal, San::from_move(&self.position, legal)));
        }
        // The candidates also tell how the algebraic notation is disambiguated.
        let candidates = self.position.san_candidates(role, to);
        let legal = Move::Normal {
            role,
            from,
            capture: board.role_at(to),
            to,
            promotion: None,
        };
        let san = || San::disambiguate(legal, &candidates);
        candidates.contains(&legal).then(|| (legal, san()))
    }

    /// Plays a legal move (from [`Referee::find`]). Returns the end of the game, as
    /// [`Referee::ending`].
    pub fn play(&mut self, legal: Move) -> Option<Ending> {
        self.position.play_unchecked(legal);
        if self.position.halfmoves() == 0 {
            self.keys.clear();
        }
        self.keys.push(position_key(&self.position));
        self.ending()
    }

    /// How the game has ended by the rules of chess, if it has. Checkmate comes before any
    /// draw.
    pub fn ending(&self) -> Option<Ending> {
        let draw = |termination| {
            Some(Ending {
                outcome: Outcome::Draw,
                termination,
            })
        };
        if !has_unpinned_move(&self.position) && self.position.legal_moves().is_empty() {
            if !self.position.is_check() {
                return draw(Termination::Stalemate);
            }
            return Some(Ending {
                outcome: Outcome::won_by(!self.turn()),
                termination: Termination::Checkmate,
            });
        }
        if self.position.is_insufficient_material() {
            return draw(Termination::InsufficientMaterial);
        }
        if self.is_threefold() {
            return draw(Termination::Repetition);
        }
        if self.position.halfmoves() >= 100 {
            return draw(Termination::FiftyMoves);
        }
        None
    }

    /// Whether the position has occurred at least three times.
    fn is_threefold(&self) -> bool {
        let Some((current, past)) = self.keys.split_last() else {
            return false;
        };
        // The same side is to move every second position.
        past.iter()
            .rev()
            .skip(1)
            .step_by(2)
            .filter(|key| *key == current)
            .count()
            >= 2
    }
}

/// Whether a legal move is found without generating all: the side to move is not in check,
/// and a pawn or piece that cannot be pinned (it is on no open line of its king) can move.
/// Nearly every position has one.
fn has_unpinned_move(position: &Chess) -> bool {
    let board = position.board();
    let (us, occupied) = (board.by_color(position.turn()), board.occupied());
    let Some(king) = board.king_of(position.turn()) else {
        return false;
    };
    if position.is_check() {
        return false;
    }
    let free = us & !queen_attacks(king, occupied) & !board.kings();
    let pawns = (free & board.pawns()).0;
    let steps = match position.turn() {
        Color::White => pawns << 8,
        Color::Black => pawns >> 8,
    };
    steps & !occupied.0 != 0
        || (free & !board.pawns())
            .into_iter()
            .any(|piece| (board.attacks_from(piece) & !us).any())
}

/// The Zobrist key of a position; equal for repetitions.
pub(crate) fn position_key(position: &Chess) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use shakmaty::fen::Fen;

    fn referee(fen: &str) -> Referee {
        referee_of(fen, CastlingMode::Standard)
    }

    fn referee_of(fen: &str, mode: CastlingMode) -> Referee {
        let fen: Fen = fen.parse().expect(fen);
        Referee::new(fen.into_position(mode).expect("legal"))
    }

    fn play(referee: &mut Referee, moves: &str) -> Option<Ending> {
        let mut ending = None;
        for text in moves.split_whitespace() {
            assert_eq!(ending, None, "the game continues before {text}");
            let legal = referee.find(text.as_bytes()).expect(text);
            ending = referee.play(legal);
        }
        ending
    }

    fn termination(ending: Option<Ending>) -> Option<Termination> {
        ending.map(|ending| ending.termination)
    }

    #[test]
    fn checkmate_names_the_winner() {
        let mut game = Referee::new(Chess::default());
        let ending = play(&mut game, "f2f3 e7e5 g2g4 d8h4").expect("over");
        assert_eq!(ending.outcome, Outcome::Black);
        assert_eq!(ending.termination, Termination::Checkmate);
    }

    #[test]
    fn third_occurrence_is_a_draw_and_not_the_second() {
        let mut game = Referee::new(Chess::default());
        assert_eq!(play(&mut game, "g1f3 g8f6 f3g1 f6g8"), None);
        let ending = play(&mut game, "g1f3 g8f6 f3g1 f6g8");
        assert_eq!(termination(ending), Some(Termination::Repetition));
    }

    #[test]
    fn a_lost_castling_right_makes_another_position() {
        let mut game = referee("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        assert_eq!(
            play(&mut game, "h1h2 e8e7 h2h1 e7e8 h1h2 e8e7 h2h1 e7e8"),
            None,
            "the start position had the right to castle"
        );
        let ending = play(&mut game, "h1h2");
        assert_eq!(termination(ending), Some(Termination::Repetition));
    }

    #[test]
    fn fifty_moves_and_mate_on_the_hundredth_ply() {
        let mut game = referee("7k/8/8/8/8/8/R7/K7 w - - 99 80");
        let ending = play(&mut game, "a2b2");
        assert_eq!(termination(ending), Some(Termination::FiftyMoves));
        let mut game = referee("7k/8/6K1/8/8/8/R7/8 w - - 99 80");
        let ending = play(&mut game, "a2a8");
        assert_eq!(termination(ending), Some(Termination::Checkmate));
    }

    #[test]
    fn stalemate_and_insufficient_material() {
        let mut game = referee("k7/8/1K6/8/8/8/2Q5/8 w - - 0 1");
        let ending = play(&mut game, "c2c7");
        assert_eq!(termination(ending), Some(Termination::Stalemate));
        let mut game = referee("k7/8/8/8/8/8/2p5/1K6 w - - 0 1");
        let ending = play(&mut game, "b1c2");
        assert_eq!(termination(ending), Some(Termination::InsufficientMaterial));
    }

    #[test]
    fn a_pinned_knight_does_not_prevent_stalemate() {
        let game = referee("7k/8/8/8/8/1q6/8/KN5r w - - 0 1");
        assert_eq!(termination(game.ending()), Some(Termination::Stalemate));
    }

    proptest! {
        #[test]
        fn agrees_with_the_rules_library(
            choices in prop::collection::vec(any::<prop::sample::Index>(), 1..200),
            texts in prop::collection::vec("[a-h][1-8][a-h][1-8][qn]?", 20),
        ) {
            let mut position = Chess::default();
            for choice in choices {
                let moves = position.legal_moves();
                prop_assert!(!moves.is_empty() || !has_unpinned_move(&position));
                if moves.is_empty() {
                    break;
                }
                let game = Referee::new(position.clone());
                for &legal in &moves {
                    let text = legal.to_uci(CastlingMode::Standard).to_string();
                    let san = San::from_move(&position, legal);
                    prop_assert_eq!(game.find_written(text.as_bytes()), Some((legal, san)));
                }
                for text in &texts {
                    let uci: UciMove = text.parse().expect("in UCI notation");
                    prop_assert_eq!(game.find(text.as_bytes()), uci.to_move(&position).ok());
                }
                position.play_unchecked(moves[choice.index(moves.len())]);
            }
        }
    }

    #[test]
    fn castling_in_chess960_names_the_square_of_the_rook() {
        let usual = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1";
        for (text, is_legal) in [("e8h8", true), ("E8A8", true), ("e8g8", false)] {
            let game = referee_of(usual, CastlingMode::Chess960);
            assert_eq!(game.find(text.as_bytes()).is_some(), is_legal, "{text}");
            let legal = legal_uci_move(game.position(), text.as_bytes());
            assert_eq!(legal.is_some(), is_legal, "{text}");
            let game = referee(usual);
            assert!(game.find(text.as_bytes()).is_some(), "{text}");
        }
        // Here `f1g1` is a move of the king.
        let mut game = referee_of("4k3/8/8/8/8/8/8/5K1R w K - 0 1", CastlingMode::Chess960);
        assert!(game.find(b"f1h1").expect("legal").is_castle());
        let step = game.find(b"f1g1").expect("legal");
        assert!(!step.is_castle());
        game.play(step);
    }

    #[test]
    fn refuses_what_is_not_a_legal_move() {
        let game = Referee::new(Chess::default());
        for text in [
            "",
            "e2e5",
            "e7e5",
            "0000",
            "(none)",
            "e2e4q",
            "P@e4",
            "e2",
            "\u{e9}2e4",
        ] {
            assert_eq!(game.find(text.as_bytes()), None, "{text}");
        }
        let game = referee("8/P6k/8/8/8/8/8/K7 w - - 0 1");
        assert_eq!(game.find(b"a7a8"), None);
        assert_eq!(game.find(b"a7a8Q"), game.find(b"a7a8q"));
        assert!(game.find(b"a7a8n").is_some());
    }
}
