//! The page of a run while somebody looks at it.

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use maud::Markup;
use tokio::sync::watch;

use super::Sources;
use super::ledgers::Ledgers;
use crate::opened::{Opened, RunGames};
use crate::pages::{Beside, boards, change, run_href, run_parts};
use crate::snapshot::{Part, Snapshot};
use crate::summary::RunSummary;
use hone_report::html::PageLocation;
use hone_run::Manifest;
use hone_run::executor::LiveGame;
use hone_run::files::live::LIVE;
use hone_run::files::live::LiveGames;

/// Time for which a page is kept up to date after the last request.
const KEPT: Duration = Duration::from_secs(60);

pub(super) struct RunPage {
    pub opened: Opened,
    sender: watch::Sender<Arc<Snapshot>>,
    /// Whether it is older than the summary.
    pub is_behind: bool,
    /// The commits between the engines, computed on the first request.
    change: OnceCell<Option<Markup>>,
    /// Version of the games in progress on the page; `None` before the first.
    live: Option<u64>,
}

impl RunPage {
    pub(super) fn new(games: &Arc<RunGames>) -> Self {
        let (sender, snapshot) = watch::channel(Arc::default());
        Self {
            opened: Opened::new(snapshot, Arc::clone(games)),
            sender,
            is_behind: true,
            change: OnceCell::new(),
            live: None,
        }
    }

    /// Whether somebody looks at it, or has done so within [`KEPT`].
    pub(super) fn is_watched(&self) -> bool {
        self.opened.is_watched(KEPT)
    }

    /// Updates the results. `queued` are the possible actions, if the run is in the queue.
    ///
    /// # Errors
    /// If the page cannot be built.
    pub(super) fn show(
        &mut self,
        ledgers: &mut Ledgers,
        manifest: &Manifest,
        summary: &RunSummary,
        queued: Option<&[&str]>,
    ) -> anyhow::Result<()> {
        let results = ledgers.first.following.results()?;
        let end = results.verdict.map(|_| results.absorbed);
        ledgers.games.write().set_end(end);
        let breakdown = ledgers.first.following.breakdown()?;
        let workers = breakdown.workers.facts(manifest, &ledgers.games.dir);
        let openings = breakdown.openings.facts();
        let report = ledgers.first.following.report()?;
        let page = report.page(PageLocation::Served(&run_href(&summary.run)))?;
        let json = report.json()?;
        let beside = Beside {
            manifest,
            summary,
            queued,
            workers: &workers,
            openings: &openings,
            change: self.change.get_or_init(|| change(manifest)).as_ref(),
            games: ledgers.games.read().count(),
        };
        let mut next = run_parts(page, beside)?;
        next.json = json.into();
        self.sender.send_modify(|snapshot| {
            let boards = snapshot.parts.iter().filter(|part| part.name == "boards");
            next.parts.extend(boards.cloned());
            *snapshot = Arc::new(next);
        });
        self.is_behind = false;
        Ok(())
    }

    /// Updates the games in progress of a folder or, if a fleet is shown, of the fleet.
    /// `engines` is the number of the run's engines.
    pub(super) fn show_boards(
        &mut self,
        dir: &Path,
        is_running: bool,
        sources: &Sources,
        engines: usize,
    ) {
        let playing = if is_running {
            playing(dir, sources)
        } else {
            Some((0, Vec::new()))
        };
        // `None` while they are being written.
        let Some((number, games)) = playing.filter(|(number, _)| Some(*number) != self.live) else {
            return;
        };
        self.live = Some(number);
        let json = boards(&games, self.opened.games.mode, engines);
        self.sender.send_modify(|snapshot| {
            let mut next = Snapshot::clone(snapshot);
            next.parts.retain(|part| part.name != "boards");
            next.parts.push(Part::data("boards", json));
            *snapshot = Arc::new(next);
        });
    }
}

/// The games in progress of a run, here or on a fleet, and their version number.
fn playing(dir: &Path, sources: &Sources) -> Option<(u64, Vec<LiveGame>)> {
    // A run that was resumed on this machine publishes its games here.
    let is_here = dir.join(LIVE).exists();
    if !is_here && let Some(name) = (sources.name_on_fleet)(dir) {
        // Without a fleet that is watched, they are unknown.
        let remote = sources.remote.as_ref();
        let games = remote.map(|remote| remote.of(&name, Instant::now()));
        return Some(games.unwrap_or_default());
    }
    let live = LiveGames::read(dir)?;
    Some((live.number(), live.games))
}
