//! The previous nightly of a commit.

use std::collections::{HashMap, HashSet};

use super::night::Night;
use hone_builds::Commit;

/// The night of the nearest earlier commit that was played, in any order of play. `history`
/// has the commit's ancestors, newest first. If none of them was played, it is the newest
/// by date of the nights that are no longer on the `branch` (its history was rewritten).
pub(super) fn previous_of<'a>(
    commit: &Commit,
    history: &[String],
    branch: &[String],
    nights: &'a [Night],
) -> Option<&'a str> {
    let played: HashMap<&str, &Night> = nights
        .iter()
        .map(|night| (night.commit.as_str(), night))
        .collect();
    let ancestor = history
        .iter()
        .filter(|id| **id != commit.id)
        .find_map(|id| played.get(id.as_str()).copied());
    let by_date = || {
        let on_branch: HashSet<&str> = branch.iter().map(String::as_str).collect();
        let left = nights.iter().filter(|night| {
            night.committed <= commit.date
                && night.commit != commit.id
                && !on_branch.contains(night.commit.as_str())
        });
        // The last one of several with the same date.
        left.max_by_key(|night| night.committed)
    };
    let previous = ancestor.or_else(by_date)?;
    Some(previous.commit.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::night::tests::night;
    use super::*;

    #[test]
    fn the_commit_before_is_found_by_history_not_by_the_order_of_play() {
        // Four commits of one second, the second played last.
        let second_night = |id: &str| night(1, id, &[]);
        let nights = ["a", "c", "d"].map(second_night);
        let commit = |id: &str| Commit {
            id: id.to_string(),
            subject: String::new(),
            author: String::new(),
            date: nights[0].committed,
            bench: None,
        };
        let history = |ids: &[&str]| ids.iter().map(|id| (*id).to_string()).collect::<Vec<_>>();
        let branch = history(&["e", "d", "c", "b", "a"]);
        let previous = |id, ids| previous_of(&commit(id), &history(ids), &branch, &nights);
        assert_eq!(previous("b", &["b", "a"]), Some("a"));
        assert_eq!(previous("e", &["e", "d", "c", "b", "a"]), Some("d"));
        assert_eq!(
            previous("a", &["a"]),
            None,
            "those after it are not before it"
        );
        let rewritten = history(&["f", "x"]);
        let previous = previous_of(&commit("f"), &rewritten, &rewritten, &nights);
        assert_eq!(previous, Some("d"), "no ancestor: by date");
        assert_eq!(previous_of(&commit("b"), &[], &[], &[]), None);
    }
}
