//! Ready questions for a sequential test.

use clap::ValueEnum;

use super::Config;

/// A ready question, in normalized Elo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    /// Is it stronger? Elo 0 against 5.
    Gain,
    /// Is it not weaker? Elo -5 against 0.
    NonRegression,
    /// Can this code be removed? Elo -1.75 against 0.25, as fishtest asks of
    /// simplifications; needs many games.
    Simplification,
    /// Is it much stronger? Elo 0 against 10 at 10,000 nodes a move, at most
    /// 5,000 pairs; same result on any machine.
    Quick,
}

const QUICK_NODES: &str = "nodes=10000";
const QUICK_PAIRS: u64 = 5000;

impl Profile {
    fn bounds(self) -> (f64, f64) {
        match self {
            Self::Gain => (0.0, 5.0),
            Self::NonRegression => (-5.0, 0.0),
            Self::Simplification => (-1.75, 0.25),
            Self::Quick => (0.0, 10.0),
        }
    }

    /// Asks this question in place of the configuration's own.
    pub(crate) fn apply(self, config: &mut Config) {
        let sprt = config.sprt.get_or_insert_default();
        (sprt.elo0, sprt.elo1) = self.bounds();
        if self == Self::Quick {
            sprt.max_pairs = sprt.max_pairs.min(QUICK_PAIRS);
            config.set_limit(QUICK_NODES.parse().expect("a limit"));
        }
    }
}
