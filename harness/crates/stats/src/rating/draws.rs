//! The share of drawn games between equal players.
//!
//! Davidson's model: the draw's probability is a constant times the geometric
//! mean of those of a win and a loss. With the expected score given this
//! leaves one constant to find.

use std::f64::consts::LN_10;

use super::fit::Fit;
use super::games::Games;
use crate::bisection::bisect;

/// The share of draws between equals at which as many draws are expected as
/// there were. `None` without comparable games.
pub(super) fn between_equals(games: &Games, fit: &Fit, pools: &[usize], scale: f64) -> Option<f64> {
    let mut scores = Vec::new();
    let (mut draws, mut total) = (0, 0);
    for unit in games.units() {
        for game in unit
            .each()
            .filter(|game| pools[game.white] == pools[game.black])
        {
            let difference =
                fit.ratings[game.white] - fit.ratings[game.black] + fit.white_advantage;
            let score = 1.0 / (1.0 + (-difference * LN_10 / scale).exp());
            scores.push((score, unit.count as f64));
            total += unit.count;
            draws += unit.count * u64::from(game.half_points == 1);
        }
    }
    if total == 0 {
        return None;
    }
    let expected = |ratio: f64| -> f64 {
        scores
            .iter()
            .map(|(score, count)| count * draw_probability(*score, ratio))
            .sum()
    };
    let (low, high) = bisect((0.0, 1.0), 60, |ratio| expected(ratio) < draws as f64);
    Some(0.5 * (low + high))
}

/// The probability of a draw at an expected `score` (0 to 1), if it is `ratio`
/// between equals.
fn draw_probability(score: f64, ratio: f64) -> f64 {
    let balance = 4.0 * score * (1.0 - score);
    if ratio >= 1.0 {
        return 2.0 * score.min(1.0 - score);
    }
    // D^2 = k (p - D/2) (1 - p - D/2) with k = (2 ratio / (1 - ratio))^2,
    // solved so that nothing cancels.
    let k = (2.0 * ratio / (1.0 - ratio)).powi(2);
    let root = (k * k / 4.0 + k * balance * (1.0 - k / 4.0))
        .max(0.0)
        .sqrt();
    let denominator = k / 2.0 + root;
    if denominator > 0.0 {
        k * balance / 2.0 / denominator
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_follow_the_model() {
        for ratio in [0.1, 0.38, 0.5, 0.9] {
            assert!((draw_probability(0.5, ratio) - ratio).abs() < 1e-12);
            let k = (2.0 * ratio / (1.0 - ratio)).powi(2);
            for score in [0.1, 0.75] {
                let draw = draw_probability(score, ratio);
                let (win, loss) = (score - draw / 2.0, 1.0 - score - draw / 2.0);
                assert!(win > 0.0 && loss > 0.0);
                assert!((draw * draw - k * win * loss).abs() < 1e-12);
            }
        }
    }
}
