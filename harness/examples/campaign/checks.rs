//! Checks that every run must pass, whatever disturbed it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use hone_kinds::track::Night;
use serde_json::Value;

use super::records::{self, Finished};
use super::scene::Scene;

/// The finished pairs of each run.
#[derive(Debug, Default)]
pub(crate) struct FinishedPairs(BTreeMap<PathBuf, Finished>);

impl FinishedPairs {
    pub(crate) fn of(scene: &Scene) -> anyhow::Result<Self> {
        let each = scene.runs().into_iter().map(|run| {
            let finished = records::finished(&run)?;
            Ok((run, finished))
        });
        each.collect::<anyhow::Result<_>>().map(Self)
    }

    /// The same without a pair whose bytes were cut off.
    pub(crate) fn without(mut self, run: &Path, pair: u64) -> Self {
        if let Some(finished) = self.0.get_mut(run) {
            finished.remove(&pair);
        }
        self
    }

    /// Fails unless `after` has all these pairs, unchanged.
    pub(crate) fn must_be_in(&self, after: &Self) -> anyhow::Result<()> {
        for (run, finished) in &self.0 {
            let now = after.0.get(run);
            for (pair, digests) in finished {
                anyhow::ensure!(
                    now.is_some_and(|now| now.get(pair) == Some(digests)),
                    "pair {pair} of {} was finished and is lost",
                    run.display()
                );
            }
        }
        Ok(())
    }
}

/// Fails unless the games in the PGN are those of the rows, in the same order.
pub(crate) fn pgn_equals_rows(run: &Path) -> anyhow::Result<()> {
    let pgn = fs::read(run.join("games.pgn"))?;
    let rows = records::rows(run)?;
    let mut end = 0;
    for row in &rows {
        let at = format!("game {} of pair {}", row.game, row.pair);
        anyhow::ensure!(row.pgn_offset == end, "{at} begins elsewhere in the PGN");
        let range = end as usize..(end + row.pgn_bytes) as usize;
        let game = pgn.get(range).with_context(|| format!("{at} is cut off"))?;
        let game = String::from_utf8_lossy(game);
        let tags = [
            ("Round", row.pair.to_string()),
            ("White", row.white.clone()),
            ("Black", row.black.clone()),
            ("Result", row.result.clone()),
        ];
        for (name, value) in tags {
            let tag = format!("[{name} \"{value}\"]");
            let round = format!("[{name} \"{value}.{}\"]", row.game);
            let is_there = game.contains(&tag) || game.contains(&round);
            anyhow::ensure!(is_there, "{at} lacks {tag} in the PGN");
        }
        let games = game.matches("[Event ").count();
        anyhow::ensure!(games == 1, "{at} has {games} games in the PGN");
        end += row.pgn_bytes;
    }
    let length = pgn.len() as u64;
    anyhow::ensure!(length == end, "the PGN has {} bytes too many", length - end);
    if let Ok(epd) = fs::read(run.join("games.epd")) {
        let lines = memchr::memchr_iter(b'\n', &epd).count();
        anyhow::ensure!(lines == rows.len(), "{lines} lines of EPD");
    }
    Ok(())
}

/// The nights in `elo.csv`.
pub(crate) fn nights(scene: &Scene) -> anyhow::Result<Vec<Night>> {
    let table = scene.out().join("elo.csv");
    if scene.is_tracked() && table.exists() {
        Ok(hone_kinds::track::read(&table)?)
    } else {
        Ok(Vec::new())
    }
}

/// The result of a run, without values that differ between two equal runs: times, speeds,
/// failures of engines that were killed.
#[derive(Debug, PartialEq)]
pub(crate) struct Result {
    exit: Option<i32>,
    runs: BTreeMap<PathBuf, RunResult>,
    /// Commits and pentanomials of `elo.csv`.
    nights: Vec<String>,
}

#[derive(Debug, PartialEq)]
struct RunResult {
    /// The digest that `hone verify` prints.
    digest: String,
    report: BTreeMap<&'static str, Value>,
}

impl Result {
    /// The result of a run whose last command ended with `exit`.
    pub(crate) fn of(scene: &Scene, exit: Option<i32>) -> anyhow::Result<Self> {
        let out = scene.out();
        let runs = scene.runs().into_iter().map(|run| {
            let result = RunResult::of(scene, &run)?;
            Ok((run.strip_prefix(&out)?.to_path_buf(), result))
        });
        Ok(Self {
            exit,
            runs: runs.collect::<anyhow::Result<_>>()?,
            nights: nights(scene)?
                .iter()
                .map(|night| format!("{} {:?}", night.commit, night.matches))
                .collect(),
        })
    }

    /// Fails with the first difference.
    pub(crate) fn must_equal(&self, expected: &Self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.exit == expected.exit,
            "exit code {:?}, undisturbed {:?}",
            self.exit,
            expected.exit
        );
        let names = |result: &Self| result.runs.keys().cloned().collect::<Vec<_>>();
        let (own, others) = (names(self), names(expected));
        anyhow::ensure!(own == others, "runs {own:?}, undisturbed {others:?}");
        for (name, run) in &self.runs {
            let other = &expected.runs[name];
            anyhow::ensure!(
                run == other,
                "{}: {run:?}, undisturbed {other:?}",
                name.display()
            );
        }
        let (own, others) = (&self.nights, &expected.nights);
        anyhow::ensure!(own == others, "nights {own:?}, undisturbed {others:?}");
        Ok(())
    }
}

impl RunResult {
    fn of(scene: &Scene, run: &Path) -> anyhow::Result<Self> {
        let verified = text_of(scene.hone().arg("verify").arg(run))?;
        let report = text_of(scene.hone().arg("report").arg(run).arg("--json"))?;
        let report: Value = serde_json::from_str(&report)?;
        const KEYS: [&str; 12] = [
            "verdict",
            "pairs",
            "games",
            "wdl",
            "pentanomial",
            "sprt",
            "values",
            "average",
            "culprit",
            "probability",
            "posterior",
            "skipped",
        ];
        Ok(Self {
            digest: verified.lines().last().unwrap_or_default().to_string(),
            report: KEYS.map(|key| (key, report[key].clone())).into(),
        })
    }
}

/// Standard output of a command that must succeed.
fn text_of(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    anyhow::ensure!(
        output.status.success(),
        "{:?} ended with {}: {text}{}",
        command.get_args(),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(text)
}
