//! How the evaluation is built of terms, so that one description of them is
//! added up in the search, explained by `eval`, and fitted by `examples/tune_eval`.

use super::tapered::Tapered;
use super::weights::Term;
use crate::board::{Color, Square};

/// Takes in what the evaluation finds in a position.
pub(super) trait Sink {
    /// `color` has the feature number `index` of `term` `count` times.
    fn add(&mut self, color: Color, term: Term, index: usize, count: i32);
}

/// Adds up the weights, White's minus Black's.
impl Sink for Tapered {
    #[inline(always)]
    fn add(&mut self, color: Color, term: Term, index: usize, count: i32) {
        let value = term.weights()[index] * count;
        match color {
            Color::White => *self += value,
            Color::Black => *self -= value,
        }
    }
}

/// A feature of a position.
#[derive(Clone, Copy)]
pub struct Feature {
    pub color: Color,
    pub term: Term,
    /// Which of the term's weights counts.
    pub index: usize,
    pub count: i32,
}

impl Feature {
    /// What it is worth to its owner.
    pub fn value(&self) -> Tapered {
        self.term.weights()[self.index] * self.count
    }
}

/// Notes every feature by itself.
impl Sink for Vec<Feature> {
    fn add(&mut self, color: Color, term: Term, index: usize, count: i32) {
        self.push(Feature {
            color,
            term,
            index,
            count,
        });
    }
}

/// Index of a square, as its owner sees it, on a board whose right half is
/// folded onto the left: four files from the edge to the centre, by rank.
pub(super) const fn half_board(square: Square) -> usize {
    let file = square.file();
    square.rank() * 4 + if file < 4 { file } else { 7 - file }
}

/// Declares the terms with their weights: an enum, and a table by term.
macro_rules! terms {
    ($($name:ident: $length:literal = [$($weight:expr),* $(,)?];)*) => {
        /// A term of the evaluation; each has one or more weights.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Term { $($name,)* }

        impl Term {
            pub const ALL: &[Term] = &[$(Term::$name,)*];

            #[inline(always)]
            pub const fn weights(self) -> &'static [Tapered] {
                match self {
                    $(Term::$name => {
                        static WEIGHTS: [Tapered; $length] = [$($weight,)*];
                        &WEIGHTS
                    })*
                }
            }
        }
    };
}

pub(super) use terms;
