//! The games of PGN files and runs, each counted once.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};

use super::pgn_games::{add_pgn, digests_of};
use super::run_folder::{Row, RunFolder};
use hone_base::diagnostic::{Advise, Diagnostic};
use hone_base::errln;
use hone_report::counted;
use hone_run::config::EngineOptions;
use hone_run::ledger::{GAMES_PGN, GamesFile};
use hone_run::{Kind, MANIFEST, Manifest, find_run};
use hone_stats::rating::{Game, Games};

/// An engine as a run played it.
#[derive(Debug, Clone)]
struct RunEngine {
    run: PathBuf,
    sha256: String,
    options: EngineOptions,
    limit: String,
}

/// The sources that are already read.
#[derive(Debug, Default)]
struct Known {
    /// Canonical paths; of a pipe, which may have none, the path as it was given.
    paths: BTreeSet<PathBuf>,
    /// Runs by their start times.
    runs: BTreeMap<jiff::Timestamp, PathBuf>,
    /// Engines of runs by their names.
    engines: BTreeMap<String, Vec<RunEngine>>,
    /// Pairs that the last run was planned with, if it is a match of two engines.
    planned: Option<u64>,
}

/// The games of all sources.
#[derive(Debug)]
pub(super) struct Sources {
    pub(super) games: Games,
    /// Planned pairs, if the only source is a match of two engines.
    pub(super) planned: Option<u64>,
}

/// The games of all sources: PGN files, and folders or names of runs. Prints warnings.
///
/// # Errors
/// If a source cannot be read, or if all games of a source would count twice.
pub(super) fn read(named: &[PathBuf]) -> Result<Sources, anyhow::Error> {
    let (mut games, mut known) = (Games::default(), Known::default());
    let (mut sources, mut digests) = (Vec::new(), Vec::new());
    for source in named {
        let source = find(source)?;
        known.note_path(&source)?;
        digests.push(if source.is_dir() {
            known.note_run(&source)?;
            let compare = named.len() > 1;
            add_run(&source, compare, &mut games)
                .with_context(|| format!("in {}", source.display()))?
        } else {
            add_file(&source, &mut games)?
        });
        sources.push(source);
    }
    for warning in different_engines(&known.engines) {
        errln!("warning: {warning}");
    }
    for warning in common_games(&sources, &digests) {
        errln!("warning: {warning}");
    }
    let planned = known.planned.filter(|_| named.len() == 1);
    Ok(Sources { games, planned })
}

/// The path of a source.
fn find(source: &Path) -> Result<PathBuf, anyhow::Error> {
    let shown = source.display();
    let found = find_run(source).diagnosed(|| Diagnostic::new(format!("no file `{shown}`")))?;
    ensure!(found.exists(), "no file and no run `{shown}`");
    Ok(found)
}

/// Adds the games of a PGN file. Returns their digests.
fn add_file(path: &Path, games: &mut Games) -> Result<Vec<u64>, anyhow::Error> {
    let (shown, added) = (path.display(), add_pgn(path, games)?);
    if let Some(number) = added.cut_off_at {
        errln!("warning: {shown}: game {number} does not end: skipped it and all after it");
    }
    if added.left_out > 0 {
        let skipped = counted(added.left_out as u64, "game");
        errln!("warning: {shown}: skipped {skipped} without a result or two players");
    }
    Ok(added.digests)
}

/// Adds the games of a run. Returns their digests if they are to be compared.
fn add_run(folder: &Path, compare: bool, games: &mut Games) -> Result<Vec<u64>, anyhow::Error> {
    let run = RunFolder::read(folder)?;
    for [one, two] in &run.pairs {
        ensure!(
            one.white == two.black && one.black == two.white && one.white != one.black,
            "the games of pair {} are not between the same two engines with colours reversed",
            one.pair
        );
        let mut game = |row: &Row| Game {
            white: games.player(&row.white),
            black: games.player(&row.black),
            half_points: row.half_points,
        };
        let pair = [game(one), game(two)];
        games.add_pair(pair);
    }
    // Without a readable PGN file, the ratings lack only the comparison with other sources.
    Ok(if compare {
        run_digests(folder, run).unwrap_or_default()
    } else {
        Vec::new()
    })
}

/// The digests of a run's games that count.
fn run_digests(folder: &Path, run: RunFolder) -> Result<Vec<u64>, anyhow::Error> {
    let mut file = GamesFile::open(&folder.join(GAMES_PGN))?;
    let mut digests = Vec::new();
    for place in run.pgn {
        digests.extend(digests_of(file.game(place)?)?);
    }
    Ok(digests)
}

impl Known {
    /// Records a source.
    ///
    /// # Errors
    /// If its games would count twice: the source was given before, or two sources are a run
    /// and its own file of games.
    fn note_path(&mut self, source: &Path) -> Result<(), anyhow::Error> {
        let path = source.canonicalize().unwrap_or_else(|_| source.to_owned());
        let shown = source.display();
        let is_file_of = |file: &Path, run: &Path| file == run.join(GAMES_PGN);
        let same_games = |other: &&PathBuf| is_file_of(&path, other) || is_file_of(other, &path);
        if let Some(other) = self.paths.iter().find(same_games) {
            let other = other.display();
            bail!("`{shown}` and `{other}` have the same games, which would count twice: give one");
        }
        if self.paths.insert(path) {
            Ok(())
        } else {
            bail!("`{shown}` is given twice: its games would count twice")
        }
    }

    /// Records the run of a folder, or those of a pool, and its engines. A run is identified
    /// by its start time, also in a copy.
    ///
    /// # Errors
    /// If the games of a run would count twice.
    fn note_run(&mut self, folder: &Path) -> Result<(), anyhow::Error> {
        if !folder.join(MANIFEST).exists() {
            return Ok(());
        }
        let manifest = Manifest::read(folder)?;
        let own = manifest.pooled.is_empty().then_some(manifest.created);
        let pooled = manifest.pooled.iter().map(|run| run.created);
        for started in own.into_iter().chain(pooled) {
            if let Some(other) = self.runs.insert(started, folder.to_path_buf()) {
                let (shown, other) = (folder.display(), other.display());
                bail!(
                    "`{shown}` and `{other}` have games of the same run, which would count twice: give one"
                );
            }
        }
        let is_match = manifest.kind == Kind::Match && manifest.engines.len() == 2;
        // More pairs by `hone resume` do not change the shape of the interval.
        self.planned = is_match.then_some(manifest.config.r#match.pairs);
        for (identity, config) in manifest.engines.iter().zip(&manifest.config.engine) {
            let played = RunEngine {
                run: folder.to_path_buf(),
                sha256: identity.sha256.clone(),
                options: config.options.clone(),
                limit: manifest.config.limit_of(config).to_string(),
            };
            let all = self.engines.entry(identity.name.clone()).or_default();
            all.push(played);
        }
        Ok(())
    }
}

impl RunEngine {
    /// What differs in another run.
    fn differences(&self, other: &Self) -> Vec<&'static str> {
        let parts = [
            ("executable", self.sha256 != other.sha256),
            ("options", self.options != other.options),
            ("limit", self.limit != other.limit),
        ];
        let differing = parts.into_iter().filter(|(_, differs)| *differs);
        differing.map(|(part, _)| part).collect()
    }
}

/// A warning for each name of engines that are not the same in all runs.
fn different_engines(engines: &BTreeMap<String, Vec<RunEngine>>) -> Vec<String> {
    let warning = |(name, all): (&String, &Vec<RunEngine>)| {
        let (first, others) = all.split_first()?;
        let mut others = others.iter().filter_map(|other| {
            let parts = first.differences(other);
            (!parts.is_empty()).then(|| (other.run.display(), parts.join(", ")))
        });
        let (run, parts) = others.next()?;
        let more = match others.count() {
            0 => String::new(),
            runs => format!(", nor in {}", counted(runs as u64, "more run")),
        };
        Some(format!(
            "`{name}` is not the same in `{}` and `{run}` (different {parts}){more}: its games \
             count as those of one engine",
            first.run.display()
        ))
    };
    engines.iter().filter_map(warning).collect()
}

/// A warning for every two sources that have games with the same tags and moves, by the
/// digests of the games of each source.
fn common_games(sources: &[PathBuf], digests: &[Vec<u64>]) -> Vec<String> {
    let mut first: HashMap<u64, usize> = HashMap::new();
    let mut common: BTreeMap<[usize; 2], u64> = BTreeMap::new();
    for (source, digests) in digests.iter().enumerate() {
        for digest in digests {
            let before = *first.entry(*digest).or_insert(source);
            if before != source {
                *common.entry([before, source]).or_default() += 1;
            }
        }
    }
    let warning = |([one, two], games): ([usize; 2], u64)| {
        let [one, two] = [one, two].map(|source| sources[source].display());
        format!(
            "`{one}` and `{two}` have {} with the same tags and moves: each counts twice",
            counted(games, "game")
        )
    };
    common.into_iter().map(warning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_of_one_name_that_differ_are_named_with_their_runs() {
        let engine = |run: &str, sha256: &str, limit: &str| RunEngine {
            run: run.into(),
            sha256: sha256.to_owned(),
            options: EngineOptions::default(),
            limit: limit.to_owned(),
        };
        let warnings = |engines: &[RunEngine]| {
            different_engines(&BTreeMap::from([("X".to_owned(), engines.to_vec())]))
        };
        let first = engine("a", "1", "nodes=5");
        let same = engine("b", "1", "nodes=5");
        assert_eq!(warnings(&[first.clone(), same.clone()]), [""; 0]);
        let mut other = engine("c", "2", "nodes=6");
        let two = warnings(&[first.clone(), same.clone(), other.clone()]);
        let expected = "`X` is not the same in `a` and `c` (different executable, limit): its \
                        games count as those of one engine";
        assert_eq!(two, [expected]);
        let three = warnings(&[
            first.clone(),
            other.clone(),
            engine("d", "3", "nodes=5"),
            same,
        ]);
        assert!(
            three[0].contains("limit), nor in 1 more run: "),
            "{three:?}"
        );
        other = first.clone();
        other.options = EngineOptions(vec![("Hash".to_owned(), "8".to_owned())]);
        let options = warnings(&[first, other]);
        assert!(options[0].contains("(different options): "), "{options:?}");
    }

    #[test]
    fn games_in_two_sources_are_counted() {
        let sources = ["a", "b", "c"].map(PathBuf::from);
        let warnings = |digests: [&[u64]; 3]| common_games(&sources, &digests.map(<[u64]>::to_vec));
        // Equal games within a source are not compared.
        assert_eq!(warnings([&[1, 1], &[2], &[]]), [""; 0]);
        let expected = [
            "`a` and `b` have 2 games with the same tags and moves: each counts twice",
            "`a` and `c` have 1 game with the same tags and moves: each counts twice",
        ];
        assert_eq!(warnings([&[1, 2, 3], &[3, 4, 2], &[1]]), expected);
    }
}
