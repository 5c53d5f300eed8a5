//! A run that is pooled.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, ensure};

use super::duplicates::Known;
use crate::executor::{GameText, PlayedPair};
use crate::ledger::{Arrivals, Entry, FAILURES, GAMES_EPD, GAMES_PGN, GamesFile};
use crate::run::{MANIFEST, Manifest, RunFiles, conditions};

/// A run that is pooled, opened to be read.
pub(super) struct Source {
    files: RunFiles,
    /// As the user named it.
    name: Arc<str>,
    /// Of its workers in the pool, the number of the first.
    pub(super) first_worker: usize,
}

impl Source {
    /// Opens the run in `dir`, which may still be played.
    ///
    /// # Errors
    /// If it is not a run's folder or its files cannot be read.
    pub(super) fn open(dir: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            files: RunFiles::open(dir)?,
            name: dir.display().to_string().into(),
            first_worker: 0,
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn manifest(&self) -> &Manifest {
        &self.files.manifest
    }

    pub(super) fn folder_name(&self) -> String {
        self.files.folder.name()
    }

    /// Adds its pairs to those that are known.
    ///
    /// # Errors
    /// If a pair is known with other games, was played under conditions other
    /// than those of `run.toml`, or cannot be read.
    pub(super) fn add_to(&self, known: &mut Known) -> anyhow::Result<()> {
        let dir = self.files.folder.path();
        let conditions = conditions::read(dir)?;
        for entry in self.files.pairs.by_arrival()? {
            let entry = entry?;
            ensure!(
                entry.conditions.is_none_or(|then| then == conditions),
                "{} has changed since pair {} was played\nhelp: restore the file, or leave this run out",
                dir.join(MANIFEST).display(),
                entry.result.pair + 1
            );
            known.add(&entry, &self.name)?;
        }
        Ok(())
    }

    /// One more than the largest number of a worker that has played: a fleet can
    /// have more machines than the run has games at a time.
    ///
    /// # Errors
    /// If its pairs cannot be read.
    pub(super) fn end_of_workers(&self) -> anyhow::Result<usize> {
        let mut end = 0;
        for entry in self.files.pairs.by_arrival()? {
            end = end.max(entry?.worker + 1);
        }
        Ok(end)
    }

    /// Its pairs in the order in which they were finished.
    ///
    /// # Errors
    /// If its files cannot be read.
    pub(super) fn played(&self) -> anyhow::Result<PlayedPairs<'_>> {
        let dir = self.files.folder.path();
        let open = |name: &str| {
            let path = dir.join(name);
            let failed = format!("cannot read {}", path.display());
            (path, failed)
        };
        let (path, failed) = open(GAMES_PGN);
        let games = GamesFile::open(&path).context(failed)?;
        let epd = match self.manifest().config.pgn.epd {
            true => {
                let (path, failed) = open(GAMES_EPD);
                let file = File::open(&path).context(failed)?;
                Some(BufReader::new(file).lines())
            }
            false => None,
        };
        Ok(PlayedPairs {
            source: self,
            arrivals: self.files.pairs.by_arrival()?,
            games,
            epd,
        })
    }

    /// The folders with evidence of failures.
    pub(super) fn failures(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.files.folder.path().join(FAILURES));
        let folders = entries.into_iter().flatten().flatten();
        folders.map(|entry| entry.path()).collect()
    }
}

/// The pairs of a run with the texts of their games.
pub(super) struct PlayedPairs<'a> {
    source: &'a Source,
    arrivals: Arrivals<'a>,
    games: GamesFile,
    epd: Option<Lines<BufReader<File>>>,
}

impl PlayedPairs<'_> {
    fn texts(&mut self, entry: &Entry) -> anyhow::Result<[GameText; 2]> {
        let mut texts = [GameText::default(), GameText::default()];
        for (text, place) in texts.iter_mut().zip(entry.pgn) {
            let game = self.games.game(place)?;
            ensure!(
                game.len() as u64 == place.1,
                "{GAMES_PGN} ends before the games of pair {}",
                entry.result.pair + 1
            );
            text.pgn = String::from_utf8(game.to_vec())
                .with_context(|| format!("{GAMES_PGN}, pair {}", entry.result.pair + 1))?;
            if let Some(lines) = &mut self.epd {
                let line = lines.next().transpose()?;
                let missing = || {
                    anyhow!(
                        "{GAMES_EPD} lacks the games of pair {}",
                        entry.result.pair + 1
                    )
                };
                text.epd = line.ok_or_else(missing)? + "\n";
            }
        }
        Ok(texts)
    }

    fn pair(&mut self, entry: Entry) -> anyhow::Result<PlayedPair> {
        let damaged = || {
            let run = &self.source.name;
            format!("{run} is damaged\nhelp: repair it with `hone resume {run}`")
        };
        let (damaged, texts) = (damaged(), self.texts(&entry));
        Ok(PlayedPair {
            texts: texts.context(damaged)?,
            result: entry.result,
            opening_number: entry.opening_number,
            worker: self.source.first_worker + entry.worker,
            finished_ms: entry.finished_ms,
        })
    }
}

impl Iterator for PlayedPairs<'_> {
    type Item = anyhow::Result<PlayedPair>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.arrivals.next()? {
            Ok(entry) => Some(self.pair(entry)),
            Err(error) => Some(Err(error.into())),
        }
    }
}
