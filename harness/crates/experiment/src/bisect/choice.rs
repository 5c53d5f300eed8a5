//! Which two commits to play next.

use std::collections::BTreeSet;

use super::posterior::Posterior;

/// Factor on the information of a match for each of its commits that has not played
/// yet and may have to be built: a build takes as long as many games.
const UNPLAYED: f64 = 0.85;

/// The two commits, `(earlier, later)`, whose next pair gives the most
/// information about the culprit: the mutual information between the pair's
/// result and the culprit. `None` if fewer than two commits are left.
pub(crate) fn most_informative(
    posterior: &Posterior,
    skipped: &BTreeSet<usize>,
    played: &BTreeSet<usize>,
) -> Option<(usize, usize)> {
    let last = posterior.last();
    let sums = Sums::new(posterior);
    let level = posterior.level();
    let level_entropy = entropy(&level);
    let commits: Vec<usize> = (0..=last).filter(|k| !skipped.contains(k)).collect();
    let mut best: Option<(f64, (usize, usize))> = None;
    for (at, &earlier) in commits.iter().enumerate() {
        for &later in &commits[at + 1..] {
            let across = sums.between(earlier, later);
            let elsewhere = 1.0 - across.probability;
            let mut result = across.result;
            for (p, q) in result.iter_mut().zip(&level) {
                *p += elsewhere * q;
            }
            let information = entropy(&result) - across.entropy - elsewhere * level_entropy;
            let unplayed = [earlier, later]
                .iter()
                .filter(|k| !played.contains(k))
                .count();
            let worth = information * UNPLAYED.powi(unplayed as i32);
            // Of equal ones the first, so that the choice does not depend on rounding errors.
            if best.is_none_or(|(most, _)| worth > most * (1.0 + 1e-9)) {
                best = Some((worth, (earlier, later)));
            }
        }
    }
    best.map(|(_, pair)| pair)
}

/// Sums over commits, each weighted by its probability to be the culprit.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    probability: f64,
    /// Probabilities of the results of a pair across the culprit.
    result: [f64; 5],
    /// Entropy of these results, in nats.
    entropy: f64,
}

/// Prefix sums: index k has the sum over the commits 1 to k.
struct Sums(Vec<Sum>);

impl Sums {
    fn new(posterior: &Posterior) -> Self {
        let mut sums = vec![Sum::default()];
        let mut sum = Sum::default();
        for commit in 1..=posterior.last() {
            let probability = posterior.commit(commit);
            let result = posterior.across(commit);
            sum.probability += probability;
            for (total, p) in sum.result.iter_mut().zip(result) {
                *total += probability * p;
            }
            sum.entropy += probability * entropy(&result);
            sums.push(sum);
        }
        Self(sums)
    }

    /// Over the commits after `earlier` up to `later`.
    fn between(&self, earlier: usize, later: usize) -> Sum {
        let (from, to) = (&self.0[earlier], &self.0[later]);
        let mut result = to.result;
        for (sum, less) in result.iter_mut().zip(from.result) {
            *sum -= less;
        }
        Sum {
            probability: to.probability - from.probability,
            result,
            entropy: to.entropy - from.entropy,
        }
    }
}

/// Entropy in nats.
fn entropy(probabilities: &[f64; 5]) -> f64 {
    -probabilities
        .iter()
        .filter(|p| **p > 0.0)
        .map(|p| p * p.ln())
        .sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::super::posterior::PairCounts;
    use super::super::section::BisectSection;
    use super::*;
    use hone_stats::Pentanomial;

    fn ends(last: usize) -> BTreeSet<usize> {
        BTreeSet::from([0, last])
    }

    #[test]
    fn at_first_the_history_is_halved() {
        let posterior = Posterior::new(
            &PairCounts::new(),
            &BTreeSet::new(),
            64,
            &BisectSection::default(),
        );
        let chosen = most_informative(&posterior, &BTreeSet::new(), &ends(64)).expect("a match");
        let inside = chosen.1 - chosen.0;
        assert!((24..=42).contains(&inside), "{chosen:?}");
    }

    #[test]
    fn skipped_commits_are_not_chosen() {
        let posterior = Posterior::new(
            &PairCounts::new(),
            &BTreeSet::new(),
            6,
            &BisectSection::default(),
        );
        let skipped = BTreeSet::from([2, 3, 4]);
        let (earlier, later) = most_informative(&posterior, &skipped, &ends(6)).expect("a match");
        assert!(!skipped.contains(&earlier) && !skipped.contains(&later));
        assert!(later > earlier);
    }

    #[test]
    fn the_suspects_are_split() {
        let lost = Pentanomial([300, 700, 500, 100, 50]);
        let evidence = PairCounts::from([((8, 12), lost)]);
        let posterior = Posterior::new(&evidence, &BTreeSet::new(), 40, &BisectSection::default());
        let none = BTreeSet::new();
        let played = (0..=40).collect();
        let (earlier, later) = most_informative(&posterior, &none, &played).expect("a match");
        let inside = (earlier + 1..=later)
            .filter(|k| (9..=12).contains(k))
            .count();
        assert_eq!(inside, 2, "{earlier} {later}");
    }
}
