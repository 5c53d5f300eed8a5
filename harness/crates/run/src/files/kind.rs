//! The kinds of runs, and what other modules ask about a kind. Every answer lists all
//! kinds, so that a new one does not compile until it is decided.

use serde::{Deserialize, Serialize};

/// A kind of run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Match,
    Sprt,
    Tune,
    Bisect,
}

impl Kind {
    /// Every kind, the most common first.
    pub const ALL: [Self; 4] = [Self::Sprt, Self::Match, Self::Tune, Self::Bisect];

    /// As commands and JSON name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Match => "match",
            Self::Sprt => "sprt",
            Self::Tune => "tune",
            Self::Bisect => "bisect",
        }
    }

    /// The noun for a run of it in a sentence, after "a".
    pub fn noun(self) -> &'static str {
        match self {
            Self::Match => "match",
            Self::Sprt => "test",
            Self::Tune => "tuning",
            Self::Bisect => "bisection",
        }
    }

    /// Whether the players of every pair are configured. Otherwise they depend on the results
    /// of earlier pairs: the run cannot be played in shards or pooled, and a fleet cannot scale
    /// its clocks.
    pub fn has_fixed_players(self) -> bool {
        match self {
            Self::Match | Self::Sprt => true,
            Self::Tune | Self::Bisect => false,
        }
    }

    /// Whether the whole run is one sequential test, with an LLR and a verdict, which a shard
    /// does not have.
    pub fn is_sequential_test(self) -> bool {
        match self {
            Self::Sprt => true,
            Self::Match | Self::Tune | Self::Bisect => false,
        }
    }

    /// Whether one engine plays itself with different values of its options.
    pub(crate) fn has_one_engine(self) -> bool {
        match self {
            Self::Tune => true,
            Self::Match | Self::Sprt | Self::Bisect => false,
        }
    }

    /// Whether it has values as its result, which a test can verify.
    pub fn has_tuned_values(self) -> bool {
        match self {
            Self::Tune => true,
            Self::Match | Self::Sprt | Self::Bisect => false,
        }
    }

    /// Whether its engines are the commits of a history, of which the first and the last are
    /// configured.
    pub fn is_over_history(self) -> bool {
        match self {
            Self::Bisect => true,
            Self::Match | Self::Sprt | Self::Tune => false,
        }
    }

    /// Whether a run plays all its pairs, regardless of their results.
    pub fn has_fixed_length(self) -> bool {
        match self {
            Self::Match | Self::Tune => true,
            Self::Sprt | Self::Bisect => false,
        }
    }

    /// Whether a run with a verdict leaves nothing to resume. A tuning may still lack the
    /// test that verifies its values.
    pub fn ends_with_verdict(self) -> bool {
        match self {
            Self::Match | Self::Sprt | Self::Bisect => true,
            Self::Tune => false,
        }
    }
}
