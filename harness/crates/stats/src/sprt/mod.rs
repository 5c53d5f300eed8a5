//! The sequential probability ratio test.

mod betting;
mod brownian;
mod config;
mod overshoot;
pub mod stopped;

pub use betting::{Betting, average_of_betting};
pub(crate) use brownian::Brownian;
pub use config::{SprtConfig, SprtError};
pub use overshoot::Overshoot;
pub use stopped::SprtEstimate;

use serde::Serialize;

use super::counts::{Pentanomial, Wdl};
use super::elo::score_of_elo;
use super::llr;
use super::model::Model;

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The strength is at most `elo0`.
    AcceptH0,
    /// The strength is at least `elo1`.
    AcceptH1,
}

/// The state of a test.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct SprtState {
    pub model: Model,
    pub elo0: f64,
    pub elo1: f64,
    pub llr: f64,
    /// The values of the LLR at which H0 and H1 are accepted.
    pub lower: f64,
    pub upper: f64,
    #[serde(skip)]
    pub decision: Option<Decision>,
}

/// A running test: absorbs pairs one by one.
#[derive(Debug, Clone)]
pub struct Sprt {
    config: SprtConfig,
    pairs: Pentanomial,
    games: Wdl,
    llr: f64,
    betting: Betting,
    overshoot: Overshoot,
    decision: Option<Decision>,
}

impl Sprt {
    /// A test without results.
    ///
    /// # Errors
    /// If the configuration is impossible, see [`SprtConfig::validate`].
    pub fn new(config: SprtConfig) -> Result<Self, SprtError> {
        config.validate()?;
        Ok(Self {
            config,
            pairs: Pentanomial::default(),
            games: Wdl::default(),
            llr: 0.0,
            betting: Betting::new([config.elo0, config.elo1].map(score_of_elo)),
            overshoot: Overshoot::default(),
            decision: None,
        })
    }

    /// The test's configuration.
    pub fn config(&self) -> &SprtConfig {
        &self.config
    }

    /// Takes the result of the next pair as the first engine's half points,
    /// 0 to 4. The Bayesian model counts a level pair as two draws; use
    /// [`Sprt::absorb_games`] for it.
    ///
    /// # Panics
    /// If `half_points` is over 4.
    pub fn absorb(&mut self, half_points: usize) {
        let games = match half_points {
            0 => [0, 0],
            1 => [0, 1],
            2 => [1, 1],
            3 => [1, 2],
            4 => [2, 2],
            _ => panic!("a pair has at most four half points, not {half_points}"),
        };
        self.absorb_games(games);
    }

    /// Takes the result of the next pair as the first engine's half points, 0
    /// to 2, in each game. The order of the games does not matter.
    ///
    /// # Panics
    /// If a game's half points are over 2.
    pub fn absorb_games(&mut self, half_points: [usize; 2]) {
        for game in half_points {
            self.games.add(game);
        }
        let points: usize = half_points.iter().sum();
        self.pairs.add(points);
        let SprtConfig { elo0, elo1, .. } = self.config;
        self.llr = match self.config.model {
            Model::Bayesian => llr::bayesian_of_pairs(&self.pairs, &self.games, elo0, elo1),
            Model::Betting => {
                self.betting.absorb(points as f64 / 4.0);
                self.betting.statistic(self.config.bounds())
            }
            model => llr::llr(model, self.pairs, elo0, elo1),
        };
        self.overshoot.update(self.llr);
        if self.decision.is_none() {
            self.decision = self.judge();
        }
    }

    /// The log-likelihood ratio of H1 against H0; of the betting model
    /// [`Betting::statistic`]. 0 before the first pair.
    pub fn llr(&self) -> f64 {
        self.llr
    }

    /// The values of the LLR at which H0 and H1 are accepted, with the
    /// overshoot correction if that is configured.
    pub fn bounds(&self) -> (f64, f64) {
        let (lower, upper) = self.config.bounds();
        if self.config.overshoot {
            (
                lower + self.overshoot.lower(),
                upper - self.overshoot.upper(),
            )
        } else {
            (lower, upper)
        }
    }

    /// The first decision reached; pairs absorbed after it do not change it.
    pub fn decision(&self) -> Option<Decision> {
        self.decision
    }

    /// The state of the test.
    pub fn state(&self) -> SprtState {
        let (lower, upper) = self.bounds();
        SprtState {
            model: self.config.model,
            elo0: self.config.elo0,
            elo1: self.config.elo1,
            llr: self.llr,
            lower,
            upper,
            decision: self.decision,
        }
    }

    /// The median-unbiased estimate of the strength and its interval, which
    /// allow for the stopping rule; `None` before the first pair.
    pub fn estimate(&self) -> Option<SprtEstimate> {
        stopped::estimate(&self.config, self.pairs.into(), Some(self.games))
    }

    /// The pairs so far.
    pub fn counts(&self) -> Pentanomial {
        self.pairs
    }

    /// The single games so far; exact only if [`Sprt::absorb_games`] was used.
    pub fn games(&self) -> Wdl {
        self.games
    }

    fn judge(&self) -> Option<Decision> {
        let (lower, upper) = self.bounds();
        if self.llr >= upper {
            Some(Decision::AcceptH1)
        } else if self.llr <= lower {
            Some(Decision::AcceptH0)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(model: Model) -> SprtConfig {
        SprtConfig {
            model,
            ..SprtConfig::default()
        }
    }

    #[test]
    fn strong_and_weak_engines_are_distinguished() {
        for model in Model::ALL {
            for (results, expected) in [
                ([3, 0, 4, 3], Decision::AcceptH1),
                ([1, 4, 0, 1], Decision::AcceptH0),
            ] {
                let mut sprt = Sprt::new(config(model)).unwrap();
                for result in results.into_iter().cycle().take(4_000) {
                    sprt.absorb(result);
                }
                assert_eq!(sprt.decision(), Some(expected), "{model}");
            }
        }
    }

    #[test]
    fn a_decision_is_final() {
        let mut sprt = Sprt::new(config(Model::Logistic)).unwrap();
        (0..2_000).for_each(|_| sprt.absorb(3));
        assert_eq!(sprt.decision(), Some(Decision::AcceptH1));
        (0..8_000).for_each(|_| sprt.absorb(0));
        assert_eq!(sprt.decision(), Some(Decision::AcceptH1));
        assert!(sprt.llr() < -3.0);
    }

    #[test]
    fn incremental_value_is_that_of_the_counts() {
        let mut sprt = Sprt::new(config(Model::Normalized)).unwrap();
        for i in 0..300 {
            sprt.absorb([2, 1, 3, 2, 4, 0, 2][i % 7]);
        }
        let whole = llr::llr(Model::Normalized, sprt.counts(), 0.0, 5.0);
        assert!((sprt.llr() - whole).abs() < 1e-12);
        assert_eq!(sprt.counts().pairs(), 300);
    }
}
