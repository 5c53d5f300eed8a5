//! The most likely ratings and their covariance.

use std::f64::consts::LN_10;

use super::games::{Game, Games, Unit};
use super::{RatingError, RatingOptions};
use crate::cholesky::Cholesky;
use crate::counts::Pentanomial;
use crate::sample::REGULARIZATION;
use crate::summary::is_enough;

/// Ratings in Elo, by player.
pub(super) struct Fit {
    pub(super) ratings: Vec<f64>,
    /// Whether a player can be compared with any other, or is an anchor.
    pub(super) rated: Vec<bool>,
    /// Covariance of the ratings, relative to the anchors or to the pool's mean.
    pub(super) covariance: Matrix,
    pub(super) white_advantage: f64,
    pub(super) white_variance: f64,
    pub(super) warning: Option<String>,
}

/// A square matrix by rows.
type Matrix = Vec<Vec<f64>>;

/// A pivot below this share of its diagonal element is only rounding error.
const SINGULAR: f64 = 1e-12;

fn zeros(n: usize) -> Matrix {
    vec![vec![0.0; n]; n]
}

/// `None` if the matrix is singular.
fn factored(matrix: &Matrix) -> Option<Cholesky> {
    Cholesky::new(matrix.concat(), matrix.len(), SINGULAR)
}

/// Rows of the right factor that stay in the cache while all rows of the product take them.
const BLOCK: usize = 32;

fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    let mut product = zeros(a.len());
    for (block, others) in b.chunks(BLOCK).enumerate() {
        for (sums, row) in product.iter_mut().zip(a) {
            for (&factor, other) in row[block * BLOCK..].iter().zip(others) {
                // Most players of a large tournament have not met.
                if factor != 0.0 {
                    let terms = sums.iter_mut().zip(other);
                    terms.for_each(|(sum, x)| *sum += factor * x);
                }
            }
        }
    }
    product
}

/// Replaces the covariance of ratings by that of their differences from the mean of the
/// ratings of `pool`, for its members.
fn centre(covariance: &mut Matrix, pool: &[usize]) {
    let size = pool.len() as f64;
    for row in covariance.iter_mut() {
        let mean = pool.iter().map(|&member| row[member]).sum::<f64>() / size;
        pool.iter().for_each(|&member| row[member] -= mean);
    }
    let mut mean = vec![0.0; covariance.len()];
    for &member in pool {
        let terms = mean.iter_mut().zip(&covariance[member]);
        terms.for_each(|(sum, x)| *sum += x / size);
    }
    for &member in pool {
        let row = covariance[member].iter_mut().zip(&mean);
        row.for_each(|(x, mean)| *x -= mean);
    }
}

/// Newton's method converges in about six steps; the likelihood is concave.
const MAX_STEPS: usize = 200;
/// Longest step of Newton's method in logits (2 are about 350 Elo).
const LONGEST_STEP: f64 = 2.0;
/// Converged if no step is longer, in logits: less than a millionth of an Elo point, and more
/// than the rounding error of ratings of many thousands.
const CONVERGED: f64 = 1e-9;

/// The parameters of the fit. A player without one has a fixed rating: an anchor,
/// or the reference of a pool.
struct Parameters {
    of_player: Vec<Option<usize>>,
    white: Option<usize>,
    count: usize,
}

impl Fit {
    pub(super) fn new(
        games: &Games,
        pools: &[usize],
        anchors: &[Option<f64>],
        options: &RatingOptions,
    ) -> Result<Self, RatingError> {
        let units = comparable(games, pools);
        let estimate_white = options.white_advantage.is_none() && !units.is_empty();
        let fit = |estimate_white| {
            let problem = Problem {
                units: &units,
                parameters: Parameters::new(pools, anchors, estimate_white),
                elo_per_logit: options.scale / LN_10,
            };
            problem.solve(anchors, options.white_advantage.unwrap_or(0.0))
        };
        let (solution, warning) = match fit(estimate_white) {
            Some(solution) => (solution, None),
            None if estimate_white => {
                let solution = fit(false).ok_or(RatingError::NoConvergence)?;
                (solution, Some(without_white_advantage(&units)))
            }
            None => return Err(RatingError::NoConvergence),
        };
        Ok(solution.on_scale(pools, anchors, options.average, warning))
    }
}

/// Why White's advantage cannot be estimated from these games.
fn without_white_advantage(units: &[Unit]) -> String {
    let all = |half_points| {
        let mut games = units.iter().flat_map(Unit::each);
        games.all(|game| game.half_points == half_points)
    };
    match (all(2), all(0)) {
        (true, _) => {
            "White won every game between comparable players: its advantage has no limit and is \
             taken to be 0"
        }
        (_, true) => {
            "White lost every game between comparable players: its advantage has no limit and is \
             taken to be 0"
        }
        _ => {
            "White's advantage cannot be told apart from the players' strength here: \
             taken to be 0"
        }
    }
    .to_owned()
}

/// Whether White's points in pairs (or single games) are enough, and different enough, for
/// their variance to be known.
pub(super) fn support_white_advantage(games: &Games, pools: &[usize]) -> bool {
    let mut by_points = Pentanomial::default();
    for unit in comparable(games, pools) {
        let half_points: usize = unit.each().map(|game| game.half_points).sum();
        // A single game counts as a pair whose games ended alike.
        let weight = if unit.games[1].is_some() { 1 } else { 2 };
        by_points.0[weight * half_points] += unit.count;
    }
    is_enough(by_points)
}

/// The games within pools of at least two players.
fn comparable(games: &Games, pools: &[usize]) -> Vec<Unit> {
    let mut units = games.units();
    units.retain(|unit| {
        unit.each()
            .all(|game| pools[game.white] == pools[game.black])
    });
    units
}

impl Parameters {
    fn new(pools: &[usize], anchors: &[Option<f64>], estimate_white: bool) -> Self {
        let mut count = 0;
        let mut next = || {
            count += 1;
            count - 1
        };
        // The first player of a pool without anchor is its reference.
        let is_fixed = |player: usize| {
            let mut members = (0..pools.len()).filter(|&other| pools[other] == pools[player]);
            let has_anchor = members.clone().any(|member| anchors[member].is_some());
            anchors[player].is_some() || (!has_anchor && members.next() == Some(player))
        };
        let of_player = (0..pools.len())
            .map(|player| (!is_fixed(player)).then(&mut next))
            .collect();
        let white = estimate_white.then(&mut next);
        Self {
            of_player,
            white,
            count,
        }
    }

    /// The parameters that White's expected score depends on, with the sign.
    fn of_game(&self, game: Game) -> impl Iterator<Item = (usize, f64)> {
        [
            (self.of_player[game.white], 1.0),
            (self.of_player[game.black], -1.0),
            (self.white, 1.0),
        ]
        .into_iter()
        .filter_map(|(parameter, sign)| Some((parameter?, sign)))
    }
}

struct Problem<'a> {
    units: &'a [Unit],
    parameters: Parameters,
    elo_per_logit: f64,
}

/// The solution, in logits.
struct Solution {
    parameters: Parameters,
    ratings: Vec<f64>,
    white: f64,
    covariance: Matrix,
    elo_per_logit: f64,
}

impl Problem<'_> {
    /// `None` if the information is singular or Newton's method does not converge.
    fn solve(self, anchors: &[Option<f64>], white_advantage: f64) -> Option<Solution> {
        let mut ratings: Vec<f64> = anchors
            .iter()
            .map(|anchor| anchor.unwrap_or(0.0) / self.elo_per_logit)
            .collect();
        // Start at the mean of the anchors.
        let given: Vec<f64> = anchors.iter().flatten().copied().collect();
        let start = given.iter().sum::<f64>() / given.len().max(1) as f64 / self.elo_per_logit;
        for (rating, parameter) in ratings.iter_mut().zip(&self.parameters.of_player) {
            if parameter.is_some() {
                *rating = start;
            }
        }
        let mut white = white_advantage / self.elo_per_logit;
        for _ in 0..MAX_STEPS {
            let (gradient, information) = self.derivatives(&ratings, white);
            let step = factored(&information)?.solve(&gradient);
            let longest = step
                .iter()
                .fold(0.0, |longest: f64, s| longest.max(s.abs()));
            let factor = (LONGEST_STEP / longest).min(1.0);
            for (rating, parameter) in ratings.iter_mut().zip(&self.parameters.of_player) {
                *rating += parameter.map_or(0.0, |i| factor * step[i]);
            }
            white += self.parameters.white.map_or(0.0, |i| factor * step[i]);
            if longest < CONVERGED {
                let (_, information) = self.derivatives(&ratings, white);
                let covariance = self.sandwich(&ratings, white, &information)?;
                return Some(Solution {
                    ratings,
                    white,
                    covariance,
                    elo_per_logit: self.elo_per_logit,
                    parameters: self.parameters,
                });
            }
        }
        None
    }

    fn expected(ratings: &[f64], white: f64, game: Game) -> f64 {
        let difference = ratings[game.white] - ratings[game.black] + white;
        1.0 / (1.0 + (-difference).exp())
    }

    fn derivatives(&self, ratings: &[f64], white: f64) -> (Vec<f64>, Matrix) {
        let n = self.parameters.count;
        let (mut gradient, mut information) = (vec![0.0; n], zeros(n));
        for unit in self.units {
            let count = unit.count as f64;
            for game in unit.each() {
                let expected = Self::expected(ratings, white, game);
                let residual = game.half_points as f64 / 2.0 - expected;
                let weight = expected * (1.0 - expected);
                for (i, sign) in self.parameters.of_game(game) {
                    gradient[i] += count * sign * residual;
                    for (j, other) in self.parameters.of_game(game) {
                        information[i][j] += count * weight * sign * other;
                    }
                }
            }
        }
        (gradient, information)
    }

    /// Inverse information, times the covariance of the units' gradients,
    /// times inverse information.
    fn sandwich(&self, ratings: &[f64], white: f64, information: &Matrix) -> Option<Matrix> {
        let n = self.parameters.count;
        let mut spread = zeros(n);
        for unit in self.units.iter().flat_map(with_unseen) {
            let mut gradient: Vec<(usize, f64)> = Vec::with_capacity(6);
            for game in unit.games.into_iter().flatten() {
                let expected = Self::expected(ratings, white, game);
                let residual = game.half_points as f64 / 2.0 - expected;
                let terms = self.parameters.of_game(game);
                gradient.extend(terms.map(|(i, sign)| (i, sign * residual)));
            }
            for &(i, a) in &gradient {
                for &(j, b) in &gradient {
                    spread[i][j] += unit.weight * a * b;
                }
            }
        }
        let inverse = factored(information)?.inverse();
        Some(multiply(&inverse, &multiply(&spread, &inverse)))
    }
}

struct Weighted {
    games: [Option<Game>; 2],
    weight: f64,
}

/// A unit and, with a tiny weight, the two one-sided results that it could have had:
/// otherwise the interval of players whose games all ended alike would have no width.
fn with_unseen(unit: &Unit) -> [Weighted; 3] {
    let all = |half_points: [usize; 2]| {
        let mut games = unit.games;
        for (game, half_points) in games.iter_mut().flatten().zip(half_points) {
            game.half_points = half_points;
        }
        Weighted {
            games,
            weight: REGULARIZATION,
        }
    };
    [
        Weighted {
            games: unit.games,
            weight: unit.count as f64,
        },
        all([2, 0]),
        all([0, 2]),
    ]
}

impl Solution {
    /// The covariance of the players' ratings in logits, before pools are centred.
    fn covariance_of_players(&self) -> Matrix {
        let of_player = &self.parameters.of_player;
        let element = |one: Option<usize>, two: Option<usize>| match (one, two) {
            (Some(one), Some(two)) => self.covariance[one][two],
            _ => 0.0,
        };
        let row = |&one| of_player.iter().map(|&two| element(one, two)).collect();
        of_player.iter().map(row).collect()
    }

    /// In Elo, relative to the anchors, or to the mean of the pool.
    fn on_scale(
        self,
        pools: &[usize],
        anchors: &[Option<f64>],
        average: f64,
        warning: Option<String>,
    ) -> Fit {
        let elo = self.elo_per_logit;
        let mut ratings: Vec<f64> = self.ratings.iter().map(|rating| rating * elo).collect();
        let mut covariance = self.covariance_of_players();
        let mut members = vec![Vec::new(); pools.iter().max().map_or(0, |pool| pool + 1)];
        for (player, &pool) in pools.iter().enumerate() {
            members[pool].push(player);
        }
        let is_rated =
            |player: usize| members[pools[player]].len() > 1 || anchors[player].is_some();
        let rated = (0..pools.len()).map(is_rated).collect();
        let has_anchor = |pool: &Vec<usize>| pool.iter().any(|&member| anchors[member].is_some());
        for pool in members.iter().filter(|pool| !has_anchor(pool)) {
            let sum: f64 = pool.iter().map(|&member| ratings[member]).sum();
            let mean = sum / pool.len().max(1) as f64;
            pool.iter()
                .for_each(|&member| ratings[member] += average - mean);
            centre(&mut covariance, pool);
        }
        for x in covariance.iter_mut().flatten() {
            *x *= elo * elo;
        }
        let white_variance = self.parameters.white.map_or(0.0, |i| self.covariance[i][i]);
        Fit {
            ratings,
            rated,
            covariance,
            white_advantage: self.white * elo,
            white_variance: elo * elo * white_variance,
            warning,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More rows than a block, and a pool between other players.
    #[test]
    fn products_and_centred_covariances_follow_their_definitions() {
        let n = BLOCK + 5;
        let matrix = |seed: usize| -> Matrix {
            let element = |i: usize, j: usize| ((seed * i * j + i + 2 * j) % 7) as f64;
            let row = |i| (0..n).map(|j| element(i, j)).collect();
            (0..n).map(row).collect()
        };
        let by_elements = |a: &Matrix, b: &Matrix| -> Matrix {
            let element = |i: usize, j: usize| (0..n).map(|k| a[i][k] * b[k][j]).sum();
            let row = |i| (0..n).map(|j| element(i, j)).collect();
            (0..n).map(row).collect()
        };
        let (a, b) = (matrix(1), matrix(3));
        assert_eq!(multiply(&a, &b), by_elements(&a, &b));

        let pool = [3, 4, 9, BLOCK + 1];
        let mut differences = zeros(n);
        let mut transposed = zeros(n);
        for i in 0..n {
            for j in 0..n {
                let mean = if pool.contains(&i) && pool.contains(&j) {
                    0.25
                } else {
                    0.0
                };
                differences[i][j] = f64::from(i == j) - mean;
                transposed[j][i] = differences[i][j];
            }
        }
        let expected = by_elements(&by_elements(&differences, &a), &transposed);
        let mut centred = a.clone();
        centre(&mut centred, &pool);
        let elements = centred.iter().flatten().zip(expected.iter().flatten());
        for (x, expected) in elements {
            assert!((x - expected).abs() < 1e-12, "{x} {expected}");
        }
    }
}
