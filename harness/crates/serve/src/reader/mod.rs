//! The thread that reads runs. Each ledger is read once, for any number of browsers.
//!
//! * `watched`: a run; `ledgers` and `followed`: its ledgers and their results.
//! * `run_page`: its page, while somebody looks at it.
//! * `nights`: a folder of `hone track`.

mod followed;
mod ledgers;
mod nights;
mod run_page;
mod watched;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use tokio::sync::{oneshot, watch};

use nights::WatchedNights;
use watched::WatchedRun;

use crate::actions::Queue;
use crate::catalog::{self, CatalogEntry, Sort};
use crate::fleet::NameOnFleet;
use crate::kinds::Kinds;
use crate::opened::Opened;
use crate::overview::{Damaged, Nights, Overview};
use crate::pages::overview_parts;
use crate::remote::RemoteGames;
use crate::summary::RunSummary;
use hone_base::text::with_causes;

/// Interval at which runs are checked.
const POLL: Duration = Duration::from_millis(400);
/// Interval at which the folder is listed.
const LIST: Duration = Duration::from_secs(2);
/// Interval of retries for a run that cannot be read.
const RETRY: Duration = Duration::from_secs(10);

/// A request for a page.
pub(super) struct Wish {
    pub run: String,
    /// `None` if the run does not exist or cannot be read.
    pub answer: oneshot::Sender<Option<Opened>>,
}

/// Where the runs are read from, besides their folders.
#[derive(Clone)]
pub(super) struct Sources {
    pub kinds: Kinds,
    /// The name on a fleet of the run in a folder, if it has been played on one.
    pub name_on_fleet: NameOnFleet,
    /// Games on other machines, if a fleet is shown.
    pub remote: Option<RemoteGames>,
}

/// Reads the runs in a folder.
pub(super) struct Reader {
    folder: PathBuf,
    runs: BTreeMap<String, WatchedRun>,
    nights: BTreeMap<String, WatchedNights>,
    /// Runs whose manifest cannot be read, with the reason and the time of the last attempt.
    unreadable: BTreeMap<String, (String, Instant)>,
    overview: watch::Sender<Arc<Overview>>,
    /// The queue; `None` if actions are off.
    queue: Option<Arc<Queue>>,
    sources: Sources,
    /// Version of the queue in the overview.
    queue_version: u64,
    listed: Option<Instant>,
    /// Whether the overview is out of date.
    is_stale: bool,
}

impl Reader {
    pub(super) fn new(
        folder: &Path,
        queue: Option<Arc<Queue>>,
        sources: Sources,
        overview: watch::Sender<Arc<Overview>>,
    ) -> Self {
        Self {
            folder: folder.to_path_buf(),
            runs: BTreeMap::new(),
            nights: BTreeMap::new(),
            unreadable: BTreeMap::new(),
            overview,
            queue,
            sources,
            queue_version: 0,
            listed: None,
            is_stale: true,
        }
    }

    /// Reads until all senders are closed.
    pub(super) fn run(mut self, wishes: &Receiver<Wish>) {
        let mut next = Instant::now();
        loop {
            match wishes.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(wish) => self.answer(wish),
                Err(RecvTimeoutError::Timeout) => {
                    self.poll(wishes);
                    next = Instant::now() + POLL;
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn answer(&mut self, wish: Wish) {
        self.renew(&wish.run);
        if !self.runs.contains_key(&wish.run) && !self.nights.contains_key(&wish.run) {
            self.list();
        }
        let opened = match (self.runs.get_mut(&wish.run), self.nights.get_mut(&wish.run)) {
            (Some(run), _) => {
                self.is_stale = true;
                run.open()
            }
            (None, Some(nights)) => Some(nights.open(&wish.run)),
            (None, None) => None,
        };
        // The browser may have disconnected.
        let _ = wish.answer.send(opened);
    }

    fn poll(&mut self, wishes: &Receiver<Wish>) {
        if self.listed.is_none_or(|at| at.elapsed() >= LIST) {
            self.list();
        }
        let names: Vec<String> = self.runs.keys().cloned().collect();
        for name in names {
            self.renew(&name);
            if let Some(run) = self.runs.get_mut(&name) {
                self.is_stale |= run.poll();
            }
            // Requests for pages come before the rest of a long list of runs.
            while let Ok(wish) = wishes.try_recv() {
                self.answer(wish);
            }
            if self.overview.borrow().is_first() {
                self.publish();
            }
        }
        for (name, nights) in &mut self.nights {
            self.is_stale |= nights.poll(name);
        }
        if let Some(queue) = &self.queue {
            queue.tick();
            self.is_stale |= queue.jobs().0 != self.queue_version;
        }
        if self.is_stale || self.overview.borrow().is_first() {
            self.publish();
        }
    }

    /// Reads a run again if its manifest has changed.
    fn renew(&mut self, run: &str) {
        if self.runs.get(run).is_some_and(WatchedRun::is_outdated) {
            self.runs.remove(run);
            self.is_stale = true;
            self.list();
        }
    }

    /// Lists the folder.
    fn list(&mut self) {
        self.listed = Some(Instant::now());
        let found = catalog::list(&self.folder);
        let is_there = |is_nights: bool| {
            let ids = found
                .iter()
                .filter(move |found| (found.sort == Sort::Nights) == is_nights);
            ids.map(|found| &found.id)
                .collect::<std::collections::BTreeSet<_>>()
        };
        let (runs, nights) = (is_there(false), is_there(true));
        let before = self.runs.len() + self.nights.len() + self.unreadable.len();
        self.runs.retain(|id, _| runs.contains(id));
        self.nights.retain(|id, _| nights.contains(id));
        self.unreadable.retain(|id, _| runs.contains(id));
        let after = self.runs.len() + self.nights.len() + self.unreadable.len();
        self.is_stale |= before != after;
        for found in &found {
            self.add(found);
        }
    }

    fn add(&mut self, CatalogEntry { id, path, sort }: &CatalogEntry) {
        if self.runs.contains_key(id) || self.nights.contains_key(id) {
            return;
        }
        if *sort == Sort::Nights {
            self.nights
                .insert(id.clone(), WatchedNights::new(self.sources.kinds, path));
            return;
        }
        let tried = self.unreadable.get(id);
        if tried.is_some_and(|(_, at)| at.elapsed() < RETRY) {
            return;
        }
        self.is_stale = true;
        match WatchedRun::new(id, path, &self.sources) {
            Ok(mut run) => {
                run.is_stage = *sort == Sort::Stage;
                self.unreadable.remove(id);
                self.runs.insert(id.clone(), run);
            }
            Err(error) => {
                let reason = (with_causes(&error), Instant::now());
                self.unreadable.insert(id.clone(), reason);
            }
        }
    }

    fn publish(&mut self) {
        self.is_stale = false;
        let queue = self.queue.as_ref();
        let (version, jobs) = queue.map(|queue| queue.jobs()).unwrap_or_default();
        self.queue_version = version;
        for (id, run) in &mut self.runs {
            run.take_job(jobs.iter().find(|job| job.name == *id));
        }
        let all = self.runs.values();
        let (stages, runs): (Vec<&WatchedRun>, _) = all.partition(|run| run.is_stage);
        let summaries = |runs: Vec<&WatchedRun>| -> Vec<RunSummary> {
            let summaries = runs.into_iter().filter_map(WatchedRun::summary);
            summaries.cloned().collect()
        };
        let unreadable = self.unreadable.iter();
        let unreadable = unreadable.map(|(id, (reason, _))| Damaged::new(id, reason));
        let damaged = self.runs.iter();
        let damaged = damaged.filter_map(|(id, run)| Some(Damaged::new(id, run.damage.as_ref()?)));
        let nights = self.nights.iter();
        let nights = nights.map(|(id, nights)| Nights::new(id, &nights.sentence));
        let mut overview = Overview::new(
            summaries(runs),
            nights.collect(),
            unreadable.chain(damaged).collect(),
            jobs,
            self.runs
                .values()
                .any(|run| run.summary().is_none() && run.damage.is_none()),
        );
        overview.stages = summaries(stages);
        overview.snapshot = overview_parts(&overview);
        self.overview.send_replace(Arc::new(overview));
    }
}
