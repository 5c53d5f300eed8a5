//! King safety: the pawns before the king, and the pieces around it.

use super::pieces::Side;
use super::terms::Sink;
use super::weights::Term;
use crate::board::{Bitboard, Color, Position, Role, attacks};

/// Units of danger for an attacked square beside the king that at most king and
/// queen defend, and for a safe check by role; those for the attackers are
/// counted with their mobility.
const WEAK_SQUARE: usize = 2;
const SAFE_CHECK: [usize; 6] = [0, 4, 3, 6, 4, 0];

/// What threatens the king of `us`.
pub(super) fn safety(side: &Side, sink: &mut impl Sink) {
    let (position, us, own, enemy) = (side.position, side.us, side.own, side.enemy);
    shelter(position, us, sink);
    let king = position.king(us);
    let ring = attacks::king(king);
    let poorly_defended = !own.twice & (own.by(Role::King) | own.by(Role::Queen) | !own.all);
    let mut danger = WEAK_SQUARE * (ring & enemy.all & poorly_defended).count();

    // Squares from which a check could not simply be answered by taking.
    let safe = !position.color(!us) & (!own.all | enemy.twice & !own.twice & !own.by(Role::Pawn));
    let occupied = position.occupied() ^ position.pieces(us, Role::Queen);
    let diagonal = attacks::bishop(king, occupied);
    let straight = attacks::rook(king, occupied);
    for (role, from) in [
        (Role::Knight, attacks::knight(king)),
        (Role::Bishop, diagonal),
        (Role::Rook, straight),
        (Role::Queen, diagonal | straight),
    ] {
        if (from & safe & enemy.by(role)).any() {
            sink.add(us, Term::SafeCheck, role.index(), 1);
            danger += SAFE_CHECK[role.index()];
        }
    }
    let queens = position.pieces(!us, Role::Queen);
    let worst = Term::KingDanger.weights().len() - 1;
    let index = match enemy.king_attackers + usize::from(queens.any()) {
        0 | 1 => 0,
        _ => (danger + enemy.king_attack).min(worst),
    };
    sink.add(us, Term::KingDanger, index, 1);
}

/// Own and enemy pawns on the three files around the king, by the rank of the
/// nearest one not behind it; rank 0 stands for none.
fn shelter(position: &Position, us: Color, sink: &mut impl Sink) {
    let king = position.king(us);
    let centre = king.file().clamp(1, 6);
    let from_king = Bitboard::rank(king.rank()).fill_forward(us);
    for file in centre - 1..=centre + 1 {
        let ahead = Bitboard::file(file) & from_king;
        for (color, term) in [(us, Term::Shelter), (!us, Term::Storm)] {
            let pawns = ahead & position.pieces(color, Role::Pawn);
            let nearest = match us {
                _ if pawns.is_empty() => 0,
                Color::White => pawns.first().relative_rank(us),
                Color::Black => pawns.highest().relative_rank(us),
            };
            sink.add(us, term, nearest, 1);
        }
    }
}
