//! Giving out the moves of a node one by one, the most promising first, and
//! generating and scoring them only when their turn comes.
//!
//! All orders are stable, so that the same search visits the same nodes on
//! every machine.

use super::Search;
use super::history::Before;
use super::stats::Counter;
use crate::board::{CheckSquares, Move, Position, Role, Square, movegen};
use crate::params::QsMoves;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    TableMove,
    Noisy,
    GoodNoisy,
    Killer(usize),
    CounterMove,
    Quiet,
    Quiets,
    BadNoisy,
    Evasions,
    Checks,
    Rest,
    Done,
}

/// What a node wants moves for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Purpose {
    Main,
    Evasions,
    /// Moves that win at least so much by exchanges.
    ProbCut(i32),
    Quiescence,
    QuiescenceWithChecks,
    Recaptures(Square),
}

/// The moves of one node. They lie in the search's list of moves from `start`
/// on; whoever makes a picker cuts the list back when done with it.
pub(super) struct Picker {
    pub(super) start: usize,
    next: usize,
    /// Bad captures are gathered from `start` up to here.
    bad_end: usize,
    stage: Stage,
    purpose: Purpose,
    table_move: Move,
    refutations: [Move; 3],
    before: Before,
    depth: i32,
    only_forcing: bool,
    dropped: bool,
    /// History of the quiet move given out last, if it was looked up.
    history: Option<i32>,
}

impl Picker {
    fn new(start: usize, purpose: Purpose, table_move: Move, before: Before) -> Picker {
        Picker {
            start,
            next: start,
            bad_end: start,
            stage: Stage::TableMove,
            purpose,
            table_move,
            refutations: [Move::NONE; 3],
            before,
            depth: 0,
            only_forcing: false,
            dropped: false,
            history: None,
        }
    }

    /// From now on, of the quiet moves only checks and advances of pawns far up
    /// the board: these may be worth more than they look.
    pub(super) fn only_forcing(&mut self) {
        self.only_forcing = true;
    }

    /// History of the quiet move given out last, if it was looked up to sort it.
    pub(super) fn history(&self) -> Option<i32> {
        self.history
    }

    /// Whether `mv` is given out as a killer or countermove.
    pub(super) fn is_refutation(&self, mv: Move) -> bool {
        self.refutations.contains(&mv)
    }
}

impl Search<'_> {
    /// All moves of a node of the main search.
    pub(super) fn main_picker(
        &self,
        position: &Position,
        ply: usize,
        depth: i32,
        table_move: Move,
    ) -> Picker {
        let before = self.before(ply);
        let purpose = match position.in_check() {
            true => Purpose::Evasions,
            false => Purpose::Main,
        };
        let mut picker = Picker::new(self.moves.len(), purpose, table_move, before);
        picker.depth = depth;
        if self.params.killers {
            [picker.refutations[0], picker.refutations[1]] = self.frames[ply].killers;
        }
        if self.params.counter_moves {
            let counter = self.history.counter(before.last());
            if !picker.refutations.contains(&counter) {
                picker.refutations[2] = counter;
            }
        }
        picker
    }

    /// Captures that win at least `threshold` by exchanges.
    pub(super) fn prob_cut_picker(&self, ply: usize, threshold: i32, table_move: Move) -> Picker {
        let purpose = Purpose::ProbCut(threshold);
        Picker::new(self.moves.len(), purpose, table_move, self.before(ply))
    }

    /// The moves of a node of quiescence. `recapture` is the square that
    /// captures are confined to.
    pub(super) fn quiescence_picker(
        &self,
        ply: usize,
        evading: bool,
        checks: bool,
        recapture: Option<Square>,
        table_move: Move,
    ) -> Picker {
        let purpose = match recapture {
            _ if evading => Purpose::Evasions,
            Some(square) => Purpose::Recaptures(square),
            None if checks => Purpose::QuiescenceWithChecks,
            None => Purpose::Quiescence,
        };
        Picker::new(self.moves.len(), purpose, table_move, self.before(ply))
    }

    fn before(&self, ply: usize) -> Before {
        Before::new(&self.frames[..ply])
    }

    /// The next legal move.
    pub(super) fn next_move(&mut self, position: &Position, picker: &mut Picker) -> Option<Move> {
        picker.history = None;
        loop {
            match picker.stage {
                Stage::TableMove => {
                    picker.stage = match picker.purpose {
                        Purpose::Evasions => Stage::Evasions,
                        _ => Stage::Noisy,
                    };
                    let mv = picker.table_move;
                    if self.wants_table_move(position, picker) && position.is_legal(mv) {
                        return Some(mv);
                    }
                    picker.table_move = Move::NONE;
                }
                Stage::Noisy => {
                    movegen::noisy(position, &mut self.moves);
                    self.confine(position, picker);
                    self.score_noisy(position, picker);
                    insertion_sort(&mut self.moves[picker.next..]);
                    picker.stage = match picker.purpose {
                        Purpose::Main => Stage::GoodNoisy,
                        _ => Stage::Rest,
                    };
                }
                Stage::GoodNoisy => match self.take(position, picker) {
                    Some(mv) => {
                        let values = self.derived.exchange();
                        if position.see_at_least(mv, self.params.good_capture_see, values) {
                            return Some(mv);
                        }
                        // Keep it for later, in the room of those given out.
                        self.moves[picker.bad_end].mv = mv;
                        picker.bad_end += 1;
                        self.stats.count(Counter::BadCaptures);
                    }
                    None => picker.stage = Stage::Killer(0),
                },
                Stage::Killer(index) => {
                    picker.stage = match index {
                        0 => Stage::Killer(1),
                        _ => Stage::CounterMove,
                    };
                    if let Some(mv) = self.refutation(position, picker, index) {
                        self.stats.count(Counter::KillerMoves);
                        return Some(mv);
                    }
                }
                Stage::CounterMove => {
                    picker.stage = Stage::Quiet;
                    if let Some(mv) = self.refutation(position, picker, 2) {
                        self.stats.count(Counter::CounterMoves);
                        return Some(mv);
                    }
                }
                Stage::Quiet => {
                    picker.next = self.moves.len();
                    movegen::quiet(position, &mut self.moves);
                    if picker.only_forcing {
                        self.drop_others(position, picker);
                    }
                    self.score_quiets(position, picker);
                    self.sort_quiets(picker);
                    picker.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    if picker.only_forcing && !picker.dropped {
                        self.drop_others(position, picker);
                    }
                    if let Some(mv) = self.take(position, picker) {
                        if picker.is_refutation(mv) {
                            continue;
                        }
                        picker.history = Some(self.moves[picker.next - 1].score);
                        return Some(mv);
                    }
                    picker.next = picker.start;
                    picker.stage = Stage::BadNoisy;
                }
                Stage::BadNoisy => {
                    if picker.next == picker.bad_end {
                        picker.stage = Stage::Done;
                        continue;
                    }
                    picker.next += 1;
                    return Some(self.moves[picker.next - 1].mv);
                }
                Stage::Evasions => {
                    movegen::noisy(position, &mut self.moves);
                    movegen::quiet(position, &mut self.moves);
                    self.score_evasions(position, picker);
                    insertion_sort(&mut self.moves[picker.next..]);
                    picker.purpose = Purpose::Evasions;
                    picker.stage = Stage::Rest;
                }
                Stage::Checks => {
                    picker.next = self.moves.len();
                    let checks = CheckSquares::new(position);
                    movegen::quiet_checks(position, &checks, &mut self.moves);
                    picker.purpose = Purpose::Quiescence;
                    picker.stage = Stage::Rest;
                }
                Stage::Rest => match self.take(position, picker) {
                    Some(mv) => return Some(mv),
                    None if picker.purpose == Purpose::QuiescenceWithChecks => {
                        picker.stage = Stage::Checks;
                    }
                    None => picker.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }

    /// The next legal move of the list other than the table move.
    fn take(&self, position: &Position, picker: &mut Picker) -> Option<Move> {
        while let Some(scored) = self.moves.get(picker.next) {
            picker.next += 1;
            if scored.mv != picker.table_move && position.is_legal(scored.mv) {
                return Some(scored.mv);
            }
        }
        None
    }

    fn wants_table_move(&self, position: &Position, picker: &Picker) -> bool {
        let mv = picker.table_move;
        if !position.is_pseudo_legal(mv) {
            return false;
        }
        let noisy = position.is_noisy(mv);
        match picker.purpose {
            Purpose::Main | Purpose::Evasions => true,
            Purpose::ProbCut(threshold) => {
                noisy && position.see_at_least(mv, threshold, self.derived.exchange())
            }
            Purpose::Quiescence | Purpose::QuiescenceWithChecks => {
                noisy && self.wants_noisy(position, mv)
            }
            Purpose::Recaptures(square) => noisy && mv.to() == square,
        }
    }

    /// Whether quiescence looks at this capture or promotion.
    fn wants_noisy(&self, position: &Position, mv: Move) -> bool {
        self.params.qs_moves > QsMoves::Captures || position.captured(mv).is_some()
    }

    /// Leaves only the captures and promotions that the purpose allows.
    fn confine(&mut self, position: &Position, picker: &Picker) {
        let mut kept = picker.next;
        for i in picker.next..self.moves.len() {
            let mv = self.moves[i].mv;
            let keep = match picker.purpose {
                Purpose::Main | Purpose::Evasions => true,
                Purpose::ProbCut(threshold) => {
                    position.see_at_least(mv, threshold, self.derived.exchange())
                }
                Purpose::Quiescence | Purpose::QuiescenceWithChecks => {
                    // Promotions to a rook or bishop are never needed here.
                    self.wants_noisy(position, mv)
                        && !matches!(
                            mv.kind(),
                            crate::board::Kind::Promotion(Role::Rook | Role::Bishop)
                        )
                }
                Purpose::Recaptures(square) => mv.to() == square,
            };
            if keep {
                self.moves[kept] = self.moves[i];
                kept += 1;
            }
        }
        self.moves.truncate(kept);
    }

    /// Drops the quiet moves to come that are not forcing.
    fn drop_others(&mut self, position: &Position, picker: &mut Picker) {
        let checks = CheckSquares::new(position);
        let mut kept = picker.next;
        for i in picker.next..self.moves.len() {
            let mv = self.moves[i].mv;
            if checks.gives_check(position, mv) || is_advance(position, mv) {
                self.moves[kept] = self.moves[i];
                kept += 1;
            }
        }
        self.moves.truncate(kept);
        picker.dropped = true;
    }

    fn refutation(&self, position: &Position, picker: &Picker, index: usize) -> Option<Move> {
        let mv = picker.refutations[index];
        let wanted = mv != picker.table_move
            && position.is_pseudo_legal(mv)
            && !position.is_noisy(mv)
            && position.is_legal(mv);
        wanted.then_some(mv)
    }

    /// By what is gained, less for squares up the board, and by history.
    fn noisy_score(&self, position: &Position, mv: Move) -> i32 {
        let params = self.params;
        let gain = super::gain(self.derived.exchange(), position, mv);
        let rank = mv.to().relative_rank(position.turn()) as i32;
        let mut score = 2 * gain - params.capture_rank_penalty * rank;
        if params.capture_history {
            score += self.history.capture(position, mv) / params.capture_history_div;
        }
        score
    }

    fn score_noisy(&mut self, position: &Position, picker: &Picker) {
        for i in picker.next..self.moves.len() {
            self.moves[i].score = self.noisy_score(position, self.moves[i].mv);
        }
    }

    fn score_quiets(&mut self, position: &Position, picker: &Picker) {
        for i in picker.next..self.moves.len() {
            let mv = self.moves[i].mv;
            let score = self
                .history
                .quiet(self.params, position, mv, &picker.before);
            self.moves[i].score = score;
        }
    }

    /// Captures first, by victim and then attacker.
    fn score_evasions(&mut self, position: &Position, picker: &Picker) {
        const CAPTURES: i32 = 1 << 28;
        for i in picker.next..self.moves.len() {
            let mv = self.moves[i].mv;
            self.moves[i].score = if position.is_noisy(mv) {
                let attacker = position.role_at(mv.from()).map_or(0, |role| role as i32);
                CAPTURES + super::gain(self.derived.exchange(), position, mv) - attacker
            } else {
                self.history
                    .quiet(self.params, position, mv, &picker.before)
            };
        }
    }

    /// Sorts the quiet moves; at low depth only those with a good history,
    /// which come first, while the others keep their order.
    fn sort_quiets(&mut self, picker: &Picker) {
        let quiets = &mut self.moves[picker.next..];
        let mut sorted = quiets.len();
        if picker.depth < self.params.quiet_sort_depth {
            sorted = 0;
            for i in 0..quiets.len() {
                if quiets[i].score > 0 {
                    quiets[sorted..=i].rotate_right(1);
                    sorted += 1;
                }
            }
        }
        insertion_sort(&mut quiets[..sorted]);
    }
}

/// Whether a pawn moves on from the fifth rank or further.
pub(super) fn is_advance(position: &Position, mv: Move) -> bool {
    position.role_at(mv.from()) == Some(Role::Pawn) && mv.from().relative_rank(position.turn()) > 3
}

/// Best first; stable, and quick for lists as short as these.
fn insertion_sort(moves: &mut [crate::board::Scored]) {
    for i in 1..moves.len() {
        let scored = moves[i];
        let mut hole = i;
        while hole > 0 && moves[hole - 1].score < scored.score {
            moves[hole] = moves[hole - 1];
            hole -= 1;
        }
        moves[hole] = scored;
    }
}
