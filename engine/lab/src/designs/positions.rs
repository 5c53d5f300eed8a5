//! Positions of the types that document 002, section 5.1, defines. They are from games of
//! Stillwater and were classified by Stockfish 15.1 at depth 11 (endgames: 12):
//!
//! - quiet: at most one capture for each side, level, the third best move within
//!   25 centipawns of the best;
//! - tactical middlegame: at least four captures for the side to move and three
//!   for the other, level, no move far better than the others;
//! - sharp: a capture, or a check, is better than all other moves by 150
//!   centipawns or more, or any move by 200;
//! - endgame: at most 24 pawns' worth of pieces on the board, within 150
//!   centipawns.

/// Each type with its positions, six of each.
pub(crate) const TYPES: [(&str, &[&str]); 4] = [
    (
        "quiet",
        &[
            "1nbqkbnr/1p1ppppp/r1p5/8/p2P1P2/N3P2N/PPP3PP/R1BQKB1R b KQk - 0 6",
            "r1bq1rk1/1p1pbp1p/2n1p2p/1Np5/p1P1PP1P/3P2P1/PP6/R2QKBNR b KQ - 0 10",
            "r1bqk2r/ppp1np2/n2p2p1/4p2p/2P5/3P1N2/PP2PPPP/RN1QKB1R w KQkq - 0 8",
            "r1bqkbnr/1p4pp/p1n2p2/2p1p3/2Pp4/3PP3/PP1NBPPP/R1BQK1NR w KQkq - 2 9",
            "r2qkbnr/3p2pp/2n1p3/2p2p2/8/1QN1PN2/PP1P1PPP/R1B2K1R b kq - 0 11",
            "rn1qkbnr/pbp2ppp/4p3/3p4/1p2PP2/3P2PP/PPPN4/R1BQKBNR w KQkq - 1 7",
        ],
    ),
    (
        "tactical middlegame",
        &[
            "1b1r2k1/p5p1/1pp3qp/3np3/PPQPN2R/1NP2r2/5P2/R1B4K w - - 2 30",
            "r1b1k1nr/1p2p1b1/pq4pp/3p4/2PB4/1P1Q1N2/P4PP1/RN2K2R b KQkq - 0 14",
            "r1bqkb1r/pp3p2/2n2n1p/2P1p3/2Pp2P1/5N1P/PP2PP2/RNBQKB1R w Qkq - 0 11",
            "r2qkbnr/1pn5/3pbpp1/pp2p3/3PPPPp/N1P5/P4NBP/R1BQ1RK1 b kq - 0 14",
            "rnbqk1nr/1pp3pp/4pp2/3p4/pb2PP2/PP1P3N/1BPN2PP/R2QKB1R b KQkq - 0 8",
            "rnbr2k1/p1q3bp/2p1n1p1/2p2p2/1PB1p3/P1N1P2P/1B1N1PP1/R1Q1K2R w Q - 0 19",
        ],
    ),
    (
        "sharp",
        &[
            "2r1r3/2nn1pk1/3q2p1/1p1p2p1/pP1P2P1/N1P2PP1/4R1B1/4QRK1 b - - 5 35",
            "4k2r/pp2npb1/6p1/PP1qP1Pp/2rQ4/5N2/2P4P/3R1R1K w - - 0 25",
            "r1b1k2r/pp2ppb1/2n2n1p/2qp2p1/N5P1/4PP2/PPPB1N1P/R2QKB1R b Qkq - 1 12",
            "r1b1r1k1/1p3pb1/2Pq3p/p5p1/R2pP3/3PnP1P/1BP1N1P1/1NQ1KB1R b K - 0 18",
            "r2q2k1/1p3r2/p4P2/2pnp2Q/1Pbn2P1/2N5/P4R1P/R4B1K b - - 2 32",
            "rnb1k1nr/ppq1b3/3p4/2pQP2p/P1B4p/1PP2PpN/8/RNB1K2R w KQkq - 2 14",
        ],
    ),
    (
        "endgame",
        &[
            "4r2k/1p5p/p2p2p1/P3N3/5p2/8/3p2PP/3R3K w - - 0 41",
            "5b1k/6pp/8/3PP2b/1P6/P5K1/7P/R1B4r b - - 3 38",
            "7r/2pk2p1/1p6/5P1p/2B2B2/8/2P1KPPP/b7 b - - 1 24",
            "8/5PR1/1p6/1P2pr2/8/8/5k2/7K w - - 1 57",
            "8/6k1/7p/6n1/2N5/3pK2P/8/8 b - - 1 47",
            "b7/P7/1P2p1kP/4K3/3B3P/8/3r4/8 w - - 1 56",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::fen::Fen;
    use shakmaty::{CastlingMode, Chess, Position as _};

    fn positions(name: &str) -> Vec<Chess> {
        let (_, fens) = TYPES.iter().find(|(of, _)| *of == name).unwrap();
        let read = |fen: &&str| {
            let fen: Fen = fen.parse().unwrap();
            fen.into_position(CastlingMode::Standard).unwrap()
        };
        fens.iter().map(read).collect()
    }

    fn captures(position: &Chess) -> usize {
        let moves = position.legal_moves();
        moves.iter().filter(|mv| mv.is_capture()).count()
    }

    #[test]
    fn all_are_legal_and_not_in_check() {
        for (name, fens) in TYPES {
            assert_eq!(fens.len(), TYPES[0].1.len());
            for position in positions(name) {
                assert!(!position.is_check() && !position.is_game_over());
            }
        }
    }

    #[test]
    fn captures_of_the_side_to_move() {
        assert!(positions("quiet").iter().all(|it| captures(it) <= 1));
        let tactical = positions("tactical middlegame");
        assert!(tactical.iter().all(|it| captures(it) >= 4));
    }
}
