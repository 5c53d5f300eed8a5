//! Steps 11 to 14: which moves of a node are searched, and to which depth.

use super::picker::is_advance;
use super::score::{INFINITE, MATE_BOUND, is_mate};
use super::table::Bound;
use super::{Counter, Node, Search};
use crate::board::{CheckSquares, Move, Position};

/// A move about to be searched.
struct Candidate {
    mv: Move,
    /// 1 for the first.
    number: usize,
    noisy: bool,
    gives_check: bool,
    /// Capture history, or the sum of the quiet histories.
    history: i32,
    refutation: bool,
}

impl Search<'_> {
    /// Step 11. Searches the moves in the order of the picker until one causes a cutoff;
    /// the results are in `node`.
    pub(super) fn search_moves<const PV: bool>(&mut self, node: &mut Node) {
        let (position, ply) = (node.position, node.ply);
        let checks = CheckSquares::new(position);
        let mut picker = self.main_picker(node);
        let start = self.tried.len();
        while let Some(mv) = self.next_move(&mut picker) {
            if mv == node.excluded || ply == 0 && !self.is_root_candidate(mv) {
                continue;
            }
            node.tried += 1;
            let noisy = position.is_noisy(mv);
            let candidate = Candidate {
                mv,
                number: node.tried,
                noisy,
                gives_check: checks.gives_check(position, mv),
                history: match picker.history {
                    Some(history) => history,
                    None if noisy => self.history.capture(self.params, position, mv),
                    None => self.history.quiet(self.params, &picker.line).score(mv),
                },
                refutation: picker.is_refutation(mv),
            };
            if ply > 0
                && node.best > -MATE_BOUND
                && node.alpha < MATE_BOUND
                && position.non_pawn_material(position.turn).any()
                && let Some(reason) = self.reason_to_skip(node, &candidate)
            {
                self.stats.count(reason);
                if matches!(reason, Counter::LateMovePrunes | Counter::FutilityPrunes) {
                    picker.only_forcing = true;
                }
                continue;
            }
            let Some(extension) = self.extension::<PV>(node, mv) else {
                node.multi_cut = true;
                break;
            };
            let nodes = self.nodes;
            let child = self.make(node, mv);
            self.frames[ply].extensions += extension.max(0);
            let score = self.search_child::<PV>(node, &candidate, &child, extension);
            self.keys.pop();
            if self.stopped {
                break;
            }
            if ply == 0 {
                self.record_root(node, mv, score, self.nodes - nodes);
            }
            if self.update_best::<PV>(node, mv, score) {
                self.learn(node, start);
                break;
            }
            self.tried.push((mv, noisy));
        }
        self.moves.truncate(picker.start);
        self.tried.truncate(start);
    }

    /// Step 12. Pruning of a move: its reason, or `None` if the move is searched.
    fn reason_to_skip(&self, node: &Node, candidate: &Candidate) -> Option<Counter> {
        let (params, position, mv, depth) = (self.params, node.position, candidate.mv, node.depth);
        if candidate.noisy || candidate.gives_check {
            // 12a (+70 Elo [20, 122]). SEE pruning of captures and checks (SeePruning,
            // SeePruningDepth, SeeCaptureMargin).
            let skip = params.see_pruning
                && depth <= params.see_pruning_depth
                && candidate.number > 1
                && !self.see(position, mv, -params.see_capture_margin * depth);
            return skip.then_some(Counter::SeePrunes);
        }
        let advance = is_advance(position, mv);
        // 12b (+38 Elo [3, 73]). Late move pruning (LateMovePruning, LmpDepth, LmpBase,
        // LmpSquare).
        if params.late_move_pruning && depth <= params.lmp_depth {
            let square = params.lmp_square * depth * depth / 100;
            let limit = params.lmp_base + if node.improving { square } else { square / 2 };
            if candidate.number as i32 >= limit && !advance {
                return Some(Counter::LateMovePrunes);
            }
        }
        let reduced = (depth - self.shared.derived.reduction(depth, candidate.number) / 100).max(1);
        // 12c (+35 Elo [2, 68]). Futility pruning (Futility, FutilityDepth, FutilityBase,
        // FutilityMargin): the evaluation is too far below alpha for a quiet move.
        if params.futility
            && reduced <= params.futility_depth
            && !node.in_check
            && !advance
            && node.eval + params.futility_base + params.futility_margin * reduced <= node.alpha
        {
            return Some(Counter::FutilityPrunes);
        }
        // 12d (+9 Elo [-15, 34]). History pruning (HistoryPruning, HistoryPruningDepth,
        // HistoryPruningMargin).
        if params.history_pruning
            && reduced <= params.history_pruning_depth
            && !candidate.refutation
            && !advance
            && candidate.history < -params.history_pruning_margin * depth
        {
            return Some(Counter::HistoryPrunes);
        }
        // 12e (with 12a). SEE pruning of quiet moves (SeePruning, SeeQuietMargin).
        let skip = params.see_pruning
            && reduced <= params.see_pruning_depth
            && !self.see(position, mv, -params.see_quiet_margin * reduced);
        skip.then_some(Counter::SeePrunes)
    }

    /// Step 13 (+33 Elo [1, 64]). Singular extension (SingularExtensions, SingularDepth,
    /// SingularTableDepth, SingularMargin, ExtensionLimit): the plies by which the table
    /// move is extended because all other moves are worse (DoubleExtensions, DoubleMargin),
    /// or reduced because they are not (NegativeExtensions). `None` if the others reach
    /// beta too, which is then the node's score (MultiCut).
    fn extension<const PV: bool>(&mut self, node: &mut Node, mv: Move) -> Option<i32> {
        let params = self.params;
        let Some(entry) = node.hit else {
            return Some(0);
        };
        let testable = params.singular_extensions
            && node.ply > 0
            && mv == node.table_move
            && node.depth >= params.singular_depth
            && !node.excluded.is_some()
            && node.extensions < params.extension_limit
            && !is_mate(entry.score)
            && entry.depth >= node.depth - params.singular_table_depth
            && matches!(entry.bound, Bound::Lower | Bound::Exact);
        if !testable {
            return Some(0);
        }
        self.stats.count(Counter::SingularTests);
        let beta = entry.score - params.singular_margin * node.depth / 100;
        // Half of the remaining depth. The fraction is fixed; SingularMargin and
        // SingularDepth are the options to tune.
        let depth = (node.depth - 1) / 2;
        let (ply, frame) = (node.ply, self.frames[node.ply]);
        self.frames[ply].excluded = mv;
        let score = self.search::<false>(node.position, ply, depth, beta - 1, beta, node.cut);
        // The test has overwritten this frame.
        self.frames[ply] = frame;
        if self.stopped {
            return Some(0);
        }
        if score < beta {
            self.stats.count(Counter::SingularExtensions);
            let double = !PV
                && params.double_extensions
                && node.extensions + 2 <= params.extension_limit
                && score < beta - params.double_margin;
            self.stats.count_if(double, Counter::DoubleExtensions);
            return Some(1 + i32::from(double));
        }
        if params.multi_cut && beta >= node.beta {
            self.stats.count(Counter::MultiCuts);
            node.best = beta;
            return None;
        }
        if params.negative_extensions && entry.score >= node.beta {
            self.stats.count(Counter::NegativeExtensions);
            return Some(-1);
        }
        Some(0)
    }

    /// Step 14 (+210 Elo [107, 365]). Searches a move: late moves at reduced depth
    /// (LateMoveReductions, LmrDepth, LmrMoves), all but the first with a null window
    /// (PrincipalVariationSearch). A score above alpha is searched again at full depth, then
    /// with the open window.
    fn search_child<const PV: bool>(
        &mut self,
        node: &Node,
        candidate: &Candidate,
        child: &Position,
        extension: i32,
    ) -> i32 {
        let (params, ply, alpha) = (self.params, node.ply, node.alpha);
        let depth = node.depth - 1 + extension;
        let mut score = -INFINITE;
        // Plain alpha-beta searches every move with the full window.
        let first = candidate.number == 1 || !params.principal_variation_search;
        let mut full = !PV || !first;
        let reducible = params.late_move_reductions
            && node.depth >= params.lmr_depth
            && candidate.number > params.lmr_moves as usize + usize::from(PV);
        if reducible {
            let reduced = (depth - self.reduction::<PV>(node, candidate)).clamp(1, depth.max(1));
            if reduced < depth {
                self.stats.count(Counter::Reductions);
                score = -self.search::<false>(child, ply + 1, reduced, -alpha - 1, -alpha, true);
                full = score > alpha && !self.stopped;
                self.stats.count_if(full, Counter::ReductionResearches);
                if !full {
                    return score;
                }
            }
        }
        if full {
            score = -self.search::<false>(child, ply + 1, depth, -alpha - 1, -alpha, !node.cut);
        }
        if PV && (first || score > alpha) && !self.stopped {
            score = -self.search::<true>(child, ply + 1, depth, -node.beta, -alpha, false);
        }
        score
    }

    /// Reduction in plies: from depth and move number (LmrBase, LmrDiv), then adjusted to
    /// node and move (the other options named Lmr…).
    fn reduction<const PV: bool>(&self, node: &Node, candidate: &Candidate) -> i32 {
        let params = self.params;
        let mut hundredths = self.shared.derived.reduction(node.depth, candidate.number);
        if candidate.noisy {
            hundredths -= params.lmr_noisy + 100 * candidate.history / params.lmr_capture_div;
        } else {
            hundredths -= 100 * candidate.history / params.lmr_history_div;
        }
        let terms = [
            (PV, -params.lmr_pv),
            (node.cut, params.lmr_cut_node),
            (!node.improving, params.lmr_not_improving),
            (candidate.gives_check, -params.lmr_check),
            (candidate.refutation, -params.lmr_killer),
        ];
        for (applies, plies) in terms {
            hundredths += i32::from(applies) * plies;
        }
        hundredths / 100
    }
}
