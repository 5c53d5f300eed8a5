//! The engines of each run on this machine.

use std::collections::BTreeMap;

use super::prepare::Prepared;
use crate::fleet::ids::Name;

/// The engines that are ready, or are being made ready, by run and by the key of their
/// files; `None` while they are being made ready.
#[derive(Debug, Default)]
pub(super) struct Engines(BTreeMap<Name, BTreeMap<String, Option<Prepared>>>);

impl Engines {
    /// Engines of a run are being made ready.
    pub(super) fn begin(&mut self, run: &Name, key: &str) {
        self.of(run).insert(key.to_string(), None);
    }

    /// Engines of a run are ready.
    pub(super) fn insert(&mut self, run: &Name, key: String, prepared: Prepared) {
        self.of(run).insert(key, Some(prepared));
    }

    fn of(&mut self, run: &Name) -> &mut BTreeMap<String, Option<Prepared>> {
        self.0.entry(run.clone()).or_default()
    }

    /// Whether engines are ready; `None` if they are not being made ready either.
    pub(super) fn are_ready(&self, run: &Name, key: &str) -> Option<bool> {
        let prepared = self.0.get(run)?.get(key)?;
        Some(prepared.is_some())
    }

    /// Engines that are ready.
    pub(super) fn get(&self, run: &Name, key: &str) -> Option<&Prepared> {
        self.0.get(run)?.get(key)?.as_ref()
    }

    /// Whether some engines of a run are being made ready.
    pub(super) fn are_preparing(&self, run: &Name) -> bool {
        let of_run = self.0.get(run);
        of_run.is_some_and(|of_run| of_run.values().any(Option::is_none))
    }

    /// Engines of a run could not be made ready.
    pub(super) fn remove(&mut self, run: &Name, key: &str) {
        if let Some(of_run) = self.0.get_mut(run) {
            of_run.remove(key);
        }
    }

    /// The engines of a run are made ready anew if it is played again.
    pub(super) fn forget(&mut self, run: &Name) {
        self.0.remove(run);
    }

    /// Keeps their files from being pruned.
    pub(super) fn keep(&self) {
        let all = self.0.values().flat_map(BTreeMap::values);
        all.flatten().for_each(Prepared::keep);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::message::samples;
    use crate::fleet::samples::name;

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
        engines.forget(&run);
        assert_eq!(engines.are_ready(&run, "a"), None);
        assert_eq!(engines.are_ready(&other, "a"), Some(true));
    }
}
