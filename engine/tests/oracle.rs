//! Random games in step with an independent rules library.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};
use std::collections::HashMap;
use stillwater::board::{CheckSquares, Move, MoveKind, Position, movegen};

/// Games played by default; the environment variable `ORACLE_GAMES` overrides
/// it (10000 takes a minute or two).
const GAMES: usize = 600;

fn games() -> usize {
    std::env::var("ORACLE_GAMES").map_or(GAMES, |text| text.parse().expect("a number of games"))
}

fn compare(own: &Position, oracle: &Chess, keys: &mut HashMap<u64, Zobrist64>) -> Vec<Move> {
    let fen = own.fen(true);
    let read: Fen = fen.parse().unwrap();
    let read: Chess = read.into_position(CastlingMode::Chess960).unwrap();
    let mode = EnPassantMode::Legal;
    assert_eq!(
        Fen::from_position(&read, mode),
        Fen::from_position(oracle, mode)
    );

    let moves = movegen::legal_moves(own);
    let mut names: Vec<String> = moves.iter().map(|mv| mv.uci(true)).collect();
    names.sort_unstable();
    let mut expected: Vec<String> = oracle
        .legal_moves()
        .iter()
        .map(|mv| mv.to_uci(CastlingMode::Chess960).to_string())
        .collect();
    expected.sort_unstable();
    assert_eq!(names, expected, "{fen}");

    assert_eq!(own.in_check(), oracle.is_check(), "{fen}");
    assert_eq!(own.checkers.0, oracle.checkers().0, "{fen}");
    assert_eq!(
        own.insufficient_material(),
        oracle.is_insufficient_material(),
        "{fen}"
    );
    // The incremental state equals one computed from scratch.
    let fresh = Position::from_fen(&fen).unwrap();
    let kept = |position: &Position| {
        let rest = (position.phase, position.placement, position.blockers);
        (position.key, position.part_keys, rest)
    };
    assert_eq!(kept(own), kept(&fresh), "{fen}");
    // Our keys distinguish positions exactly like the oracle's.
    let theirs = oracle.zobrist_hash(EnPassantMode::Legal);
    assert_eq!(*keys.entry(own.key).or_insert(theirs), theirs, "{fen}");
    moves
}

/// Any 16 bits are pseudo-legal exactly if the move is generated; and checks are predicted.
fn compare_tests(own: &Position, moves: &[Move], rng: &mut ChaCha8Rng) {
    let checks = CheckSquares::new(own);
    for &mv in moves {
        assert!(own.is_pseudo_legal(mv) && own.is_legal(mv), "{mv:?}");
        let child = own.play(mv);
        assert_eq!(
            checks.gives_check(own, mv),
            child.in_check(),
            "{mv:?} {}",
            own.fen(true)
        );
        let rights = |position: &Position| position.fen(true).split(' ').nth(2).map(str::to_owned);
        if mv.kind() == MoveKind::Normal
            && (own.en_passant, child.en_passant) == (None, None)
            && rights(own) == rights(&child)
        {
            assert_eq!(own.likely_key_after(mv), child.key, "{mv:?}");
        }
    }
    for _ in 0..50 {
        let mv = Move::from_bits(rng.random());
        // The two bits of the promoted role are meaningless in other moves.
        let canonical = mv.is_promotion() || mv.bits() >> 12 & 3 == 0;
        if canonical {
            let accepted = own.is_pseudo_legal(mv) && own.is_legal(mv);
            assert_eq!(accepted, moves.contains(&mv), "{mv:?} {}", own.fen(true));
        }
    }
}

fn play_game(start: &str, rng: &mut ChaCha8Rng) {
    let mut own = Position::from_fen(start).unwrap();
    let fen: Fen = start.parse().unwrap();
    let mut oracle: Chess = fen.into_position(CastlingMode::Chess960).unwrap();
    let mut keys = HashMap::new();
    for _ in 0..rng.random_range(20..200) {
        let moves = compare(&own, &oracle, &mut keys);
        compare_tests(&own, &moves, rng);
        if moves.is_empty() {
            return;
        }
        let mv = moves[rng.random_range(0..moves.len())];
        let uci: UciMove = mv.uci(true).parse().unwrap();
        oracle.play_unchecked(uci.to_move(&oracle).unwrap());
        own = own.play(mv);
    }
}

#[test]
fn random_games_agree() {
    const STARTS: [&str; 6] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "bnqnrbkr/1pp2pp1/p7/3pP2p/4P1P1/8/PPPP3P/BNQNRBKR w HEhe d6 0 9",
        "qrkbbnrn/pppppppp/8/8/8/8/PPPPPPPP/QRKBBNRN w GBgb - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "4k3/P6p/8/8/8/8/p6P/4K3 w - - 0 1",
    ];
    let mut rng = ChaCha8Rng::seed_from_u64(20_260_401);
    for game in 0..games() {
        play_game(STARTS[game % STARTS.len()], &mut rng);
    }
}
