//! Preset hypotheses and budgets of sequential tests.

use clap::ValueEnum;

use toml_edit::Value;

use super::{Draft, Level};
use hone_stats::Model;

/// Preset hypotheses and budget of a sequential test (`--profile`), in normalized
/// Elo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// Is it stronger? nElo 0 against 5.
    Gain,
    /// Is it not weaker? nElo -5 against 0.
    NonRegression,
    /// Can this code be removed? nElo -1.75 against 0.25, as fishtest asks of
    /// simplifications; needs 80,000 pairs and more.
    Simplification,
    /// Is it much stronger? nElo 0 against 10 at 10,000 nodes per move, at most
    /// 5,000 pairs; same result on any machine.
    Quick,
}

const QUICK_NODES: &str = "nodes=10000";

impl Profile {
    /// The budget: about three times the expected pairs of a test whose true strength is
    /// midway between the hypotheses. That of `Quick` keeps the test short.
    fn pairs(self) -> i64 {
        match self {
            Self::Gain | Self::NonRegression => 60_000,
            Self::Simplification => 400_000,
            Self::Quick => 5_000,
        }
    }

    fn bounds(self) -> (f64, f64) {
        match self {
            Self::Gain => (0.0, 5.0),
            Self::NonRegression => (-5.0, 0.0),
            Self::Simplification => (-1.75, 0.25),
            Self::Quick => (0.0, 10.0),
        }
    }

    #[cfg_attr(not(test), expect(clippy::expect_used, reason = "its own variants"))]
    /// Replaces the hypotheses of the file by its own, in normalized Elo.
    pub fn apply(self, draft: &mut Draft) {
        let name = self.to_possible_value().expect("no profile is skipped");
        let source = format!("--profile {}", name.get_name());
        let mut set = |key: &str, value: Value| {
            draft.set(Level::Profile, &["sprt", key], value, &source);
        };
        let (elo0, elo1) = self.bounds();
        set("elo0", elo0.into());
        set("elo1", elo1.into());
        set("model", Model::Normalized.to_string().into());
        let is_quick = self == Self::Quick;
        let keeps_own = |own: i64| !is_quick || own <= self.pairs();
        if !draft.number(&["sprt", "max_pairs"]).is_some_and(keeps_own) {
            draft.set(
                Level::Profile,
                &["sprt", "max_pairs"],
                self.pairs(),
                &source,
            );
        }
        if is_quick {
            draft.set_limit(Level::Profile, QUICK_NODES, &source);
        }
    }
}
