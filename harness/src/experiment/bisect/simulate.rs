//! Bisections of histories whose culprit is known, without engines.

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::experiment::BisectExperiment;
use super::section::BisectSection;
use crate::experiment::{Experiment, Verdict};
use crate::stats::distribution::{DistributionError, PairDistribution};
use crate::stats::simulate::PairSampler;
use crate::stats::{Decision, Estimate, Model, Sprt, SprtConfig, SprtError};

/// A history of which all is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Planted {
    /// Commits after the good one.
    pub last: usize,
    /// From 1.
    pub culprit: usize,
    /// Elo that it loses.
    pub loss: f64,
    /// How pairs between equal commits end.
    pub level: PairDistribution,
}

/// What became of one bisection.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Outcome {
    /// The commit it named, if it named one.
    pub named: Option<usize>,
    pub pairs: u64,
    /// Commits that had to be built.
    pub builds: usize,
    /// The size it gave.
    pub size: Option<Estimate>,
}

/// Draws the pairs of a planted history.
struct Games {
    planted: Planted,
    level: PairSampler,
    across: PairSampler,
    rng: ChaCha8Rng,
}

impl Games {
    fn new(planted: Planted, seed: u64) -> Result<Self, DistributionError> {
        let across = planted.level.tilted_to(Model::Logistic, -planted.loss)?;
        Ok(Self {
            level: PairSampler::new(&planted.level),
            across: PairSampler::new(&across),
            rng: ChaCha8Rng::seed_from_u64(seed),
            planted,
        })
    }

    /// A pair, from the later commit's side.
    fn draw(&mut self, (earlier, later): (usize, usize)) -> usize {
        let is_across = earlier < self.planted.culprit && self.planted.culprit <= later;
        let sampler = if is_across { &self.across } else { &self.level };
        sampler.draw(&mut self.rng)
    }
}

/// Bisects a planted history as `hone bisect` does.
///
/// # Errors
/// If no pair can show such a loss.
pub(crate) fn bisect(
    planted: Planted,
    section: &BisectSection,
    seed: u64,
) -> Result<Outcome, DistributionError> {
    let mut games = Games::new(planted, seed)?;
    let mut experiment = BisectExperiment::new(section.clone(), planted.last, Vec::new());
    while let Some(pair) = experiment.next_match() {
        experiment.take(pair, games.draw(pair));
    }
    let found = experiment.found();
    let is_found = experiment.verdict() == Some(Verdict::Complete);
    let played: BTreeSet<usize> = experiment
        .evidence()
        .keys()
        .flat_map(|(earlier, later)| [*earlier, *later])
        .collect();
    Ok(Outcome {
        named: is_found.then_some(*found.commits.start()),
        pairs: experiment.pairs(),
        builds: played.len(),
        size: is_found.then_some(found.size),
    })
}

/// Bisects by halves, each commit in the middle judged by a sequential test
/// against the good one: H0, that it has lost `guess` Elo, against H1, that it
/// has lost nothing, with error rates of `error` each.
///
/// # Errors
/// If no pair can show such a loss, or the test makes no sense.
pub(crate) fn halves(
    planted: Planted,
    guess: f64,
    error: f64,
    seed: u64,
) -> Result<Outcome, PlainError> {
    let mut games = Games::new(planted, seed)?;
    let (mut low, mut high) = (0, planted.last);
    let mut outcome = Outcome {
        named: None,
        pairs: 0,
        builds: 1,
        size: None,
    };
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        outcome.builds += 1;
        let mut test = Sprt::new(SprtConfig {
            model: Model::Logistic,
            elo0: -guess,
            elo1: 0.0,
            alpha: error,
            beta: error,
            overshoot: false,
        })?;
        let decision = loop {
            test.absorb(games.draw((0, middle)));
            outcome.pairs += 1;
            if let Some(decision) = test.decision() {
                break decision;
            }
        };
        match decision {
            Decision::AcceptH0 => high = middle,
            Decision::AcceptH1 => low = middle,
        }
    }
    outcome.named = Some(high);
    Ok(outcome)
}

/// Why plain bisection cannot be simulated.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlainError {
    #[error(transparent)]
    Pairs(#[from] DistributionError),
    #[error(transparent)]
    Test(#[from] SprtError),
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    /// A history drawn at random, unlike what the posterior takes for granted.
    fn random(rng: &mut ChaCha8Rng) -> Planted {
        let last = rng.random_range(2..150);
        let draws = rng.random_range(0.2..0.8);
        let bias = rng.random_range(0.0..60.0);
        Planted {
            last,
            culprit: rng.random_range(1..=last),
            loss: 10.0 * 10f64.powf(rng.random_range(0.0..1.0)),
            level: PairDistribution::of_equals(draws, bias).expect("possible"),
        }
    }

    #[test]
    fn planted_culprits_are_named_and_their_sizes_covered() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let section = BisectSection {
            batch: 32,
            max_pairs: 100_000,
            ..BisectSection::default()
        };
        const HISTORIES: usize = 60;
        let (mut right, mut covered) = (0, 0);
        for seed in 0..HISTORIES {
            let planted = random(&mut rng);
            let outcome = bisect(planted, &section, seed as u64).expect("possible");
            right += usize::from(outcome.named == Some(planted.culprit));
            let size = outcome.size;
            covered += usize::from(
                size.is_some_and(|size| size.low <= planted.loss && planted.loss <= size.high),
            );
        }
        assert!(right * 100 >= HISTORIES * 95, "{right} of {HISTORIES}");
        assert!(covered * 100 >= HISTORIES * 88, "{covered} of {HISTORIES}");
    }

    #[test]
    fn halves_find_a_large_loss() {
        let planted = Planted {
            last: 40,
            culprit: 23,
            loss: 100.0,
            level: PairDistribution::of_equals(0.5, 0.0).expect("possible"),
        };
        let outcome = halves(planted, 100.0, 0.001, 1).expect("possible");
        assert_eq!(outcome.named, Some(23));
        let ours = bisect(planted, &BisectSection::default(), 1).expect("possible");
        assert_eq!(ours.named, Some(23));
    }
}
