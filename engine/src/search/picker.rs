//! Giving out the moves of a node one by one, the most promising first, and
//! generating and scoring them only when their turn comes.
//!
//! All orders are stable, so that the same search visits the same nodes on
//! every machine.

use super::history::Line;
use super::{Counter, Node, Search};
use crate::board::{CheckSquares, Kind, Move, Position, Role, Scored, Square, movegen};
use crate::params::QsMoves;

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

/// What a node wants moves for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    Main,
    Evasions,
    /// Captures that win at least so much by exchanges.
    ProbCut(i32),
    Quiescence {
        checks: bool,
    },
    /// Captures on one square.
    Recaptures(Square),
}

/// The moves of one node. They lie in the search's list of moves from `start`
/// on; whoever makes a picker cuts the list back when done with it.
pub(super) struct Picker<'p> {
    pub(super) start: usize,
    next: usize,
    /// Bad captures are gathered from `start` up to here.
    bad_end: usize,
    stage: Stage,
    purpose: Purpose,
    table_move: Move,
    refutations: [Move; 3],
    pub(super) line: Line<'p>,
    /// Quiet moves below this history keep the order they are generated in.
    sorted_from: i32,
    /// From now on, of the quiet moves only checks and advances of pawns far up
    /// the board: these may be worth more than they look.
    pub(super) only_forcing: bool,
    /// History of the quiet move given out last, if it was looked up to sort it.
    pub(super) history: Option<i32>,
}

impl Picker<'_> {
    /// Whether `mv` is given out as a killer or countermove.
    pub(super) fn is_refutation(&self, mv: Move) -> bool {
        self.refutations.contains(&mv)
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
            table_move: node.table_move,
            refutations: [Move::NONE; 3],
            line: Line::new(node.position, &self.frames[..node.ply]),
            sorted_from: i32::MIN,
            only_forcing: false,
            history: None,
        }
    }

    /// All moves of a node of the main search.
    pub(super) fn main_picker<'p>(&self, node: &Node<'p>) -> Picker<'p> {
        let purpose = match node.in_check {
            true => Purpose::Evasions,
            false => Purpose::Main,
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

    /// The next legal move; what the table holds of the position after it is
    /// on its way to the cache.
    pub(super) fn next_move(&mut self, picker: &mut Picker) -> Option<Move> {
        let mv = self.pick(picker)?;
        let key = picker.line.position.likely_key_after(mv);
        self.shared.table.prefetch(key);
        Some(mv)
    }

    fn pick(&mut self, picker: &mut Picker) -> Option<Move> {
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
                    picker.stage = match picker.purpose {
                        Purpose::Main => Stage::GoodNoisy,
                        _ => Stage::Rest,
                    };
                    match picker.purpose {
                        Purpose::Evasions => self.add_evasions(picker),
                        _ => self.add_noisy(picker),
                    }
                }
                Stage::GoodNoisy => match self.take(picker) {
                    Some(mv) if self.see(position, mv, self.params.good_capture_see) => {
                        return Some(mv);
                    }
                    Some(mv) => {
                        // Keep it for later, in the room of those given out.
                        self.moves[picker.bad_end].mv = mv;
                        picker.bad_end += 1;
                        self.stats.count(Counter::BadCaptures);
                    }
                    None => picker.stage = Stage::Refutation(0),
                },
                Stage::Refutation(3) => picker.stage = Stage::Quiet,
                Stage::Refutation(index) => {
                    picker.stage = Stage::Refutation(index + 1);
                    let mv = picker.refutations[index];
                    let wanted = mv != picker.table_move
                        && position.is_pseudo_legal(mv)
                        && !position.is_noisy(mv)
                        && position.is_legal(mv);
                    if wanted {
                        self.stats.count(match index {
                            2 => Counter::CounterMoves,
                            _ => Counter::KillerMoves,
                        });
                        return Some(mv);
                    }
                }
                Stage::Quiet => {
                    picker.next = self.moves.len();
                    movegen::quiet(position, &mut self.moves);
                    self.drop_unforcing(picker);
                    for Scored { mv, score } in &mut self.moves[picker.next..] {
                        *score = self.history.quiet(self.params, &picker.line, *mv);
                    }
                    sort(&mut self.moves[picker.next..], picker.sorted_from);
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
                Stage::Rest => match self.take(picker) {
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

    fn wants_table_move(&self, picker: &Picker) -> bool {
        let (position, mv, purpose) = (picker.line.position, picker.table_move, picker.purpose);
        position.is_pseudo_legal(mv)
            && (matches!(purpose, Purpose::Main | Purpose::Evasions)
                || position.is_noisy(mv) && self.wants(position, purpose, mv))
    }

    /// Whether a capture or promotion serves the purpose.
    fn wants(&self, position: &Position, purpose: Purpose, mv: Move) -> bool {
        match purpose {
            Purpose::Main | Purpose::Evasions => true,
            Purpose::ProbCut(threshold) => self.see(position, mv, threshold),
            Purpose::Quiescence { .. } => {
                self.params.qs_moves > QsMoves::Captures || position.captured(mv).is_some()
            }
            Purpose::Recaptures(square) => mv.to() == square,
        }
    }

    /// Adds captures and promotions by what is gained, less for squares up the
    /// board, and by history.
    fn add_noisy(&mut self, picker: &Picker) {
        let (params, position, purpose) = (self.params, picker.line.position, picker.purpose);
        let mut moves = std::mem::take(&mut self.moves);
        movegen::noisy(position, &mut moves);
        movegen::keep(&mut moves, picker.next, |mv| {
            // Quiescence never needs promotions to a rook or bishop.
            let needless = matches!(mv.kind(), Kind::Promotion(Role::Rook | Role::Bishop))
                && matches!(purpose, Purpose::Quiescence { .. });
            !needless && self.wants(position, purpose, mv)
        });
        for Scored { mv, score } in &mut moves[picker.next..] {
            let rank = mv.to().relative_rank(position.turn) as i32;
            *score = 2 * self.gain(position, *mv) - params.capture_rank_penalty * rank;
            if params.capture_history {
                *score += self.history.capture(position, *mv) / params.capture_history_div;
            }
        }
        sort(&mut moves[picker.next..], i32::MIN);
        self.moves = moves;
    }

    /// Adds evasions: captures first, by victim and then attacker.
    fn add_evasions(&mut self, picker: &Picker) {
        let position = picker.line.position;
        const CAPTURES: i32 = 1 << 28;
        let mut moves = std::mem::take(&mut self.moves);
        movegen::noisy(position, &mut moves);
        movegen::quiet(position, &mut moves);
        for Scored { mv, score } in &mut moves[picker.next..] {
            *score = if position.is_noisy(*mv) {
                let attacker = position.role_at(mv.from()).map_or(0, |role| role as i32);
                CAPTURES + self.gain(position, *mv) - attacker
            } else {
                self.history.quiet(self.params, &picker.line, *mv)
            };
        }
        sort(&mut moves[picker.next..], i32::MIN);
        self.moves = moves;
    }

    /// Drops the quiet moves to come that are not forcing, once that is wanted.
    fn drop_unforcing(&mut self, picker: &mut Picker) {
        let position = picker.line.position;
        if std::mem::take(&mut picker.only_forcing) {
            let checks = CheckSquares::new(position);
            movegen::keep(&mut self.moves, picker.next, |mv| {
                checks.gives_check(position, mv) || is_advance(position, mv)
            });
        }
    }
}

/// Whether a pawn moves on from the fifth rank or further.
pub(super) fn is_advance(position: &Position, mv: Move) -> bool {
    position.role_at(mv.from()) == Some(Role::Pawn) && mv.from().relative_rank(position.turn) > 3
}

/// Best first, those below `floor` in the order they have; stable, and quick
/// for lists as short as these.
fn sort(moves: &mut [Scored], floor: i32) {
    for i in 1..moves.len() {
        let scored = moves[i];
        let score = scored.score.max(floor);
        let mut hole = i;
        while hole > 0 && moves[hole - 1].score.max(floor) < score {
            moves[hole] = moves[hole - 1];
            hole -= 1;
        }
        moves[hole] = scored;
    }
}
