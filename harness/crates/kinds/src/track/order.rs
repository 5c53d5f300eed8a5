//! The order of nights.

use std::collections::HashMap;
use std::mem;

use super::night::Night;

/// Sorts the nights by their commits. `history` has the ids of the branch's first-parent
/// history, newest first; it is empty without a repository.
///
/// Commits of the history keep its order, and no night precedes its previous nightly. Only
/// where both leave a choice, dates decide, because the clock of a committer may be wrong.
/// Nights that are not in the history (it was rewritten, or a commit was abandoned) are
/// placed as early as possible. Nights of one commit, and commits of one second, keep the
/// order of `nights`.
pub(super) fn in_order(nights: &[Night], history: &[String]) -> Vec<Night> {
    let ranks: HashMap<&str, usize> = history
        .iter()
        .enumerate()
        .map(|(rank, id)| (id.as_str(), rank))
        .collect();
    let mut starts: Vec<usize> = (0..nights.len()).collect();
    starts.sort_by_key(|&at| {
        let night = &nights[at];
        (ranks.contains_key(night.commit.as_str()), night.committed)
    });
    let earlier = earlier(nights, history);
    let mut entered = vec![false; nights.len()];
    let mut placed = vec![false; nights.len()];
    let mut ordered = Vec::with_capacity(nights.len());
    for start in starts {
        // Depth first: the predecessors of a night are placed before it. An edited table may
        // contain a cycle, which is cut where it is entered.
        let mut open = vec![start];
        while let Some(&at) = open.last() {
            if !mem::replace(&mut entered[at], true) {
                open.extend(earlier[at].iter().filter(|&&before| !entered[before]));
                continue;
            }
            open.pop();
            if !mem::replace(&mut placed[at], true) {
                ordered.push(nights[at].clone());
            }
        }
    }
    ordered
}

/// For each night, its direct predecessors.
fn earlier(nights: &[Night], history: &[String]) -> Vec<Vec<usize>> {
    let mut of_commit: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, night) in nights.iter().enumerate() {
        of_commit.entry(&night.commit).or_default().push(at);
    }
    let mut earlier = vec![Vec::new(); nights.len()];
    for same in of_commit.values() {
        for pair in same.windows(2) {
            earlier[pair[1]].push(pair[0]);
        }
    }
    let last_of = |commit: &str| of_commit.get(commit)?.last().copied();
    for (night, earlier) in nights.iter().zip(&mut earlier) {
        let previous = night.previous().filter(|commit| *commit != night.commit);
        earlier.extend(previous.and_then(last_of));
    }
    let mut before = None;
    for commit in history.iter().rev() {
        let Some(same) = of_commit.get(commit.as_str()) else {
            continue;
        };
        earlier[same[0]].extend(before);
        before = same.last().copied();
    }
    earlier
}

#[cfg(test)]
mod tests {
    use super::super::night::tests::night;
    use super::*;
    use crate::track::Role;

    /// A night that played `previous`, with a commit of day `day`.
    fn after(day: i64, commit: &str, previous: &str) -> Night {
        night(day, commit, &[(Role::Previous, previous, [0, 0, 1, 0, 0])])
    }

    fn ordered(nights: &[Night], history: &[&str]) -> String {
        let history: Vec<String> = history.iter().map(|id| (*id).to_string()).collect();
        let ordered = in_order(nights, &history);
        assert_eq!(ordered.len(), nights.len());
        ordered.iter().map(|night| night.commit.as_str()).collect()
    }

    #[test]
    fn a_wrong_clock_does_not_put_a_child_before_its_parent() {
        let nights = [
            night(1, "a", &[]),
            after(9, "b", "a"),
            after(3, "c", "b"),
            after(4, "d", "c"),
        ];
        assert_eq!(ordered(&nights, &[]), "abcd");
        assert_eq!(ordered(&nights, &["d", "c", "b", "a"]), "abcd");
        // In any order of play, and without links in the rows.
        let caught_up = [night(3, "c", &[]), night(9, "b", &[]), night(1, "a", &[])];
        assert_eq!(ordered(&caught_up, &["c", "b", "a"]), "abc");
    }

    #[test]
    fn a_commit_that_was_given_up_is_not_the_newest() {
        let nights = [
            night(1, "a", &[]),
            after(2, "b", "a"),
            after(9, "x", "b"),
            after(3, "c", "b"),
        ];
        assert_eq!(ordered(&nights, &["c", "b", "a"]), "abxc");
        // The whole history was rewritten.
        assert_eq!(ordered(&nights, &["f"]), "abcx");
    }

    #[test]
    fn nights_of_one_commit_stay_together_in_the_order_of_play() {
        let mut again = night(1, "b", &[]);
        again.run = "b-2".to_string();
        let nights = [
            night(9, "a", &[]),
            after(1, "b", "a"),
            again,
            after(0, "c", "b"),
        ];
        let runs = |history: &[String]| -> Vec<String> {
            let ordered = in_order(&nights, history);
            ordered.into_iter().map(|night| night.run).collect()
        };
        assert_eq!(runs(&[]), ["a", "b", "b-2", "c"]);
        let history = ["c", "b", "a"].map(str::to_string);
        assert_eq!(runs(&history), ["a", "b", "b-2", "c"]);
    }

    #[test]
    fn a_circle_in_an_edited_table_ends() {
        let nights = [after(1, "a", "b"), after(2, "b", "a"), after(3, "c", "c")];
        assert_eq!(ordered(&nights, &[]), "bac");
    }
}
