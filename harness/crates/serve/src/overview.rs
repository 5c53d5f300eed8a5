//! All runs, one line each.

use serde::Serialize;

use super::actions::QueuedRun;
use super::snapshot::Snapshot;
use super::summary::{RunSummary, State};

/// The content of the folder.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Overview {
    /// The runs, newest first.
    pub runs: Vec<RunSummary>,
    /// The later stages of runs, which have separate pages.
    #[serde(skip)]
    pub stages: Vec<RunSummary>,
    pub nights: Vec<Nights>,
    pub damaged: Vec<Damaged>,
    /// The submitted runs, in the order in which they start.
    pub queue: Vec<QueuedRun>,
    /// Whether some runs have not been read yet.
    pub loading: bool,
    /// The page of the overview.
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

    /// The text that is searched.
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
        queue: Vec<QueuedRun>,
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

    /// Whether this is the state before the first reading.
    pub(super) fn is_first(&self) -> bool {
        self.snapshot.parts.is_empty()
    }

    /// The reason why a run cannot be read.
    pub(super) fn reason(&self, run: &str) -> Option<&str> {
        let damaged = self.damaged.iter().find(|damaged| damaged.run == run)?;
        Some(&damaged.reason)
    }

    /// A run or a stage of one, by its name in URLs.
    pub(super) fn find(&self, run: &str) -> Option<&RunSummary> {
        let mut all = self.runs.iter().chain(&self.stages);
        all.find(|one| one.run == run)
    }

    /// Runs in this state.
    pub(super) fn in_state(&self, state: State) -> impl Iterator<Item = &RunSummary> {
        self.runs.iter().filter(move |run| run.state == state)
    }
}
