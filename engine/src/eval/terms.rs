//! Terms of the evaluation. One implementation of them is summed by the search, listed by
//! the command `eval`, and fitted by `lab terms`.

use super::tapered::Tapered;
use super::weights::Term;
use crate::board::Color;

/// Receives the features of a position.
pub(super) trait Sink {
    /// `color` has the feature number `index` of `term` `count` times.
    fn add(&mut self, color: Color, term: Term, index: usize, count: i32);
}

/// The sum of the features of a position.
#[derive(Clone, Copy, Default)]
pub struct Sum {
    /// White's terms minus Black's.
    pub plain: Tapered,
    /// Danger of each king, White's first.
    pub danger: [Tapered; 2],
}

impl Sum {
    pub fn plus(self, other: Sum) -> Sum {
        let [white, black] = self.danger;
        Sum {
            plain: self.plain + other.plain,
            danger: [white + other.danger[0], black + other.danger[1]],
        }
    }

    /// White's advantage.
    pub fn total(&self) -> Tapered {
        let [white, black] = self.danger.map(price_of_danger);
        self.plain - white + black
    }
}

/// The price of a danger grows with its square: one attacker is harmless, four are deadly.
pub fn price_of_danger(danger: Tapered) -> Tapered {
    let square = |danger: i32| danger.clamp(0, DANGER_LIMIT).pow(2) / DANGER_DIVISOR;
    Tapered::new(square(danger.middlegame()), square(danger.endgame()))
}

/// Danger at which the price grows by 2 centipawns per unit.
pub const DANGER_DIVISOR: i32 = 512;
/// Maximum danger: beyond it the game is lost anyway, and the square would not fit 16 bits.
pub const DANGER_LIMIT: i32 = 1500;

impl Sink for Sum {
    #[inline(always)]
    fn add(&mut self, color: Color, term: Term, index: usize, count: i32) {
        let value = term.weights()[index] * count;
        match color {
            _ if term.is_danger() => self.danger[color.index()] += value,
            Color::White => self.plain += value,
            Color::Black => self.plain -= value,
        }
    }
}

/// A feature of a position.
#[derive(Clone, Copy)]
pub struct Feature {
    pub color: Color,
    pub term: Term,
    /// Index of the term's weight.
    pub index: usize,
    pub count: i32,
}

impl Feature {
    /// Value for its owner; for a term of danger, the amount of danger.
    pub fn value(&self) -> Tapered {
        self.term.weights()[self.index] * self.count
    }
}

/// Collects every feature.
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

/// Declares the terms with their weights: an enum, and a table by term. Terms after
/// `danger` add to the danger of their owner's king.
macro_rules! terms {
    (
        plain { $($name:ident: $length:literal = [$($weight:expr),* $(,)?];)* }
        danger { $($danger:ident: $size:literal = [$($part:expr),* $(,)?];)* }
    ) => {
        /// A term of the evaluation; each has one or more weights.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Term { $($name,)* $($danger,)* }

        impl Term {
            pub const ALL: &[Term] = &[$(Term::$name,)* $(Term::$danger,)*];

            /// Whether it adds to the danger of a king instead of having a value of its own.
            #[inline(always)]
            pub const fn is_danger(self) -> bool {
                matches!(self, $(Term::$danger)|*)
            }

            #[inline(always)]
            pub const fn weights(self) -> &'static [Tapered] {
                match self {
                    $(Term::$name => {
                        static WEIGHTS: [Tapered; $length] = [$($weight,)*];
                        &WEIGHTS
                    })*
                    $(Term::$danger => {
                        static WEIGHTS: [Tapered; $size] = [$($part,)*];
                        &WEIGHTS
                    })*
                }
            }
        }
    };
}

pub(super) use terms;
