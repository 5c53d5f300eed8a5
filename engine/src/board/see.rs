//! Static exchange evaluation (SEE): the value of a sequence of captures on one square, in
//! which both sides capture with their least valuable piece and may stop.

use super::{Bitboard, Move, MoveKind, Position, Role, attacks};

/// Exchange values in centipawns by role; the king's is not used, as it is never captured.
pub type Values = [i32; 6];

impl Position {
    /// Whether the exchanges on the destination of `mv` gain at least `threshold`
    /// centipawns. Castling counts as 0; pins are ignored.
    pub fn see_at_least(&self, mv: Move, threshold: i32, values: &Values) -> bool {
        let value = |role: Role| values[role.index()];
        let (from, to) = (mv.from(), mv.to());
        let mut occupied = (self.occupied() ^ Bitboard::of(from)) | Bitboard::of(to);
        let Some(mut on_square) = self.role_at(from) else {
            return threshold <= 0;
        };
        let mut balance = self.captured(mv).map_or(0, value) - threshold;
        match mv.kind() {
            MoveKind::Castle => return threshold <= 0,
            MoveKind::EnPassant => occupied ^= Bitboard::of(to.forward(!self.turn)),
            MoveKind::Promotion(role) => {
                balance += value(role) - value(Role::Pawn);
                on_square = role;
            }
            MoveKind::Normal => {}
        }
        // `balance` is the gain beyond the threshold from the mover's view.
        if balance < 0 {
            return false;
        }
        balance -= value(on_square);
        if balance >= 0 {
            return true;
        }
        // Often a capture by a pawn decides, and the other attackers need not be computed.
        let pawns = attacks::pawn(self.turn, to) & self.pieces(!self.turn, Role::Pawn);
        if pawns.any() && -balance > value(Role::Pawn) {
            return false;
        }

        let (diagonal, straight) = (self.diagonal_sliders(), self.straight_sliders());
        let mut attackers = self.attackers(to, occupied);
        let mut side = self.turn;
        let mut gains = true;
        loop {
            side = !side;
            attackers &= occupied;
            let own = attackers & self.color(side);
            let mut roles = Role::ALL.into_iter();
            let Some(role) = roles.find(|&role| (own & self.role(role)).any()) else {
                break;
            };
            gains = !gains;
            if role == Role::King {
                // The king can capture only if the square is no longer defended.
                if (attackers & self.color(!side)).any() {
                    gains = !gains;
                }
                break;
            }
            // If the side that captures stays above zero even after losing the capturing
            // piece, it has won the exchange.
            balance = -balance - 1 - value(role);
            if balance >= 0 {
                break;
            }
            occupied ^= Bitboard::of((own & self.role(role)).first());
            if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
                attackers |= attacks::bishop(to, occupied) & diagonal;
            }
            if matches!(role, Role::Rook | Role::Queen) {
                attackers |= attacks::rook(to, occupied) & straight;
            }
        }
        gains
    }
}
