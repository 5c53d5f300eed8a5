//! Reads a run that is pooled.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, ensure};

use super::duplicates::SeenPairs;
use crate::executor::{GameText, PlayedPair};
use crate::files::findings::{self, PairFinding};
use crate::files::machines::{Machine, WORKERS, first_local_worker};
use crate::files::table::rows;
use crate::ledger::{
    Arrivals, FAILURES, GAMES_EPD, GAMES_PGN, GamesFile, LedgerError, RecordedPair,
};
use crate::{MANIFEST, Manifest, RunFiles, prepare::conditions};
use hone_base::diagnostic::Diagnostic;
use hone_base::platform::quoted;

/// A run that is pooled, open for reading.
pub(super) struct Source {
    files: RunFiles,
    /// Its path as the user gave it.
    name: Arc<str>,
    /// Number of its first worker in the pool.
    pub(super) first_worker: usize,
}

impl Source {
    /// Opens the run in `dir`, which may be in progress.
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

    /// Adds its pairs to `known`.
    ///
    /// # Errors
    /// If another run has other games for a pair, a pair was played with another `run.toml`,
    /// its results are not those of the PGN, rows are missing before a pair, or it cannot be
    /// read.
    pub(super) fn add_to(&self, known: &mut SeenPairs) -> anyhow::Result<()> {
        let dir = self.files.folder.path();
        let conditions = conditions::read(dir)?;
        let mut played = self.played()?;
        let mut end = 0;
        while let Some(entry) = played.arrivals.next() {
            let entry = entry?;
            ensure!(
                entry.is_at(end),
                LedgerError::misplaced(dir, entry.result.pair)
            );
            end = entry.pgn[1].end();
            ensure!(
                entry.is_under(conditions),
                Diagnostic::new(format!(
                    "{} has changed since pair {} was played",
                    dir.join(MANIFEST).display(),
                    entry.result.pair + 1
                ))
                .help("restore the file, or leave this run out")
            );
            known.add(&entry, &self.name)?;
            played.texts(&entry)?;
        }
        Ok(())
    }

    /// One more than the largest number of a worker. It may exceed the run's concurrency: a
    /// fleet can have more machines.
    ///
    /// # Errors
    /// If its pairs or its table of machines cannot be read.
    pub(super) fn end_of_workers(&self) -> anyhow::Result<usize> {
        let mut end = first_local_worker(self.files.folder.path())?;
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
        let cannot_read = |path: &Path| format!("cannot read {}", path.display());
        let path = dir.join(GAMES_PGN);
        let games = GamesFile::open(&path).with_context(|| cannot_read(&path))?;
        let epd = if self.manifest().config.pgn.epd {
            let path = dir.join(GAMES_EPD);
            let file = File::open(&path).with_context(|| cannot_read(&path))?;
            Some(BufReader::new(file).lines())
        } else {
            None
        };
        Ok(PlayedPairs {
            source: self,
            arrivals: self.files.pairs.by_arrival()?,
            games,
            epd,
        })
    }

    /// The machines of a run on a fleet, with their numbers in the pool. None without a fleet.
    ///
    /// # Errors
    /// If their table cannot be read.
    pub(super) fn machines(&self) -> anyhow::Result<Vec<Machine>> {
        let mut machines: Vec<Machine> = rows(&self.files.folder.path().join(WORKERS))?;
        for machine in &mut machines {
            machine.worker += self.first_worker;
        }
        Ok(machines)
    }

    /// What was found while the run was played.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(super) fn findings(&self) -> anyhow::Result<Vec<PairFinding>> {
        findings::read(self.files.folder.path())
    }

    /// The folders with evidence of failures.
    pub(super) fn failures(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.files.folder.path().join(FAILURES));
        let paths = entries.into_iter().flatten().flatten();
        let paths = paths.map(|entry| entry.path());
        paths.filter(|path| path.is_dir()).collect()
    }
}

/// The pairs of a run with the texts of their games, in the order of arrival.
pub(super) struct PlayedPairs<'a> {
    source: &'a Source,
    arrivals: Arrivals<'a>,
    games: GamesFile,
    /// The lines of `games.epd`, if the run has it.
    epd: Option<Lines<BufReader<File>>>,
}

impl PlayedPairs<'_> {
    /// The texts of a pair's games.
    ///
    /// # Errors
    /// If the run is damaged.
    fn texts(&mut self, entry: &RecordedPair) -> anyhow::Result<[GameText; 2]> {
        let texts = self.read_texts(entry);
        texts.map_err(|error| {
            let run = quoted(self.source.files.folder.path());
            let name = &self.source.name;
            let help = format!(
                "repair it with `hone resume {run}`, or find what is wrong with `hone verify {run}`"
            );
            let damaged = Diagnostic::new(format!("{name} is damaged"));
            damaged.because(error).help(help).into()
        })
    }

    fn read_texts(&mut self, entry: &RecordedPair) -> anyhow::Result<[GameText; 2]> {
        let mut texts = [GameText::default(), GameText::default()];
        let games = entry.pgn.into_iter().zip(&entry.result.games);
        for (text, (place, result)) in texts.iter_mut().zip(games) {
            let game = self.games.game(place)?;
            ensure!(
                game.len() as u64 == place.bytes,
                "{GAMES_PGN} ends before the games of pair {}",
                entry.result.pair + 1
            );
            text.pgn = String::from_utf8(game.to_vec())
                .with_context(|| format!("{GAMES_PGN}, pair {}", entry.result.pair + 1))?;
            let outcome = result.outcome.as_str();
            ensure!(
                text.pgn.contains(&format!("[Result \"{outcome}\"]")),
                "a game of pair {} has the result {outcome} in the ledger and another one in {GAMES_PGN}",
                entry.result.pair + 1
            );
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

    /// A pair with its worker's number in the pool.
    fn pair(&mut self, entry: RecordedPair) -> anyhow::Result<PlayedPair> {
        Ok(PlayedPair {
            texts: self.texts(&entry)?,
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
