//! How the evaluation is built of terms, so that one description of them is
//! added up in the search, explained by `eval`, and fitted by `examples/tune_eval`.

use super::tapered::Tapered;
use super::weights::Term;
use crate::board::Color;

/// Takes in what the evaluation finds in a position.
pub(super) trait Sink {
    /// `color` has the feature number `index` of `term` `count` times.
    fn add(&mut self, color: Color, term: Term, index: usize, count: i32);
}

/// What the features of a position add up to.
#[derive(Clone, Copy, Default)]
pub struct Sum {
    /// White's minus Black's.
    pub plain: Tapered,
    /// The danger that each side's king is in, White's first.
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

/// Danger costs its square: one attacker is harmless, four are deadly.
pub fn price_of_danger(danger: Tapered) -> Tapered {
    let square = |danger: i32| danger.clamp(0, DANGER_LIMIT).pow(2) / DANGER_DIVISOR;
    Tapered::new(square(danger.middlegame()), square(danger.endgame()))
}

/// Where the price of danger has the slope 2 centipawns.
pub const DANGER_DIVISOR: i32 = 512;
/// More than this is lost anyway, and its square would not fit.
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
    /// Which of the term's weights counts.
    pub index: usize,
    pub count: i32,
}

impl Feature {
    /// What it is worth to its owner; of danger, how much of it.
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

/// Declares the terms with their weights: an enum, and a table by term. Terms
/// behind `danger` add to what threatens their owner's king.
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

            /// Whether it adds to the danger of a king instead of being worth
            /// something by itself.
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
