//! Static evaluation in centipawns.
//!
//! # Layout
//!
//! * [`tapered`]: middlegame and endgame values in one word.
//! * [`terms`], [`weights`]: the terms of the evaluation and their weights.
//! * [`placement`]: material and piece-square values.
//! * [`pawns`], `mobility`, `pieces`, `threats`, `passed`, `king`: the features
//!   of a position.
//! * [`endgame`]: scale factors, drawn endgames, driving a king to the edge.
//! * [`network`]: a small neural network that corrects the sum of the terms.
//!
//! `lab terms` fits the weights of the terms to games, and then `lab network` those of the
//! network (`engine/lab`).

pub mod endgame;
mod king;
mod mobility;
pub mod network;
mod passed;
pub mod pawns;
mod pieces;
pub mod placement;
pub mod tapered;
pub mod terms;
mod threats;
pub mod weights;

use crate::board::{Bitboard, Color, Position};
use mobility::{Attacks, Side};
use network::accumulator::Accumulator;
use pawns::Structure;
use tapered::Tapered;
use terms::{Feature, Sink, Sum, price_of_danger};
use weights::Term;

/// Maximum distance from the root, in plies. Each has its sums of the network.
pub const MAX_PLY: usize = 120;

/// Evaluates positions. Its caches depend only on positions, so they never need to be
/// cleared.
#[derive(Default)]
pub struct Evaluator {
    accumulator: Accumulator,
    pawns: Cache<Structure>,
    found: Cache<Found>,
}

const ENTRIES: usize = 1 << 12;

/// A direct-mapped cache, by key.
pub(crate) struct Cache<T>(Vec<T>);

impl<T: Clone + Default> Default for Cache<T> {
    fn default() -> Cache<T> {
        Cache(vec![T::default(); ENTRIES])
    }
}

impl<T> Cache<T> {
    fn at(&mut self, key: u64) -> &mut T {
        &mut self.0[key as usize % ENTRIES]
    }
}

/// Cached evaluation of a placement of pieces, for either side to move: used again after a
/// null move and by transpositions. It fits one cache line.
#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct Found {
    pieces: u64,
    /// White's advantage by the terms, without the tempo.
    terms: Tapered,
    /// Correction by the network for each side to move; `None` until it is computed.
    corrections: [Option<i32>; 2],
}

impl Evaluator {
    /// Evaluation of a position `ply` plies from the root, in centipawns for the side to
    /// move: the sum of the terms and, with `network`, its correction.
    pub fn evaluate(&mut self, position: &Position, ply: usize, network: bool) -> i32 {
        let terms = self.terms(position);
        if !network {
            return terms;
        }
        let found = self.found.at(position.pieces_key());
        let correction = *found.corrections[position.turn.index()]
            .get_or_insert_with(|| self.accumulator.evaluate(position, ply));
        with_correction(position, terms, correction)
    }

    /// The evaluation by terms alone, which the network is trained to correct.
    pub fn terms(&mut self, position: &Position) -> i32 {
        let pieces = position.pieces_key();
        let found = self.found.at(pieces);
        if found.pieces != pieces {
            let structure = self.pawns.look_up(position);
            let (mut sum, passed) = (structure.total(), structure.passed);
            sum.plain += position.placement.total(position);
            assess(position, passed, &mut sum);
            let (terms, corrections) = (sum.total(), [None; 2]);
            *found = Found {
                pieces,
                terms,
                corrections,
            };
        }
        let mut sum = Sum::default();
        sum.add(position.turn, Term::Tempo, 0, 1);
        finish(position, found.terms + sum.plain)
    }

    /// Brings the accumulator up to date for a position, which makes the evaluation of its
    /// children cheaper.
    pub fn visit(&mut self, position: &Position, ply: usize) {
        self.accumulator.visit(position, ply);
    }
}

/// The sum of the terms and the network's correction, scaled down in endgames that cannot
/// be won. The terms are scaled before, too: the network is fitted to correct scaled terms.
fn with_correction(position: &Position, terms: i32, correction: i32) -> i32 {
    let value = terms + correction;
    let strong = if value > 0 {
        position.turn
    } else {
        !position.turn
    };
    value * endgame::winnable(position, strong) / 64
}

/// The evaluation term by term, and with `network` its correction.
pub fn explain(position: &Position, network: bool) -> String {
    let features = features(position);
    let row = |name: &str, [white, black, difference]: [String; 3]| {
        format!("{name:<18}{white:>16}{black:>16}{difference:>16}\n")
    };
    let show = |value: Tapered| format!("{} / {}", value.middlegame(), value.endgame());
    let mut sum = Sum::default();
    let mut out = row("mg/eg", ["White", "Black", "difference"].map(String::from));
    for &term in Term::ALL {
        let [white, black] = Color::BOTH.map(|color| {
            let of_side = |feature: &&Feature| feature.term == term && feature.color == color;
            let values = features.iter().filter(of_side).map(Feature::value);
            values.fold(Tapered::ZERO, Tapered::plus)
        });
        if term.is_danger() {
            sum.danger = [sum.danger[0] + white, sum.danger[1] + black];
        } else {
            sum.plain += white - black;
        }
        let values = [white, black, white - black].map(show);
        out += &row(&format!("{term:?}"), values);
    }
    let total = sum.total();
    let price = |danger| Tapered::ZERO - price_of_danger(danger);
    let [white, black] = sum.danger.map(price);
    let prices = [white, black, white - black].map(show);
    out += &row("price of danger", prices);
    let (mut score, scale) = (finish(position, total), endgame::scale(position, total));
    let phase = position.phase.min(tapered::FULL_PHASE);
    out += &format!("phase {phase} of 24, endgame scaled by {scale} of 64\n");
    if network {
        let correction = Accumulator::default().evaluate(position, 0);
        out += &format!("terms {score}, network {correction:+}\n");
        score = with_correction(position, score, correction);
    }
    out + &format!("{score} centipawns for the side to move")
}

/// The list of all features of a position.
pub fn features(position: &Position) -> Vec<Feature> {
    let mut features = Vec::new();
    placement::features(position, &mut features);
    let passed = pawns::assess(position, &mut features);
    for us in Color::BOTH {
        king::shelter(position, us, &mut features);
    }
    assess(position, passed, &mut features);
    features.add(position.turn, Term::Tempo, 0, 1);
    features
}

/// All terms except tempo, placement, pawn structure and shelter. The functions are inlined
/// once for each colour: with a constant colour they take a tenth fewer instructions.
fn assess(position: &Position, passed: [Bitboard; 2], sink: &mut impl Sink) {
    let mut white = Attacks::new(position, Color::White);
    let mut black = Attacks::new(position, Color::Black);
    mobility::mobility(position, Color::White, &mut white, &black, sink);
    mobility::mobility(position, Color::Black, &mut black, &white, sink);
    let side = |us, own, enemy| Side {
        position,
        us,
        own,
        enemy,
    };
    assess_side(&side(Color::White, &white, &black), passed[0], sink);
    assess_side(&side(Color::Black, &black, &white), passed[1], sink);
}

#[inline(always)]
fn assess_side(side: &Side, passed: Bitboard, sink: &mut impl Sink) {
    pieces::minors(side, sink);
    pieces::majors(side, sink);
    threats::threats(side, sink);
    threats::space(side, sink);
    passed::passed(side, passed, sink);
    king::safety(side, sink);
}

/// Converts White's sum into centipawns for the side to move.
fn finish(position: &Position, sum: Tapered) -> i32 {
    let scale = endgame::scale(position, sum);
    let mut score = sum.blend(position.phase, scale);
    if scale > 0 {
        score += endgame::mop_up(position);
    }
    match position.turn {
        Color::White => score,
        Color::Black => -score,
    }
}
