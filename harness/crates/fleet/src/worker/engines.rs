//! The engines of a run on this machine.

use std::collections::BTreeMap;

use super::prepare::Prepared;

/// The engines of a run.
#[derive(Debug, Default)]
pub(super) struct Engines {
    /// By the key of their files; `None` while they are being prepared.
    by_key: BTreeMap<String, Option<Prepared>>,
    /// Whether their files were gone, and no pair has been played since.
    is_fetched_again: bool,
}

impl Engines {
    /// Records that engines are being prepared.
    pub(super) fn begin(&mut self, key: &str) {
        self.by_key.insert(key.to_string(), None);
    }

    /// Adds prepared engines.
    pub(super) fn insert(&mut self, key: String, prepared: Prepared) {
        self.by_key.insert(key, Some(prepared));
    }

    /// Whether engines are ready; `None` if they are neither ready nor being prepared.
    pub(super) fn are_ready(&self, key: &str) -> Option<bool> {
        self.by_key.get(key).map(Option::is_some)
    }

    /// Engines, if they are ready.
    pub(super) fn get(&self, key: &str) -> Option<&Prepared> {
        self.by_key.get(key)?.as_ref()
    }

    /// Whether some engines are being prepared.
    pub(super) fn are_preparing(&self) -> bool {
        self.by_key.values().any(Option::is_none)
    }

    /// Removes engines that could not be prepared.
    pub(super) fn remove(&mut self, key: &str) {
        self.by_key.remove(key);
    }

    /// Removes all engines: they are prepared again if the run is played again.
    pub(super) fn clear(&mut self) {
        self.by_key.clear();
    }

    /// Records that a file is gone. Returns whether it is fetched again at once: only once
    /// until a pair is played, or a program that removes it each time makes this worker fetch
    /// it without end.
    pub(super) fn fetch_again(&mut self) -> bool {
        !std::mem::replace(&mut self.is_fetched_again, true)
    }

    /// Records that a pair was played.
    pub(super) fn played(&mut self) {
        self.is_fetched_again = false;
    }

    /// Marks their files as used, so that they are not pruned.
    pub(super) fn mark_used(&self) {
        self.by_key.values().flatten().for_each(Prepared::mark_used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::samples;
    use crate::samples::name;
    use crate::worker::runs::Runs;

    #[test]
    fn the_engines_of_one_run_do_not_hold_up_those_of_another() {
        let mut runs = Runs::default();
        let [run, other] = ["run", "run-2"].map(name);
        let prepared = || Prepared::sample(samples::job(0).files.remove(0), "engine".into());
        runs.state(&run).engines.begin("a");
        let engines = &mut runs.state(&other).engines;
        engines.insert("a".to_string(), prepared());
        assert_eq!(engines.are_ready("a"), Some(true));
        assert!(!engines.are_preparing());
        let engines = &mut runs.state(&run).engines;
        assert_eq!(engines.are_ready("a"), Some(false));
        assert_eq!(engines.are_ready("b"), None);
        assert!(engines.are_preparing());
        engines.insert("a".to_string(), prepared());
        engines.begin("b");
        assert!(engines.get("a").is_some() && engines.get("b").is_none());
        engines.remove("b");
        assert!(!engines.are_preparing());
        engines.clear();
        assert_eq!(engines.are_ready("a"), None);
        assert_eq!(runs.state(&other).engines.are_ready("a"), Some(true));
    }
}
