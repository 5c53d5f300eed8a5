//! Attacks of pieces, and lines between squares.

use super::{Bitboard, Color, Role, Square};

struct Magic {
    mask: u64,
    magic: u64,
    shift: u32,
    offset: usize,
}

include!(concat!(env!("OUT_DIR"), "/magics.rs"));

/// Attacks for the relevant occupancies of every square, computed by build.rs.
static TABLE: [u64; TABLE_LEN] = {
    let (words, _) = include_bytes!(concat!(env!("OUT_DIR"), "/attacks.bin")).as_chunks::<8>();
    let mut table = [0; TABLE_LEN];
    let mut i = 0;
    while i < TABLE_LEN {
        table[i] = u64::from_le_bytes(words[i]);
        i += 1;
    }
    table
};

const fn slide(magic: &Magic, occupied: Bitboard) -> Bitboard {
    let index = (occupied.0 & magic.mask).wrapping_mul(magic.magic) >> magic.shift;
    Bitboard(TABLE[magic.offset + index as usize])
}

pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    slide(&BISHOP_MAGICS[square.index()], occupied)
}

pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    slide(&ROOK_MAGICS[square.index()], occupied)
}

/// Attacks of a bishop on an empty board.
pub fn diagonals(square: Square) -> Bitboard {
    DIAGONALS[square.index()]
}

/// Attacks of a rook on an empty board.
pub fn file_and_rank(square: Square) -> Bitboard {
    FILES_AND_RANKS[square.index()]
}

pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    bishop(square, occupied) | rook(square, occupied)
}

pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// Attacks of all `pawns` of `color` together.
pub fn pawns(color: Color, pawns: Bitboard) -> Bitboard {
    let front = pawns.forward(color);
    front.west() | front.east()
}

/// Attacks of a piece that is not a pawn.
pub fn piece(role: Role, square: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Pawn => Bitboard::EMPTY,
        Role::Knight => knight(square),
        Role::Bishop => bishop(square, occupied),
        Role::Rook => rook(square, occupied),
        Role::Queen => queen(square, occupied),
        Role::King => king(square),
    }
}

/// The squares strictly between two squares on one line; empty if they are not on one.
pub fn between(a: Square, b: Square) -> Bitboard {
    LINES.between[a.index()][b.index()]
}

/// The whole line through two squares, both included; empty if there is none.
pub fn line(a: Square, b: Square) -> Bitboard {
    LINES.through[a.index()][b.index()]
}

const fn leaper(steps: &[(i8, i8)]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut i = 0;
    while i < 64 * steps.len() {
        let (square, step) = (i / steps.len(), steps[i % steps.len()]);
        let file = (square % 8) as i8 + step.0;
        let rank = (square / 8) as i8 + step.1;
        if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
            table[square].0 |= 1 << (rank * 8 + file);
        }
        i += 1;
    }
    table
}

#[rustfmt::skip]
static KNIGHT: [Bitboard; 64] =
    leaper(&[(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);
#[rustfmt::skip]
static KING: [Bitboard; 64] =
    leaper(&[(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]);
static PAWN: [[Bitboard; 64]; 2] = [leaper(&[(-1, 1), (1, 1)]), leaper(&[(-1, -1), (1, -1)])];

const fn reach_of_empty_board(magics: &[Magic; 64]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut i = 0;
    while i < 64 {
        table[i] = slide(&magics[i], Bitboard::EMPTY);
        i += 1;
    }
    table
}

static DIAGONALS: [Bitboard; 64] = reach_of_empty_board(&BISHOP_MAGICS);
static FILES_AND_RANKS: [Bitboard; 64] = reach_of_empty_board(&ROOK_MAGICS);

struct Lines {
    between: [[Bitboard; 64]; 64],
    through: [[Bitboard; 64]; 64],
}

static LINES: Lines = {
    let mut between = [[Bitboard::EMPTY; 64]; 64];
    let mut through = [[Bitboard::EMPTY; 64]; 64];
    let mut i = 0;
    while i < 2 * 64 * 64 {
        let slider = [&BISHOP_MAGICS, &ROOK_MAGICS][i / (64 * 64)];
        let (a, b) = (i / 64 % 64, i % 64);
        let (at_a, at_b) = (Bitboard(1 << a), Bitboard(1 << b));
        let (from_a, from_b) = (slide(&slider[a], at_b).0, slide(&slider[b], at_a).0);
        if from_a & at_b.0 != 0 {
            let whole = slide(&slider[a], Bitboard::EMPTY).0 & slide(&slider[b], Bitboard::EMPTY).0;
            between[a][b] = Bitboard(from_a & from_b);
            through[a][b] = Bitboard(whole | at_a.0 | at_b.0);
        }
        i += 1;
    }
    Lines { between, through }
};
