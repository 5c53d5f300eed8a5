//! Follows a folder of nights of `hone track`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};
use std::time::SystemTime;

use shakmaty::CastlingMode;
use tokio::sync::watch;

use crate::index::GameIndex;
use crate::kinds::Kinds;
use crate::opened::{Opened, RunGames};
use crate::pages::{nights_parts, run_href};
use crate::snapshot::Snapshot;
use hone_base::text::with_causes;
use hone_report::html::PageLocation;
use hone_run::NIGHTS_TABLE;
use hone_uci::rules::Notation;

/// A folder of nights.
pub(super) struct WatchedNights {
    kinds: Kinds,
    path: PathBuf,
    seen: Option<SystemTime>,
    opened: Opened,
    sender: watch::Sender<Arc<Snapshot>>,
    /// The status in one sentence, or the reason why it cannot be read.
    pub sentence: String,
}

impl WatchedNights {
    pub(super) fn new(kinds: Kinds, path: &Path) -> Self {
        let (sender, snapshot) = watch::channel(Arc::default());
        // The games of nights are in their runs.
        let games = RunGames {
            dir: path.to_path_buf(),
            mode: CastlingMode::Standard,
            notation: Notation::San,
            index: RwLock::new(GameIndex::default()),
        };
        Self {
            kinds,
            path: path.to_path_buf(),
            seen: None,
            opened: Opened::new(snapshot, Arc::new(games)),
            sender,
            sentence: String::new(),
        }
    }

    /// Brings the page up to date. Returns whether it has changed.
    pub(super) fn poll(&mut self, id: &str) -> bool {
        let table = fs::metadata(self.path.join(NIGHTS_TABLE));
        let seen = table.and_then(|table| table.modified()).ok();
        if seen.is_some() && seen == self.seen {
            return false;
        }
        self.seen = seen;
        match self.show(id) {
            Ok(sentence) => self.sentence = sentence,
            Err(error) => self.sentence = with_causes(&error),
        }
        true
    }

    pub(super) fn open(&mut self, id: &str) -> Opened {
        self.poll(id);
        self.opened.clone()
    }

    fn show(&self, id: &str) -> anyhow::Result<String> {
        let report = (self.kinds.nights)(&self.path)?;
        let mut next = nights_parts(report.page(PageLocation::Served(&run_href(id)))?, id);
        next.json = report.json()?.into();
        let sentence = next.subtitle.clone();
        self.sender.send_replace(Arc::new(next));
        Ok(sentence)
    }
}
