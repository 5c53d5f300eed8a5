//! A move in sixteen bits.

use super::position::castled;
use super::{Role, Square};
use std::fmt;

/// Origin, destination and kind of a move. Castling is encoded as king takes own rook, which
/// also serves Chess960.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Move(u16);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveKind {
    Normal,
    Promotion(Role),
    EnPassant,
    Castle,
}

impl Move {
    /// No move; also the null move.
    pub const NONE: Move = Move(0);

    const PROMOTION: u16 = 1 << 14;
    const EN_PASSANT: u16 = 2 << 14;
    const CASTLE: u16 = 3 << 14;

    pub const fn normal(from: Square, to: Square) -> Move {
        Move(from.index() as u16 | (to.index() as u16) << 6)
    }

    pub const fn promotion(from: Square, to: Square, role: Role) -> Move {
        let code = role.index() as u16 - 1;
        Move(Move::normal(from, to).0 | Move::PROMOTION | code << 12)
    }

    pub const fn en_passant(from: Square, to: Square) -> Move {
        Move(Move::normal(from, to).0 | Move::EN_PASSANT)
    }

    pub const fn castle(king: Square, rook: Square) -> Move {
        Move(Move::normal(king, rook).0 | Move::CASTLE)
    }

    pub const fn from(self) -> Square {
        Square::new(self.0 as usize & 63)
    }

    pub const fn to(self) -> Square {
        Square::new(self.0 as usize >> 6 & 63)
    }

    pub const fn kind(self) -> MoveKind {
        match self.0 & Move::CASTLE {
            Move::PROMOTION => MoveKind::Promotion(Role::PROMOTIONS[self.0 as usize >> 12 & 3]),
            Move::EN_PASSANT => MoveKind::EnPassant,
            Move::CASTLE => MoveKind::Castle,
            _ => MoveKind::Normal,
        }
    }

    /// Whether it is not a promotion, castling or en passant.
    pub const fn is_normal(self) -> bool {
        self.0 & Move::CASTLE == 0
    }

    pub const fn is_promotion(self) -> bool {
        self.0 & Move::CASTLE == Move::PROMOTION
    }

    pub const fn promotes_to_queen(self) -> bool {
        self.is_promotion() && self.0 >> 12 & 3 == 3
    }

    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The inverse of [`Move::bits`]. Any bits are accepted, so the move must pass
    /// `Position::is_pseudo_legal` before it is played.
    pub const fn from_bits(bits: u16) -> Move {
        Move(bits)
    }

    /// UCI notation; with `chess960` castling is written as king takes rook.
    pub fn uci(self, chess960: bool) -> String {
        if !self.is_some() {
            return "0000".to_owned();
        }
        let (from, to) = (self.from(), self.to());
        match self.kind() {
            MoveKind::Castle if !chess960 => format!("{from}{}", castled(from, to)[0]),
            MoveKind::Promotion(role) => format!("{from}{to}{}", role.letter()),
            _ => format!("{from}{to}"),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.uci(true))
    }
}
