//! Pseudo-legal move generation in two parts for a staged picker: noisy and quiet moves. In
//! check, both contain only evasions.

use super::{Bitboard, Move, Position, Role, Square, attacks};

/// A move with its ordering score.
#[derive(Clone, Copy, Debug)]
pub struct Scored {
    pub mv: Move,
    pub score: i32,
}

pub type MoveList = Vec<Scored>;

/// Capacity for the moves of any position (the known maximum is 218).
pub const MAX_MOVES: usize = 256;

fn push(out: &mut MoveList, mv: Move) {
    out.push(Scored { mv, score: 0 });
}

/// Removes the moves from `start` on that are not `wanted`.
pub fn keep(list: &mut MoveList, start: usize, mut wanted: impl FnMut(Move) -> bool) {
    let mut kept = start;
    for i in start..list.len() {
        // Branchless: an unwanted move is overwritten by the next one.
        list[kept] = list[i];
        kept += usize::from(wanted(list[kept].mv));
    }
    list.truncate(kept);
}

/// Captures, and promotions to a queen.
pub fn noisy(position: &Position, out: &mut MoveList) {
    let enemies = position.color(!position.turn);
    let targets = position.targets();
    pawn_noisy(position, targets, out);
    piece_moves(position, enemies & targets, out);
    king_moves(position, enemies, out);
}

/// All other moves, including underpromotions without a capture.
pub fn quiet(position: &Position, out: &mut MoveList) {
    let empty = !position.occupied();
    let targets = position.targets();
    pawn_quiet(position, empty & targets, out);
    piece_moves(position, empty & targets, out);
    king_moves(position, empty, out);
    for mv in position.castling() {
        push(out, mv);
    }
}

/// All legal moves.
pub fn legal(position: &Position, out: &mut MoveList) {
    let start = out.len();
    noisy(position, out);
    quiet(position, out);
    // Few are illegal, so this is faster than `keep`.
    let illegal = out.extract_if(start.., |scored| !position.is_legal(scored.mv));
    illegal.for_each(drop);
}

/// All legal moves as a new list.
pub fn legal_moves(position: &Position) -> Vec<Move> {
    let mut out = MoveList::with_capacity(MAX_MOVES);
    legal(position, &mut out);
    out.iter().map(|scored| scored.mv).collect()
}

fn piece_moves(position: &Position, targets: Bitboard, out: &mut MoveList) {
    if targets.is_empty() {
        return;
    }
    let (us, occupied) = (position.turn, position.occupied());
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        for from in position.pieces(us, role) {
            for to in attacks::piece(role, from, occupied) & targets {
                push(out, Move::normal(from, to));
            }
        }
    }
}

fn king_moves(position: &Position, targets: Bitboard, out: &mut MoveList) {
    let from = position.king(position.turn);
    for to in attacks::king(from) & targets {
        push(out, Move::normal(from, to));
    }
}

fn pawn_noisy(position: &Position, targets: Bitboard, out: &mut MoveList) {
    let us = position.turn;
    let pawns = position.pieces(us, Role::Pawn);
    let enemies = position.color(!us) & targets;
    let last = Bitboard::relative_rank(us, 7);

    let ready = pawns & Bitboard::relative_rank(us, 6);
    for to in ready.forward(us) & !position.occupied() & targets {
        push(out, Move::promotion(to.forward(!us), to, Role::Queen));
    }
    let front = pawns.forward(us);
    for (reached, shift) in [(front.west(), 1), (front.east(), -1)] {
        for to in reached & enemies {
            let from = Square::new((to.forward(!us).index() as i32 + shift) as usize);
            if last.contains(to) {
                for role in Role::PROMOTIONS.into_iter().rev() {
                    push(out, Move::promotion(from, to, role));
                }
            } else {
                push(out, Move::normal(from, to));
            }
        }
    }
    // Always generated, because the captured pawn may be the one that gives check; its
    // legality is tested in full.
    if let Some(to) = position.en_passant {
        for from in attacks::pawn(!us, to) & pawns {
            push(out, Move::en_passant(from, to));
        }
    }
}

fn pawn_quiet(position: &Position, targets: Bitboard, out: &mut MoveList) {
    let us = position.turn;
    let pawns = position.pieces(us, Role::Pawn);
    let empty = !position.occupied();
    let single = pawns.forward(us) & empty;
    let double = (single & Bitboard::relative_rank(us, 2)).forward(us) & empty;
    let last = Bitboard::relative_rank(us, 7);
    for to in single & targets & !last {
        push(out, Move::normal(to.forward(!us), to));
    }
    for to in double & targets {
        push(out, Move::normal(to.forward(!us).forward(!us), to));
    }
    for to in single & targets & last {
        for role in [Role::Knight, Role::Rook, Role::Bishop] {
            push(out, Move::promotion(to.forward(!us), to, role));
        }
    }
}
