//! Positions from random games, the same in every run.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;
use std::sync::LazyLock;
use stillwater::board::{CheckSquares, Move, Position, fen, movegen};

/// Least number of positions a design is compared on.
pub(crate) const LEAST: usize = 500;
/// Positions from each of [`STARTS`].
const FROM_EACH: usize = 36;
/// Plies of a game.
const LENGTH: usize = 30;
/// One position in this many of a game is taken.
const SPACING: usize = 3;

/// Openings, tactics and endgames: exchanges, checks, promotions of both sides,
/// captures en passant, stalemates and mates near by.
const STARTS: [&str; 16] = [
    fen::START,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 1",
    "r4rk1/1b2qppp/p1n1p3/1p6/3P4/P1N1P3/1PQ2PPP/R1B2RK1 b - - 0 1",
    "r3r1k1/pp1q1ppp/2nb1n2/3p1b2/3P1B2/2NB1N2/PP1Q1PPP/R3R1K1 w - - 0 1",
    "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1",
    "2r3k1/pppR1pp1/4p3/4P1P1/5P2/1P4K1/P1P5/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "r3k3/1P4P1/8/2p1p3/1P1P4/8/1p4p1/R3K2R w KQq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "4k3/2pp1pp1/8/1P1PP2P/1p1pp2p/8/2PP1PP1/4K3 w - - 0 1",
    "8/8/8/8/1p1k4/1P6/1K3p2/8 b - - 0 1",
    "7k/5Q2/8/6P1/8/2p5/K7/8 w - - 0 1",
    "6k1/5ppp/8/8/1q6/2r5/5PPP/4R1K1 w - - 0 1",
    "k7/2K5/8/1Q6/8/p7/8/8 w - - 0 1",
    "7k/7p/5K1P/8/8/5R2/8/8 w - - 0 1",
];

/// At least [`LEAST`] positions, all different.
pub(crate) static ALL: LazyLock<Vec<Position>> = LazyLock::new(|| {
    let mut random = ChaCha8Rng::seed_from_u64(16);
    let mut keys = HashSet::new();
    let mut positions = Vec::new();
    for start in STARTS {
        let start = Position::from_fen(start).expect("a legal position");
        let wanted = positions.len() + FROM_EACH;
        while positions.len() < wanted {
            let mut position = start.clone();
            for _ in 0..LENGTH {
                let moves = movegen::legal_moves(&position);
                let taken = moves.is_empty() || random.random_range(0..SPACING) == 0;
                if taken && positions.len() < wanted && keys.insert(position.key) {
                    positions.push(position.clone());
                }
                if moves.is_empty() {
                    break;
                }
                // One move in four is forcing, if there is one.
                let checks = CheckSquares::new(&position);
                let forces =
                    |mv: &Move| position.is_noisy(*mv) || checks.gives_check(&position, *mv);
                let forcing: Vec<Move> = moves.iter().copied().filter(forces).collect();
                let choice = match random.random_range(0..4) {
                    0 if !forcing.is_empty() => forcing,
                    _ => moves,
                };
                position = position.play(choice[random.random_range(0..choice.len())]);
            }
        }
    }
    positions
});

/// Those with a legal move and at most this many pieces, for whole searches.
pub(crate) fn playable(men: usize) -> impl Iterator<Item = &'static Position> {
    let playable = move |position: &&Position| {
        position.occupied().count() <= men && !movegen::legal_moves(position).is_empty()
    };
    ALL.iter().filter(playable)
}

#[test]
fn everything_occurs_in_the_positions() {
    assert!(ALL.len() >= LEAST);
    let stuck = |position: &Position| movegen::legal_moves(position).is_empty();
    let promotes = |position: &Position| {
        let moves = movegen::legal_moves(position);
        moves.iter().any(|mv| mv.is_promotion())
    };
    let count = |occurs: &dyn Fn(&Position) -> bool| ALL.iter().filter(|&p| occurs(p)).count();
    let counts = [
        ("check", count(&Position::in_check)),
        ("promotion", count(&promotes)),
        ("en passant", count(&|p| p.en_passant.is_some())),
        ("mate", count(&|p| p.in_check() && stuck(p))),
        ("stalemate", count(&|p| !p.in_check() && stuck(p))),
        ("draw by material", count(&Position::insufficient_material)),
    ];
    for (what, number) in counts {
        println!("{what}: {number}");
        assert!(number > 0, "no {what}");
    }
}
