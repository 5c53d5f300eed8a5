//! The runs that a worker knows.
//!
//! `scheduler` chooses the next one, `refusals` leaves some out, `watched` tells when their
//! games are sent.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::engines::Engines;
use super::refusals::Refused;
use super::scheduler::Offer;
use super::watched::Watching;
use crate::ids::Name;
use hone_run::executor::PairJob;

/// A run without a notice for this long is removed.
pub(super) const REMOVE_AFTER: Duration = Duration::from_secs(60 * 60);

/// What a worker knows of a run.
#[derive(Debug, Default)]
pub(super) struct RunState {
    /// The time of its last notice or failure; `None` before the first.
    pub(super) heard: Option<Instant>,
    /// Its pairs, while this worker may play them.
    pub(super) offer: Option<Offer>,
    pub(super) refused: Option<Refused>,
    pub(super) watching: Option<Watching>,
    pub(super) engines: Engines,
    /// This worker's numbers of its engines.
    numbers: BTreeMap<(usize, String), usize>,
    /// Whether its title was printed since it was last refused.
    is_shown: bool,
}

/// The runs that a worker knows.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    pub(super) states: BTreeMap<Name, RunState>,
    /// The largest `pass` of a run that was next: the minimum for each run after its next
    /// pair. So a run that is new, was left out or had no jobs does not catch up on the
    /// pairs of the others.
    pub(super) max_pass: f64,
    /// The next number of an engine. Numbers of a run that was forgotten are not used again:
    /// its engines may still be running in a slot.
    next_number: usize,
}

impl Runs {
    pub(super) fn get(&self, run: &Name) -> Option<&RunState> {
        self.states.get(run)
    }

    /// The state of a run, which is new if the run is not known.
    pub(super) fn state(&mut self, run: &Name) -> &mut RunState {
        self.states.entry(run.clone()).or_default()
    }

    /// Records that the title of a run is printed. Returns whether it was not printed before.
    pub(super) fn show(&mut self, run: &Name) -> bool {
        !std::mem::replace(&mut self.state(run).is_shown, true)
    }

    /// Takes a run out of the choice until its next notice.
    pub(super) fn withdraw(&mut self, run: &Name) {
        if let Some(state) = self.states.get_mut(run) {
            state.offer = None;
        }
    }

    /// Takes a refused run out of the choice. Its title is printed again if it is allowed.
    pub(super) fn hide(&mut self, run: &Name) {
        self.withdraw(run);
        if let Some(state) = self.states.get_mut(run) {
            state.is_shown = false;
        }
    }

    /// Records that a pair of a run was played: its failures are over.
    pub(super) fn played(&mut self, run: &Name) {
        if let Some(state) = self.states.get_mut(run) {
            state.refused.take_if(|refused| refused.is_failure());
            state.engines.played();
        }
    }

    /// Removes a run that is over or gone.
    pub(super) fn forget(&mut self, run: &Name) {
        self.states.remove(run);
    }

    /// The runs whose last notice or failure is older than [`REMOVE_AFTER`].
    pub(super) fn gone(&self, now: Instant) -> Vec<Name> {
        let is_gone = |state: &RunState| {
            let heard = state.heard;
            heard.is_some_and(|heard| now.duration_since(heard) >= REMOVE_AFTER)
        };
        let gone = self.states.iter().filter(|(_, state)| is_gone(state));
        gone.map(|(run, _)| run.clone()).collect()
    }

    /// Replaces the run's numbers of the engines in a job by those of this worker, so that a
    /// slot does not use a running engine of one run for another.
    pub(super) fn number_engines(&mut self, run: &Name, job: &mut PairJob) {
        let state = self.states.entry(run.clone()).or_default();
        for player in &mut job.players {
            let key = (player.engine, player.program.sha256().to_string());
            player.engine = *state.numbers.entry(key).or_insert_with(|| {
                self.next_number += 1;
                self.next_number - 1
            });
        }
    }

    /// Marks the files of all engines as used, so that they are not pruned.
    pub(super) fn mark_used(&self) {
        for state in self.states.values() {
            state.engines.mark_used();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{name, pair_job};

    #[test]
    fn engines_of_two_runs_have_different_numbers() {
        let mut runs = Runs::default();
        let number = |runs: &mut Runs, run: &str| {
            let mut job = pair_job(0);
            runs.number_engines(&name(run), &mut job);
            job.players.map(|player| player.engine)
        };
        assert_eq!(number(&mut runs, "a"), [0, 1]);
        assert_eq!(number(&mut runs, "b"), [2, 3]);
        assert_eq!(number(&mut runs, "a"), [0, 1]);
        runs.forget(&name("a"));
        assert_eq!(number(&mut runs, "a"), [4, 5], "not used again");
        assert_eq!(number(&mut runs, "b"), [2, 3]);
    }

    #[test]
    fn a_run_is_gone_an_hour_after_its_last_notice() {
        let mut runs = Runs::default();
        let start = Instant::now();
        let noticed = start + REMOVE_AFTER / 2;
        runs.refuse(name("excluded"), "in quarantine", start);
        runs.refuse(name("excluded"), "in quarantine", noticed);
        runs.failed(&name("failed"), "disk full", Duration::ZERO, start);
        runs.allow(&name("failed"), noticed);
        assert!(runs.gone(start + REMOVE_AFTER).is_empty());
        let gone = runs.gone(noticed + REMOVE_AFTER);
        assert_eq!(gone, [name("excluded"), name("failed")]);
    }
}
