//! The ladder of a new engine: states of its development, and an SPRT of each state against
//! the one before it (a rung).

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use toml::{Table, Value};

use crate::designs::games::{self, Elo};
use crate::designs::plan::{self, MainSearch};
use crate::designs::programs::Programs;

/// An engine on the ladder.
#[derive(Debug, Clone, PartialEq)]
struct State {
    name: &'static str,
    /// Files of options; later ones override earlier ones.
    files: Vec<String>,
}

/// The phases of document 002, then the default of Stillwater.
const QUIESCENCE: [(&str, &str); 7] = [
    ("no quiescence", "no-quiescence"),
    ("captures", "seajay-1"),
    ("evasions", "seajay-2"),
    ("delta pruning", "seajay-3"),
    ("table in quiescence", "seajay-4"),
    ("promotions", "seajay-5"),
    ("default quiescence", "default"),
];

/// The additions to move ordering of document 004, and ProbCut.
const ORDERING: [(&str, &str); 8] = [
    ("killers", "killers"),
    ("history", "history"),
    ("from-to history", "from-to"),
    ("countermoves", "countermoves"),
    ("continuation history", "continuation"),
    ("losing captures last", "losing-last"),
    ("captures by victim and rank", "victim-rank"),
    ("ProbCut", "prob-cut"),
];

/// The states of the engine on a main search. Each has the features of those before it. The
/// last state of the plain main search is the selective one.
fn states(main: MainSearch) -> Vec<State> {
    let main_file = |main: MainSearch| format!("main/{}.toml", main.name());
    let mut states: Vec<State> = QUIESCENCE
        .iter()
        .map(|&(name, file)| State {
            name,
            files: vec![main_file(main), format!("{file}.toml")],
        })
        .collect();
    if main == MainSearch::Plain {
        let mut files = vec![main_file(main), "default.toml".to_owned()];
        for (name, file) in ORDERING {
            files.push(format!("ordering/plain/{file}.toml"));
            states.push(State {
                name,
                files: files.clone(),
            });
        }
        states.push(State {
            name: "selective main search",
            files: vec![main_file(MainSearch::Selective), "default.toml".to_owned()],
        });
    }
    states
}

/// The fields of `hone sprt --json` that are used.
#[derive(Debug, Deserialize)]
struct Facts {
    verdict: String,
    games: u64,
    wdl: [u64; 3],
    sprt: Sprt,
}

#[derive(Debug, Deserialize)]
struct Sprt {
    model: String,
    elo0: f64,
    elo1: f64,
    llr: f64,
    elo: Elo,
}

/// A finished SPRT.
#[derive(Debug)]
struct Rung {
    name: &'static str,
    base: &'static str,
    facts: Facts,
}

/// The ladder of a main search.
#[derive(Debug)]
pub(crate) struct Ladder {
    main: MainSearch,
    engine: String,
    limit: String,
    rungs: Vec<Rung>,
}

impl Ladder {
    /// Plays or continues the rungs, or reads them if they are finished.
    pub(crate) fn play(
        programs: &Programs,
        main: MainSearch,
        template: &Path,
        designs: &Path,
        limit: Option<&str>,
        out: &Path,
    ) -> Result<Self> {
        let cannot = || format!("cannot read `{}`", template.display());
        let text = fs::read_to_string(template).with_context(cannot)?;
        let mut template: Table = text.parse().with_context(cannot)?;
        let play = template
            .entry("match")
            .or_insert(Value::Table(Table::new()));
        let play = play.as_table_mut().with_context(cannot)?;
        if let Some(limit) = limit {
            play.insert("limit".to_owned(), Value::String(limit.to_owned()));
        }
        let limit = play.get("limit").and_then(Value::as_str);
        let limit = limit.unwrap_or("hone's limit").to_owned();

        let states = states(main);
        let mut arguments = Vec::new();
        for state in &states {
            let files: Vec<_> = state.files.iter().map(|file| designs.join(file)).collect();
            arguments.push(plan::arguments(&plan::keep(designs, &files, out)?));
        }
        let mut rungs = Vec::new();
        for (at, pair) in states.windows(2).enumerate() {
            let [base, dev] = pair else { continue };
            let mut config = template.clone();
            let engines = [("dev", at + 1), ("base", at)]
                .map(|(name, state)| games::engine(name, &programs.engine, &arguments[state]));
            config.insert("engine".to_owned(), Value::Array(engines.to_vec()));
            let name = format!("{:02}-{}", at + 1, dev.name.replace(' ', "-"));
            let folder = out.join(main.name()).join("ladder").join(name);
            eprintln!(
                "ladder on the {} main search: {} against {}",
                main.name(),
                dev.name,
                base.name
            );
            // 1: the test ended with H0; 3: undecided.
            let text = games::run(programs, "sprt", &config, &folder, None, &[1, 3])?;
            rungs.push(Rung {
                name: dev.name,
                base: base.name,
                facts: serde_json::from_str(&text).context("cannot read `hone sprt --json`")?,
            });
        }
        Ok(Self {
            main,
            engine: programs.describe_engine()?,
            limit,
            rungs,
        })
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text = format!(
            "## Ladder, {} main search\n\nEngine: {}. One SPRT a rung",
            self.main.name(),
            self.engine
        );
        if let Some(rung) = self.rungs.first() {
            let sprt = &rung.facts.sprt;
            let _ = write!(
                text,
                ": [{}, {}] Elo, {} model, {}",
                sprt.elo0, sprt.elo1, sprt.model, self.limit
            );
        }
        text += ". Intervals are 95 %. Each rung has what the rungs before it have.\n\n";
        text += "| Rung | Against | Games | W-D-L | Elo | LLR | Verdict |\n";
        text += "|---|---|---:|---:|---:|---:|---|\n";
        for Rung { name, base, facts } in &self.rungs {
            let [wins, draws, losses] = facts.wdl;
            let Sprt { llr, elo, .. } = &facts.sprt;
            let verdict = verdict(&facts.verdict);
            let _ = writeln!(
                text,
                "| {name} | {base} | {} | {wins}-{draws}-{losses} | \
                 {:+.0} [{:+.0}, {:+.0}] | {llr:.2} | {verdict} |",
                facts.games, elo.estimate, elo.low, elo.high
            );
        }
        text
    }

    pub(crate) fn csv(&self) -> String {
        let mut text =
            "rung,against,games,wins,draws,losses,elo,elo_low,elo_high,llr,verdict\n".to_owned();
        for Rung { name, base, facts } in &self.rungs {
            let [wins, draws, losses] = facts.wdl;
            let Sprt { llr, elo, .. } = &facts.sprt;
            let _ = writeln!(
                text,
                "{name},{base},{},{wins},{draws},{losses},{:.1},{:.1},{:.1},{llr:.3},{}",
                facts.games, elo.estimate, elo.low, elo.high, facts.verdict
            );
        }
        text
    }

    /// The folder of tables.
    pub(crate) fn folder(&self, out: &Path) -> std::path::PathBuf {
        out.join(self.main.name()).join("ladder")
    }
}

fn verdict(verdict: &str) -> &str {
    match verdict {
        "none" => "undecided",
        decided => decided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rung_of_ordering_adds_one_file() {
        let states = states(MainSearch::Plain);
        assert_eq!(states.len(), QUIESCENCE.len() + ORDERING.len() + 1);
        let ordering = &states[QUIESCENCE.len() - 1..states.len() - 1];
        for pair in ordering.windows(2) {
            assert_eq!(pair[1].files[..pair[0].files.len()], pair[0].files[..]);
            assert_eq!(pair[1].files.len(), pair[0].files.len() + 1);
        }
    }

    #[test]
    fn the_selective_ladder_ends_with_the_default() {
        let states = states(MainSearch::Selective);
        let last = states.last().unwrap();
        assert_eq!(last.files, ["main/selective.toml", "default.toml"]);
    }

    #[test]
    fn every_file_exists() {
        let designs = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/designs"));
        for main in [MainSearch::Plain, MainSearch::Selective] {
            for file in states(main).iter().flat_map(|state| &state.files) {
                assert!(designs.join(file).exists(), "{file}");
            }
        }
    }

    #[test]
    fn a_rung_in_the_tables() {
        let facts = r#"{"verdict":"H1","games":60,"wdl":[30,20,10],"sprt":{"model":"logistic",
            "elo0":0.0,"elo1":50.0,"llr":2.97,"elo":{"estimate":120.4,"low":60.0,"high":180.6}}}"#;
        let ladder = Ladder {
            main: MainSearch::Plain,
            engine: "stillwater 0.1.0".to_owned(),
            limit: "nodes=5000".to_owned(),
            rungs: vec![Rung {
                name: "captures",
                base: "no quiescence",
                facts: serde_json::from_str(facts).unwrap(),
            }],
        };
        let row = "| captures | no quiescence | 60 | 30-20-10 | +120 [+60, +181] | 2.97 | H1 |";
        let text = ladder.markdown();
        assert!(text.contains(row), "{text}");
        assert!(
            text.contains("[0, 50] Elo, logistic model, nodes=5000"),
            "{text}"
        );
        let row = "captures,no quiescence,60,30,20,10,120.4,60.0,180.6,2.970,H1\n";
        assert!(ladder.csv().ends_with(row));
    }
}
