//! The root of the search: iterative deepening, aspiration windows, MultiPV, and when
//! to stop.

use super::score::{DRAW, INFINITE, MATE_BOUND, MAX_PLY, mated_in, moves_to_mate};
use super::table::Bound;
use super::{Counter, Node, Search, Stats};
use crate::board::{Move, movegen};
use crate::params::LastMove;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A line of the search, for an `info` line.
pub struct Report<'a> {
    pub depth: i32,
    pub seldepth: usize,
    /// 1 for the best line.
    pub multipv: usize,
    pub score: i32,
    /// Whether `score` is exact or a bound.
    pub bound: Bound,
    pub nodes: u64,
    pub elapsed: Duration,
    /// Thousandths.
    pub hashfull: usize,
    pub pv: &'a [Move],
    /// Material left, as in `Position::phase`.
    pub phase: i32,
}

/// Receives the progress of a search.
pub trait Observer: Send {
    fn report(&mut self, _report: &Report) {}
    /// Called every 1,024 nodes by the main thread, and every millisecond while an infinite
    /// search waits for `stop`.
    fn tick(&mut self) {}
}

/// Ignores all progress.
pub struct Silent;

impl Observer for Silent {}

/// A move at the root with the results of its search.
#[derive(Clone)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    score: i32,
    /// Bound of `score`; `None` if the move has not been searched in this iteration.
    bound: Bound,
    seldepth: usize,
    nodes: u64,
    pv: Vec<Move>,
}

/// The answer to `go`.
pub struct Outcome {
    /// [`Move::NONE`] if there is no legal move.
    pub best: Move,
    pub score: i32,
    pub stats: Stats,
}

/// How stable the best move and its score are over the iterations; time management
/// depends on it.
#[derive(Default)]
struct Stability {
    /// The best move of the last iteration and its score.
    last: Option<(Move, i32)>,
    /// Consecutive iterations with the same best move, at most TimeStabilityLimit.
    iterations: i32,
}

/// Fail highs and lows of an aspiration window, and the lines of an unfinished MultiPV
/// iteration, are reported only after this time, or if the search is stopped.
const REPORTS_AFTER: Duration = Duration::from_secs(3);

impl Search<'_> {
    /// Searches the root and reports the `lines` best lines.
    pub fn run(mut self, lines: usize) -> Outcome {
        let (position, limits) = (&self.shared.game.position, self.shared.limits);
        self.root_moves = movegen::legal_moves(position)
            .into_iter()
            .filter(|mv| limits.search_moves.is_empty() || limits.search_moves.contains(mv))
            .map(|mv| RootMove {
                mv,
                score: -INFINITE,
                bound: Bound::None,
                seldepth: 0,
                nodes: 0,
                pv: vec![mv],
            })
            .collect();
        if !self.root_moves.is_empty() {
            self.deepen(lines.min(self.root_moves.len()));
        }
        while limits.infinite && self.thread == 0 && !self.shared.clock.is_stop_requested() {
            self.observer.tick();
            std::thread::sleep(Duration::from_millis(1));
        }
        let (best, score) = match self.root_moves.first() {
            Some(root) => (root.mv, root.score),
            None if position.in_check() => (Move::NONE, mated_in(0)),
            None => (Move::NONE, DRAW),
        };
        self.outcome(best, score)
    }

    /// Runs only the quiescence search.
    pub fn run_quiescence(mut self, (alpha, beta): (i32, i32)) -> Outcome {
        let position = &self.shared.game.position;
        let score = match beta - alpha {
            1 => self.quiesce::<false>(position, 0, 0, alpha, beta),
            _ => self.quiesce::<true>(position, 0, 0, alpha, beta),
        };
        let best = self.pvs[0].first().copied().unwrap_or(Move::NONE);
        self.outcome(best, score)
    }

    fn outcome(self, best: Move, score: i32) -> Outcome {
        Outcome {
            best,
            score,
            stats: self.stats,
        }
    }

    /// Iterative deepening over the depths that LastMove allows, until time management ends
    /// it or the first such depth at or above the depth limit is done.
    fn deepen(&mut self, lines: usize) {
        let deepest = MAX_PLY as i32 - 1;
        let limit = self.shared.limits.depth;
        let max_depth = limit.map_or(deepest, |depth| depth.clamp(1, deepest));
        let (first, step) = match self.params.last_move {
            LastMove::Any => (1, 1),
            LastMove::Own => (1, 2),
            LastMove::Opponent => (2, 2),
        };
        let max_depth = first + (max_depth - first + step - 1) / step * step;
        let mut stability = Stability::default();
        let mut reported = 0;
        for depth in (first..=max_depth).step_by(step as usize) {
            let previous = self.root_moves.clone();
            for line in 0..lines {
                self.root_line = line;
                self.seldepth = 0;
                // Every other helper thread searches a ply deeper, so that they differ.
                let ahead = (self.thread % 2) as i32 * step;
                let of_line = |root: &&RootMove| root.mv == self.root_moves[line].mv;
                let last = previous.iter().find(of_line).expect("the same moves");
                self.aspire((depth + ahead).min(deepest), line, last.score);
                if self.stopped {
                    let done = line + usize::from(self.keep_proven(line, last));
                    // Report the unfinished iteration with its nodes.
                    if self.nodes > reported {
                        self.report_lines(lines, done, [depth, depth - step], &previous);
                    }
                    return;
                }
                self.root_moves[line..].sort_by_key(|root| -root.score);
                // A later line may score better than an earlier one.
                self.root_moves[..=line].sort_by_key(|root| -root.score);
                if line + 1 == lines || self.shared.clock.elapsed() >= REPORTS_AFTER {
                    self.report_lines(lines, line + 1, [depth, depth - step], &previous);
                    reported = self.nodes;
                }
            }
            if self.thread == 0 && self.should_stop(&mut stability) {
                return;
            }
        }
    }

    /// Puts the best move of a stopped line first. Returns whether its score is of this
    /// iteration. A score that does not exceed alpha, or a mated score while other moves are
    /// not searched, is not valid for the position: then the best line is `last`, that of the
    /// previous iteration.
    fn keep_proven(&mut self, line: usize, last: &RootMove) -> bool {
        self.root_moves[line..].sort_by_key(|root| -root.score);
        let best = &mut self.root_moves[line];
        match best.bound {
            Bound::Lower | Bound::Exact if best.score > -MATE_BOUND => return true,
            // The report has the later lines of the previous iteration.
            _ if line > 0 => {}
            Bound::None if best.score > -INFINITE => best.bound = Bound::Exact,
            _ if best.mv == last.mv && last.score > -INFINITE => *best = last.clone(),
            _ => {
                best.bound = Bound::Lower;
                return true;
            }
        }
        false
    }

    /// Searches one line with a narrow window around its `last` score and widens the window
    /// until the score lies within it (Aspiration, AspirationDepth, AspirationWindow,
    /// AspirationGrowth, AspirationLimit, AspirationReduction).
    fn aspire(&mut self, depth: i32, line: usize, last: i32) {
        let (params, position) = (self.params, &self.shared.game.position);
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut window = params.aspiration_window;
        if params.aspiration && depth >= params.aspiration_depth && last > -INFINITE {
            alpha = (last - window).max(-INFINITE);
            beta = (last + window).min(INFINITE);
        }
        let begin = |root: &mut RootMove| root.bound = Bound::None;
        self.root_moves[line..].iter_mut().for_each(begin);
        let mut reduction = 0;
        loop {
            let reduced = (depth - reduction).max(1);
            let score = self.search::<true>(position, 0, reduced, alpha, beta, false);
            if self.stopped || score > alpha && score < beta {
                return;
            }
            self.root_moves[line..].sort_by_key(|root| -root.score);
            self.stats.count(Counter::AspirationFails);
            if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (score - window).max(-INFINITE);
                reduction = 0;
            } else {
                beta = (score + window).min(INFINITE);
                reduction = (reduction + 1).min(params.aspiration_reduction);
            }
            if self.shared.clock.elapsed() >= REPORTS_AFTER {
                self.report(depth, line, &self.root_moves[line].clone());
            }
            window += window * params.aspiration_growth / 100 + 1;
            if window > params.aspiration_limit {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    pub(super) fn is_root_candidate(&self, mv: Move) -> bool {
        let candidates = &self.root_moves[self.root_line..];
        candidates.iter().any(|root| root.mv == mv)
    }

    /// Records the result of a root move. If it is not the best so far, its score is only an
    /// upper bound and must not be used for ordering.
    pub(super) fn record_root(&mut self, node: &Node, mv: Move, score: i32, nodes: u64) {
        let Some(root) = self.root_moves.iter_mut().find(|root| root.mv == mv) else {
            return;
        };
        root.nodes += nodes;
        root.bound = Bound::of(score, node.alpha, node.beta, true);
        if node.tried == 1 || root.bound != Bound::Upper {
            root.score = score;
            root.seldepth = self.seldepth;
            root.pv.truncate(1);
            root.pv.extend_from_slice(&self.pvs[1]);
        } else {
            root.score = -INFINITE;
        }
    }

    /// Reports `lines` lines: the first `done` are of this iteration, the others those of the
    /// `previous` one without the moves that now stand before them. `depths` are those of the two
    /// iterations.
    fn report_lines(&mut self, lines: usize, done: usize, depths: [i32; 2], previous: &[RootMove]) {
        let best = self.root_moves[..done.max(1)].to_vec();
        let is_new = |root: &&RootMove| best.iter().all(|other| other.mv != root.mv);
        let others = previous.iter().filter(is_new);
        for (line, root) in best.iter().chain(others).take(lines).enumerate() {
            self.report(depths[usize::from(line >= done)], line, root);
        }
    }

    /// Reports one line. Only the first is reported even if it has no score yet.
    fn report(&mut self, depth: i32, line: usize, root: &RootMove) {
        if self.thread > 0 || line > 0 && root.score == -INFINITE {
            return;
        }
        self.observer.report(&Report {
            depth,
            seldepth: root.seldepth,
            multipv: line + 1,
            score: Some(root.score).filter(|&s| s > -INFINITE).unwrap_or(DRAW),
            bound: root.bound,
            nodes: self.nodes + self.shared.helper_nodes.load(Ordering::Relaxed),
            elapsed: self.shared.clock.elapsed(),
            hashfull: self.shared.table.hashfull(),
            pv: &root.pv,
            phase: self.shared.game.position.phase,
        });
    }

    /// Whether to stop after this iteration: the mate that was asked for is found, the only
    /// legal move is searched, or the soft time is used up.
    fn should_stop(&self, stability: &mut Stability) -> bool {
        let best = &self.root_moves[0];
        if let (Some(wanted), Some(found)) = (self.shared.limits.mate, moves_to_mate(best.score))
            && (1..=wanted).contains(&found)
        {
            return true;
        }
        let clock = &self.shared.clock;
        clock.is_timed()
            && (self.root_moves.len() == 1 || clock.is_late(self.time_factor(best, stability)))
    }

    /// Factor of the soft time: below 1 when the best move is stable (TimeStability) and
    /// takes most of the nodes (TimeNodes), above 1 when the score drops (TimeDrop).
    fn time_factor(&self, best: &RootMove, stability: &mut Stability) -> f64 {
        let params = self.params;
        let (last, score) = stability.last.unwrap_or((Move::NONE, best.score));
        let drop = (score - best.score).clamp(0, params.time_drop_limit);
        stability.iterations = i32::from(last == best.mv)
            * (stability.iterations + 1).min(params.time_stability_limit);
        stability.last = Some((best.mv, best.score));
        let share = f64::from(stability.iterations) / f64::from(params.time_stability_limit);
        let stable = 1.0 + f64::from(params.time_stability) / 100.0 * (0.5 - 1.5 * share);
        let dropped = 1.0 + f64::from(drop * params.time_drop) / 10_000.0;
        let others = 1.0 - best.nodes as f64 / self.nodes.max(1) as f64;
        let base = f64::from(params.time_nodes_base) / 100.0;
        let nodes = base + f64::from(params.time_nodes) / 100.0 * (others - 0.1);
        stable * dropped * nodes.clamp(0.4, 2.0)
    }
}
