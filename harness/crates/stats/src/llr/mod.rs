//! Log-likelihood ratios between two strengths, by exact maximum likelihood.
//!
//! The generalised likelihood ratio of an empirical distribution p of N units
//! is N sum p_i ln(q1_i / q0_i), where q0 and q1 are the distributions most
//! likely to have given p among those whose strength is that of H0 and of H1.

mod bayesian;
mod normalized;
mod tilt;

use super::counts::{Counts, Pentanomial, Wdl};
use super::elo::score_of_elo;
use super::model::Model;
use super::sample::{Sample, dot};

pub use bayesian::BayesElo;
pub(crate) use bayesian::{bayesian_bounds, bayesian_bounds_of};

use tilt::Tilt;

/// The log-likelihood ratio of `elo1` against `elo0` on the scale of `model`;
/// `elo0` may be the larger. Zero counts are regularised
/// ([`super::sample::REGULARIZATION`]).
///
/// The Bayesian model takes its draw Elo from the counts of single games; in
/// pentanomial counts level pairs count as two draws. Use
/// [`bayesian_of_pairs`] where the games are known.
///
/// [`Model::Betting`] is not a likelihood ratio and depends on the order of
/// the results: it gives the logistic model's value here. The average over all
/// orders is [`average_of_betting`](super::sprt::average_of_betting).
pub fn llr(model: Model, counts: impl Into<Counts>, elo0: f64, elo1: f64) -> f64 {
    match (model, counts.into()) {
        (Model::Bayesian, Counts::Pentanomial(pairs)) => {
            bayesian_of_pairs(&pairs, &games_of_pairs(&pairs), elo0, elo1)
        }
        (Model::Bayesian, Counts::Wdl(games)) => {
            let (elo0, elo1) = bayesian_bounds(&games, elo0, elo1);
            logistic(&Sample::games(&games), elo0, elo1)
        }
        (model, Counts::Pentanomial(pairs)) => of_sample(model, &Sample::pairs(&pairs), elo0, elo1),
        (model, Counts::Wdl(games)) => of_sample(model, &Sample::games(&games), elo0, elo1),
    }
}

/// The Bayesian model on pairs whose single games are known: the bounds are
/// converted to logistic Elo by the draw Elo of the games, as in fishtest.
pub fn bayesian_of_pairs(pairs: &Pentanomial, games: &Wdl, elo0: f64, elo1: f64) -> f64 {
    let (elo0, elo1) = bayesian_bounds(games, elo0, elo1);
    logistic(&Sample::pairs(pairs), elo0, elo1)
}

/// The probabilities of loss, draw and win in a game of pairs, with every
/// level pair counted as two draws.
pub fn games_of_distribution([ll, ld, level, wd, ww]: &[f64; 5]) -> [f64; 3] {
    [ll + ld / 2.0, level + (ld + wd) / 2.0, ww + wd / 2.0]
}

/// The games of pairs, with every level pair counted as two draws.
pub fn games_of_pairs(pairs: &Pentanomial) -> Wdl {
    let [ll, ld, level, wd, ww] = pairs.0;
    Wdl {
        wins: 2 * ww + wd,
        draws: ld + 2 * level + wd,
        losses: 2 * ll + ld,
    }
}

fn of_sample<const K: usize>(model: Model, sample: &Sample<K>, elo0: f64, elo1: f64) -> f64 {
    match model {
        Model::Normalized => normalized(sample, elo0, elo1),
        Model::Logistic | Model::Bayesian | Model::Betting => logistic(sample, elo0, elo1),
    }
}

/// Logistic model: strength is the mean score.
pub fn logistic<const K: usize>(sample: &Sample<K>, elo0: f64, elo1: f64) -> f64 {
    let jumps = logistic_jumps(&sample.probabilities, elo0, elo1);
    sample.size * dot(&sample.probabilities, &jumps)
}

/// What each result of a pair adds to the logistic LLR if results follow
/// `truth`: ln(q1_i / q0_i).
pub fn logistic_jumps<const K: usize>(truth: &[f64; K], elo0: f64, elo1: f64) -> [f64; K] {
    let tilt = |elo| Tilt::solve(truth, &Sample::<K>::SCORES, score_of_elo(elo));
    Tilt::log_ratios(&tilt(elo0), &tilt(elo1))
}

/// What each result of a pair adds to the normalized LLR.
pub fn normalized_jumps<const K: usize>(truth: &[f64; K], elo0: f64, elo1: f64) -> [f64; K] {
    let [zero, one] = normalized::solutions(truth, elo0, elo1);
    Tilt::log_ratios(&zero, &one)
}

/// Normalized model: strength is the mean score's distance from one half in
/// standard deviations.
pub fn normalized<const K: usize>(sample: &Sample<K>, elo0: f64, elo1: f64) -> f64 {
    sample.size
        * dot(
            &sample.probabilities,
            &normalized_jumps(&sample.probabilities, elo0, elo1),
        )
}
