//! Squares, colours, roles.

use std::fmt;
use std::ops::Not;

/// A square, `a1` = 0 to `h8` = 63.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Square(u8);

impl Square {
    pub const fn new(index: usize) -> Square {
        debug_assert!(index < 64);
        Square(index as u8)
    }

    pub const fn at(file: usize, rank: usize) -> Square {
        Square::new(rank * 8 + file)
    }

    /// 0 to 63; the mask lets the compiler omit bounds checks of arrays of 64.
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    pub const fn file(self) -> usize {
        (self.0 & 7) as usize
    }

    pub const fn rank(self) -> usize {
        (self.0 >> 3 & 7) as usize
    }

    /// The rank as `color` sees it: 0 is its own back rank.
    pub const fn relative_rank(self, color: Color) -> usize {
        self.relative(color).rank()
    }

    /// The square as `color` sees it: mirrored top to bottom for Black.
    pub const fn relative(self, color: Color) -> Square {
        Square(self.0 ^ (color as u8 * 56))
    }

    /// One step towards the promotion rank of `color`. The square must not be on that rank.
    pub const fn forward(self, color: Color) -> Square {
        match color {
            Color::White => Square(self.0 + 8),
            Color::Black => Square(self.0.wrapping_sub(8)),
        }
    }

    pub fn distance(self, other: Square) -> usize {
        let files = self.file().abs_diff(other.file());
        files.max(self.rank().abs_diff(other.rank()))
    }

    /// Parses a square such as `e4`.
    pub fn parse(text: &str) -> Option<Square> {
        match text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Some(Square::at(
                usize::from(file - b'a'),
                usize::from(rank - b'1'),
            )),
            _ => None,
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let file = (b'a' + self.file() as u8) as char;
        write!(f, "{file}{}", self.rank() + 1)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum Color {
    White,
    Black,
}

impl Color {
    pub const BOTH: [Color; 2] = [Color::White, Color::Black];

    pub const fn index(self) -> usize {
        self as usize
    }

    /// The colour of a piece, from its letter in a FEN.
    pub const fn of_letter(letter: char) -> Color {
        if letter.is_ascii_uppercase() {
            Color::White
        } else {
            Color::Black
        }
    }

    /// The letter of a piece in a FEN for this colour; `letter` is lower case.
    pub const fn letter(self, letter: char) -> char {
        match self {
            Color::White => letter.to_ascii_uppercase(),
            Color::Black => letter,
        }
    }
}

impl Not for Color {
    type Output = Color;

    fn not(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(u8)]
pub enum Role {
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    King,
}

impl Role {
    pub const ALL: [Role; 6] = [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
        Role::King,
    ];

    /// Roles that a pawn can promote to, in the order of their two-bit code in a move.
    pub const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

    pub const fn index(self) -> usize {
        self as usize
    }

    pub const fn letter(self) -> char {
        ['p', 'n', 'b', 'r', 'q', 'k'][self as usize]
    }

    pub fn from_letter(letter: char) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.letter() == letter)
    }
}
