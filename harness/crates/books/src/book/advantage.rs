//! The effect of White's advantage on a book's worth, by the logistic model of
//! wins, draws and losses (P. V. Rao and L. L. Kupper, *Ties in
//! paired-comparison experiments*, JASA 62, 1967; the model of BayesElo): with
//! the advantage `a` and the draw margin `m`, both in units of the logistic
//! function σ, White wins with probability σ(a - m) and Black with σ(-a - m).
//!
//! An engine that is stronger by `e` units plays one game of a pair with White's advantage
//! `a + e` and one with `a - e`. The signal of a pair is the derivative of its mean with
//! respect to `e`; its noise is the standard deviation at `e = 0`. Normalized Elo measures
//! their ratio.

use serde::Serialize;

/// Maximum advantage, in logistic units: beyond it games are practically won.
const MOST: f64 = 12.0;

/// The openings of a book in the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AdvantageModel {
    /// White's advantage, in logistic units (one is 0.73 against 0.27).
    pub advantage: f64,
    /// Half the width of the interval of draws, in the same units.
    pub draw_margin: f64,
}

/// A comparison of these openings with others for the same engines.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Outlook {
    /// Share of games that would be drawn from level openings.
    pub level_draw_rate: f64,
    /// Sensitivity of these openings divided by that of level ones.
    pub relative_sensitivity: f64,
    /// Maximum sensitivity over all advantages, divided by that of level openings.
    pub best_relative_sensitivity: f64,
    /// Share of games that White would win at that advantage, and that would
    /// be drawn.
    pub best_white_rate: f64,
    pub best_draw_rate: f64,
}

impl AdvantageModel {
    /// The openings with these shares of games (0 to 1) won by White and by Black; `None` if
    /// wins of one colour or draws are missing.
    pub(crate) fn of(white: f64, black: f64) -> Option<Self> {
        if white <= 0.0 || black <= 0.0 || white + black >= 1.0 {
            return None;
        }
        let [white, black] = [white, black].map(|share| (share / (1.0 - share)).ln());
        Some(Self {
            advantage: (white - black) / 2.0,
            draw_margin: -(white + black) / 2.0,
        })
    }

    /// Shares of games that White and Black win.
    pub(crate) fn rates(self) -> [f64; 2] {
        [self.advantage, -self.advantage].map(|advantage| sigma(advantage - self.draw_margin))
    }

    /// Share of games that are drawn.
    pub(crate) fn draw_rate(self) -> f64 {
        1.0 - self.rates().iter().sum::<f64>()
    }

    /// Ratio of signal to noise of a game, for a difference of one logistic unit between the
    /// engines.
    pub(crate) fn sensitivity(self) -> f64 {
        let [white, black] = self.rates();
        let slope = (white * (1.0 - white) + black * (1.0 - black)) / 2.0;
        let variance = (white + black - (white - black).powi(2)) / 4.0;
        slope / variance.sqrt()
    }

    /// Compares these openings with others that differ only in White's advantage.
    pub(crate) fn outlook(self) -> Outlook {
        let with = |advantage| Self { advantage, ..self };
        let level = with(0.0);
        let best = (0..=1200)
            .map(|step| with(MOST * f64::from(step) / 1200.0))
            .max_by(|a, b| a.sensitivity().total_cmp(&b.sensitivity()))
            .expect("there are steps");
        Outlook {
            level_draw_rate: level.draw_rate(),
            relative_sensitivity: self.sensitivity() / level.sensitivity(),
            best_relative_sensitivity: best.sensitivity() / level.sensitivity(),
            best_white_rate: best.rates()[0],
            best_draw_rate: best.draw_rate(),
        }
    }
}

fn sigma(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_stats::Pentanomial;
    use hone_stats::elo::nelo;
    use proptest::prelude::*;

    /// Level openings with this share of draws.
    fn level(draws: f64) -> AdvantageModel {
        let won = (1.0 - draws) / 2.0;
        AdvantageModel::of(won, won).expect("all results occur")
    }

    /// Normalized Elo from the exact pair probabilities of engines that differ a little.
    fn counted(openings: AdvantageModel) -> f64 {
        const APART: f64 = 0.02;
        let shares = |advantage: f64| {
            let game = AdvantageModel {
                advantage,
                ..openings
            };
            let [white, black] = game.rates();
            [black, game.draw_rate(), white]
        };
        let as_white = shares(openings.advantage + APART);
        let mut as_black = shares(openings.advantage - APART);
        as_black.reverse();
        let mut counts = [0; 5];
        for (first, p) in as_white.into_iter().enumerate() {
            for (second, q) in as_black.into_iter().enumerate() {
                counts[first + second] += (p * q * 1e13) as u64;
            }
        }
        nelo(Pentanomial(counts)).expect("spread").estimate / APART
    }

    proptest! {
        #[test]
        fn openings_give_back_the_shares_they_were_made_of(
            white in 0.01..0.98f64, part in 0.01..0.99f64,
        ) {
            let black = (1.0 - white) * part;
            let openings = AdvantageModel::of(white, black).expect("all results occur");
            let [w, b] = openings.rates();
            prop_assert!((w - white).abs() < 1e-9 && (b - black).abs() < 1e-9);
        }

        #[test]
        fn sensitivity_is_normalized_elo(draws in 0.05..0.9f64, advantage in -3.0..3.0f64) {
            let openings = AdvantageModel { advantage, ..level(draws) };
            let ratio = counted(openings) / counted(level(draws));
            let expected = openings.sensitivity() / level(draws).sensitivity();
            prop_assert!((ratio / expected - 1.0).abs() < 1e-2, "{ratio} {expected}");
        }
    }

    #[test]
    fn an_advantage_pays_only_where_more_than_54_percent_are_drawn() {
        // The second derivative of the sensitivity at level openings is zero
        // where (1-2p)^2 - 2pq = (q/2)(1-2p-4pq), p a side's share of wins and
        // q = 1 - p: at p = 0.2312.
        for draws in [0.1, 0.3, 0.5, 0.53] {
            let outlook = level(draws).outlook();
            assert_eq!(outlook.best_relative_sensitivity, 1.0, "{draws}");
            assert!((outlook.level_draw_rate - draws).abs() < 1e-9);
        }
        for (draws, gain) in [(0.55, 1.0), (0.7, 1.07), (0.85, 1.38), (0.95, 2.0)] {
            let outlook = level(draws).outlook();
            let best = outlook.best_relative_sensitivity;
            assert!(best > gain && best < gain + 0.6, "{draws}: {best}");
            assert!(outlook.best_draw_rate < draws);
        }
    }

    #[test]
    fn nothing_is_said_of_one_sided_results() {
        assert_eq!(AdvantageModel::of(0.0, 0.2), None);
        assert_eq!(AdvantageModel::of(0.3, 0.0), None);
        assert_eq!(AdvantageModel::of(0.6, 0.4), None, "no draws");
    }
}
