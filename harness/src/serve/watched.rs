//! One run as the live pages see it: read as its ledger grows, shown when
//! somebody looks.

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::watch;

use super::board_html::boards;
use super::followed::Followed;
use super::index::GameIndex;
use super::opened::{Opened, RunGames};
use super::pages::{Beside, change, run_parts};
use super::process::is_played;
use super::remote::RemoteGames;
use super::snapshot::{Part, Snapshot};
use super::summary::{RunSummary, State};
use crate::executor::LiveGame;
#[cfg(feature = "fleet")]
use crate::fleet::RunKey;
use crate::kinds;
use crate::ledger::{Entry, GAMES_CSV};
use crate::output::with_causes;
use crate::platform::FileId;
use crate::report::html::Place;
#[cfg(feature = "fleet")]
use crate::run::files::live::LIVE;
use crate::run::files::live::LiveGames;
use crate::run::{MANIFEST, Manifest};

/// A page changes this often at most, and less often where making it takes
/// long: at most this share of a processor goes into it.
const REFRESH: Duration = Duration::from_secs(1);
const SHARE: u32 = 12;

/// How often it is looked at whether a process plays the run.
const LOOK: Duration = Duration::from_secs(2);

/// How long a run stays in memory after somebody has looked at it.
const KEPT: Duration = Duration::from_secs(60);

/// A run.
pub(super) struct WatchedRun {
    id: String,
    path: PathBuf,
    manifest: Manifest,
    /// The file that it was read from.
    manifest_stamp: Option<ManifestStamp>,
    /// Games on other machines, if a fleet is watched.
    remote: Option<RemoteGames>,
    /// The folders of the later stages of a test that have been started.
    later: Vec<PathBuf>,
    /// Length and time of the last stage's ledger when it was read.
    seen: Option<(PathBuf, u64, SystemTime)>,
    is_running: bool,
    looked: Option<Instant>,
    loaded: Option<Loaded>,
    summary: Option<RunSummary>,
    /// Whether it is a later stage of another run.
    pub is_stage: bool,
    /// Why its ledger cannot be read.
    pub damage: Option<String>,
}

struct Loaded {
    first: Followed,
    /// The last stage of a test, if it is not the first.
    later: Option<Followed>,
    /// What changed between the engines, once somebody has looked.
    change: OnceCell<Option<String>>,
    opened: Opened,
    sender: watch::Sender<Arc<Snapshot>>,
    is_stale: bool,
    /// Whether the page is behind the standing.
    is_page_stale: bool,
    due: Instant,
    /// The number of the games that are shown.
    live: u64,
    /// What the run is called on a fleet, once that is known.
    #[cfg(feature = "fleet")]
    fleet_name: Option<String>,
}

impl WatchedRun {
    /// A run that has not been read yet.
    ///
    /// # Errors
    /// If its manifest cannot be read.
    pub(super) fn new(id: &str, path: &Path, remote: Option<RemoteGames>) -> anyhow::Result<Self> {
        Ok(Self {
            id: id.to_string(),
            path: path.to_path_buf(),
            // Before it is read: what is written meanwhile is read later.
            manifest_stamp: manifest_stamp(path),
            manifest: Manifest::read(path)?,
            remote,
            later: Vec::new(),
            seen: None,
            is_running: false,
            looked: None,
            loaded: None,
            summary: None,
            is_stage: false,
            damage: None,
        })
    }

    /// Where it stands, once its ledger has been read.
    pub(super) fn summary(&self) -> Option<&RunSummary> {
        self.summary.as_ref()
    }

    /// Whether its manifest has changed, so that nothing that was read before holds: it
    /// was replaced by another run, or runs were added to a pool.
    pub(super) fn is_outdated(&self) -> bool {
        manifest_stamp(&self.path) != self.manifest_stamp
    }

    /// Brings it up to date. Returns whether its summary has changed.
    pub(super) fn poll(&mut self) -> bool {
        let was_running = self.is_running;
        self.look_for_stages();
        self.look_for_process();
        let seen = stamp(self.dir());
        let has_grown = seen.is_none() || seen != self.seen;
        if has_grown || was_running != self.is_running {
            self.seen = seen;
            if self.read().is_err() {
                return true;
            }
        }
        let changed = self.refresh(false);
        self.show_boards();
        self.forget();
        changed
    }

    /// The page, for somebody who wants to see it now.
    ///
    /// # Errors
    /// If its files cannot be read.
    pub(super) fn open(&mut self) -> anyhow::Result<Opened> {
        self.look_for_stages();
        self.look_for_process();
        self.seen = stamp(self.dir());
        self.read()?;
        if let Some(loaded) = &self.loaded {
            loaded.opened.touch();
        }
        self.refresh(true);
        self.show_boards();
        match &self.loaded {
            Some(loaded) => Ok(loaded.opened.clone()),
            None => anyhow::bail!("{}", self.damage.as_deref().unwrap_or("it was not read")),
        }
    }

    fn look_for_stages(&mut self) {
        self.later = kinds::of(self.manifest.kind).later(&self.manifest, &self.path);
    }

    /// The folder of the last stage: it is played there.
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

    /// Takes in what has come, or notes why it cannot be read.
    fn read(&mut self) -> anyhow::Result<()> {
        let read = self.take_in();
        self.damage = read.as_ref().err().map(with_causes);
        if read.is_err() {
            self.loaded = None;
        }
        read
    }

    fn take_in(&mut self) -> anyhow::Result<()> {
        if self.loaded.is_none() {
            self.loaded = Some(Loaded::new(&self.path, &self.manifest)?);
        }
        loop {
            let Some(loaded) = &mut self.loaded else {
                return Ok(());
            };
            let grown = loaded.first.read()?;
            if grown.is_cut {
                self.loaded = Some(Loaded::new(&self.path, &self.manifest)?);
                continue;
            }
            loaded.index(&grown.entries);
            if !grown.has_more {
                return loaded.read_later(self.later.last());
            }
        }
    }

    /// Computes where it stands and, if somebody looks, the page.
    fn refresh(&mut self, is_wanted: bool) -> bool {
        let Some(loaded) = &mut self.loaded else {
            return false;
        };
        let is_running = self.is_running;
        let state_changed = self.summary.as_ref().is_none_or(|summary| {
            (summary.state == State::Running) != is_running && summary.state != State::Finished
        });
        let is_watched = is_wanted || loaded.is_watched();
        let is_stale = loaded.is_stale || state_changed || (is_watched && loaded.is_page_stale);
        let is_due = is_wanted || Instant::now() >= loaded.due || self.summary.is_none();
        if !is_stale || !is_due {
            return false;
        }
        let began = Instant::now();
        let has_next_stage = self.later.len() + 1 < self.manifest.config.stage.len();
        let last = loaded.later.as_mut().unwrap_or(&mut loaded.first);
        let summary = last.summary(&self.id, is_running, has_next_stage);
        let refreshed = summary.and_then(|mut summary| {
            summary.created = self.manifest.created;
            loaded.is_page_stale = true;
            if is_watched {
                loaded.show(&self.manifest, &summary)?;
            }
            Ok(summary)
        });
        loaded.is_stale = false;
        loaded.due = Instant::now() + REFRESH.max(began.elapsed() * SHARE);
        match refreshed {
            Ok(summary) => self.summary = Some(summary),
            Err(error) => {
                self.damage = Some(with_causes(&error));
                self.loaded = None;
            }
        }
        true
    }

    fn show_boards(&mut self) {
        let Some(loaded) = &mut self.loaded else {
            return;
        };
        if !loaded.is_watched() {
            return;
        }
        let dir = self.later.last().unwrap_or(&self.path);
        let (number, games) = match self.is_running {
            true => match playing(dir, loaded, self.remote.as_ref()) {
                Some(live) => live,
                // It is just being written.
                None => return,
            },
            false => (0, Vec::new()),
        };
        if number == loaded.live {
            return;
        }
        loaded.live = number;
        let mode = loaded.opened.games.mode;
        let json = boards(&games, mode, self.manifest.engines.len());
        loaded.sender.send_modify(|snapshot| {
            let mut next = Snapshot::clone(snapshot);
            next.parts.retain(|part| part.name != "boards");
            next.parts.push(Part::data("boards", json));
            *snapshot = Arc::new(next);
        });
    }

    /// Frees the memory of a run that is neither played nor watched.
    fn forget(&mut self) {
        let is_idle = self
            .loaded
            .as_ref()
            .is_some_and(|loaded| !loaded.is_watched() && !loaded.is_stale);
        if is_idle && !self.is_running {
            self.loaded = None;
        }
    }
}

impl Loaded {
    fn new(path: &Path, manifest: &Manifest) -> anyhow::Result<Self> {
        let play = &manifest.config;
        let games = RunGames {
            dir: path.to_path_buf(),
            mode: play.r#match.variant.castling_mode(),
            notation: play.pgn.notation,
            index: RwLock::new(GameIndex::default()),
            looking_through: Mutex::default(),
        };
        let (sender, snapshot) = watch::channel(Arc::default());
        Ok(Self {
            first: Followed::new(path, manifest.clone())?,
            later: None,
            change: OnceCell::new(),
            opened: Opened::new(snapshot, Arc::new(games)),
            sender,
            is_stale: true,
            is_page_stale: true,
            due: Instant::now(),
            live: 0,
            #[cfg(feature = "fleet")]
            fleet_name: None,
        })
    }

    /// Lists the games of these pairs.
    fn index(&mut self, entries: &[Entry]) {
        if entries.is_empty() {
            return;
        }
        self.is_stale = true;
        let mut index = self.opened.games.write();
        entries.iter().for_each(|entry| index.absorb(entry));
    }

    /// Takes in what has come in the folder of the last stage.
    fn read_later(&mut self, dir: Option<&PathBuf>) -> anyhow::Result<()> {
        if self.later.as_ref().map(|later| &later.dir) != dir {
            self.later = match dir {
                Some(dir) => Some(Followed::new(dir, Manifest::read(dir)?)?),
                None => None,
            };
            self.is_stale = true;
            #[cfg(feature = "fleet")]
            {
                self.fleet_name = None;
            }
        }
        while let Some(later) = &mut self.later {
            let grown = later.read()?;
            self.is_stale |= grown.is_cut || !grown.entries.is_empty();
            if grown.is_cut {
                *later = Followed::new(&later.dir, Manifest::read(&later.dir)?)?;
            } else if !grown.has_more {
                break;
            }
        }
        Ok(())
    }

    /// What the run is called on a fleet, if it is played on one.
    #[cfg(feature = "fleet")]
    fn fleet_name(&mut self, path: &Path) -> Option<String> {
        // A run that is resumed here publishes its games here.
        if path.join(LIVE).exists() {
            return None;
        }
        if self.fleet_name.is_none() {
            self.fleet_name = RunKey::name_in(path).map(String::from);
        }
        self.fleet_name.clone()
    }

    #[cfg(not(feature = "fleet"))]
    fn fleet_name(&mut self, _path: &Path) -> Option<String> {
        None
    }

    /// Whether somebody looks, or did a moment ago.
    fn is_watched(&self) -> bool {
        self.opened.is_watched(KEPT)
    }

    fn show(&mut self, manifest: &Manifest, summary: &RunSummary) -> anyhow::Result<()> {
        let report = self.first.following.report()?;
        let page = report.page(Place::Served)?;
        let json = report.json()?;
        let beside = Beside {
            manifest,
            dir: &self.opened.games.dir,
            summary,
            breakdown: &self.first.breakdown,
            change: self.change.get_or_init(|| change(manifest)).as_deref(),
        };
        let mut next = run_parts(page, beside)?;
        next.json = json.into();
        self.sender.send_modify(|snapshot| {
            let boards = snapshot.parts.iter().filter(|part| part.name == "boards");
            next.parts.extend(boards.cloned());
            *snapshot = Arc::new(next);
        });
        self.is_page_stale = false;
        Ok(())
    }
}

/// The games of a run that is being played, here or on a fleet, and a number
/// that changes with them.
fn playing(
    path: &Path,
    loaded: &mut Loaded,
    remote: Option<&RemoteGames>,
) -> Option<(u64, Vec<LiveGame>)> {
    if let Some(remote) = remote
        && let Some(name) = loaded.fleet_name(path)
    {
        return Some(remote.of(&name, Instant::now()));
    }
    let live = LiveGames::read(path)?;
    Some((live.number(), live.games))
}

/// What tells a manifest from the one that was at its path before.
type ManifestStamp = (FileId, u64, SystemTime);

fn manifest_stamp(dir: &Path) -> Option<ManifestStamp> {
    let data = fs::metadata(dir.join(MANIFEST)).ok()?;
    Some((FileId::of(&data), data.len(), data.modified().ok()?))
}

/// The length of the ledger in a folder and when it was written.
fn stamp(dir: &Path) -> Option<(PathBuf, u64, SystemTime)> {
    let data = fs::metadata(dir.join(GAMES_CSV)).ok()?;
    Some((dir.to_path_buf(), data.len(), data.modified().ok()?))
}
