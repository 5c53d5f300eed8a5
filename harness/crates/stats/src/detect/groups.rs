//! Whether groups of pairs have the same distribution: Pearson's chi-square.

use std::collections::BTreeMap;

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::super::counts::Pentanomial;
use super::{Finding, Test};

/// The fewest expected pairs in a cell of the table, by the usual rule for the
/// chi-square approximation. Classes are merged and small groups left out until
/// all cells have them.
const FEWEST_EXPECTED: f64 = 5.0;

/// The comparison of groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Comparison {
    /// The group that differs most.
    pub(super) worst: usize,
    counts: Pentanomial,
    /// The pairs of all groups that were compared.
    all: Pentanomial,
    p_value: f64,
}

impl Comparison {
    /// The finding of `test`; `subject` is the worst group with the verb: "worker 3 stands
    /// out".
    pub(super) fn finding(&self, test: Test, subject: &str) -> Finding {
        let detail = format!("{subject} with {:?} of {:?}", self.counts.0, self.all.0);
        Finding::of_chance(test, self.p_value, detail)
    }
}

/// Compares the groups' results. `None` if there are not two groups and two
/// classes of results with enough pairs.
pub(super) fn between_groups(groups: &BTreeMap<usize, Pentanomial>) -> Option<Comparison> {
    let (groups, classes) = comparable(groups)?;
    let kept: Pentanomial = groups.iter().map(|(_, counts)| *counts).sum();
    let share = |counts: &Pentanomial, class: &[usize]| {
        class.iter().map(|&i| counts.0[i]).sum::<u64>() as f64 / counts.pairs() as f64
    };
    let contribution = |counts: &Pentanomial| -> f64 {
        let pairs = counts.pairs() as f64;
        let cell = |class: &Vec<usize>| {
            let expected = share(&kept, class);
            pairs * (share(counts, class) - expected).powi(2) / expected
        };
        classes.iter().map(cell).sum()
    };
    let statistic: f64 = groups.iter().map(|(_, counts)| contribution(counts)).sum();
    let freedom = ((groups.len() - 1) * (classes.len() - 1)) as f64;
    let distribution = ChiSquared::new(freedom).expect("at least one degree of freedom");
    let (worst, counts) = groups
        .iter()
        .max_by(|(_, a), (_, b)| contribution(a).total_cmp(&contribution(b)))?;
    Some(Comparison {
        worst: *worst,
        counts: *counts,
        all: kept,
        p_value: distribution.sf(statistic),
    })
}

/// The fewest pairs of a worker, and of the others, for their results to be compared.
const FEWEST_COMPARED: u64 = 64;

/// The p-value of the difference between a worker's pairs and those of the
/// others. `None` if either has fewer than `FEWEST_COMPARED` pairs, or if
/// there are not two classes of results with enough pairs.
pub fn difference(own: Pentanomial, others: Pentanomial) -> Option<f64> {
    if own.pairs() < FEWEST_COMPARED || others.pairs() < FEWEST_COMPARED {
        return None;
    }
    let groups = BTreeMap::from([(0, own), (1, others)]);
    Some(between_groups(&groups)?.p_value)
}

/// A group with its number.
type Group = (usize, Pentanomial);

/// The groups and the classes of results with the most degrees of freedom: a small
/// group is left out if classes of all others would have to be merged for it.
fn comparable(groups: &BTreeMap<usize, Pentanomial>) -> Option<(Vec<Group>, Vec<Vec<usize>>)> {
    let mut largest_first: Vec<Group> = groups
        .iter()
        .map(|(group, counts)| (*group, *counts))
        .collect();
    largest_first.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.pairs()));
    let mut kept = Pentanomial::default();
    let mut best: Option<(usize, usize, Vec<Vec<usize>>)> = None;
    for (index, (_, counts)) in largest_first.iter().enumerate() {
        kept += *counts;
        let needed = FEWEST_EXPECTED * kept.pairs() as f64 / counts.pairs() as f64;
        let classes = merged_classes(&kept, needed);
        let freedom = index * (classes.len() - 1);
        if freedom > 0 && best.as_ref().is_none_or(|(most, ..)| freedom >= *most) {
            best = Some((freedom, index + 1, classes));
        }
    }
    let (_, count, classes) = best?;
    largest_first.truncate(count);
    // In the order of their numbers.
    largest_first.sort_by_key(|(number, _)| *number);
    Some((largest_first, classes))
}

/// Neighbouring classes of results, merged from the low end until each has
/// `needed` pairs.
fn merged_classes(counts: &Pentanomial, needed: f64) -> Vec<Vec<usize>> {
    let mut classes: Vec<Vec<usize>> = Vec::new();
    let mut open = Vec::new();
    for class in 0..5 {
        open.push(class);
        if open.iter().map(|&i| counts.0[i]).sum::<u64>() as f64 >= needed {
            classes.push(std::mem::take(&mut open));
        }
    }
    match classes.last_mut() {
        Some(last) => last.extend(open),
        None => classes.push(open),
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Two groups, two classes: 30/70 against 50/50.
        let groups = BTreeMap::from([
            (3, Pentanomial([0, 30, 0, 70, 0])),
            (7, Pentanomial([0, 50, 0, 50, 0])),
        ]);
        let compared = between_groups(&groups).unwrap();
        // Chi-square is 2 * (100 / 40 + 100 / 60) = 8.333 with one degree of
        // freedom.
        let expected = ChiSquared::new(1.0).unwrap().sf(25.0 / 3.0);
        assert!((compared.p_value - expected).abs() < 1e-9, "{compared:?}");
    }

    #[test]
    fn a_worker_is_compared_from_64_pairs_on() {
        let of = |lost, won| Pentanomial([0, lost, 0, won, 0]);
        let expected = ChiSquared::new(1.0).unwrap().sf(25.0 / 3.0);
        let p = difference(of(30, 70), of(50, 50)).unwrap();
        assert!((p - expected).abs() < 1e-9, "{p}");
        assert!(difference(of(32, 32), of(60, 4)).is_some_and(|p| p < 1e-6));
        assert_eq!(difference(of(31, 32), of(60, 4)), None);
        assert_eq!(difference(of(60, 4), of(31, 32)), None);
        assert_eq!(difference(of(0, 64), of(0, 64)), None);
    }

    #[test]
    fn a_small_group_does_not_hide_what_large_ones_show() {
        let good = Pentanomial([75, 675, 1500, 675, 75]);
        let mut groups = BTreeMap::from([
            (0, good),
            (1, good),
            (2, Pentanomial([600, 1200, 1000, 180, 20])),
        ]);
        let before = between_groups(&groups).unwrap();
        groups.insert(3, Pentanomial([0, 3, 6, 3, 0]));
        groups.insert(4, Pentanomial::default());
        let after = between_groups(&groups).unwrap();
        assert_eq!(after, before);
        let finding = after.finding(Test::Workers, "worker 2 stands out");
        assert!(finding.is_noteworthy() && after.worst == 2, "{after:?}");
    }

    #[test]
    fn sparse_classes_are_merged() {
        let counts = Pentanomial([1, 20, 50, 20, 1]);
        assert_eq!(
            merged_classes(&counts, 10.0),
            [vec![0, 1], vec![2], vec![3, 4]]
        );
        assert_eq!(merged_classes(&counts, 1000.0).len(), 1);
    }
}
