//! Sets of squares.

use super::{Color, Square};
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// A set of squares, bit `i` for square `i`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Hash)]
pub struct Bitboard(pub u64);

impl Bitboard {
    pub const EMPTY: Bitboard = Bitboard(0);
    pub const ALL: Bitboard = Bitboard(!0);
    pub const FILE_A: Bitboard = Bitboard(0x0101_0101_0101_0101);
    pub const FILE_H: Bitboard = Bitboard(0x8080_8080_8080_8080);
    pub const DARK: Bitboard = Bitboard(0xaa55_aa55_aa55_aa55);

    pub const fn of(square: Square) -> Bitboard {
        Bitboard(1 << square.index())
    }

    pub const fn file(file: usize) -> Bitboard {
        Bitboard(Bitboard::FILE_A.0 << file)
    }

    pub const fn rank(rank: usize) -> Bitboard {
        Bitboard(0xff << (rank * 8))
    }

    /// A rank as `color` sees it: 0 is its back rank.
    pub const fn relative_rank(color: Color, rank: usize) -> Bitboard {
        Bitboard::rank(rank ^ (color.index() * 7))
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub const fn any(self) -> bool {
        self.0 != 0
    }

    pub const fn more_than_one(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// The lowest square of a set that is not empty.
    pub const fn first(self) -> Square {
        debug_assert!(self.0 != 0);
        Square::new(self.0.trailing_zeros() as usize & 63)
    }

    /// The highest square of a set that is not empty.
    pub const fn highest(self) -> Square {
        debug_assert!(self.0 != 0);
        Square::new((63 - self.0.leading_zeros() as usize) & 63)
    }

    /// Moves every square one step towards `color`'s promotion rank.
    pub const fn forward(self, color: Color) -> Bitboard {
        match color {
            Color::White => Bitboard(self.0 << 8),
            Color::Black => Bitboard(self.0 >> 8),
        }
    }

    pub const fn west(self) -> Bitboard {
        Bitboard((self.0 & !Bitboard::FILE_A.0) >> 1)
    }

    pub const fn east(self) -> Bitboard {
        Bitboard((self.0 & !Bitboard::FILE_H.0) << 1)
    }

    /// These squares and all squares from them to `color`'s promotion rank.
    pub fn fill_forward(self, color: Color) -> Bitboard {
        let fill = |set: u64, step: u32| match color {
            Color::White => set | set << step,
            Color::Black => set | set >> step,
        };
        Bitboard([8, 16, 32].into_iter().fold(self.0, fill))
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $assign_trait:ident, $assign_method:ident, $op:tt) => {
        impl $trait for Bitboard {
            type Output = Bitboard;
            fn $method(self, other: Bitboard) -> Bitboard {
                Bitboard(self.0 $op other.0)
            }
        }
        impl $assign_trait for Bitboard {
            fn $assign_method(&mut self, other: Bitboard) {
                self.0 = self.0 $op other.0;
            }
        }
    };
}

operator!(BitAnd, bitand, BitAndAssign, bitand_assign, &);
operator!(BitOr, bitor, BitOrAssign, bitor_assign, |);
operator!(BitXor, bitxor, BitXorAssign, bitxor_assign, ^);

impl Not for Bitboard {
    type Output = Bitboard;

    fn not(self) -> Bitboard {
        Bitboard(!self.0)
    }
}

/// Iterates over the squares from `a1` to `h8`.
impl Iterator for Bitboard {
    type Item = Square;

    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = self.first();
        self.0 &= self.0 - 1;
        Some(square)
    }
}
