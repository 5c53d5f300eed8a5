//! Random keys whose exclusive or identifies a position.

use super::square::{Color, Role, Square};

struct Keys {
    piece: [[[u64; 64]; 6]; 2],
    castling: [u64; 16],
    en_passant: [u64; 8],
    black_to_move: u64,
}

/// splitmix64, whose outputs are all different.
const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = *state;
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

static KEYS: Keys = {
    let mut state = 0x5711_c3a7_e200_0001;
    let mut keys = Keys {
        piece: [[[0; 64]; 6]; 2],
        castling: [0; 16],
        en_passant: [0; 8],
        black_to_move: next(&mut state),
    };
    let mut i = 0;
    while i < 2 * 6 * 64 {
        keys.piece[i / 384][i / 64 % 6][i % 64] = next(&mut state);
        i += 1;
    }
    let mut right = 0;
    while right < 4 {
        let key = next(&mut state);
        let mut set = 0;
        while set < 16 {
            if set >> right & 1 == 1 {
                keys.castling[set] ^= key;
            }
            set += 1;
        }
        right += 1;
    }
    let mut file = 0;
    while file < 8 {
        keys.en_passant[file] = next(&mut state);
        file += 1;
    }
    keys
};

pub(super) fn piece(color: Color, role: Role, square: Square) -> u64 {
    KEYS.piece[color.index()][role.index()][square.index()]
}

/// Key of a set of castling rights, one bit each.
pub(super) fn castling(rights: u8) -> u64 {
    KEYS.castling[usize::from(rights & 15)]
}

pub(super) fn en_passant(square: Square) -> u64 {
    KEYS.en_passant[square.file()]
}

pub(super) fn black_to_move() -> u64 {
    KEYS.black_to_move
}
