//! Pieces on good and bad squares.

use super::mobility::Side;
use super::terms::Sink;
use super::weights::Term;
use crate::board::{Bitboard, Role, Square, attacks};

/// Placement of knights and bishops.
#[inline(always)]
pub(super) fn minors(side: &Side, sink: &mut impl Sink) {
    let (position, us) = (side.position, side.us);
    let bishops = position.pieces(us, Role::Bishop);
    let knights = position.pieces(us, Role::Knight);
    let enemy_pawns = position.pieces(!us, Role::Pawn);
    // Outposts: an own pawn defends them, and no enemy pawn can ever attack them.
    let ranks = (3..=5).fold(Bitboard::EMPTY, |set, rank| {
        set | Bitboard::relative_rank(us, rank)
    });
    let lines = enemy_pawns.forward(!us).fill_forward(!us);
    let outposts = ranks & side.own.by(Role::Pawn) & !(lines.west() | lines.east());
    for (index, minors) in [knights, bishops].into_iter().enumerate() {
        sink.add(us, Term::Outpost, index, (minors & outposts).count() as i32);
    }
    for knight in knights & !outposts {
        let reach = attacks::knight(knight) & outposts & !position.color(us);
        sink.add(us, Term::OutpostInReach, 0, reach.any().into());
    }
    let shielded = (knights | bishops).forward(us) & position.role(Role::Pawn);
    sink.add(us, Term::MinorBehindPawn, 0, shielded.count() as i32);
    for bishop in bishops {
        self::bishop(side, bishop, sink);
    }
    sink.add(us, Term::BishopPair, 0, bishops.more_than_one().into());
}

#[inline(always)]
fn bishop(side: &Side, bishop: Square, sink: &mut impl Sink) {
    const CENTRE: Bitboard = Bitboard(0x0000_0018_1800_0000);
    const CENTRE_FILES: Bitboard = Bitboard(0x3c3c_3c3c_3c3c_3c3c);
    let (position, us) = (side.position, side.us);
    let same = if Bitboard::DARK.contains(bishop) {
        Bitboard::DARK
    } else {
        !Bitboard::DARK
    };
    let pawns = position.pieces(us, Role::Pawn);
    let blocked = pawns & CENTRE_FILES & position.occupied().forward(!us);
    let bad = (pawns & same).count() as i32;
    sink.add(us, Term::BishopPawns, blocked.count().min(3), bad);
    let enemy_pawns = position.pieces(!us, Role::Pawn);
    let through = attacks::diagonals(bishop) & enemy_pawns;
    sink.add(us, Term::BishopXrayPawns, 0, through.count() as i32);
    let all_pawns = position.role(Role::Pawn);
    let seen = (attacks::bishop(bishop, all_pawns) | Bitboard::of(bishop)) & CENTRE;
    sink.add(us, Term::BishopLongDiagonal, 0, seen.more_than_one().into());
}

/// Placement of rooks and queens. Counts of 0 or 1 replace branches that the processor
/// predicts badly.
#[inline(always)]
pub(super) fn majors(side: &Side, sink: &mut impl Sink) {
    let (position, us) = (side.position, side.us);
    let king = position.king(us);
    for rook in position.pieces(us, Role::Rook) {
        let file = Bitboard::file(rook.file());
        let shut = (file & position.pieces(us, Role::Pawn)).any();
        let half = (file & position.pieces(!us, Role::Pawn)).any();
        sink.add(us, Term::RookOpenFile, 0, (!shut & !half).into());
        sink.add(us, Term::RookHalfOpenFile, 0, (!shut & half).into());
        // Trapped by its own king.
        let same_wing = (king.file() < 4) == (rook.file() < king.file());
        let back = (rook.relative_rank(us) == 0) & (king.relative_rank(us) == 0);
        let trapped = shut & same_wing & back & (king.file() != 4);
        sink.add(us, Term::RookTrapped, 0, trapped.into());
        let queens = file & position.role(Role::Queen);
        sink.add(us, Term::RookOnQueenFile, 0, queens.any().into());
    }
    for queen in position.pieces(us, Role::Queen) {
        let bishops = attacks::diagonals(queen) & position.pieces(!us, Role::Bishop);
        let rooks = attacks::file_and_rank(queen) & position.pieces(!us, Role::Rook);
        let mut sliders = bishops | rooks;
        let exposed = Iterator::any(&mut sliders, |slider| {
            let screen = attacks::between(queen, slider) & position.occupied();
            screen.any() && !screen.more_than_one()
        });
        if exposed {
            sink.add(us, Term::QueenExposed, 0, 1);
        }
    }
}
