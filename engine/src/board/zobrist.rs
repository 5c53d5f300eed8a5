//! Random keys whose exclusive or identifies a position.

use super::{Color, Role, Square};

/// Where each kind of key begins; the first is that of Black to move.
const PIECES: usize = 1;
const CASTLING: usize = PIECES + 2 * 6 * 64;
const EN_PASSANT: usize = CASTLING + 4;

/// Made by splitmix64, whose outputs are all different.
static KEYS: [u64; EN_PASSANT + 8] = {
    let mut keys = [0; EN_PASSANT + 8];
    let mut state: u64 = 0x5711_c3a7_e200_0001;
    let mut i = 0;
    while i < keys.len() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        keys[i] = word ^ word >> 31;
        i += 1;
    }
    keys
};

pub(super) fn piece(color: Color, role: Role, square: Square) -> u64 {
    KEYS[PIECES + (color.index() * 6 + role.index()) * 64 + square.index()]
}

/// Key of a castling right by its slot.
pub(super) fn castling(slot: usize) -> u64 {
    KEYS[CASTLING + slot]
}

pub(super) fn en_passant(square: Square) -> u64 {
    KEYS[EN_PASSANT + square.file()]
}

pub(super) fn black_to_move() -> u64 {
    KEYS[0]
}
