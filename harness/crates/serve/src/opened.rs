//! An open page of a run, as the request handlers use it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use shakmaty::CastlingMode;
use tokio::sync::watch;

use super::index::GameIndex;
use super::snapshot::Snapshot;
use hone_uci::rules::Notation;

/// An open page.
#[derive(Debug, Clone)]
pub(super) struct Opened {
    pub snapshot: watch::Receiver<Arc<Snapshot>>,
    pub games: Arc<RunGames>,
    look: Arc<Look>,
}

/// The viewers of a page.
#[derive(Debug, Default)]
struct Look {
    /// Number of browsers that follow it.
    viewers: AtomicUsize,
    /// Time of the last request in milliseconds of this process, plus one; 0 if none.
    used: AtomicU64,
}

/// A browser that follows a page, until it is dropped.
#[derive(Debug)]
pub(super) struct Viewer(Arc<Look>);

impl Drop for Viewer {
    fn drop(&mut self) {
        self.0.viewers.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The games of a run, and the folder with their files.
#[derive(Debug)]
pub(super) struct RunGames {
    pub dir: PathBuf,
    pub mode: CastlingMode,
    pub notation: Notation,
    pub index: RwLock<GameIndex>,
}

impl Opened {
    pub(super) fn new(snapshot: watch::Receiver<Arc<Snapshot>>, games: Arc<RunGames>) -> Self {
        Self {
            snapshot,
            games,
            look: Arc::default(),
        }
    }

    /// Records a request for it.
    pub(super) fn touch(&self) {
        self.look.used.store(uptime_ms() + 1, Ordering::Relaxed);
    }

    /// Registers a browser that follows it.
    pub(super) fn viewer(&self) -> Viewer {
        self.look.viewers.fetch_add(1, Ordering::Relaxed);
        Viewer(Arc::clone(&self.look))
    }

    /// Whether a browser follows it, or has requested it within `time`.
    pub(super) fn is_watched(&self, time: Duration) -> bool {
        let used = self.look.used.load(Ordering::Relaxed);
        let age = (uptime_ms() + 1).saturating_sub(used);
        self.look.viewers.load(Ordering::Relaxed) > 0
            || (used > 0 && u128::from(age) < time.as_millis())
    }
}

impl RunGames {
    // A panic of the reader leaves the index intact.
    pub(super) fn read(&self) -> RwLockReadGuard<'_, GameIndex> {
        self.index
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(super) fn write(&self) -> RwLockWriteGuard<'_, GameIndex> {
        self.index
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn uptime_ms() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let elapsed = START.get_or_init(Instant::now).elapsed();
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}
