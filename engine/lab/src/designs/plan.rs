//! Comparisons: the designs of one topic on one main search.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result, anyhow, ensure};

use crate::designs::programs;

/// Designs without quiescence search: without and with the transposition table at the
/// horizon.
const NONE: &str = "no-quiescence";
const NONE_WITH_TABLE: &str = "no-quiescence-table";
/// The design that the other designs of ordering change in one point.
const BASE: &str = "base";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Topic {
    Quiescence,
    Ordering,
}

impl Topic {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Quiescence => "quiescence",
            Self::Ordering => "ordering",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MainSearch {
    Plain,
    Selective,
}

impl MainSearch {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Selective => "selective",
        }
    }

    /// Depths of the counts of nodes: one odd and one even, between which searches without
    /// quiescence differ much.
    pub(crate) fn depths(self) -> [i32; 2] {
        match self {
            Self::Plain => [5, 6],
            Self::Selective => [8, 9],
        }
    }

    /// Depth at which the speed is measured.
    pub(crate) fn speed_depth(self) -> i32 {
        match self {
            Self::Plain => 5,
            Self::Selective => 11,
        }
    }
}

/// One file of options on a main search.
#[derive(Debug, Clone)]
pub(crate) struct Design {
    pub(crate) name: String,
    /// The files of options, the main search first.
    files: Vec<PathBuf>,
    /// The engine's arguments that set the options.
    pub(crate) arguments: Vec<String>,
    options: toml::Table,
}

impl Design {
    pub(crate) fn new(name: &str, main: &Path, file: &Path) -> Result<Self> {
        let files = vec![main.to_owned(), file.to_owned()];
        let mut options = toml::Table::new();
        for file in &files {
            let text = fs::read_to_string(file)
                .with_context(|| format!("cannot read `{}`", file.display()))?;
            let table: toml::Table = text
                .parse()
                .with_context(|| format!("cannot read `{}`", file.display()))?;
            options.extend(table);
        }
        Ok(Self {
            name: name.to_owned(),
            arguments: arguments(&files),
            files,
            options,
        })
    }

    /// Whether an option is switched off by the files.
    fn is_off(&self, option: &str) -> bool {
        self.options.get(option).and_then(toml::Value::as_bool) == Some(false)
    }

    /// Whether the design has a quiescence search.
    pub(crate) fn has_quiescence(&self) -> bool {
        !self.is_off("Quiescence")
    }

    /// Whether the engine completes an iteration at this depth.
    pub(crate) fn searches_depth(&self, depth: i32) -> bool {
        match self.options.get("LastMove").and_then(toml::Value::as_str) {
            Some("own") => depth % 2 == 1,
            Some("opponent") => depth % 2 == 0,
            _ => true,
        }
    }
}

/// The engine's arguments that set the options of files.
pub(crate) fn arguments(files: &[PathBuf]) -> Vec<String> {
    let pair = |file: &PathBuf| ["--options".to_owned(), file.display().to_string()];
    files.iter().flat_map(pair).collect()
}

#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) topic: Topic,
    pub(crate) main: MainSearch,
    /// The folder of the files.
    source: PathBuf,
    /// In alphabetical order, but the base first.
    pub(crate) designs: Vec<Design>,
}

impl Comparison {
    /// Reads the designs of a topic. If `only` is not empty, reads these designs and those
    /// that they are measured against; `None` if the topic has none of them.
    pub(crate) fn read(
        source: &Path,
        topic: Topic,
        main: MainSearch,
        only: &[String],
    ) -> Result<Option<Self>> {
        let main_file = source.join("main").join(format!("{}.toml", main.name()));
        let folder = match topic {
            Topic::Quiescence => source.to_owned(),
            Topic::Ordering => source.join("ordering").join(main.name()),
        };
        let mut designs = Vec::new();
        for file in files(&folder)? {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            designs.push(Design::new(&name, &main_file, &file)?);
        }
        designs.sort_by_key(|design| (design.name != BASE, design.name.clone()));
        let mut comparison = Self {
            topic,
            main,
            source: source.to_owned(),
            designs,
        };
        let anchor = comparison.anchor(None).to_owned();
        comparison.check_anchor(&anchor)?;
        if !only.is_empty() {
            if !comparison
                .designs
                .iter()
                .any(|design| only.contains(&design.name))
            {
                return Ok(None);
            }
            comparison.restrict(only);
        }
        ensure!(
            comparison.designs.len() > 1,
            "cannot compare designs: `{}` has fewer than two",
            folder.display()
        );
        Ok(Some(comparison))
    }

    fn restrict(&mut self, only: &[String]) {
        let mut wanted = vec![self.anchor(None).to_owned()];
        for design in &self.designs {
            if only.contains(&design.name) {
                let measured_against = [self.nodes_reference(design), self.speed_reference(design)];
                wanted.push(design.name.clone());
                wanted.extend(measured_against.map(|other| other.name.clone()));
            }
        }
        self.designs.retain(|design| wanted.contains(&design.name));
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Design> {
        self.designs.iter().find(|design| design.name == name)
    }

    /// The design of Elo 0.
    pub(crate) fn anchor<'a>(&self, chosen: Option<&'a str>) -> &'a str {
        chosen.unwrap_or(match self.topic {
            Topic::Quiescence => NONE,
            Topic::Ordering => BASE,
        })
    }

    pub(crate) fn check_anchor(&self, name: &str) -> Result<()> {
        let names: Vec<&str> = self.designs.iter().map(|design| &*design.name).collect();
        ensure!(
            names.contains(&name),
            "cannot use `{name}` as anchor of {} on the {} main search: there are {}",
            self.topic.name(),
            self.main.name(),
            names.join(", ")
        );
        Ok(())
    }

    /// The design that a design's nodes are relative to: no quiescence with the same use of
    /// the transposition table, or the base.
    pub(crate) fn nodes_reference<'a>(&'a self, design: &'a Design) -> &'a Design {
        let name = match self.topic {
            Topic::Quiescence if design.is_off("QsTt") => NONE,
            Topic::Quiescence => NONE_WITH_TABLE,
            Topic::Ordering => BASE,
        };
        self.find(name)
            .or_else(|| self.find(self.anchor(None)))
            .unwrap_or(design)
    }

    /// The design that a design's speed is relative to.
    pub(crate) fn speed_reference<'a>(&'a self, design: &'a Design) -> &'a Design {
        ["-unstaged", "-sorted"]
            .iter()
            .find_map(|suffix| self.find(design.name.strip_suffix(suffix)?))
            .unwrap_or_else(|| self.nodes_reference(design))
    }

    /// Pairs of each pairing, so that each design plays at least this number of
    /// games.
    pub(crate) fn pairs(&self, games: u64) -> u64 {
        let opponents = match self.topic {
            Topic::Quiescence => self.designs.len() as u64 - 1,
            Topic::Ordering => 1,
        };
        games.div_ceil(2 * opponents).max(1)
    }

    /// The folder of games and measurements.
    pub(crate) fn folder(&self, out: &Path) -> PathBuf {
        out.join(self.main.name()).join(self.topic.name())
    }

    /// Copies the files into the folder of the run and uses the copies.
    pub(crate) fn keep(&mut self, out: &Path) -> Result<()> {
        for design in &mut self.designs {
            let kept = keep(&self.source, &design.files, out)?;
            design.arguments = arguments(&kept);
            design.files = kept;
        }
        Ok(())
    }
}

/// Copies files of options into the folder of the run, or checks that they are
/// still those that it was started with.
pub(crate) fn keep(source: &Path, files: &[PathBuf], out: &Path) -> Result<Vec<PathBuf>> {
    let mut kept = Vec::new();
    for file in files {
        let name = file.strip_prefix(source).unwrap_or(file);
        let copy = out.join("designs").join(name);
        programs::keep(file, &copy, || "help: another --out starts anew".to_owned())?;
        kept.push(copy);
    }
    Ok(kept)
}

/// The TOML files in a folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| {
        anyhow!(
            "cannot read the designs in `{}`: {error}\n\
             help: run it in the repository's folder, or give --designs",
            folder.display()
        )
    })?;
    let paths = entries.iter().map(fs::DirEntry::path);
    let is_toml = |path: &PathBuf| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    };
    Ok(paths.filter(is_toml).collect())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn design(name: &str, options: &str) -> Design {
        Design {
            name: name.to_owned(),
            files: Vec::new(),
            arguments: vec!["--options".to_owned(), format!("{name}.toml")],
            options: options.parse().unwrap(),
        }
    }

    pub(crate) fn comparison(topic: Topic, designs: Vec<Design>) -> Comparison {
        Comparison {
            topic,
            main: MainSearch::Plain,
            source: PathBuf::new(),
            designs,
        }
    }

    fn quiescence() -> Comparison {
        comparison(
            Topic::Quiescence,
            vec![
                design("captures", "QsTt = false"),
                design(NONE, "Quiescence = false\nQsTt = false"),
                design(NONE_WITH_TABLE, "Quiescence = false"),
                design("seajay-4", ""),
            ],
        )
    }

    #[test]
    fn nodes_are_relative_to_no_quiescence_with_the_same_use_of_the_table() {
        let comparison = quiescence();
        let none = |name| {
            &*comparison
                .nodes_reference(comparison.find(name).unwrap())
                .name
        };
        assert_eq!(none("captures"), NONE);
        assert_eq!(none("seajay-4"), NONE_WITH_TABLE);
        assert_eq!(none(NONE), NONE);
    }

    #[test]
    fn speed_is_relative_to_the_design_that_differs_in_speed_alone() {
        let names = ["base", "stockfish-8", "stockfish-8-unstaged", "unstaged"];
        let designs = names.map(|name| design(name, "")).to_vec();
        let comparison = comparison(Topic::Ordering, designs);
        let reference = |name| {
            &*comparison
                .speed_reference(comparison.find(name).unwrap())
                .name
        };
        assert_eq!(reference("stockfish-8-unstaged"), "stockfish-8");
        assert_eq!(reference("stockfish-8"), "base");
        assert_eq!(reference("unstaged"), "base");
    }

    #[test]
    fn only_keeps_what_the_designs_are_measured_against() {
        let mut comparison = quiescence();
        comparison.restrict(&["seajay-4".to_owned()]);
        let names: Vec<&str> = comparison
            .designs
            .iter()
            .map(|design| &*design.name)
            .collect();
        assert_eq!(names, [NONE, NONE_WITH_TABLE, "seajay-4"]);
    }

    #[test]
    fn pairs_for_games() {
        assert_eq!(quiescence().pairs(1000), 167);
        let ordering = comparison(Topic::Ordering, vec![design("base", ""), design("x", "")]);
        assert_eq!(ordering.pairs(1000), 500);
        assert_eq!(ordering.pairs(0), 1);
    }

    #[test]
    fn depths_of_the_right_parity() {
        let own = design("last-move-own", "LastMove = \"own\"");
        assert!(own.searches_depth(5) && !own.searches_depth(6));
        let opponent = design("last-move-opponent", "LastMove = \"opponent\"");
        assert!(!opponent.searches_depth(5) && opponent.searches_depth(6));
        assert!(design("captures", "").searches_depth(5));
    }

    #[test]
    fn the_designs_of_this_repository_are_read() {
        let source = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/designs"));
        for main in [MainSearch::Plain, MainSearch::Selective] {
            for topic in [Topic::Quiescence, Topic::Ordering] {
                let comparison = Comparison::read(source, topic, main, &[]).unwrap().unwrap();
                for design in &comparison.designs {
                    assert_eq!(design.arguments.len(), 4, "{}", design.name);
                }
            }
        }
    }
}
