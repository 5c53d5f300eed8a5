//! The engines of each run on this machine.

use std::collections::{BTreeMap, BTreeSet};

use super::prepare::Prepared;
use crate::ids::Name;

/// The engines of runs.
#[derive(Debug, Default)]
pub(super) struct Engines {
    /// By run and by the key of their files; `None` while they are being prepared.
    by_run: BTreeMap<Name, BTreeMap<String, Option<Prepared>>>,
    /// The runs whose files were gone, and of which no pair has been played since.
    fetched_again: BTreeSet<Name>,
}

impl Engines {
    /// Records that engines of a run are being prepared.
    pub(super) fn begin(&mut self, run: &Name, key: &str) {
        self.of(run).insert(key.to_string(), None);
    }

    /// Adds prepared engines of a run.
    pub(super) fn insert(&mut self, run: &Name, key: String, prepared: Prepared) {
        self.of(run).insert(key, Some(prepared));
    }

    fn of(&mut self, run: &Name) -> &mut BTreeMap<String, Option<Prepared>> {
        self.by_run.entry(run.clone()).or_default()
    }

    /// Whether engines are ready; `None` if they are neither ready nor being prepared.
    pub(super) fn are_ready(&self, run: &Name, key: &str) -> Option<bool> {
        let prepared = self.by_run.get(run)?.get(key)?;
        Some(prepared.is_some())
    }

    /// Engines, if they are ready.
    pub(super) fn get(&self, run: &Name, key: &str) -> Option<&Prepared> {
        self.by_run.get(run)?.get(key)?.as_ref()
    }

    /// Whether engines of a run are being prepared.
    pub(super) fn are_preparing(&self, run: &Name) -> bool {
        let of_run = self.by_run.get(run);
        of_run.is_some_and(|of_run| of_run.values().any(Option::is_none))
    }

    /// Removes engines of a run that could not be prepared.
    pub(super) fn remove(&mut self, run: &Name, key: &str) {
        if let Some(of_run) = self.by_run.get_mut(run) {
            of_run.remove(key);
        }
    }

    /// Removes all engines of a run: they are prepared again if it is played again.
    pub(super) fn remove_run(&mut self, run: &Name) {
        self.by_run.remove(run);
    }

    /// Removes a run that is over or gone.
    pub(super) fn forget(&mut self, run: &Name) {
        self.remove_run(run);
        self.fetched_again.remove(run);
    }

    /// Records that a file of a run is gone. Returns whether it is fetched again at once: only
    /// once until a pair is played, or a program that removes it each time makes this worker
    /// fetch it without end.
    pub(super) fn fetch_again(&mut self, run: &Name) -> bool {
        self.fetched_again.insert(run.clone())
    }

    /// Records that a pair of a run was played.
    pub(super) fn played(&mut self, run: &Name) {
        self.fetched_again.remove(run);
    }

    /// Marks their files as used, so that they are not pruned.
    pub(super) fn mark_used(&self) {
        let all = self.by_run.values().flat_map(BTreeMap::values);
        all.flatten().for_each(Prepared::mark_used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::samples;
    use crate::samples::name;

    #[test]
    fn the_engines_of_one_run_do_not_hold_up_those_of_another() {
        let mut engines = Engines::default();
        let [run, other] = ["run", "run-2"].map(name);
        let prepared = || Prepared::sample(samples::job(0).files.remove(0), "engine".into());
        engines.begin(&run, "a");
        engines.insert(&other, "a".to_string(), prepared());
        assert_eq!(engines.are_ready(&run, "a"), Some(false));
        assert_eq!(engines.are_ready(&run, "b"), None);
        assert_eq!(engines.are_ready(&other, "a"), Some(true));
        assert!(engines.are_preparing(&run) && !engines.are_preparing(&other));
        engines.insert(&run, "a".to_string(), prepared());
        engines.begin(&run, "b");
        assert!(engines.get(&run, "a").is_some() && engines.get(&run, "b").is_none());
        engines.remove(&run, "b");
        assert!(!engines.are_preparing(&run));
        engines.remove_run(&run);
        assert_eq!(engines.are_ready(&run, "a"), None);
        assert_eq!(engines.are_ready(&other, "a"), Some(true));
    }
}
