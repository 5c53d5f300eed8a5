//! The rules of chess: positions, moves, move generation, legality.

pub mod attacks;
pub mod bitboard;
pub mod fen;
mod legality;
pub mod movegen;
pub mod moves;
pub mod perft;
pub mod position;
pub mod see;
pub mod square;
mod zobrist;

pub use bitboard::Bitboard;
pub use legality::CheckSquares;
pub use movegen::{MAX_MOVES, MoveList, Scored};
pub use moves::{Move, MoveKind};
pub use position::{Position, Wing};
pub use square::{Color, Role, Square};
