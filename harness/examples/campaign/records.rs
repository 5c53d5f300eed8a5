//! The rows of `games.csv`, read without `hone`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Row {
    pub(crate) pair: u64,
    pub(crate) game: u8,
    pub(crate) white: String,
    pub(crate) black: String,
    pub(crate) result: String,
    pub(crate) digest: String,
    pub(crate) pgn_offset: u64,
    pub(crate) pgn_bytes: u64,
}

/// The complete rows of a run: text after the last line end is left out.
pub(crate) fn rows(run: &Path) -> anyhow::Result<Vec<Row>> {
    let text = fs::read(run.join("games.csv"))?;
    let end = memchr::memrchr(b'\n', &text).map_or(0, |at| at + 1);
    let mut reader = csv::Reader::from_reader(&text[..end]);
    reader
        .deserialize()
        .collect::<Result<_, _>>()
        .with_context(|| format!("{} has a row that cannot be read", run.display()))
}

/// Number of rows in several runs; a run that cannot be read has none.
pub(crate) fn count(runs: &[impl AsRef<Path>]) -> u64 {
    let lines = |run: &Path| {
        let text = fs::read(run.join("games.csv")).unwrap_or_default();
        (memchr::memchr_iter(b'\n', &text).count() as u64).saturating_sub(1)
    };
    runs.iter().map(|run| lines(run.as_ref())).sum()
}

/// The finished pairs of a run: the digests of both games by the number of the pair.
pub(crate) type Finished = BTreeMap<u64, [String; 2]>;

pub(crate) fn finished(run: &Path) -> anyhow::Result<Finished> {
    let rows = rows(run)?;
    let mut seen = BTreeSet::new();
    for row in &rows {
        let is_new = seen.insert((row.pair, row.game));
        anyhow::ensure!(is_new, "game {} of pair {} is doubled", row.game, row.pair);
    }
    let pairs = rows.chunks_exact(2);
    Ok(pairs
        .map(|pair| {
            let digests = [pair[0].digest.clone(), pair[1].digest.clone()];
            (pair[0].pair, digests)
        })
        .collect())
}
