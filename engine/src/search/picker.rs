//! The staged move picker: returns the moves of a node one by one, most promising first.
//! Each stage generates and scores its moves only when it begins.
//!
//! All sorting is stable, so that the same search visits the same nodes on every machine.

use super::history::Line;
use super::table::NO_EVAL;
use super::{Counter, Node, Search};
use crate::board::{CheckSquares, Move, MoveKind, Position, Role, Square, movegen};
use crate::params::{CaptureOrder, QsMoves};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    TableMove,
    Noisy,
    GoodNoisy,
    /// By index: two killers and the countermove.
    Refutation(usize),
    Quiet,
    Quiets,
    BadNoisy,
    Checks,
    Rest,
}

/// The kind of search that the moves are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    Main,
    Evasions,
    /// Captures with at least this exchange value, in centipawns.
    ProbCut(i32),
    Quiescence {
        checks: bool,
    },
    /// Captures on this square.
    Recaptures(Square),
}

/// The moves of one node. They are in `Search::moves` from `start` on; the creator of a
/// picker truncates that list to `start` afterwards.
pub(super) struct Picker<'p> {
    pub(super) start: usize,
    pub(super) next: usize,
    /// Bad captures are kept from `start` up to this index.
    bad_end: usize,
    stage: Stage,
    pub(super) purpose: Purpose,
    pub(super) order: CaptureOrder,
    /// Whether quiet evasions are ordered by their histories.
    pub(super) quiet_history: bool,
    /// In quiescence: minimum exchange value of a move, in centipawns.
    pub(super) see_threshold: i32,
    table_move: Move,
    pub(super) refutations: [Move; 3],
    pub(super) line: Line<'p>,
    /// Quiet moves with a history below this value are left in the order of generation.
    pub(super) sorted_from: i32,
    /// Set when quiet moves are pruned: only checks and advances of far pawns follow.
    pub(super) only_forcing: bool,
    /// History of the last quiet move, if sorting has computed it.
    pub(super) history: Option<i32>,
}

impl Picker<'_> {
    /// Whether `mv` is one of the killers or the countermove.
    pub(super) fn is_refutation(&self, mv: Move) -> bool {
        self.refutations.contains(&mv)
    }

    /// Whether its quiet moves are checks (not evasions, not all quiet moves).
    pub(super) fn gives_checks(&self) -> bool {
        matches!(self.purpose, Purpose::Quiescence { .. })
    }
}

impl Search<'_> {
    pub(super) fn picker<'p>(&self, node: &Node<'p>, purpose: Purpose) -> Picker<'p> {
        let start = self.moves.len();
        Picker {
            start,
            next: start,
            bad_end: start,
            stage: Stage::TableMove,
            purpose,
            order: self.params.capture_order,
            quiet_history: true,
            see_threshold: 0,
            table_move: node.table_move,
            refutations: [Move::NONE; 3],
            line: Line::new(node.position, &self.frames[..node.ply]),
            sorted_from: i32::MIN,
            only_forcing: false,
            history: None,
        }
    }

    /// The moves of a quiescence node: their order (QsOrder) and the exchange value that they
    /// must reach (QsSeeThreshold, QsSeeToAlpha, QsSeeToAlphaMargin).
    pub(super) fn quiescence_picker<'p>(&self, node: &Node<'p>, purpose: Purpose) -> Picker<'p> {
        let params = self.params;
        let mut picker = self.picker(node, purpose);
        picker.order = params.qs_order;
        picker.quiet_history = params.qs_order == CaptureOrder::History;
        picker.see_threshold = params.qs_see_threshold;
        if params.qs_see_to_alpha && node.eval != NO_EVAL {
            let to_alpha = node.alpha - node.eval - params.qs_see_to_alpha_margin;
            picker.see_threshold = picker.see_threshold.max(to_alpha);
        }
        picker
    }

    /// The moves of a node of the main search.
    pub(super) fn main_picker<'p>(&self, node: &Node<'p>) -> Picker<'p> {
        let purpose = if node.in_check {
            Purpose::Evasions
        } else {
            Purpose::Main
        };
        let mut picker = self.picker(node, purpose);
        if node.depth < self.params.quiet_sort_depth {
            picker.sorted_from = 0;
        }
        if self.params.killers {
            [picker.refutations[0], picker.refutations[1]] = self.frames[node.ply].killers;
        }
        if self.params.counter_moves {
            let counter = self.history.counter(picker.line.last());
            if !picker.refutations.contains(&counter) {
                picker.refutations[2] = counter;
            }
        }
        picker
    }

    /// The next legal move. Prefetches the table entry of the position after it.
    pub(super) fn next_move(&mut self, picker: &mut Picker) -> Option<Move> {
        let mv = self.find_next(picker)?;
        let key = picker.line.position.likely_key_after(mv);
        self.shared.table.prefetch(key);
        Some(mv)
    }

    fn find_next(&mut self, picker: &mut Picker) -> Option<Move> {
        let position = picker.line.position;
        picker.history = None;
        loop {
            match picker.stage {
                Stage::TableMove => {
                    picker.stage = Stage::Noisy;
                    let mv = picker.table_move;
                    if self.wants_table_move(picker) && position.is_legal(mv) {
                        return Some(mv);
                    }
                    picker.table_move = Move::NONE;
                }
                Stage::Noisy => {
                    picker.stage = Stage::Rest;
                    match picker.purpose {
                        Purpose::Evasions => self.add_evasions(picker),
                        Purpose::Main if self.params.staged_picker => {
                            picker.stage = Stage::GoodNoisy;
                            self.add_noisy(picker);
                        }
                        Purpose::Main => self.add_all(picker),
                        _ => self.add_noisy(picker),
                    }
                }
                Stage::GoodNoisy => match self.take(picker) {
                    Some(mv) if self.see(position, mv, self.params.good_capture_see) => {
                        return Some(mv);
                    }
                    Some(mv) => {
                        // Keep it for the last stage, in place of a move already returned.
                        self.moves[picker.bad_end].mv = mv;
                        picker.bad_end += 1;
                        self.stats.count(Counter::BadCaptures);
                    }
                    None => picker.stage = Stage::Refutation(0),
                },
                Stage::Refutation(3) => picker.stage = Stage::Quiet,
                Stage::Refutation(index) => {
                    picker.stage = Stage::Refutation(index + 1);
                    if let Some(mv) = self.refutation(picker, index) {
                        return Some(mv);
                    }
                }
                Stage::Quiet => {
                    picker.next = self.moves.len();
                    self.add_quiet(picker);
                    picker.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    self.drop_unforcing(picker);
                    match self.take(picker) {
                        Some(mv) if picker.is_refutation(mv) => {}
                        Some(mv) => {
                            picker.history = Some(self.moves[picker.next - 1].score);
                            return Some(mv);
                        }
                        None => {
                            picker.next = picker.start;
                            picker.stage = Stage::BadNoisy;
                        }
                    }
                }
                Stage::BadNoisy => {
                    let bad = self.moves[..picker.bad_end].get(picker.next)?;
                    picker.next += 1;
                    return Some(bad.mv);
                }
                Stage::Checks => {
                    picker.next = self.moves.len();
                    let checks = CheckSquares::new(position);
                    movegen::quiet(position, &mut self.moves);
                    let gives_check = |mv| checks.gives_check(position, mv);
                    movegen::keep(&mut self.moves, picker.next, gives_check);
                    picker.purpose = Purpose::Quiescence { checks: false };
                    picker.stage = Stage::Rest;
                }
                Stage::Rest => match self.take_forcing(picker) {
                    Some(mv) => return Some(mv),
                    None if picker.purpose == Purpose::Quiescence { checks: true } => {
                        picker.stage = Stage::Checks;
                    }
                    None => return None,
                },
            }
        }
    }

    /// The next legal move of the list other than the table move.
    fn take(&self, picker: &mut Picker) -> Option<Move> {
        while let Some(scored) = self.moves.get(picker.next) {
            picker.next += 1;
            if scored.mv != picker.table_move && picker.line.position.is_legal(scored.mv) {
                return Some(scored.mv);
            }
        }
        None
    }

    /// The next move of an unstaged list; only forcing ones once `only_forcing` is set.
    fn take_forcing(&mut self, picker: &mut Picker) -> Option<Move> {
        if picker.purpose == Purpose::Main {
            self.drop_unforcing(picker);
        }
        self.take(picker)
    }

    /// The killer or countermove at an index, if it is a legal quiet move here.
    pub(super) fn refutation(&mut self, picker: &Picker, index: usize) -> Option<Move> {
        let (position, mv) = (picker.line.position, picker.refutations[index]);
        let wanted = mv != picker.table_move
            && position.is_pseudo_legal(mv)
            && !position.is_noisy(mv)
            && position.is_legal(mv);
        let killer = Counter::KillerMoves;
        let counters = [killer, killer, Counter::CounterMoves];
        self.stats.count_if(wanted, counters[index]);
        wanted.then_some(mv)
    }

    fn wants_table_move(&self, picker: &Picker) -> bool {
        let (position, mv, purpose) = (picker.line.position, picker.table_move, picker.purpose);
        position.is_pseudo_legal(mv)
            && (matches!(purpose, Purpose::Main | Purpose::Evasions)
                || (position.is_noisy(mv) || self.is_wanted_promotion(purpose, mv))
                    && self.wants(position, purpose, mv))
    }

    /// Whether a quiet promotion is wanted in quiescence (QsKnightPromotions).
    fn is_wanted_promotion(&self, purpose: Purpose, mv: Move) -> bool {
        self.params.qs_knight_promotions
            && mv.kind() == MoveKind::Promotion(Role::Knight)
            && matches!(purpose, Purpose::Quiescence { .. })
    }

    /// Whether a capture or promotion is searched for this purpose.
    pub(super) fn wants(&self, position: &Position, purpose: Purpose, mv: Move) -> bool {
        match purpose {
            Purpose::Main | Purpose::Evasions => true,
            Purpose::ProbCut(threshold) => self.see(position, mv, threshold),
            Purpose::Quiescence { .. } => {
                self.params.qs_moves > QsMoves::Captures || position.captured(mv).is_some()
            }
            Purpose::Recaptures(square) => mv.to() == square,
        }
    }

    /// Once `only_forcing` is set: removes the remaining quiet moves that are not forcing.
    pub(super) fn drop_unforcing(&mut self, picker: &mut Picker) {
        let position = picker.line.position;
        if std::mem::take(&mut picker.only_forcing) {
            let checks = CheckSquares::new(position);
            movegen::keep(&mut self.moves, picker.next, |mv| {
                position.is_noisy(mv)
                    || checks.gives_check(position, mv)
                    || is_advance(position, mv)
            });
        }
    }
}

/// Whether a pawn moves from the fifth rank or beyond.
pub(super) fn is_advance(position: &Position, mv: Move) -> bool {
    position.role_at(mv.from()) == Some(Role::Pawn) && mv.from().relative_rank(position.turn) > 3
}
