//! Follows the ledgers of a run: its own, and that of the last stage of a test.

use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use super::followed::Followed;
use crate::index::GameIndex;
use crate::kinds::Kinds;
use crate::opened::RunGames;
use hone_run::Manifest;

pub(super) struct Ledgers {
    kinds: Kinds,
    /// The run's own ledger.
    pub first: Followed,
    /// The ledger of the last stage of a test, if it is not the first one.
    later: Option<Followed>,
    /// The games of the run's own ledger.
    pub games: Arc<RunGames>,
    /// Whether there are new pairs since the last update of the page.
    pub is_ahead: bool,
}

impl Ledgers {
    /// Starts before the first pair.
    ///
    /// # Errors
    /// If the manifest is invalid.
    pub(super) fn new(kinds: Kinds, path: &Path, manifest: &Manifest) -> anyhow::Result<Self> {
        let play = &manifest.config;
        let games = RunGames {
            dir: path.to_path_buf(),
            mode: play.r#match.variant.castling_mode(),
            notation: play.pgn.notation,
            index: RwLock::new(GameIndex::default()),
        };
        Ok(Self {
            kinds,
            first: Followed::new(kinds, path, manifest.clone())?,
            later: None,
            games: Arc::new(games),
            is_ahead: true,
        })
    }

    /// The ledger of the last stage.
    pub(super) fn last(&mut self) -> &mut Followed {
        self.later.as_mut().unwrap_or(&mut self.first)
    }

    /// Absorbs new pairs. `later` is the folder of the last stage, if it is not the first one.
    /// Returns false if the run's own ledger was truncated, which invalidates everything read.
    ///
    /// # Errors
    /// If a ledger cannot be read.
    pub(super) fn read(&mut self, later: Option<&PathBuf>) -> anyhow::Result<bool> {
        loop {
            let grown = self.first.read()?;
            if grown.is_cut {
                return Ok(false);
            }
            if !grown.entries.is_empty() {
                self.is_ahead = true;
                let mut index = self.games.write();
                grown.entries.iter().for_each(|entry| index.absorb(entry));
            }
            if !grown.has_more {
                self.read_later(later)?;
                return Ok(true);
            }
        }
    }

    fn read_later(&mut self, dir: Option<&PathBuf>) -> anyhow::Result<()> {
        if self.later.as_ref().map(|later| &later.dir) != dir {
            self.later = match dir {
                Some(dir) => Some(Followed::new(self.kinds, dir, Manifest::read(dir)?)?),
                None => None,
            };
            self.is_ahead = true;
        }
        while let Some(later) = &mut self.later {
            let grown = later.read()?;
            self.is_ahead |= grown.is_cut || !grown.entries.is_empty();
            if grown.is_cut {
                *later = Followed::new(self.kinds, &later.dir, Manifest::read(&later.dir)?)?;
            } else if !grown.has_more {
                break;
            }
        }
        Ok(())
    }
}
