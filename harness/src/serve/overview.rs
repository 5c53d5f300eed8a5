//! All runs, in a line each.

use serde::Serialize;

use super::actions::Job;
use super::snapshot::Snapshot;
use super::summary::{RunSummary, State};

/// All there is in the folder.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Overview {
    /// Newest first.
    pub runs: Vec<RunSummary>,
    /// The later stages of runs, which have pages of their own.
    #[serde(skip)]
    pub stages: Vec<RunSummary>,
    pub nights: Vec<Nights>,
    pub damaged: Vec<Damaged>,
    /// Runs that were submitted, those that start first at the top.
    pub queue: Vec<Job>,
    /// Whether some runs are still to be read.
    pub loading: bool,
    /// Its page.
    #[serde(skip)]
    pub snapshot: Snapshot,
}

/// A folder of nights.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Nights {
    pub name: String,
    pub status: String,
}

/// A run that cannot be read.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Damaged {
    pub run: String,
    pub reason: String,
}

impl Nights {
    pub(super) fn new(name: &str, status: &str) -> Self {
        Self {
            name: name.to_string(),
            status: status.to_string(),
        }
    }

    /// What is searched.
    pub(super) fn text(&self) -> String {
        format!("{} {}", self.name, self.status).to_lowercase()
    }
}

impl Damaged {
    pub(super) fn new(run: &str, reason: &str) -> Self {
        Self {
            run: run.to_string(),
            reason: reason.to_string(),
        }
    }
}

impl Overview {
    pub(super) fn new(
        mut runs: Vec<RunSummary>,
        nights: Vec<Nights>,
        damaged: Vec<Damaged>,
        queue: Vec<Job>,
        loading: bool,
    ) -> Self {
        runs.sort_by(|a, b| b.created.cmp(&a.created).then_with(|| a.run.cmp(&b.run)));
        Self {
            runs,
            stages: Vec::new(),
            nights,
            damaged,
            queue,
            loading,
            snapshot: Snapshot::default(),
        }
    }

    /// Whether nothing has been published yet.
    pub(super) fn is_first(&self) -> bool {
        self.snapshot.parts.is_empty()
    }

    /// Why a run cannot be read.
    pub(super) fn reason(&self, run: &str) -> Option<&str> {
        let damaged = self.damaged.iter().find(|damaged| damaged.run == run)?;
        Some(&damaged.reason)
    }

    /// A run, or a stage of one, by its name in addresses.
    pub(super) fn find(&self, run: &str) -> Option<&RunSummary> {
        let mut all = self.runs.iter().chain(&self.stages);
        all.find(|one| one.run == run)
    }

    /// Runs in this state.
    pub(super) fn in_state(&self, state: State) -> impl Iterator<Item = &RunSummary> {
        self.runs.iter().filter(move |run| run.state == state)
    }
}
