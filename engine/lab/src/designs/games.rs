//! The games, played by `hone`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use toml::{Table, Value, toml};

use crate::designs::plan::{Comparison, Topic};
use crate::designs::programs::Programs;

/// Settings of the games of all comparisons.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) limit: String,
    pub(crate) openings: PathBuf,
    pub(crate) seed: u64,
    /// Games at a time; it does not affect the games.
    pub(crate) concurrency: Option<u64>,
}

/// Elo with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(crate) struct Elo {
    pub(crate) estimate: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The games of one comparison, finished.
#[derive(Debug)]
pub(crate) struct Games {
    run: PathBuf,
    pub(crate) pairs: u64,
    facts: Facts,
}

/// The fields of `hone match --json` that are used.
#[derive(Debug, Deserialize)]
struct Facts {
    engines: Vec<Engine>,
    games: u64,
    wdl: [u64; 3],
    #[serde(default)]
    pairings: Vec<Pairing>,
}

#[derive(Debug, Deserialize)]
struct Engine {
    name: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Pairing {
    first: String,
    second: String,
    wdl: [u64; 3],
}

/// The fields of `hone calc rate --json` that are used.
#[derive(Debug, Deserialize)]
struct Ratings {
    ratings: Vec<Rating>,
}

#[derive(Debug, Deserialize)]
struct Rating {
    name: String,
    elo: Option<Elo>,
    pool: usize,
}

impl Games {
    /// Plays or continues the games of a comparison, or reads them if they are finished.
    pub(crate) fn play(
        programs: &Programs,
        comparison: &Comparison,
        settings: &Settings,
        pairs: u64,
        folder: &Path,
    ) -> Result<Self> {
        eprintln!(
            "{} on the {} main search: {} designs",
            comparison.topic.name(),
            comparison.main.name(),
            comparison.designs.len()
        );
        let config = config(comparison, &programs.engine, settings, pairs);
        let text = run(
            programs,
            "match",
            &config,
            folder,
            settings.concurrency,
            &[],
        )?;
        let run = folder.join(RUN);
        let facts = serde_json::from_str(&text).context("cannot read `hone match --json`")?;
        Ok(Self { run, pairs, facts })
    }

    /// Elo by name, relative to an anchor. A design without a finite rating on the anchor's
    /// scale has no entry.
    pub(crate) fn ratings(
        &self,
        programs: &Programs,
        anchor: &str,
    ) -> Result<BTreeMap<String, Elo>> {
        let run = self.run.display().to_string();
        let text = programs.hone(&["calc", "rate", &run, "--anchor", anchor, "--json"], &[])?;
        let ratings: Ratings =
            serde_json::from_str(&text).context("cannot read `hone calc rate --json`")?;
        Ok(on_the_scale_of(anchor, ratings))
    }

    /// Numbers of games and draws of a design.
    pub(crate) fn count(&self, name: &str) -> (u64, u64) {
        let of_it = |pairing: &&Pairing| pairing.first == name || pairing.second == name;
        let all = self.all_pairings();
        all.iter()
            .filter(of_it)
            .fold((0, 0), |(games, draws), pairing| {
                (
                    games + pairing.wdl.iter().sum::<u64>(),
                    draws + pairing.wdl[1],
                )
            })
    }

    pub(crate) fn total(&self) -> u64 {
        self.facts.games
    }

    /// The Elo difference of each two designs, with its interval, as CSV.
    pub(crate) fn differences(
        &self,
        programs: &Programs,
        comparison: &Comparison,
    ) -> Result<String> {
        let mut csv = "design,anchor,elo,low,high\n".to_owned();
        for anchor in &comparison.designs {
            let ratings = self.ratings(programs, &anchor.name)?;
            for design in comparison
                .designs
                .iter()
                .filter(|design| design.name != anchor.name)
            {
                if let Some(elo) = ratings.get(&design.name) {
                    csv += &format!(
                        "{},{},{:.1},{:.1},{:.1}\n",
                        design.name, anchor.name, elo.estimate, elo.low, elo.high
                    );
                }
            }
        }
        Ok(csv)
    }

    /// Results of each pairing as CSV.
    pub(crate) fn pairings(&self) -> String {
        let mut csv = "first,second,wins,draws,losses\n".to_owned();
        for pairing in self.all_pairings() {
            let [wins, draws, losses] = pairing.wdl;
            csv += &format!(
                "{},{},{wins},{draws},{losses}\n",
                pairing.first, pairing.second
            );
        }
        csv
    }

    /// For two engines `hone` reports totals without pairings.
    fn all_pairings(&self) -> Vec<Pairing> {
        match &*self.facts.engines {
            [first, second] if self.facts.pairings.is_empty() => vec![Pairing {
                first: first.name.clone(),
                second: second.name.clone(),
                wdl: self.facts.wdl,
            }],
            _ => self.facts.pairings.clone(),
        }
    }
}

fn on_the_scale_of(anchor: &str, ratings: Ratings) -> BTreeMap<String, Elo> {
    let pool = ratings
        .ratings
        .iter()
        .find(|rating| rating.name == anchor)
        .map(|it| it.pool);
    let same = ratings
        .ratings
        .into_iter()
        .filter(|rating| Some(rating.pool) == pool);
    same.filter_map(|rating| Some((rating.name, rating.elo?)))
        .collect()
}

/// A configuration of `hone match`.
fn config(comparison: &Comparison, engine: &Path, settings: &Settings, pairs: u64) -> Table {
    let designs = comparison.designs.iter();
    let engines = designs.map(|design| self::engine(&design.name, engine, &design.arguments));
    let mut openings = toml! { order = "random" };
    let file = settings.openings.display().to_string();
    openings.insert("file".to_owned(), Value::String(file));
    let mut play = Table::new();
    play.insert("limit".to_owned(), Value::String(settings.limit.clone()));
    let tournament = match comparison.topic {
        Topic::Quiescence => "round-robin",
        Topic::Ordering => "gauntlet",
    };
    play.insert(
        "tournament".to_owned(),
        Value::String(tournament.to_owned()),
    );
    play.insert("pairs".to_owned(), Value::Integer(pairs as i64));
    play.insert("seed".to_owned(), Value::Integer(settings.seed as i64));
    play.insert("openings".to_owned(), Value::Table(openings));
    let adjudication = toml! {
        draw = { move = 34, count = 8, score = 15 }
        resign = { count = 4, score = 700, twosided = true }
    };
    Table::from_iter([
        ("engine".to_owned(), Value::Array(engines.collect())),
        ("match".to_owned(), Value::Table(play)),
        ("adjudication".to_owned(), Value::Table(adjudication)),
    ])
}

/// The folder of a run of `hone` in the folder of a comparison.
const RUN: &str = "games";

/// Returns the output of `hone COMMAND --json`. The run is started, continued if it was
/// interrupted, or read if it is finished. `verdicts` are the exit codes, besides 0, of a
/// successful run.
pub(crate) fn run(
    programs: &Programs,
    command: &str,
    config: &Table,
    folder: &Path,
    concurrency: Option<u64>,
    verdicts: &[i32],
) -> Result<String> {
    let config_file = folder.join(format!("{command}.toml"));
    let run = folder.join(RUN);
    let result = folder.join("games.json");
    keep_config(&config.to_string(), &config_file)?;
    if !result.exists() {
        let mut arguments = if run.join("run.toml").exists() {
            vec!["resume".to_owned(), run.display().to_string()]
        } else {
            let [config_file, run] = [&config_file, &run].map(|path| path.display().to_string());
            let mut start = vec![command.to_owned(), config_file, "--out".to_owned(), run];
            if let Some(concurrency) = concurrency {
                start.push("--set".to_owned());
                start.push(format!("match.concurrency={concurrency}"));
            }
            start
        };
        arguments.push("--json".to_owned());
        let facts = programs.hone(&arguments, verdicts)?;
        let partial = result.with_extension("part");
        fs::write(&partial, facts)
            .and_then(|()| fs::rename(&partial, &result))
            .with_context(|| format!("cannot write `{}`", result.display()))?;
    }
    fs::read_to_string(&result).with_context(|| format!("cannot read `{}`", result.display()))
}

/// An engine of a configuration.
pub(crate) fn engine(name: &str, program: &Path, arguments: &[String]) -> Value {
    let arguments = arguments.iter().cloned().map(Value::String);
    Value::Table(Table::from_iter([
        ("name".to_owned(), Value::String(name.to_owned())),
        (
            "cmd".to_owned(),
            Value::String(program.display().to_string()),
        ),
        ("args".to_owned(), Value::Array(arguments.collect())),
    ]))
}

/// Writes a configuration, or checks that it is the one of the run.
fn keep_config(config: &str, file: &Path) -> Result<()> {
    let Ok(before) = fs::read_to_string(file) else {
        let folder = file.parent().unwrap_or(file);
        return fs::create_dir_all(folder)
            .and_then(|()| fs::write(file, config))
            .with_context(|| format!("cannot write `{}`", file.display()));
    };
    ensure!(
        before == config,
        "cannot continue the games of `{}`: {}\nhelp: another --out starts anew",
        file.display(),
        first_difference(&before, config)
    );
    Ok(())
}

fn first_difference(before: &str, now: &str) -> String {
    let mut lines = before.lines().zip(now.lines());
    match lines.find(|(before, now)| before != now) {
        Some((before, now)) => format!("started with `{before}`, now `{now}`"),
        None => "it was started with other designs".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::designs::plan::tests::{comparison, design};

    fn settings() -> Settings {
        Settings {
            limit: "nodes=2500".to_owned(),
            openings: PathBuf::from("books/quick.epd"),
            seed: 1,
            concurrency: None,
        }
    }

    #[test]
    fn a_configuration_names_every_design() {
        let designs = vec![design("base", ""), design("killers", "")];
        let ordering = comparison(Topic::Ordering, designs);
        let config = config(&ordering, Path::new("out/stillwater"), &settings(), 500).to_string();
        for line in [
            "name = \"killers\"",
            "args = [\"--options\", \"killers.toml\"]",
            "cmd = \"out/stillwater\"",
            "tournament = \"gauntlet\"",
            "pairs = 500",
            "limit = \"nodes=2500\"",
        ] {
            assert!(config.contains(line), "{line} in\n{config}");
        }
        assert!(config.find("\"base\"") < config.find("\"killers\""));
    }

    #[test]
    fn the_first_difference_of_a_configuration_is_named() {
        assert_eq!(
            first_difference("a = 1\nb = 2", "a = 1\nb = 3"),
            "started with `b = 2`, now `b = 3`"
        );
        assert_eq!(
            first_difference("a = 1", "a = 1\nb = 3"),
            "it was started with other designs"
        );
    }

    #[test]
    fn draws_are_counted_over_all_pairings() {
        let facts = r#"{"engines":[{"name":"a"},{"name":"b"},{"name":"c"}],"games":8,
            "wdl":[2,2,0],"pairings":[{"first":"a","second":"b","wdl":[1,1,0]},
            {"first":"a","second":"c","wdl":[1,1,0]},{"first":"b","second":"c","wdl":[0,4,0]}]}"#;
        let games = Games {
            run: PathBuf::new(),
            pairs: 1,
            facts: serde_json::from_str(facts).unwrap(),
        };
        assert_eq!(games.count("a"), (4, 2));
        assert_eq!(games.count("c"), (6, 5));
    }

    #[test]
    fn two_engines_have_one_pairing() {
        let facts = r#"{"engines":[{"name":"a"},{"name":"b"}],"games":4,"wdl":[1,2,1]}"#;
        let games = Games {
            run: PathBuf::new(),
            pairs: 2,
            facts: serde_json::from_str(facts).unwrap(),
        };
        assert_eq!(games.count("b"), (4, 2));
        assert_eq!(
            games.pairings(),
            "first,second,wins,draws,losses\na,b,1,2,1\n"
        );
    }

    #[test]
    fn a_rating_of_another_pool_is_not_on_the_scale() {
        let ratings = r#"{"ratings":[
            {"name":"a","elo":{"estimate":0,"low":0,"high":0},"pool":0},
            {"name":"b","elo":{"estimate":9,"low":1,"high":17},"pool":0},
            {"name":"c","elo":{"estimate":5,"low":1,"high":9},"pool":1}]}"#;
        let ratings = on_the_scale_of("a", serde_json::from_str(ratings).unwrap());
        assert_eq!(ratings.keys().collect::<Vec<_>>(), ["a", "b"]);
    }
}
