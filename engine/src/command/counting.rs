//! `perft` and `qperft`: counting lines of moves.

use crate::board::perft::{self, Stopped};
use crate::board::{MoveList, Position, movegen};
use crate::search::stats::speed;
use std::time::Instant;

/// The number of leaves by first move, and the speed.
pub(super) fn perft(position: &Position, depth: usize, chess960: bool, stopped: Stopped) -> String {
    let (start, mut out) = (Instant::now(), String::new());
    let mut total = u64::from(depth == 0);
    if depth > 0 {
        for (mv, nodes) in perft::divide(position, depth, stopped) {
            out += &format!("{}: {nodes}\n", mv.uci(chess960));
            total += nodes;
        }
    }
    out + &speed(total, start.elapsed())
}

/// Default number of plies of captures that [`QPerft`] follows.
pub const QUIESCENCE_PLIES: usize = 3;

/// Counts of a perft that continues below its leaves with all legal captures and queen
/// promotions (also in check), without pruning, to a fixed number of plies. The counts
/// depend only on the rules.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct QPerft {
    /// Positions above the leaves.
    pub regular_nodes: u64,
    /// Leaves, and positions after captures.
    pub quiescence_nodes: u64,
    /// Moves of each kind below the leaves; one may be of several kinds.
    pub captures: u64,
    pub promotions: u64,
    pub checks: u64,
}

impl QPerft {
    /// The counts are incomplete if it is `stopped`.
    pub fn count(position: &Position, depth: usize, plies: usize, stopped: Stopped) -> QPerft {
        let mut counts = QPerft::default();
        counts.visit(position, depth, plies, stopped);
        counts
    }

    fn visit(&mut self, position: &Position, depth: usize, plies: usize, stopped: Stopped) {
        if depth == 0 {
            return self.quiesce(position, plies);
        }
        self.regular_nodes += 1;
        for mv in movegen::legal_moves(position) {
            if !stopped() {
                self.visit(&position.play(mv), depth - 1, plies, stopped);
            }
        }
    }

    fn quiesce(&mut self, position: &Position, plies: usize) {
        self.quiescence_nodes += 1;
        if plies == 0 {
            return;
        }
        let mut moves = MoveList::new();
        movegen::noisy(position, &mut moves);
        for mv in moves.into_iter().map(|scored| scored.mv) {
            if !position.is_legal(mv) || mv.is_promotion() && !mv.promotes_to_queen() {
                continue;
            }
            let child = position.play(mv);
            self.captures += u64::from(position.captured(mv).is_some());
            self.promotions += u64::from(mv.is_promotion());
            self.checks += u64::from(child.in_check());
            self.quiesce(&child, plies - 1);
        }
    }
}

pub(super) fn qperft(position: &Position, depth: usize, stopped: Stopped) -> String {
    let counts = QPerft::count(position, depth, QUIESCENCE_PLIES, stopped);
    let nodes = counts.regular_nodes + counts.quiescence_nodes;
    format!(
        "regular nodes: {}\nquiescence nodes: {}\ncaptures: {}\npromotions: {}\nchecks: {}\n\
         share of quiescence: {:.1} %",
        counts.regular_nodes,
        counts.quiescence_nodes,
        counts.captures,
        counts.promotions,
        counts.checks,
        100.0 * counts.quiescence_nodes as f64 / nodes as f64
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_hand() {
        // 1. exd5 and then one recapture by the queen; or a king move.
        let position = Position::from_fen("3qk3/8/8/3p4/4P3/8/8/4K3 w - - 0 1").unwrap();
        let counts = QPerft::count(&position, 0, 3, &|| false);
        let expected = QPerft {
            regular_nodes: 0,
            quiescence_nodes: 3,
            captures: 2,
            promotions: 0,
            checks: 0,
        };
        assert_eq!(counts, expected);
        assert_eq!(
            QPerft::count(&position, 1, 0, &|| false).quiescence_nodes,
            perft::perft(&position, 1)
        );
        assert_eq!(
            QPerft::count(&position, 2, 2, &|| false).regular_nodes,
            1 + perft::perft(&position, 1)
        );
    }

    #[test]
    fn bounded_where_captures_abound() {
        let fen = "r1n1n1b1/1P1P1P1P/1N1N1N2/2RnQrRq/2pKp3/3BNQbQ/k7/4Bq2 w - - 0 1";
        let position = Position::from_fen(fen).unwrap();
        // 74 captures, of which 21 promote to something other than a queen.
        assert_eq!(QPerft::count(&position, 0, 1, &|| false).captures, 53);
        assert!(QPerft::count(&position, 0, 3, &|| false).quiescence_nodes < 60_000);
    }
}
