//! The probabilities of the commits, and the size of the change, given the
//! matches.

use std::collections::{BTreeMap, BTreeSet};

use super::section::{BisectSection, LARGEST};
use hone_stats::distribution::PairDistribution;
use hone_stats::{Estimate, Model, Pentanomial};

/// Pairs between two commits, `(earlier, later)`, seen from the later one.
pub(crate) type PairCounts = BTreeMap<(usize, usize), Pentanomial>;

/// Probability, before any game, that good and bad do not differ.
const PRIOR_NONE: f64 = 0.1;

/// Prior distribution of pairs between equal engines (LL to WW), and its weight in pairs.
const PRIOR_PAIRS: [f64; 5] = [0.05, 0.2, 0.5, 0.2, 0.05];
const PRIOR_WEIGHT: f64 = 10.0;

/// Number of sizes of the change in the posterior that chooses the next match.
const COARSE: usize = 40;
/// Number of sizes in the posterior of the final estimate.
pub(super) const FINE: usize = 400;

/// The posterior probabilities given all results.
#[derive(Debug, Clone)]
pub struct Posterior {
    /// Probability of no change, then of each commit from 1 on.
    commits: Vec<f64>,
    /// Probability of each size, given the commit.
    sizes: Vec<Vec<f64>>,
    /// Elo of each size, positive.
    elos: Vec<f64>,
    /// Distribution of a pair across a change of each size.
    across: Vec<[f64; 5]>,
    /// Distribution of a pair between equal commits.
    level: [f64; 5],
}

impl Posterior {
    /// Of `last` commits after the good one. The `cleared` ones of them are known not to
    /// have changed the strength.
    pub fn new(
        evidence: &PairCounts,
        cleared: &BTreeSet<usize>,
        last: usize,
        section: &BisectSection,
    ) -> Self {
        Self::with_sizes(evidence, cleared, last, section, COARSE)
    }

    /// With this number of sizes of a change: [`FINE`] is enough for an
    /// estimate.
    pub(crate) fn with_sizes(
        evidence: &PairCounts,
        cleared: &BTreeSet<usize>,
        last: usize,
        section: &BisectSection,
        sizes: usize,
    ) -> Self {
        let base = level_pairs(evidence);
        let sign = if section.gained { 1.0 } else { -1.0 };
        let elos = sizes_between(section.smallest, LARGEST, sizes);
        let across: Vec<[f64; 5]> = elos
            .iter()
            .map(|elo| {
                base.tilted_to(Model::Logistic, sign * elo)
                    .unwrap_or(base)
                    .probabilities()
            })
            .collect();
        let level = base.probabilities();
        let gains = log_likelihoods(evidence, last, &across, &level);
        let mut weights = vec![vec![]; last + 1];
        weights[0] = vec![PRIOR_NONE.ln()];
        let suspects = last.saturating_sub(cleared.len()).max(1);
        let each = ((1.0 - PRIOR_NONE) / (suspects * sizes) as f64).ln();
        for (weights, gains) in weights[1..].iter_mut().zip(gains) {
            *weights = gains.into_iter().map(|gain| each + gain).collect();
        }
        for commit in cleared {
            weights[*commit].fill(f64::NEG_INFINITY);
        }
        let most = weights.iter().flatten().copied().fold(f64::MIN, f64::max);
        for weight in weights.iter_mut().flatten() {
            *weight = (*weight - most).exp();
        }
        let total: f64 = weights.iter().flatten().sum();
        let sums: Vec<f64> = weights.iter().map(|of| of.iter().sum()).collect();
        for (of, sum) in weights.iter_mut().zip(&sums) {
            of.iter_mut()
                .for_each(|weight| *weight /= sum.max(f64::MIN_POSITIVE));
        }
        Self {
            commits: sums.iter().map(|sum| sum / total).collect(),
            sizes: weights,
            elos,
            across,
            level,
        }
    }

    /// Probability that nothing changed.
    pub fn none(&self) -> f64 {
        self.commits[0]
    }

    /// How much more probable the results are if a commit changed the strength than
    /// if none did (Bayes factor, without the prior). If none did, it ever reaches x
    /// with a probability of at most 1 / x (Ville's inequality).
    pub(crate) fn evidence_of_change(&self) -> f64 {
        let prior = (1.0 - PRIOR_NONE) / PRIOR_NONE;
        (1.0 - self.none()) / self.none().max(f64::MIN_POSITIVE) / prior
    }

    /// Probability of a commit, from 1, being the culprit.
    pub fn commit(&self, commit: usize) -> f64 {
        self.commits[commit]
    }

    /// Number of the last commit.
    pub fn last(&self) -> usize {
        self.commits.len() - 1
    }

    /// Distribution of a pair between equal commits.
    pub(super) fn level(&self) -> [f64; 5] {
        self.level
    }

    /// Distribution of a pair across a commit if it is the culprit.
    pub(super) fn across(&self, commit: usize) -> [f64; 5] {
        let mut mean = [0.0; 5];
        for (weight, pair) in self.sizes[commit].iter().zip(&self.across) {
            for (sum, p) in mean.iter_mut().zip(pair) {
                *sum += weight * p;
            }
        }
        mean
    }

    /// The size of the change with its 95 % interval, in Elo, if one of
    /// `commits` is the culprit: the median and two quantiles. Above 0 for
    /// gains and losses.
    pub fn size(&self, commits: impl Iterator<Item = usize>) -> Estimate {
        let mut weights = vec![0.0; self.elos.len()];
        for commit in commits {
            for (sum, weight) in weights.iter_mut().zip(&self.sizes[commit]) {
                *sum += self.commits[commit] * weight;
            }
        }
        let total: f64 = weights.iter().sum();
        let quantile = |q: f64| {
            let mut seen = 0.0;
            let at = weights.iter().position(|weight| {
                seen += weight;
                seen >= q * total
            });
            self.elos[at.unwrap_or(self.elos.len() - 1)]
        };
        Estimate {
            estimate: quantile(0.5),
            low: quantile(0.025),
            high: quantile(0.975),
        }
    }
}

/// Sizes in equal ratios.
fn sizes_between(low: f64, high: f64, count: usize) -> Vec<f64> {
    let step = (high / low).ln() / (count - 1) as f64;
    (0..count)
        .map(|at| low * (step * at as f64).exp())
        .collect()
}

/// Distribution of pairs between commits of equal strength, from all pairs seen from
/// both sides. Matches with level pairs only are left out: an engine that plays
/// itself with fixed nodes plays the same game with both colours, unlike pairs of
/// different engines.
fn level_pairs(evidence: &PairCounts) -> PairDistribution {
    let matches = evidence.values().copied();
    let counts: Pentanomial = matches.filter(|c| c.0[2] < c.pairs()).sum();
    let mut weights = PRIOR_PAIRS.map(|p| p * PRIOR_WEIGHT);
    for (half_points, weight) in weights.iter_mut().enumerate() {
        *weight += (counts.0[half_points] + counts.0[4 - half_points]) as f64 / 2.0;
    }
    let total: f64 = weights.iter().sum();
    PairDistribution::new(weights.map(|weight| weight / total))
        .expect("every result has a positive weight")
}

/// For each commit from 1 and each size: the log-likelihood ratio of the results
/// against no change.
fn log_likelihoods(
    evidence: &PairCounts,
    last: usize,
    across: &[[f64; 5]],
    level: &[f64; 5],
) -> Vec<Vec<f64>> {
    // Differences between one commit and the one before, because a match has the same
    // ratio for all commits between its two.
    let mut steps = vec![vec![0.0; across.len()]; last + 2];
    for ((earlier, later), counts) in evidence {
        for (size, pair) in across.iter().enumerate() {
            let gain: f64 = counts
                .0
                .iter()
                .zip(pair.iter().zip(level))
                .map(|(&count, (p, q))| count as f64 * (p / q).ln())
                .sum();
            steps[earlier + 1][size] += gain;
            steps[later + 1][size] -= gain;
        }
    }
    let mut sums = vec![0.0; across.len()];
    steps[1..=last]
        .iter()
        .map(|step| {
            for (sum, more) in sums.iter_mut().zip(step) {
                *sum += more;
            }
            sums.clone()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section() -> BisectSection {
        BisectSection::default()
    }

    #[test]
    fn before_any_game_all_commits_are_equally_probable() {
        let posterior = Posterior::new(&PairCounts::new(), &BTreeSet::new(), 7, &section());
        for commit in 1..=7 {
            assert!((posterior.commit(commit) - (1.0 - PRIOR_NONE) / 7.0).abs() < 1e-12);
        }
        assert!((posterior.none() - PRIOR_NONE).abs() < 1e-12);
    }

    #[test]
    fn a_lost_match_points_to_the_commits_between_and_a_level_one_to_the_others() {
        let lost = Pentanomial([60, 200, 180, 40, 20]);
        let level = Pentanomial([25, 100, 250, 100, 25]);
        let evidence = PairCounts::from([((0, 8), lost), ((0, 4), level)]);
        let posterior = Posterior::new(&evidence, &BTreeSet::new(), 8, &section());
        let early: f64 = (1..=4).map(|k| posterior.commit(k)).sum();
        let late: f64 = (5..=8).map(|k| posterior.commit(k)).sum();
        assert!(late > 0.999, "{late}");
        assert!(early < 0.001, "{early}");
        let total = posterior.none() + early + late;
        assert!((total - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_size_is_that_of_the_matches_across() {
        let counts = Pentanomial([600, 2000, 1800, 400, 200]);
        let posterior = Posterior::with_sizes(
            &PairCounts::from([((0, 1), counts)]),
            &BTreeSet::new(),
            1,
            &section(),
            FINE,
        );
        let size = posterior.size(1..=1);
        let elo = -hone_stats::elo::elo(counts)
            .expect("there are pairs")
            .estimate;
        assert!(size.low < elo && elo < size.high, "{size:?} {elo}");
        assert!((size.estimate - elo).abs() < 6.0, "{size:?} {elo}");
    }

    #[test]
    fn cleared_commits_have_no_probability_and_self_matches_are_left_out() {
        let lost = Pentanomial([60, 200, 180, 40, 20]);
        let evidence = PairCounts::from([((0, 4), lost)]);
        let cleared = BTreeSet::from([1, 2, 3]);
        let posterior = Posterior::new(&evidence, &cleared, 4, &section());
        assert_eq!(posterior.commit(2), 0.0);
        assert!(posterior.commit(4) > 0.99);
        let mut with_self = evidence.clone();
        with_self.insert((4, 5), Pentanomial([0, 0, 5000, 0, 0]));
        assert_eq!(level_pairs(&with_self), level_pairs(&evidence));
    }

    #[test]
    fn a_gain_is_found_only_if_it_is_configured() {
        let won = Pentanomial([20, 40, 180, 200, 60]);
        let evidence = PairCounts::from([((0, 2), won)]);
        let lost = Posterior::new(&evidence, &BTreeSet::new(), 2, &section());
        assert!(lost.none() > 0.5, "a win is not evidence of a loss");
        let gained = BisectSection {
            gained: true,
            ..section()
        };
        assert!(Posterior::new(&evidence, &BTreeSet::new(), 2, &gained).none() < 1e-6);
    }
}
