//! The games of a run's folder, for statistics.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use hone_base::diagnostic::Diagnostic;
use hone_experiment::PairResult;
use hone_kinds as kinds;
use hone_run::files::table::whole_rows;
use hone_run::ledger::{PgnSpan, RecordedPair};
use hone_run::{MANIFEST, RunFiles};
use hone_stats::Pentanomial;
use hone_uci::rules::Outcome;

/// One game of a run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Row {
    /// Number of the pair, from 1.
    pub(super) pair: u64,
    game: u64,
    pub(super) white: String,
    pub(super) black: String,
    /// White's half points, 0 to 2.
    #[serde(rename = "result", deserialize_with = "white_half_points")]
    pub(super) half_points: usize,
}

fn white_half_points<'de, D: Deserializer<'de>>(result: D) -> Result<usize, D::Error> {
    let text = String::deserialize(result)?;
    let outcome = Outcome::parse(&text);
    let outcome = outcome.ok_or_else(|| D::Error::custom(format!("`{text}` is not a result")))?;
    Ok(outcome.white_half_points())
}

/// The games of a run in pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RunFolder {
    /// Finished pairs, in the order of their numbers. White of the first game
    /// is the first engine.
    pub(super) pairs: Vec<[Row; 2]>,
    /// The places of these games in the run's PGN; empty for a ledger without its manifest.
    pub(super) pgn: Vec<PgnSpan>,
}

impl RunFolder {
    /// Reads the pairs up to the verdict; from a ledger without its manifest, all complete
    /// pairs.
    pub(super) fn read(folder: &Path) -> Result<Self, anyhow::Error> {
        if folder.join(MANIFEST).exists() {
            counted(&RunFiles::open(folder)?)
        } else {
            Ok(Self {
                pairs: complete(&folder.join("games.csv"))?,
                pgn: Vec::new(),
            })
        }
    }

    /// The pentanomial counts of the engine that has White in the first game of the first
    /// pair.
    ///
    /// # Errors
    /// If there are more than two engines, whose pairings have different distributions.
    pub(super) fn pentanomial(&self) -> Result<Pentanomial, anyhow::Error> {
        let engines: BTreeSet<&str> = self.pairs.iter().flatten().map(|row| &*row.white).collect();
        anyhow::ensure!(
            engines.len() <= 2,
            Diagnostic::new(format!("the run has {} engines, whose pairings do not end alike: a distribution of pairs needs two engines", engines.len()))
                .help("give the counts of one pairing with --pentanomial")
        );
        let mut counts = Pentanomial::default();
        let Some([opening_game, _]) = self.pairs.first() else {
            return Ok(counts);
        };
        let first = &opening_game.white;
        for [one, two] in &self.pairs {
            let half_points = one.half_points + 2 - two.half_points;
            counts.add(if one.white == *first {
                half_points
            } else {
                4 - half_points
            });
        }
        Ok(counts)
    }
}

/// The pairs of a run up to its verdict.
fn counted(files: &RunFiles) -> anyhow::Result<RunFolder> {
    let names = files.manifest.names();
    let entries = kinds::counted(files)?;
    let pgn = entries.iter().flat_map(|entry| entry.pgn).collect();
    let rows = |entry: RecordedPair| {
        let PairResult {
            pair,
            engines,
            games,
        } = entry.result;
        let [first, second] = engines.map(|engine| &names[engine]);
        let row = |game: usize, white: &String, black: &String| Row {
            pair: pair + 1,
            game: game as u64,
            white: white.clone(),
            black: black.clone(),
            half_points: games[game].outcome.white_half_points(),
        };
        [row(0, first, second), row(1, second, first)]
    };
    let pairs = entries.into_iter().map(rows).collect();
    Ok(RunFolder { pairs, pgn })
}

/// The complete pairs of a ledger, whose last row may be cut off.
fn complete(path: &Path) -> anyhow::Result<Vec<[Row; 2]>> {
    let text = fs::read(path)
        .with_context(|| format!("cannot read the games of the run in {}", path.display()))?;
    let mut reader = csv::Reader::from_reader(whole_rows(&text));
    let headers = reader.headers()?;
    for column in ["pair", "game", "white", "black", "result"] {
        anyhow::ensure!(
            headers.iter().any(|header| header == column),
            "{} is not a run's ledger: it lacks the column `{column}`",
            path.display()
        );
    }
    let mut games: BTreeMap<u64, BTreeMap<u64, Row>> = BTreeMap::new();
    for (i, row) in reader.deserialize::<Row>().enumerate() {
        let row = row.with_context(|| format!("{}, row {}", path.display(), i + 2))?;
        games.entry(row.pair).or_default().insert(row.game, row);
    }
    Ok(games
        .into_values()
        .filter_map(|pair| <[Row; 2]>::try_from(pair.into_values().collect::<Vec<_>>()).ok())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<RunFolder, anyhow::Error> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("games.csv"), text).unwrap();
        RunFolder::read(folder.path())
    }

    #[test]
    fn games_become_pairs() {
        let run = read(
            "pair,game,white,black,opening,result,more\n\
             1,2,a,b,5,1-0,x\n\
             0,0,a,b,1,1-0,x\n0,1,b,a,1,1/2-1/2,x\n\
             1,3,b,a,5,0-1,x\n\
             2,4,a,b,7,1-0,x\n",
        )
        .unwrap();
        assert_eq!(run.pairs.len(), 2);
        assert_eq!(run.pentanomial().unwrap(), Pentanomial([0, 0, 0, 1, 1]));
    }

    /// Cut off after any byte of its rows, a ledger has the pairs that were whole by then.
    #[test]
    fn a_ledger_may_be_cut_off_within_its_last_row() {
        let header = "pair,game,white,black,result,reason\n";
        let first = "1,1,a,b,1-0,\"lost, on time\"\n1,2,b,a,0-1,mate\n";
        let text = format!("{header}{first}2,3,a,b,1-0,mate\n2,4,b,a,1/2-1/2,mate\n");
        for len in header.len()..=text.len() {
            let pairs = read(&text[..len]).unwrap().pairs.len();
            let whole = usize::from(len >= header.len() + first.len());
            assert_eq!(pairs, whole + usize::from(len == text.len()), "{len} bytes");
        }
    }

    #[test]
    fn pairings_of_a_tournament_are_not_mixed() {
        let run = read(
            "pair,game,white,black,opening,result\n\
             1,1,a,b,1,1-0\n1,2,b,a,1,0-1\n\
             2,1,a,c,1,1-0\n2,2,c,a,1,0-1\n",
        )
        .unwrap();
        let error = run.pentanomial().unwrap_err().to_string();
        assert!(error.contains("has 3 engines"), "{error}");
    }

    #[test]
    fn errors_say_where() {
        let header = "pair,game,white,black,opening,result\n";
        let error = read(&format!("{header}0,0,a,b,1,*\n")).unwrap_err();
        assert!(format!("{error:#}").contains("row 2"), "{error:#}");
        assert!(read("pair,game\n").is_err());
        assert!(RunFolder::read(Path::new("no such folder")).is_err());
    }
}
