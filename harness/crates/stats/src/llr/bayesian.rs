//! BayesElo: strength and the draw's width on one logistic scale.
//!
//! With draw Elo D and strength b the first engine wins with probability
//! 1 / (1 + 10^((D - b) / 400)) and loses with 1 / (1 + 10^((D + b) / 400)).

use super::super::counts::Wdl;
use super::super::elo::{elo_of_score, score_of_elo};
use super::super::sample::Sample;

/// A strength and a draw Elo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BayesElo {
    pub strength: f64,
    pub draw_elo: f64,
}

impl BayesElo {
    /// The probabilities of loss, draw and win.
    pub fn probabilities(&self) -> [f64; 3] {
        let win = score_of_elo(self.strength - self.draw_elo);
        let loss = score_of_elo(-self.strength - self.draw_elo);
        [loss, 1.0 - win - loss, win]
    }

    /// The parameters of probabilities of loss, draw and win, all positive.
    pub(crate) fn of_probabilities([loss, draw, win]: [f64; 3]) -> Self {
        // The sums are the complements, without their cancellation near one.
        let won = (win / (loss + draw)).log10();
        let lost = (loss / (win + draw)).log10();
        Self {
            strength: 200.0 * (won - lost),
            draw_elo: -200.0 * (won + lost),
        }
    }

    /// The difference on the plain logistic scale.
    pub fn logistic(&self) -> f64 {
        let win = score_of_elo(self.strength - self.draw_elo);
        let loss = score_of_elo(-self.strength - self.draw_elo);
        elo_of_score(0.5 * (1.0 + win - loss))
    }

    /// Logistic Elo per BayesElo near equality, 0 to 1.
    pub fn scale(&self) -> f64 {
        let x = 10f64.powf(-self.draw_elo / 400.0);
        4.0 * x / ((1.0 + x) * (1.0 + x))
    }
}

/// Bounds in BayesElo, converted to logistic Elo by the draw Elo of the games.
pub(crate) fn bayesian_bounds(games: &Wdl, elo0: f64, elo1: f64) -> (f64, f64) {
    bayesian_bounds_of(&Sample::games(games).probabilities, elo0, elo1)
}

/// The same by probabilities of loss, draw and win.
pub(crate) fn bayesian_bounds_of(game: &[f64; 3], elo0: f64, elo1: f64) -> (f64, f64) {
    let BayesElo { draw_elo, .. } = BayesElo::of_probabilities(*game);
    let logistic = |strength| BayesElo { strength, draw_elo }.logistic();
    (logistic(elo0), logistic(elo1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_and_probabilities_invert_each_other() {
        let elo = BayesElo {
            strength: 37.0,
            draw_elo: 250.0,
        };
        let back = BayesElo::of_probabilities(elo.probabilities());
        assert!((back.strength - 37.0).abs() < 1e-9 && (back.draw_elo - 250.0).abs() < 1e-9);
    }

    #[test]
    fn scale_is_the_slope_at_equality() {
        let logistic = |strength| {
            BayesElo {
                strength,
                draw_elo: 200.0,
            }
            .logistic()
        };
        let slope = (logistic(0.01) - logistic(-0.01)) / 0.02;
        let scale = BayesElo {
            strength: 0.0,
            draw_elo: 200.0,
        }
        .scale();
        assert!((slope - scale).abs() < 1e-6, "{slope} {scale}");
    }
}
