//! `stillwater bench`: the engine's fingerprint and its speed.

use crate::board::Position;
use crate::engine::Engine;
use crate::params::{Params, Settings};
use crate::search::limits::{Limits, Stop};
use crate::search::stats::{Stats, speed};
use crate::search::{Game, Silent};
use std::time::{Duration, Instant};

/// Depth searched if none is given.
pub const DEPTH: i32 = 14;

/// Openings, middlegames and endings.
const POSITIONS: [&str; 19] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R b KQkq - 0 5",
    "rnbq1rk1/pp2ppbp/2pp1np1/8/3PP3/2N1BN2/PPPQ1PPP/R3KB1R b KQ - 1 7",
    "r1bq1rk1/pp3ppp/2nbpn2/2pp4/2PP4/P3PN2/1P1NBPPP/R1BQ1RK1 w - - 1 10",
    "r2q1rk1/1b1nbppp/p2ppn2/1p6/3NP3/1BN1B3/PPP1QPPP/R4RK1 w - - 2 12",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "2rq1rk1/pb1n1ppp/1p2pn2/3p4/1bPP4/1PN1PN2/PB2BPPP/2RQ1RK1 w - - 4 13",
    "r2qr1k1/pp1b1ppp/2p2n2/3p4/1b1P4/2NBPN2/PPQ2PPP/R4RK1 b - - 5 13",
    "1r1q1rk1/3bppbp/p2p1np1/2pP4/P1n1P3/2N2N1P/1P1B1PP1/1RRQ2K1 w - - 2 19",
    "3r1rk1/1p3pp1/p1p1bq1p/4p3/4P3/1BP2Q1P/PP3PP1/3R1RK1 w - - 0 20",
    "4r1k1/1p3pp1/p1pr1n1p/3p4/3P1N2/1P2P2P/P4PP1/2R1R1K1 b - - 3 24",
    "8/pp3p1k/2p2q1p/3r1P2/5R2/7P/P1P1QP2/7K b - - 0 33",
    "8/5pk1/4p1p1/3bP2p/1p1P3P/1P2KPP1/3N4/8 w - - 5 45",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/8/1p1k4/p1p2p1p/P1P2P1P/1P1K4/8/8 w - - 0 1",
    "8/3k4/1R3p2/4p1pp/4P3/5PKP/r5P1/8 b - - 7 48",
    "6k1/5ppp/3q4/8/8/2Q5/5PPP/6K1 b - - 0 30",
    "8/2P5/3K4/8/8/8/2p5/3k4 w - - 0 1",
];

/// Searches all positions with a new engine. Returns its statistics and the time of the
/// searches, without that of clearing the tables between them. `stop` is a signal and the
/// number of this job.
pub fn bench(params: &Params, depth: i32, stop: Stop) -> (Stats, Duration) {
    let mut engine = Engine::new(params.clone(), Settings::DEFAULT);
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let (mut stats, mut elapsed) = (Stats::NEW, Duration::ZERO);
    for fen in POSITIONS {
        let position = Position::from_fen(fen).expect("bench positions are legal");
        engine.new_game();
        let start = Instant::now();
        let outcome = engine.search(&Game::new(position), &limits, &mut Silent, stop.0, stop.1);
        elapsed += start.elapsed();
        stats += &outcome.stats;
    }
    (stats, elapsed)
}

/// `bench [DEPTH]` or `stats [DEPTH]`
pub(super) fn run(name: &str, params: &Params, depth: usize, stop: Stop) -> String {
    let (stats, elapsed) = bench(params, depth as i32, stop);
    let mut lines = stats.lines();
    lines.retain(|_| name == "stats");
    lines.push(speed(stats.nodes(), elapsed));
    lines.join("\n")
}
