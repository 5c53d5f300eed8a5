//! The search: iterative deepening over principal variation search, which
//! ends in quiescence.

pub mod history;
pub mod limits;
mod node;
mod quiescence;
pub mod score;
pub mod table;

use crate::board::{Color, Move};
use crate::board::{MoveList, Position, Role, movegen, see};
use crate::params::Params;
use history::History;
use limits::{Clock, Limits};
use score::{INFINITE, MAX_PLY};
use std::time::Duration;
use table::Table;

/// What one iteration found.
pub struct Report<'a> {
    pub depth: i32,
    pub seldepth: usize,
    pub multipv: usize,
    pub score: i32,
    pub nodes: u64,
    pub elapsed: Duration,
    pub hashfull: usize,
    pub pv: &'a [Move],
}

/// Whoever wants to know how the search goes.
pub trait Observer {
    fn report(&mut self, report: &Report);
    /// Called now and then.
    fn tick(&mut self) {}
}

/// Nobody wants to know.
pub struct Silent;

impl Observer for Silent {
    fn report(&mut self, _report: &Report) {}
}

/// A game so far: the position, and the keys of all positions up to it.
#[derive(Clone)]
pub struct Game {
    pub position: Position,
    pub keys: Vec<u64>,
}

impl Game {
    pub fn new(position: Position) -> Game {
        let keys = vec![position.key()];
        Game { position, keys }
    }

    pub fn play(&mut self, mv: Move) {
        self.position = self.position.play(mv);
        self.keys.push(self.position.key());
    }
}

/// Values computed from the parameters, renewed when one changes.
pub struct Derived {
    /// Plies of reduction by depth and move number, each up to 63.
    reductions: Box<[[i16; 64]; 64]>,
    exchange: see::Values,
}

impl Derived {
    pub fn new(params: &Params) -> Derived {
        let mut reductions = Box::new([[0; 64]; 64]);
        let (base, div) = (f64::from(params.lmr_base), f64::from(params.lmr_div));
        for (depth, row) in reductions.iter_mut().enumerate().skip(1) {
            for (number, plies) in row.iter_mut().enumerate().skip(1) {
                let product = (depth as f64).ln() * (number as f64).ln();
                *plies = (base / 100.0 + product * 100.0 / div) as i16;
            }
        }
        Derived {
            reductions,
            exchange: [
                params.see_pawn,
                params.see_knight,
                params.see_bishop,
                params.see_rook,
                params.see_queen,
                0,
            ],
        }
    }

    fn reduction(&self, depth: i32, number: usize) -> i32 {
        i32::from(self.reductions[depth.clamp(0, 63) as usize][number.min(63)])
    }

    pub fn exchange(&self) -> &see::Values {
        &self.exchange
    }
}

/// What the search keeps of each ply of the current line.
#[derive(Clone, Copy)]
struct Frame {
    killers: [Move; 2],
    eval: i32,
}

impl Frame {
    const NEW: Frame = Frame {
        killers: [Move::NONE; 2],
        eval: 0,
    };
}

/// One search by one thread.
pub struct Search<'a> {
    params: &'a Params,
    derived: &'a Derived,
    table: &'a Table,
    clock: &'a Clock<'a>,
    history: &'a mut History,
    observer: &'a mut dyn Observer,
    root_moves: Vec<Move>,
    keys: Vec<u64>,
    root_keys: usize,
    frames: Vec<Frame>,
    pvs: Vec<Vec<Move>>,
    moves: MoveList,
    nodes: u64,
    seldepth: usize,
    stopped: bool,
}

/// The answer to `go`.
pub struct Outcome {
    /// [`Move::NONE`] if there is no legal move.
    pub best: Move,
    pub score: i32,
    pub nodes: u64,
    pub depth: i32,
}

/// Nodes between two looks at the clock.
const CLOCK_NODES: u64 = 1024;

impl<'a> Search<'a> {
    pub fn new(
        params: &'a Params,
        derived: &'a Derived,
        table: &'a Table,
        clock: &'a Clock<'a>,
        history: &'a mut History,
        observer: &'a mut dyn Observer,
    ) -> Search<'a> {
        Search {
            params,
            derived,
            table,
            clock,
            history,
            observer,
            root_moves: Vec::new(),
            keys: Vec::new(),
            root_keys: 0,
            frames: vec![Frame::NEW; MAX_PLY + 4],
            pvs: vec![Vec::new(); MAX_PLY + 2],
            moves: MoveList::with_capacity(4096),
            nodes: 0,
            seldepth: 0,
            stopped: false,
        }
    }

    pub fn run(mut self, game: &Game, limits: &Limits) -> Outcome {
        self.root_moves = movegen::legal_moves(&game.position);
        if !limits.search_moves.is_empty() {
            self.root_moves
                .retain(|mv| limits.search_moves.contains(mv));
        }
        self.keys = game.keys.clone();
        self.root_keys = self.keys.len();
        let mut outcome = Outcome {
            best: self.root_moves.first().copied().unwrap_or(Move::NONE),
            score: 0,
            nodes: 0,
            depth: 0,
        };
        if outcome.best.is_some() {
            self.deepen(game, limits, &mut outcome);
        } else {
            outcome.score = match game.position.in_check() {
                true => score::mated_in(0),
                false => score::DRAW,
            };
        }
        while limits.infinite && !self.clock.is_ordered() {
            self.observer.tick();
            std::thread::sleep(Duration::from_millis(1));
        }
        outcome.nodes = self.nodes;
        outcome
    }

    fn deepen(&mut self, game: &Game, limits: &Limits, outcome: &mut Outcome) {
        let max_depth = limits
            .depth
            .unwrap_or(i32::MAX)
            .clamp(1, MAX_PLY as i32 - 1);
        for depth in 1..=max_depth {
            self.seldepth = 0;
            let score = self.node::<true>(&game.position, 0, depth, -INFINITE, INFINITE);
            if let Some(&best) = self.pvs[0].first() {
                outcome.best = best;
            }
            if self.stopped {
                break;
            }
            (outcome.score, outcome.depth) = (score, depth);
            self.observer.report(&Report {
                depth,
                seldepth: self.seldepth,
                multipv: 1,
                score,
                nodes: self.nodes,
                elapsed: self.clock.elapsed(),
                hashfull: self.table.hashfull(),
                pv: &self.pvs[0],
            });
            let mated = limits.mate.is_some_and(|moves| {
                score::moves_to_mate(score).is_some_and(|found| (1..=moves).contains(&found))
            });
            let forced = self.root_moves.len() == 1 && limits.time != [None, None];
            if mated || forced || self.clock.is_late(1.0) {
                break;
            }
        }
    }

    /// Counts a node if there is one left to search; else stops the search.
    fn enter_node(&mut self, ply: usize) -> bool {
        if self.nodes >= self.clock.nodes() {
            self.stopped = true;
        } else if self.nodes.is_multiple_of(CLOCK_NODES) && self.nodes > 0 {
            self.observer.tick();
            self.stopped |= self.clock.is_over();
        }
        if self.stopped {
            return false;
        }
        self.nodes += 1;
        self.seldepth = self.seldepth.max(ply);
        true
    }

    /// Draws by rule, apart from stalemate. Mate on the move that completes
    /// fifty comes first.
    fn is_draw(&self, position: &Position) -> bool {
        if position.halfmoves() >= 100 {
            return !position.in_check() || !movegen::legal_moves(position).is_empty();
        }
        position.insufficient_material() || self.is_repetition(position)
    }

    /// Whether the position has been on the board before: once below the root,
    /// or twice in the game.
    fn is_repetition(&self, position: &Position) -> bool {
        let last = self.keys.len() - 1;
        let mut seen = 0;
        for back in (4..=position.reversible().min(last)).step_by(2) {
            if self.keys[last - back] == position.key() {
                seen += 1;
                if seen == 2 || last - back + 1 >= self.root_keys {
                    return true;
                }
            }
        }
        false
    }

    fn evaluate(&self, position: &Position) -> i32 {
        crate::eval::evaluate(position).clamp(1 - score::MATE_BOUND, score::MATE_BOUND - 1)
    }

    /// Puts `mv` and the line after it in the place of the line at `ply`.
    fn update_pv(&mut self, ply: usize, mv: Move) {
        let (head, tail) = self.pvs.split_at_mut(ply + 1);
        head[ply].clear();
        head[ply].push(mv);
        head[ply].extend_from_slice(&tail[0]);
    }

    /// Takes the best scored move of those from `next` on to its place.
    fn pick(&mut self, next: usize) -> Move {
        let mut best = next;
        for i in next + 1..self.moves.len() {
            if self.moves[i].score > self.moves[best].score {
                best = i;
            }
        }
        self.moves.swap(next, best);
        self.moves[next].mv
    }
}

/// Most valuable victim first, then least valuable attacker.
fn mvv_lva(position: &Position, mv: Move) -> i32 {
    let victim = position
        .captured(mv)
        .map_or(0, |role| 10 * (role as i32 + 1));
    let attacker = position.role_at(mv.from()).map_or(0, |role| role as i32);
    let promotion = 100 * i32::from(mv.promotes_to_queen());
    victim + promotion - attacker
}

/// Whether the side has a piece besides king and pawns: without, a null move
/// may be the best move there is.
fn has_pieces(position: &Position, color: Color) -> bool {
    position.has_pieces(color)
}

/// The value of what a move takes or promotes to.
fn gain(values: &see::Values, position: &Position, mv: Move) -> i32 {
    let captured = position.captured(mv).map_or(0, |role| values[role.index()]);
    let promoted = match mv.kind() {
        crate::board::Kind::Promotion(role) => values[role.index()] - values[Role::Pawn.index()],
        _ => 0,
    };
    captured + promoted
}
