//! How the evaluation is built of terms, so that one description of them is
//! added up in the search, explained by `eval`, and fitted by `examples/tune_eval`.

use super::tapered::Tapered;
use super::weights::Term;
use crate::board::{Color, Position, Square};

/// Takes in what the evaluation finds in a position.
pub(super) trait Sink {
    /// `color` has the feature number `index` of `term` `count` times.
    fn add(&mut self, color: Color, term: Term, index: usize, count: i32);
    /// Material and placement of all pieces.
    fn place(&mut self, position: &Position);
    /// Takes in the sum of terms found earlier.
    fn add_sum(&mut self, sum: Tapered);
}

/// Adds up the weights, White's minus Black's.
#[derive(Default)]
pub(super) struct Sum(pub(super) Tapered);

impl Sink for Sum {
    #[inline(always)]
    fn add(&mut self, color: Color, term: Term, index: usize, count: i32) {
        let value = term.weights()[index] * count;
        match color {
            Color::White => self.0 += value,
            Color::Black => self.0 -= value,
        }
    }

    fn place(&mut self, position: &Position) {
        self.0 += position.psqt();
    }

    fn add_sum(&mut self, sum: Tapered) {
        self.0 += sum;
    }
}

/// Notes every feature by itself.
#[derive(Default)]
pub(super) struct Features(pub(super) Vec<Feature>);

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

impl Sink for Features {
    fn add(&mut self, color: Color, term: Term, index: usize, count: i32) {
        self.0.push(Feature {
            color,
            term,
            index,
            count,
        });
    }

    fn place(&mut self, position: &Position) {
        for square in position.occupied() {
            if let (Some(color), Some(role)) = (position.color_at(square), position.role_at(square))
            {
                self.add(color, Term::Material, role.index(), 1);
                let index = role.index() * 32 + half_board(square.relative(color));
                self.add(color, Term::Placement, index, 1);
            }
        }
    }

    fn add_sum(&mut self, _sum: Tapered) {
        unreachable!("features are never added up beforehand");
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
    ($($name:ident: $length:literal = [$($weight:expr,)*];)*) => {
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
