//! Endgames in which the sum of the terms is misleading.

use super::tapered::Tapered;
use crate::board::{Bitboard, Color, Position, Role, Square};

/// Scale factor of an endgame advantage, in 64ths: below 64 if the side ahead has no
/// pawns, or with bishops of opposite colours. `sum` is White's advantage.
pub fn scale(position: &Position, sum: Tapered) -> i32 {
    let strong = if sum.endgame() > 0 {
        Color::White
    } else {
        Color::Black
    };
    match winnable(position, strong) {
        64 => {}
        scale => return scale,
    }
    let bishops = position.role(Role::Bishop);
    let others = position.role(Role::Knight) | position.role(Role::Rook);
    let one_of_two = |half: Bitboard| bishops.count() == 2 && (bishops & half).count() == 1;
    let opposite = one_of_two(Bitboard::DARK) && one_of_two(position.color(Color::White));
    match opposite {
        true if (others | position.role(Role::Queen)).is_empty() => 32,
        true => 52,
        false => 64,
    }
}

/// Scale factor in 64ths of the advantage of `strong`, by the material it can win with.
pub fn winnable(position: &Position, strong: Color) -> i32 {
    if position.pieces(strong, Role::Pawn).is_empty() {
        return scale_without_pawns(position, strong);
    }
    if is_wrong_bishop(position, strong) {
        0
    } else {
        64
    }
}

/// Value of the knights, bishops, rooks and queens of `color`, in pawns.
fn strength(position: &Position, color: Color) -> [i32; 4] {
    [
        (Role::Knight, 3),
        (Role::Bishop, 3),
        (Role::Rook, 5),
        (Role::Queen, 9),
    ]
    .map(|(role, value)| position.pieces(color, role).count() as i32 * value)
}

/// Value of the pieces of `color` minus those of the other side, in pawns.
fn ahead(position: &Position, color: Color) -> i32 {
    let sum = |color| strength(position, color).iter().sum::<i32>();
    sum(color) - sum(!color)
}

/// Scale factor for a side without pawns: an extra minor piece does not win, nor do two
/// knights.
fn scale_without_pawns(position: &Position, strong: Color) -> i32 {
    let own = strength(position, strong);
    let sum: i32 = own.iter().sum();
    match ahead(position, strong) {
        ..4 if sum < 5 => 0,
        ..7 if own[0] == sum => 0,
        ..4 => 12,
        _ => 64,
    }
}

/// Whether `strong` has only rook pawns of one file and bishops (perhaps none) of
/// the wrong colour, and the other king is on or next to the promotion square.
fn is_wrong_bishop(position: &Position, strong: Color) -> bool {
    let pieces = |role| position.pieces(strong, role);
    let (pawns, bishops) = (pieces(Role::Pawn), pieces(Role::Bishop));
    let edge = pawns.first().file();
    if !matches!(edge, 0 | 7) || (pawns & !Bitboard::file(edge)).any() {
        return false;
    }
    let corner = Square::at(edge, 7).relative(strong);
    let guarded = if Bitboard::DARK.contains(corner) {
        Bitboard::DARK
    } else {
        !Bitboard::DARK
    };
    position.color(strong) == pawns | bishops | pieces(Role::King)
        && (bishops & guarded).is_empty()
        && position.king(!strong).distance(corner) < 2
}

/// Bonus in centipawns for White for driving a king without pawns towards mate: to the edge,
/// close to the other king and, with bishop and knight, to a corner that the bishop guards.
/// 0 while there are pawns, because promotion is then the way to win.
pub fn mop_up(position: &Position) -> i32 {
    if position.role(Role::Pawn).any() {
        return 0;
    }
    let lost = |color: Color| {
        let bare = !position.color(color).more_than_one();
        bare && position.color(!color).more_than_one() || ahead(position, !color) > 3
    };
    let (strong, sign) = match (lost(Color::White), lost(Color::Black)) {
        (false, true) => (Color::White, 1),
        (true, false) => (Color::Black, -1),
        _ => return 0,
    };
    let hunted = position.king(!strong);
    let (file, rank) = (hunted.file() as i32, hunted.rank() as i32);
    let edge = (2 * file - 7).abs() + (2 * rank - 7).abs();
    let (bishops, knights) = (position.role(Role::Bishop), position.role(Role::Knight));
    let pair = bishops.count() == 1 && knights.count() == 1 && position.occupied().count() == 4;
    let corner = match (bishops & Bitboard::DARK).any() {
        _ if !pair => 0,
        true => (file + rank - 7).abs(),
        false => (file - rank).abs(),
    };
    let apart = position.king(strong).distance(hunted) as i32;
    sign * (8 * edge + 40 * corner - 12 * apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).unwrap()
    }

    /// The scale if White is ahead.
    fn white_scale(fen: &str) -> i32 {
        scale(&position(fen), Tapered::new(500, 500))
    }

    #[test]
    fn material_that_cannot_win_is_drawn() {
        for (fen, expected) in [
            ("8/8/4k3/8/8/8/8/1N1NK3 w - - 0 1", 0),
            ("8/8/4k3/8/8/8/8/2B1K1N1 w - - 0 1", 64),
            ("8/8/4k3/3r4/8/8/8/B3K2R w - - 0 1", 12),
            ("8/8/4k3/3n4/8/8/8/4K2R w - - 0 1", 12),
            ("8/8/4k3/3n4/8/8/8/4K1B1 w - - 0 1", 0),
            // Opposite bishops, alone and with rooks; the same colour; both of one side.
            ("8/8/4kb2/8/8/5B2/4P3/4K3 w - - 0 1", 32),
            ("7r/8/4kb2/8/8/5B2/4P3/4K2R w - - 0 1", 52),
            ("8/8/4kb2/8/8/4B3/4P3/4K3 w - - 0 1", 64),
            ("8/8/4k3/8/8/4BB2/4P3/4K3 w - - 0 1", 64),
        ] {
            assert_eq!(white_scale(fen), expected, "{fen}");
        }
    }

    #[test]
    fn a_bishop_must_guard_the_corner_of_its_edge_pawns() {
        for (fen, expected) in [
            ("1k6/8/8/8/P2B4/P7/4K3/8 w - - 0 1", 0),
            ("1k6/8/8/8/P3B3/P7/4K3/8 w - - 0 1", 64),
            ("6k1/8/8/8/4B3/7P/4K3/8 w - - 0 1", 0),
            ("5k2/8/8/8/4B3/7P/4K3/8 w - - 0 1", 64),
            ("6k1/8/8/8/4B3/6PP/4K3/8 w - - 0 1", 64),
            ("6k1/8/8/8/4B3/7P/4K1N1/8 w - - 0 1", 64),
        ] {
            assert_eq!(white_scale(fen), expected, "{fen}");
        }
    }

    #[test]
    fn a_bare_king_is_driven_to_the_right_corner() {
        let value = |fen: &str| mop_up(&position(fen));
        let right = value("k7/8/1K6/8/8/3B4/8/6N1 w - - 0 1");
        let wrong = value("7k/8/6K1/8/8/3B4/8/6N1 w - - 0 1");
        let centre = value("8/8/8/3k4/8/3K4/8/3B2N1 w - - 0 1");
        assert!(right > wrong && wrong > centre, "{right} {wrong} {centre}");
        assert_eq!(value("K7/8/1k6/8/8/3b4/8/6n1 w - - 0 1"), -right);
        let edge = value("4k3/8/4K3/8/8/8/8/R7 w - - 0 1");
        assert!(edge > value("8/8/4k3/8/4K3/8/8/R7 w - - 0 1"));
        let against_rook = value("4k3/8/4K3/8/8/8/3r4/Q7 w - - 0 1");
        assert!(against_rook > value("8/8/4k3/8/4K3/8/3r4/Q7 w - - 0 1"));
        assert_eq!(value("8/8/4k3/8/4K3/8/3r4/R1B5 w - - 0 1"), 0);
        for pawns in ["4k3/4p3/4K3/8/8/8/8/R7", "4k3/8/4K3/8/8/8/P7/R7"] {
            assert_eq!(value(&format!("{pawns} w - - 0 1")), 0);
        }
    }
}
