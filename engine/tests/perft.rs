//! Perft against published counts.

use stillwater::board::{Position, perft::perft};

/// FEN and counts from depth 1 on. The published counts of these positions:
/// Chess Programming Wiki, Peter Ellis Jones, Marcel van Kervinck's random
/// positions (Rookie), Ethereal's `fischer.epd` for Chess960, shakmaty's tricky
/// positions.
const TABLE: [(&str, &[u64]); 26] = [
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        &[20, 400, 8902, 197281, 4865609],
    ),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -",
        &[48, 2039, 97862, 4085603],
    ),
    (
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        &[14, 191, 2812, 43238, 674624],
    ),
    (
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        &[6, 264, 9467, 422333],
    ),
    (
        "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
        &[6, 264, 9467, 422333],
    ),
    (
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        &[44, 1486, 62379, 2103487],
    ),
    (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        &[46, 2079, 89890, 3894594],
    ),
    (
        "3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1",
        &[18, 92, 1670, 10138, 185429, 1134888],
    ),
    (
        "8/8/4k3/8/2p5/8/B2P1K2/8 w - - 0 1",
        &[13, 102, 1284, 10375, 138886, 1038514],
    ),
    (
        "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
        &[15, 126, 1928, 13931, 206379, 1440467],
    ),
    (
        "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
        &[15, 66, 1198, 6399, 120330, 661072],
    ),
    (
        "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1",
        &[16, 71, 1286, 7418, 141077, 803711],
    ),
    (
        "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1",
        &[26, 1141, 27826, 1274206],
    ),
    (
        "r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1",
        &[44, 1494, 50509, 1720476],
    ),
    (
        "2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1",
        &[11, 133, 1442, 19174, 266199, 3821001],
    ),
    (
        "8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1",
        &[29, 165, 5160, 31961, 1004658],
    ),
    (
        "4k3/1P6/8/8/8/8/K7/8 w - - 0 1",
        &[9, 40, 472, 2661, 38983, 217342],
    ),
    (
        "8/P1k5/K7/8/8/8/8/8 w - - 0 1",
        &[6, 27, 273, 1329, 18135, 92683],
    ),
    ("K1k5/8/P7/8/8/8/8/8 w - - 0 1", &[2, 6, 13, 63, 382, 2217]),
    (
        "8/k1P5/8/1K6/8/8/8/8 w - - 0 1",
        &[10, 25, 268, 926, 10857, 43261, 567584],
    ),
    ("8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1", &[37, 183, 6559, 23527]),
    (
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        &[21, 528, 12189, 326672],
    ),
    (
        "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
        &[21, 807, 18002, 667366],
    ),
    (
        "bnqnrbkr/1pp2pp1/p7/3pP2p/4P1P1/8/PPPP3P/BNQNRBKR w HEhe d6 0 9",
        &[31, 984, 28677, 962591],
    ),
    (
        "r1bqk1rb/pppnpppp/5n2/3p4/2P3PP/2N5/PP1PPP2/R1BQKNRB w GAga - 1 9",
        &[32, 821, 27121, 733155],
    ),
    (
        "bbq1nr1r/pppppk1p/2n2p2/6p1/P4P2/4P1P1/1PPP3P/BBQNNRKR w HF - 1 9",
        &[23, 589, 14744, 387556],
    ),
];

#[test]
fn known_counts() {
    for (fen, counts) in TABLE {
        let position = Position::from_fen(fen).unwrap();
        for (depth, &count) in (1..).zip(counts) {
            assert_eq!(perft(&position, depth), count, "{fen} depth {depth}");
        }
    }
}

#[test]
fn depth_zero_is_one_line() {
    assert_eq!(perft(&Position::start(), 0), 1);
}

/// Checks every count of a file: lines of `FEN ;D1 20 ;D2 400`. The positions
/// and counts are those of the files of the same name in the move generator
/// tests of Rodent and Sloppy, without the depths that take long.
fn check_file(text: &str) {
    for line in text.lines() {
        let (fen, counts) = line.split_once(" ;").expect("counts after the position");
        let position = Position::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
        for count in counts.split(" ;") {
            let (depth, count) = count.split_once(' ').expect("depth and count");
            let depth = depth.trim_start_matches('D').parse().unwrap();
            assert_eq!(perft(&position, depth), count.parse().unwrap(), "{line}");
        }
    }
}

#[test]
fn tricky_positions() {
    check_file(include_str!("data/tricky.epd"));
}

#[test]
fn random_positions() {
    check_file(include_str!("data/random.epd"));
}

#[test]
fn chess960_positions() {
    check_file(include_str!("data/chess960.epd"));
}
