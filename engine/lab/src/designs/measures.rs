//! Measurements of the designs' searches. Each is written to `measures.json` as soon as it
//! is taken, so that none is taken twice.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::designs::plan::{Comparison, Design};
use crate::designs::positions::TYPES;
use crate::designs::programs::{self, Programs};

/// Nodes for each position of Win at Chess.
pub(crate) const SUITE_NODES: u64 = 20_000;

/// The counts of `stillwater stats` by their names, with `nodes` and `nps`.
pub(crate) type Counts = BTreeMap<String, f64>;

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Measures {
    #[serde(skip)]
    file: PathBuf,
    designs: BTreeMap<String, Measured>,
}

/// The measurements of one design.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Measured {
    /// `stillwater stats DEPTH`, by depth.
    pub(crate) stats: BTreeMap<i32, Counts>,
    pub(crate) speed: Speed,
    pub(crate) wac: Option<Suite>,
    pub(crate) types: BTreeMap<String, Nodes>,
}

/// Nodes a second relative to a reference, by runs one after the other.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Speed {
    pub(crate) reference: String,
    pub(crate) ratios: Vec<f64>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Suite {
    pub(crate) solved: u64,
    pub(crate) total: u64,
}

/// Nodes of the main search and of quiescence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Nodes {
    pub(crate) main: f64,
    pub(crate) quiescence: f64,
}

impl Nodes {
    pub(crate) fn share(self) -> f64 {
        100.0 * self.quiescence / (self.main + self.quiescence).max(1.0)
    }
}

impl Speed {
    pub(crate) fn median(&self) -> Option<f64> {
        let mut ratios = self.ratios.clone();
        ratios.sort_by(f64::total_cmp);
        let middle = ratios.len() / 2;
        match ratios.len() {
            0 => None,
            odd if odd % 2 == 1 => Some(ratios[middle]),
            _ => Some((ratios[middle - 1] + ratios[middle]) / 2.0),
        }
    }
}

impl Measures {
    /// The measurements in a folder; empty if the file does not exist.
    pub(crate) fn load(folder: &Path) -> Result<Self> {
        let file = folder.join("measures.json");
        let mut measures = match fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text)
                .with_context(|| format!("cannot read `{}`", file.display()))?,
            Err(_) => Self::default(),
        };
        measures.file = file;
        Ok(measures)
    }

    pub(crate) fn of(&self, design: &str) -> Measured {
        self.designs.get(design).cloned().unwrap_or_default()
    }

    /// Takes the measurements that are missing.
    pub(crate) fn take(
        &mut self,
        programs: &Programs,
        comparison: &Comparison,
        wac: Option<&Path>,
        speed_runs: usize,
    ) -> Result<()> {
        for design in &comparison.designs {
            eprintln!(
                "measuring {} on the {} main search",
                design.name,
                comparison.main.name()
            );
            for depth in comparison.main.depths() {
                if !self.of(&design.name).stats.contains_key(&depth) {
                    let counts = stats(programs, design, depth)?;
                    self.entry(design).stats.insert(depth, counts);
                    self.save()?;
                }
            }
            for (name, fens) in TYPES {
                if design.has_quiescence() && !self.of(&design.name).types.contains_key(name) {
                    let depth = comparison.main.depths()[0];
                    let nodes = count_nodes(programs, design, fens, depth)?;
                    self.entry(design).types.insert(name.to_owned(), nodes);
                    self.save()?;
                }
            }
            if let Some(file) = wac
                && self.of(&design.name).wac.is_none()
            {
                let suite = suite(programs, design, file)?;
                self.entry(design).wac = Some(suite);
                self.save()?;
            }
        }
        self.take_speed(programs, comparison, speed_runs)
    }

    /// Runs of a design and of its reference alternate: the machine's speed
    /// drifts, and both drift together.
    fn take_speed(
        &mut self,
        programs: &Programs,
        comparison: &Comparison,
        runs: usize,
    ) -> Result<()> {
        let depth = comparison.main.speed_depth();
        for run in 0..runs {
            for design in &comparison.designs {
                let reference = comparison.speed_reference(design);
                let taken = self.of(&design.name).speed;
                if reference.name == design.name
                    || taken.reference == reference.name && taken.ratios.len() > run
                {
                    continue;
                }
                let both = [design, reference];
                let order = if run % 2 == 0 { [0, 1] } else { [1, 0] };
                let mut nps = [0.0; 2];
                for at in order {
                    nps[at] = stats(programs, both[at], depth)?["nps"];
                }
                let speed = &mut self.entry(design).speed;
                if speed.reference != reference.name {
                    *speed = Speed {
                        reference: reference.name.clone(),
                        ratios: Vec::new(),
                    };
                }
                speed.ratios.push(nps[0] / nps[1].max(1.0));
                self.save()?;
            }
        }
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn insert(&mut self, design: &str, measured: Measured) {
        self.designs.insert(design.to_owned(), measured);
    }

    fn entry(&mut self, design: &Design) -> &mut Measured {
        self.designs.entry(design.name.clone()).or_default()
    }

    fn save(&self) -> Result<()> {
        let partial = self.file.with_extension("part");
        let text = serde_json::to_string_pretty(self).context("cannot write measurements")?;
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot create `{}`", folder.display()))?;
        }
        fs::write(&partial, text)
            .and_then(|()| fs::rename(&partial, &self.file))
            .with_context(|| format!("cannot write `{}`", self.file.display()))
    }
}

fn stats(programs: &Programs, design: &Design, depth: i32) -> Result<Counts> {
    let mut command = programs.engine(design);
    let text = programs::output(command.args(["stats", &depth.to_string()]))?;
    let counts = parse(&text);
    ensure!(
        counts.contains_key("nodes") && counts.contains_key("nps"),
        "cannot read `stillwater stats` of {}: its last line is not `N nodes M nps`",
        design.name
    );
    Ok(counts)
}

/// Reads lines `NAME: NUMBER`, with or without ` %`, and `N nodes M nps`.
fn parse(text: &str) -> Counts {
    let mut counts = Counts::new();
    for line in text.lines() {
        if let Some((name, value)) = line.rsplit_once(": ") {
            if let Ok(number) = value.trim_end_matches(" %").parse() {
                counts.insert(name.to_owned(), number);
            }
        } else if let [nodes, "nodes", nps, "nps"] = *line.split(' ').collect::<Vec<_>>()
            && let (Ok(nodes), Ok(nps)) = (nodes.parse(), nps.parse())
        {
            counts.insert("nodes".to_owned(), nodes);
            counts.insert("nps".to_owned(), nps);
        }
    }
    counts
}

/// Nodes of searches from positions, each with the engine's memory cleared.
fn count_nodes(programs: &Programs, design: &Design, fens: &[&str], depth: i32) -> Result<Nodes> {
    let cannot = || format!("cannot search with {}", design.name);
    let mut engine = programs
        .engine(design)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(cannot)?;
    let mut input = engine.stdin.take().with_context(cannot)?;
    let mut lines = BufReader::new(engine.stdout.take().with_context(cannot)?).lines();
    writeln!(input, "setoption name Statistics value true").with_context(cannot)?;
    let mut nodes = Nodes::default();
    for fen in fens {
        writeln!(input, "ucinewgame\nposition fen {fen}\ngo depth {depth}").with_context(cannot)?;
        let mut text = String::new();
        loop {
            let line = lines.next().with_context(cannot)?.with_context(cannot)?;
            if line.starts_with("bestmove") {
                break;
            }
            text += line.strip_prefix("info string ").unwrap_or("");
            text += "\n";
        }
        let counts = parse(&text);
        let count = |name: &str| counts.get(name).copied().unwrap_or(0.0);
        nodes.main += count("nodes of the main search");
        nodes.quiescence += count("nodes of quiescence");
    }
    writeln!(input, "quit").with_context(cannot)?;
    let status = engine.wait().with_context(cannot)?;
    programs::check("stillwater", status, "")?;
    Ok(nodes)
}

fn suite(programs: &Programs, design: &Design, file: &Path) -> Result<Suite> {
    let engine = programs.engine.display().to_string();
    let words = std::iter::once(&*engine).chain(design.arguments.iter().map(String::as_str));
    let command = shlex::try_join(words).context("cannot start the engine")?;
    let file = file.display().to_string();
    let nodes = SUITE_NODES.to_string();
    let arguments = [
        "suite", &file, "--engine", &command, "--nodes", &nodes, "--json",
    ];
    let text = programs.hone(&arguments, &[])?;
    serde_json::from_str(&text).context("cannot read `hone suite --json`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read() {
        let counts = parse(
            "nodes of quiescence: 12353\nshare of quiescence: 43.8 %\n\
             info string\nplies of quiescence reached: 6\n28187 nodes 974087 nps",
        );
        assert_eq!(counts["nodes of quiescence"], 12353.0);
        assert_eq!(counts["share of quiescence"], 43.8);
        assert_eq!(counts["plies of quiescence reached"], 6.0);
        assert_eq!(counts["nodes"], 28187.0);
        assert_eq!(counts["nps"], 974_087.0);
        assert_eq!(counts.len(), 5);
    }

    #[test]
    fn median_of_ratios() {
        let median = |ratios: &[f64]| {
            let speed = Speed {
                reference: String::new(),
                ratios: ratios.to_vec(),
            };
            speed.median()
        };
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn share_of_nodes() {
        let nodes = Nodes {
            main: 1.0,
            quiescence: 3.0,
        };
        assert_eq!(nodes.share(), 75.0);
        assert_eq!(Nodes::default().share(), 0.0);
    }

    #[test]
    fn measurements_survive_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut measures = Measures::load(folder.path()).unwrap();
        let measured = Measured {
            stats: BTreeMap::from([(5, parse("10 nodes 20 nps"))]),
            wac: Some(Suite {
                solved: 200,
                total: 300,
            }),
            ..Measured::default()
        };
        measures.insert("captures", measured.clone());
        measures.save().unwrap();
        let again = Measures::load(folder.path()).unwrap();
        assert_eq!(again.of("captures"), measured);
        assert_eq!(again.of("other"), Measured::default());
    }
}
