//! Whether a move is pseudo-legal, legal, gives check.

use super::position::castled;
use super::{Bitboard, Move, MoveKind, Position, Role, Square, Wing, attacks};

impl Position {
    /// The legal castling moves.
    pub fn castling(&self) -> impl Iterator<Item = Move> {
        let castle = |wing| self.castle(wing);
        Wing::BOTH.into_iter().filter_map(castle)
    }

    fn castle(&self, wing: Wing) -> Option<Move> {
        let allowed = self.castling_rook(self.turn, wing);
        let rook = allowed.filter(|_| !self.in_check())?;
        let king = self.king(self.turn);
        let [king_to, rook_to] = castled(king, rook);
        let others = self.occupied() ^ Bitboard::of(king) ^ Bitboard::of(rook);
        let king_path = attacks::between(king, king_to) | Bitboard::of(king_to);
        let rook_path = attacks::between(rook, rook_to) | Bitboard::of(rook_to);
        let occupied = others | Bitboard::of(rook_to);
        let enemies = self.color(!self.turn);
        let mut attackers = king_path.map(|square| self.attackers(square, occupied) & enemies);
        let free = ((king_path | rook_path) & others).is_empty();
        (free && attackers.all(Bitboard::is_empty)).then(|| Move::castle(king, rook))
    }

    /// Whether any 16-bit move `mv` is one that the generator produces here. In check, that
    /// includes that it answers the check.
    pub fn is_pseudo_legal(&self, mv: Move) -> bool {
        let (us, from, to) = (self.turn, mv.from(), mv.to());
        if !mv.is_some() || !self.color(us).contains(from) {
            return false;
        }
        let Some(role) = self.role_at(from) else {
            return false;
        };
        if mv.kind() == MoveKind::Castle {
            return self.castling().any(|castling| castling == mv);
        }
        if self.color(us).contains(to) || self.role_at(to) == Some(Role::King) {
            return false;
        }
        let reach = attacks::piece(role, from, self.occupied());
        let possible = match role {
            Role::Pawn => self.is_pawn_move(mv),
            _ => mv.kind() == MoveKind::Normal && reach.contains(to),
        };
        let answers = role == Role::King || mv.kind() == MoveKind::EnPassant;
        possible && (answers || self.targets().contains(to))
    }

    fn is_pawn_move(&self, mv: Move) -> bool {
        let (us, from, to) = (self.turn, mv.from(), mv.to());
        if mv.kind() == MoveKind::EnPassant {
            return self.en_passant == Some(to) && attacks::pawn(us, from).contains(to);
        }
        if (to.relative_rank(us) == 7) != mv.is_promotion() {
            return false;
        }
        if self.color(!us).contains(to) {
            return attacks::pawn(us, from).contains(to);
        }
        let step = from.forward(us);
        let empty = |square: Square| self.role_at(square).is_none();
        empty(step)
            && (to == step || from.relative_rank(us) == 1 && to == step.forward(us) && empty(to))
    }

    /// Possible destinations of pieces other than the king: all squares if not in check,
    /// those that answer a single check, none in double check.
    pub fn targets(&self) -> Bitboard {
        match self.checkers {
            Bitboard::EMPTY => Bitboard::ALL,
            two if two.more_than_one() => Bitboard::EMPTY,
            one => one | attacks::between(self.king(self.turn), one.first()),
        }
    }

    /// Whether a pseudo-legal move does not leave the own king in check.
    pub fn is_legal(&self, mv: Move) -> bool {
        let (us, from, to) = (self.turn, mv.from(), mv.to());
        let (king, pinned) = (self.king(us), self.blockers[us.index()]);
        match mv.kind() {
            MoveKind::Castle => true,
            MoveKind::EnPassant => {
                let victim = to.forward(!us);
                let occupied = self.occupied() ^ Bitboard::of(from) ^ Bitboard::of(victim);
                let occupied = occupied | Bitboard::of(to);
                (self.attackers(king, occupied) & self.color(!us) & occupied).is_empty()
            }
            _ if from == king => {
                let occupied = self.occupied() ^ Bitboard::of(from);
                (self.attackers(to, occupied) & self.color(!us)).is_empty()
            }
            _ => !pinned.contains(from) || attacks::line(king, from).contains(to),
        }
    }
}

/// The squares from which each role would give check, and the pieces that would discover
/// one.
pub struct CheckSquares {
    king: Square,
    direct: [Bitboard; 6],
    discoverers: Bitboard,
}

impl CheckSquares {
    pub fn new(position: &Position) -> CheckSquares {
        let (us, occupied) = (position.turn, position.occupied());
        let king = position.king(!us);
        let bishop = attacks::bishop(king, occupied);
        let rook = attacks::rook(king, occupied);
        CheckSquares {
            king,
            direct: [
                attacks::pawn(!us, king),
                attacks::knight(king),
                bishop,
                rook,
                bishop | rook,
                Bitboard::EMPTY,
            ],
            discoverers: position.blockers[(!us).index()] & position.color(us),
        }
    }

    /// Whether a legal move gives check.
    pub fn gives_check(&self, position: &Position, mv: Move) -> bool {
        if !mv.is_normal() {
            return position.play(mv).in_check();
        }
        let (from, to) = (mv.from(), mv.to());
        let role = position.role_at(from).unwrap_or(Role::Pawn);
        let line = attacks::line(self.king, from);
        self.direct[role.index()].contains(to)
            || self.discoverers.contains(from) && !line.contains(to)
    }
}
