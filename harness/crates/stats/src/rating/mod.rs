//! Ratings of any number of players.
//!
//! The expected score of White is that of the logistic curve at the difference
//! of ratings plus White's advantage (Bradley and Terry; draws count half).
//! The most likely ratings are those at which every player's expected score is
//! the one scored. Their covariance is the sandwich estimate over pairs
//! (Liang and Zeger, Biometrika 73, 1986): the two games of a pair share an
//! opening, so a pair is one observation.
//! Draws are described apart, by their share between equals in Davidson's
//! model (JASA 65, 1970).

mod draws;
mod fit;
mod games;
mod links;
mod options;
mod pools;
mod support;

use serde::Serialize;

use super::elo::Estimate;
use super::normal::{self, Z95};
use super::summary::Interval;

pub use games::{Game, Games};
pub use options::{RatingError, RatingOptions};

use fit::Fit;

/// The rating of one player.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rating {
    pub name: String,
    /// `None` if the player cannot be compared with anyone, because it only won or
    /// only lost. The interval is relative to the anchors, or to the pool's mean
    /// if there are none.
    pub elo: Option<Estimate>,
    /// Where the interval of `elo` comes from; see [`Ratings::supported_by`].
    pub interval: Interval,
    /// Ratings of different pools cannot be compared.
    pub pool: usize,
    pub games: u64,
    /// Points, a draw being one half.
    pub points: f64,
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

/// The ratings of a set of games.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ratings {
    /// Best first within each pool.
    pub ratings: Vec<Rating>,
    /// White's advantage in Elo; the interval has no width if it was given.
    pub white_advantage: Estimate,
    /// Whether the games support the interval of `white_advantage`.
    pub white_advantage_supported: bool,
    /// Share of draws between equal players; `None` without games in a pool.
    pub draw_ratio: Option<f64>,
    /// `los[i][j]`: probability that player i is stronger than player j, in
    /// the order of `ratings`; `None` where they cannot be compared.
    pub los: Vec<Vec<Option<f64>>>,
    /// Number of pairs; all other games count as single games.
    pub pairs: u64,
    pub warnings: Vec<String>,
}

/// Rates all players.
///
/// # Errors
/// If `games` is empty, an anchor is unknown or given more than once, or the likelihood
/// has no maximum.
pub fn rate(games: &Games, options: &RatingOptions) -> Result<Ratings, RatingError> {
    let names = games.names();
    if games.units().is_empty() {
        return Err(RatingError::NoGames);
    }
    let anchors = anchor_ratings(games, options)?;
    let anchored: Vec<bool> = anchors.iter().map(Option::is_some).collect();
    let pools = pools::pools(games, &anchored);
    let fit = Fit::new(games, &pools, &anchors, options)?;
    let mut ratings: Vec<Rating> = tally(games);
    for (player, rating) in ratings.iter_mut().enumerate() {
        rating.pool = pools[player];
        rating.elo = fit.rated[player].then(|| {
            let margin = Z95 * fit.covariance[player][player].max(0.0).sqrt();
            Estimate::around(fit.ratings[player], margin)
        });
    }
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&a, &b| {
        let key = |player: usize| {
            (
                pools[player],
                std::cmp::Reverse(ratings[player].elo.is_some()),
            )
        };
        key(a)
            .cmp(&key(b))
            .then(fit.ratings[b].total_cmp(&fit.ratings[a]))
    });
    let los = order
        .iter()
        .map(|&i| order.iter().map(|&j| fit.los(i, j, &pools)).collect())
        .collect();
    let mut warnings = warnings(&ratings, &pools);
    warnings.extend(fit.warning.clone());
    Ok(Ratings {
        ratings: order
            .iter()
            .map(|&player| ratings[player].clone())
            .collect(),
        white_advantage: Estimate::around(
            fit.white_advantage,
            Z95 * fit.white_variance.max(0.0).sqrt(),
        ),
        white_advantage_supported: options.white_advantage.is_some()
            || (fit.warning.is_none() && fit::support_white_advantage(games, &pools)),
        draw_ratio: draws::between_equals(games, &fit, &pools, options.scale),
        los,
        pairs: games.pairs(),
        warnings,
    })
}

fn anchor_ratings(games: &Games, options: &RatingOptions) -> Result<Vec<Option<f64>>, RatingError> {
    let mut anchors = vec![None; games.names().len()];
    for (name, rating) in &options.anchors {
        let unknown = || RatingError::UnknownAnchor {
            name: name.clone(),
            players: games.names().join(", "),
        };
        let player = games.index_of(name).ok_or_else(unknown)?;
        if anchors[player].replace(*rating).is_some() {
            return Err(RatingError::RepeatedAnchor { name: name.clone() });
        }
    }
    Ok(anchors)
}

fn tally(games: &Games) -> Vec<Rating> {
    let mut ratings: Vec<Rating> = games
        .names()
        .iter()
        .map(|name| Rating {
            name: name.clone(),
            elo: None,
            interval: Interval::FixedLength,
            pool: 0,
            games: 0,
            points: 0.0,
            wins: 0,
            draws: 0,
            losses: 0,
        })
        .collect();
    for unit in games.units() {
        for game in unit.each() {
            let sides = [
                (game.white, game.half_points),
                (game.black, 2 - game.half_points),
            ];
            for (player, half_points) in sides {
                let rating = &mut ratings[player];
                rating.games += unit.count;
                rating.points += unit.count as f64 * half_points as f64 / 2.0;
                match half_points {
                    0 => rating.losses += unit.count,
                    1 => rating.draws += unit.count,
                    _ => rating.wins += unit.count,
                }
            }
        }
    }
    ratings
}

fn warnings(ratings: &[Rating], pools: &[usize]) -> Vec<String> {
    let mut warnings = Vec::new();
    for rating in ratings {
        let only = match (rating.wins, rating.losses) {
            (wins, _) if wins == rating.games => "wins",
            (_, losses) if losses == rating.games => "losses",
            _ => continue,
        };
        warnings.push(format!(
            "{} has only {only}: its rating has no limit",
            rating.name
        ));
    }
    let pool_count = pools.iter().max().map_or(0, |pool| pool + 1);
    if pool_count > 1 {
        warnings.push(format!(
            "the players fall into {pool_count} pools between which there are no games, or only \
             wins for one side: ratings of different pools cannot be compared"
        ));
    }
    warnings
}

impl Fit {
    fn los(&self, i: usize, j: usize, pools: &[usize]) -> Option<f64> {
        if i == j || pools[i] != pools[j] || !self.rated[i] || !self.rated[j] {
            return None;
        }
        let covariance = &self.covariance;
        let variance = covariance[i][i] + covariance[j][j] - 2.0 * covariance[i][j];
        // The difference of two anchors is given.
        (variance > 0.0).then(|| normal::cdf((self.ratings[i] - self.ratings[j]) / variance.sqrt()))
    }
}

#[cfg(test)]
mod tests;
