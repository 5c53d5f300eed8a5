//! The scales of a sequential test.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The scale of the bounds and the statistic of the test.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Normalized Elo: the number of games needed depends on the bounds only,
    /// not on the draw ratio.
    #[default]
    Normalized,
    /// Logistic Elo: the expected score.
    Logistic,
    /// BayesElo: the draw Elo is estimated from the games.
    Bayesian,
    /// Logistic Elo, tested by betting: error rates hold at every sample size
    /// without any approximation.
    Betting,
}

impl Model {
    /// All models.
    pub const ALL: [Model; 4] = [
        Model::Normalized,
        Model::Logistic,
        Model::Bayesian,
        Model::Betting,
    ];

    /// The name in configuration files, on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Model::Normalized => "normalized",
            Model::Logistic => "logistic",
            Model::Bayesian => "bayesian",
            Model::Betting => "betting",
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
