//! The folder of a run, as far as statistics need it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, bail};

use crate::stats::Pentanomial;

/// One game of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) pair: u64,
    pub(super) white: String,
    pub(super) black: String,
    /// White's half points, 0 to 2.
    pub(super) half_points: usize,
}

/// The games of a run in pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RunFolder {
    /// Finished pairs, in the order of their numbers. White of the first game
    /// is the first engine.
    pub(super) pairs: Vec<[Row; 2]>,
}

impl RunFolder {
    /// Reads `games.csv`. Pairs of which one game is missing are left out.
    pub(super) fn read(folder: &Path) -> Result<Self, anyhow::Error> {
        let path = folder.join("games.csv");
        let mut reader = csv::Reader::from_path(&path)
            .with_context(|| format!("cannot read the games of the run in {}", path.display()))?;
        let columns = Columns::find(reader.headers()?)
            .with_context(|| format!("{} is not a run's ledger", path.display()))?;
        let mut games: BTreeMap<u64, BTreeMap<u64, Row>> = BTreeMap::new();
        for (i, record) in reader.records().enumerate() {
            let context = || format!("{}, row {}", path.display(), i + 2);
            let record = record.with_context(context)?;
            let (game, row) = columns.row(&record).with_context(context)?;
            games.entry(row.pair).or_default().insert(game, row);
        }
        let pairs = games
            .into_values()
            .filter_map(|pair| <[Row; 2]>::try_from(pair.into_values().collect::<Vec<_>>()).ok())
            .collect();
        Ok(Self { pairs })
    }

    /// The pairs as counts, from the engine that has White in the first game
    /// of the first pair.
    pub(super) fn pentanomial(&self) -> Pentanomial {
        let mut counts = Pentanomial::default();
        let Some([opening_game, _]) = self.pairs.first() else {
            return counts;
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
        counts
    }
}

/// Where the columns are.
struct Columns {
    pair: usize,
    game: usize,
    white: usize,
    black: usize,
    result: usize,
}

impl Columns {
    fn find(header: &csv::StringRecord) -> Result<Self, anyhow::Error> {
        let find = |name: &str| {
            header
                .iter()
                .position(|column| column == name)
                .with_context(|| format!("missing column `{name}`"))
        };
        Ok(Self {
            pair: find("pair")?,
            game: find("game")?,
            white: find("white")?,
            black: find("black")?,
            result: find("result")?,
        })
    }

    fn row(&self, record: &csv::StringRecord) -> Result<(u64, Row), anyhow::Error> {
        let number = |column: usize| -> Result<u64, anyhow::Error> {
            let text = &record[column];
            text.parse()
                .with_context(|| format!("`{text}` is not a number"))
        };
        let half_points = match &record[self.result] {
            "1-0" => 2,
            "1/2-1/2" => 1,
            "0-1" => 0,
            other => bail!("`{other}` is not a result"),
        };
        let row = Row {
            pair: number(self.pair)?,
            white: record[self.white].to_owned(),
            black: record[self.black].to_owned(),
            half_points,
        };
        Ok((number(self.game)?, row))
    }
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
        assert_eq!(run.pentanomial(), Pentanomial([0, 0, 0, 1, 1]));
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
