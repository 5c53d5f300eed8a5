//! A middlegame and an endgame value in one word.

use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

/// Two 16-bit centipawn values that are added and subtracted together.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tapered(i32);

/// The phase of the starting position.
pub const FULL_PHASE: i32 = 24;

impl Tapered {
    pub const ZERO: Tapered = Tapered(0);

    pub const fn new(middlegame: i32, endgame: i32) -> Tapered {
        Tapered((endgame << 16) + middlegame)
    }

    pub const fn middlegame(self) -> i32 {
        self.0 as i16 as i32
    }

    pub const fn endgame(self) -> i32 {
        // The low half borrows from the high one when it is negative.
        (self.0.wrapping_add(0x8000) >> 16) as i16 as i32
    }

    pub const fn plus(self, other: Tapered) -> Tapered {
        Tapered(self.0.wrapping_add(other.0))
    }

    pub const fn negated(self) -> Tapered {
        Tapered(self.0.wrapping_neg())
    }

    /// Interpolates between the two values by `phase` (0 to [`FULL_PHASE`], at most that),
    /// with the endgame value scaled by `scale` 64ths.
    pub fn blend(self, phase: i32, scale: i32) -> i32 {
        let phase = phase.min(FULL_PHASE);
        let endgame = self.endgame() * scale / 64;
        (self.middlegame() * phase + endgame * (FULL_PHASE - phase)) / FULL_PHASE
    }
}

impl Add for Tapered {
    type Output = Tapered;
    fn add(self, other: Tapered) -> Tapered {
        self.plus(other)
    }
}

impl AddAssign for Tapered {
    fn add_assign(&mut self, other: Tapered) {
        *self = *self + other;
    }
}

impl Sub for Tapered {
    type Output = Tapered;
    fn sub(self, other: Tapered) -> Tapered {
        Tapered(self.0.wrapping_sub(other.0))
    }
}

impl SubAssign for Tapered {
    fn sub_assign(&mut self, other: Tapered) {
        *self = *self - other;
    }
}

impl Mul<i32> for Tapered {
    type Output = Tapered;
    fn mul(self, factor: i32) -> Tapered {
        Tapered(self.0.wrapping_mul(factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_do_not_disturb_each_other() {
        for (mg, eg) in [(0, 0), (5, -7), (-5, 7), (-300, -300), (3000, -3000)] {
            for (mg2, eg2) in [(1, 1), (-40, 90), (400, -1)] {
                let sum = Tapered::new(mg, eg) + Tapered::new(mg2, eg2) * 3;
                assert_eq!(
                    (sum.middlegame(), sum.endgame()),
                    (mg + 3 * mg2, eg + 3 * eg2)
                );
                let less = Tapered::new(mg, eg) - Tapered::new(mg2, eg2);
                assert_eq!((less.middlegame(), less.endgame()), (mg - mg2, eg - eg2));
            }
        }
        assert_eq!(Tapered::new(100, 40).blend(24, 64), 100);
        assert_eq!(Tapered::new(100, 40).blend(0, 32), 20);
        assert_eq!(Tapered::new(100, 40).blend(30, 64), 100);
    }
}
