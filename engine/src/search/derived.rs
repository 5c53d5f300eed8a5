//! Values computed from the parameters.

use crate::board::see;
use crate::params::Params;

/// Recomputed whenever a parameter changes.
pub struct Derived {
    /// Reductions in hundredths of a ply, by depth and move number up to 63.
    reductions: Box<[[i16; 64]; 64]>,
    pub exchange: see::Values,
}

impl Derived {
    pub fn new(params: &Params) -> Derived {
        let mut reductions = Box::new([[0; 64]; 64]);
        let (base, div) = (f64::from(params.lmr_base), f64::from(params.lmr_div));
        for (depth, row) in reductions.iter_mut().enumerate().skip(1) {
            for (number, hundredths) in row.iter_mut().enumerate().skip(1) {
                let product = (depth as f64).ln() * (number as f64).ln();
                *hundredths = (base + 10_000.0 * product / div) as i16;
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

    /// Reduction of a late move, in hundredths of a ply.
    pub fn reduction(&self, depth: i32, number: usize) -> i32 {
        i32::from(self.reductions[depth.clamp(0, 63) as usize][number.min(63)])
    }
}
