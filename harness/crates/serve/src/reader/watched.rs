//! Follows one run: its summary always, its page while somebody looks at it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::Sources;
use super::ledgers::Ledgers;
use super::run_page::RunPage;
use crate::actions::QueuedRun;
use crate::kinds::Kinds;
use crate::opened::Opened;
use crate::summary::{RunSummary, State};
use hone_base::platform::FileId;
use hone_base::text::with_causes;
use hone_run::ledger::{GAMES_CSV, is_played};
use hone_run::{MANIFEST, Manifest, started_stages};

/// Minimum interval between updates of a page. It is longer for a page that takes long to
/// build, so that this takes only a limited share of a processor.
const REFRESH: Duration = Duration::from_secs(1);
const SHARE: u32 = 12;

/// Interval at which `hone` checks whether a process plays the run.
const LOOK: Duration = Duration::from_secs(2);

/// A run that is followed.
pub(super) struct WatchedRun {
    id: String,
    path: PathBuf,
    manifest: Manifest,
    /// Identity of the manifest file that it was read from.
    manifest_stamp: Option<ManifestStamp>,
    sources: Sources,
    /// The folders of the started later stages of a test.
    later: Vec<PathBuf>,
    /// Length and modification time of the last stage's ledger when it was read.
    seen: Option<(PathBuf, u64, SystemTime)>,
    is_running: bool,
    looked: Option<Instant>,
    loaded: Option<Loaded>,
    summary: Option<RunSummary>,
    /// The possible actions, if it is in the queue.
    queued: Option<&'static [&'static str]>,
    /// Whether it is a later stage of another run.
    pub is_stage: bool,
    /// The reason why its ledger cannot be read.
    pub damage: Option<String>,
}

/// The data of a run that is played or viewed.
struct Loaded {
    ledgers: Ledgers,
    page: RunPage,
    /// Earliest time of the next update.
    due: Instant,
}

impl WatchedRun {
    /// A run that has not been read yet.
    ///
    /// # Errors
    /// If its manifest cannot be read.
    pub(super) fn new(id: &str, path: &Path, sources: &Sources) -> anyhow::Result<Self> {
        Ok(Self {
            id: id.to_string(),
            path: path.to_path_buf(),
            // Taken before reading, so that a concurrent change is noticed later.
            manifest_stamp: manifest_stamp(path),
            manifest: Manifest::read(path)?,
            sources: sources.clone(),
            later: Vec::new(),
            seen: None,
            is_running: false,
            looked: None,
            loaded: None,
            summary: None,
            queued: None,
            is_stage: false,
            damage: None,
        })
    }

    /// Its summary, once its ledger has been read.
    pub(super) fn summary(&self) -> Option<&RunSummary> {
        self.summary.as_ref()
    }

    /// Whether its manifest has changed, which invalidates everything read: it was replaced by
    /// another run, or runs were added to a pool.
    pub(super) fn is_outdated(&self) -> bool {
        manifest_stamp(&self.path) != self.manifest_stamp
    }

    /// Updates the possible actions from the queue.
    pub(super) fn take_job(&mut self, job: Option<&QueuedRun>) {
        let queued = job.map(QueuedRun::offered);
        if queued != self.queued
            && let Some(loaded) = &mut self.loaded
        {
            loaded.page.is_behind = true;
        }
        self.queued = queued;
    }

    /// Updates it. Returns whether its summary has changed.
    pub(super) fn poll(&mut self) -> bool {
        self.update(false)
    }

    /// Opens its page now; `None` if its files cannot be read.
    pub(super) fn open(&mut self) -> Option<Opened> {
        self.update(true);
        self.loaded
            .as_ref()
            .map(|loaded| loaded.page.opened.clone())
    }

    /// Reads its ledgers if they have grown, updates its summary, and publishes its page if
    /// somebody looks at it (or with `is_wanted`). Returns whether its summary has changed.
    fn update(&mut self, is_wanted: bool) -> bool {
        let was_running = self.is_running;
        self.look_for_stages();
        self.look_for_process();
        let seen = stamp(self.dir());
        let has_grown = seen.is_none() || seen != self.seen;
        if is_wanted || has_grown || was_running != self.is_running {
            self.seen = seen;
            if let Err(error) = self.read() {
                self.give_up(&error);
                return true;
            }
            self.damage = None;
        }
        let changed = self.refresh(is_wanted).unwrap_or_else(|error| {
            self.give_up(&error);
            true
        });
        self.show_boards();
        self.forget();
        changed
    }

    fn look_for_stages(&mut self) {
        self.later = started_stages(&self.manifest, &self.path);
    }

    /// The folder of the last stage, in which the run is played.
    fn dir(&self) -> &Path {
        self.later.last().unwrap_or(&self.path)
    }

    fn look_for_process(&mut self) {
        let is_over = self
            .summary
            .as_ref()
            .is_some_and(|summary| summary.state == State::Finished);
        if is_over || self.looked.is_some_and(|at| at.elapsed() < LOOK) {
            self.is_running &= !is_over;
            return;
        }
        self.looked = Some(Instant::now());
        self.is_running = is_played(self.dir());
    }

    /// Absorbs new pairs.
    fn read(&mut self) -> anyhow::Result<()> {
        loop {
            let loaded = match &mut self.loaded {
                Some(loaded) => loaded,
                none => none.insert(Loaded::new(self.sources.kinds, &self.path, &self.manifest)?),
            };
            if loaded.ledgers.read(self.later.last())? {
                return Ok(());
            }
            self.loaded = None;
        }
    }

    /// Records the reason why its files cannot be read.
    fn give_up(&mut self, error: &anyhow::Error) {
        self.damage = Some(with_causes(error));
        self.loaded = None;
    }

    /// Updates the summary and, if somebody looks at it, the page.
    fn refresh(&mut self, is_wanted: bool) -> anyhow::Result<bool> {
        let Some(loaded) = &mut self.loaded else {
            return Ok(false);
        };
        if is_wanted {
            loaded.page.opened.touch();
        }
        let is_running = self.is_running;
        let state_changed = self.summary.as_ref().is_none_or(|summary| {
            (summary.state == State::Running) != is_running && summary.state != State::Finished
        });
        let is_watched = loaded.page.is_watched();
        let is_behind =
            loaded.ledgers.is_ahead || state_changed || (is_watched && loaded.page.is_behind);
        // If a change of state waited, the run could be forgotten with the old state.
        let is_due = is_wanted || state_changed || Instant::now() >= loaded.due;
        if !is_behind || !is_due {
            return Ok(false);
        }
        let began = Instant::now();
        let stages = self.manifest.config.stage.len();
        let has_next_stage = self.later.len() + 1 < stages;
        let last = loaded.ledgers.last();
        let mut summary = last.summary(&self.id, is_running, has_next_stage)?;
        summary.created = self.manifest.created;
        summary.stage = (stages > 1).then(|| self.manifest.config.stage_words(self.later.len()));
        loaded.ledgers.is_ahead = false;
        loaded.page.is_behind = true;
        if is_watched {
            let Loaded { ledgers, page, .. } = loaded;
            page.show(ledgers, &self.manifest, &summary, self.queued)?;
        }
        loaded.due = Instant::now() + REFRESH.max(began.elapsed() * SHARE);
        self.summary = Some(summary);
        Ok(true)
    }

    fn show_boards(&mut self) {
        let dir = self.later.last().unwrap_or(&self.path);
        if let Some(loaded) = &mut self.loaded
            && loaded.page.is_watched()
        {
            let engines = self.manifest.engines.len();
            loaded
                .page
                .show_boards(dir, self.is_running, &self.sources, engines);
        }
    }

    /// Frees the memory of a run that is neither played nor viewed.
    fn forget(&mut self) {
        let is_idle = self
            .loaded
            .as_ref()
            .is_some_and(|loaded| !loaded.page.is_watched() && !loaded.ledgers.is_ahead);
        if is_idle && !self.is_running {
            self.loaded = None;
        }
    }
}

impl Loaded {
    fn new(kinds: Kinds, path: &Path, manifest: &Manifest) -> anyhow::Result<Self> {
        let ledgers = Ledgers::new(kinds, path, manifest)?;
        Ok(Self {
            page: RunPage::new(&ledgers.games),
            ledgers,
            due: Instant::now(),
        })
    }
}

/// Identity of a manifest file, which changes when it is replaced.
type ManifestStamp = (FileId, u64, SystemTime);

fn manifest_stamp(dir: &Path) -> Option<ManifestStamp> {
    let data = fs::metadata(dir.join(MANIFEST)).ok()?;
    Some((FileId::of(&data), data.len(), data.modified().ok()?))
}

/// The ledger of a folder with its length and modification time.
fn stamp(dir: &Path) -> Option<(PathBuf, u64, SystemTime)> {
    let data = fs::metadata(dir.join(GAMES_CSV)).ok()?;
    Some((dir.to_path_buf(), data.len(), data.modified().ok()?))
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::kinds::samples;

    const RUN: &str = "hone = \"1\"\nkind = \"match\"\ncreated = \"2026-01-01T00:00:00Z\"\n\
        base = \"/\"\nconcurrency = 2\nrepeats = \"count\"\n\
        [[engines]]\nname = \"a\"\nid = \"\"\nauthor = \"\"\nprogram = \"a\"\nsha256 = \"\"\n\
        [[engines]]\nname = \"b\"\nid = \"\"\nauthor = \"\"\nprogram = \"b\"\nsha256 = \"\"\n\
        [config.match]\n[[config.engine]]\nname = \"a\"\ncmd = \"a\"\n\
        [[config.engine]]\nname = \"b\"\ncmd = \"b\"\n";

    #[test]
    fn a_run_that_ends_before_the_next_update_is_due_is_stopped() {
        let dir = tempfile::tempdir().expect("a folder");
        fs::write(dir.path().join(MANIFEST), RUN).expect("written");
        let ledger = File::create(dir.path().join(GAMES_CSV)).expect("made");
        ledger.lock().expect("free");
        let sources = Sources {
            kinds: samples::kinds(),
            name_on_fleet: |_| None,
            remote: None,
        };
        let mut run = WatchedRun::new("run", dir.path(), &sources).expect("a run");
        assert!(run.poll(), "{:?}", run.damage);
        let state = |run: &WatchedRun| run.summary().map(|summary| summary.state);
        assert_eq!(state(&run), Some(State::Running));
        let loaded = run.loaded.as_mut().expect("it is being played");
        loaded.due += Duration::from_secs(3600);
        drop(ledger);
        run.looked = None;
        assert!(run.poll());
        assert_eq!(state(&run), Some(State::Stopped));
        assert!(run.loaded.is_none(), "its memory is freed");
    }
}
