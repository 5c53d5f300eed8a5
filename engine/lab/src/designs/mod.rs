//! `lab designs` compares the designs in `engine/lab/designs`: it plays them against each
//! other, measures their searches and writes tables and charts.
//!
//! It runs the programs `hone` and `stillwater`. Its folder has a copy of the engine and of
//! every design, so that the same command continues an interrupted run with the same
//! programs.

mod chart;
mod games;
mod ladder;
mod measures;
mod plan;
mod positions;
pub(crate) mod programs;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};

use games::Games;
use ladder::Ladder;
use measures::Measures;
use plan::{Comparison, MainSearch, Topic};
use programs::Programs;
use table::Table;

const EXAMPLES: &str = "\
Examples:
  # everything, at least 1,000 games of each design
  cargo run --release -p lab -- designs --wac wac.epd --out results/designs
  # a quick look at the designs of quiescence on the plain main search
  cargo run --release -p lab -- designs --main plain --what quiescence --pairs 1
  # the ladder on the plain main search, at fixed nodes
  cargo run --release -p lab -- designs --what ladder --main plain --limit nodes=5000
  # the tables of a finished run again, relative to another design
  cargo run --release -p lab -- designs --out results/designs --anchor captures";

/// Compare the designs of engine/lab/designs by games and measurements
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The main search
    #[arg(long, value_enum, default_value = "both")]
    main: MainChoice,
    /// Designs of quiescence search (round robin), parts of move ordering and
    /// ProbCut (each against its base), both of these, or the ladder (an SPRT a
    /// rung)
    #[arg(long, value_enum, default_value = "both")]
    what: TopicChoice,
    /// Games that each design plays at least
    #[arg(long, value_name = "N", default_value_t = 1000)]
    games: u64,
    /// Pairs of each pairing, instead of --games
    #[arg(long, value_name = "N")]
    pairs: Option<u64>,
    /// Limit of the games, as in configurations of hone [default: nodes=2500, or
    /// that of engine/lab/configs/ladder.toml]
    #[arg(long)]
    limit: Option<String>,
    /// Openings of the games
    #[arg(long, value_name = "FILE", default_value = "books/quick.epd")]
    openings: PathBuf,
    /// Seed of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at once [default: hone's]
    #[arg(long, value_name = "N")]
    concurrency: Option<u64>,
    /// No games: measurements only
    #[arg(long)]
    no_games: bool,
    /// Win at Chess in EPD: positions solved at 20,000 nodes
    #[arg(long, value_name = "FILE")]
    wac: Option<PathBuf>,
    /// Runs of each design for its speed; 0 for none
    #[arg(long, value_name = "N", default_value_t = 7)]
    speed_runs: usize,
    /// Design of Elo 0 [default: no-quiescence, or base for ordering]
    #[arg(long, value_name = "NAME")]
    anchor: Option<String>,
    /// The protocol of the ladder
    #[arg(long, value_name = "FILE", default_value = "engine/lab/configs/ladder.toml")]
    ladder: PathBuf,
    /// The designs
    #[arg(long, value_name = "DIR", default_value = "engine/lab/designs")]
    designs: PathBuf,
    /// Only these designs and what they are measured against
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// The engine [default: built from this repository]
    #[arg(long, value_name = "PROGRAM")]
    engine: Option<PathBuf>,
    /// hone [default: built from this repository]
    #[arg(long, value_name = "PROGRAM")]
    hone: Option<PathBuf>,
    /// Folder of games, measurements, tables and charts
    #[arg(long, value_name = "DIR", default_value = "results/designs")]
    out: PathBuf,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MainChoice {
    Plain,
    Selective,
    Both,
}

impl MainChoice {
    fn searches(self) -> &'static [MainSearch] {
        match self {
            Self::Plain => &[MainSearch::Plain],
            Self::Selective => &[MainSearch::Selective],
            Self::Both => &[MainSearch::Plain, MainSearch::Selective],
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TopicChoice {
    Quiescence,
    Ordering,
    Both,
    Ladder,
}

impl TopicChoice {
    fn topics(self) -> &'static [Topic] {
        match self {
            Self::Quiescence => &[Topic::Quiescence],
            Self::Ordering => &[Topic::Ordering],
            Self::Both => &[Topic::Quiescence, Topic::Ordering],
            Self::Ladder => &[],
        }
    }
}

pub(crate) fn run(args: &Arguments) -> Result<()> {
    if matches!(args.what, TopicChoice::Ladder) {
        return climb(args);
    }
    let settings = games::Settings {
        limit: args.limit.clone().unwrap_or("nodes=2500".to_owned()),
        openings: args.openings.clone(),
        seed: args.seed,
        concurrency: args.concurrency,
    };
    let mut comparisons = Vec::new();
    for &topic in args.what.topics() {
        for &main in args.main.searches() {
            comparisons.extend(Comparison::read(&args.designs, topic, main, &args.only)?);
        }
    }
    ensure!(
        !comparisons.is_empty(),
        "cannot compare {}: not found in `{}`",
        args.only.join(", "),
        args.designs.display()
    );
    for comparison in &comparisons {
        if let Some(anchor) = &args.anchor {
            comparison.check_anchor(anchor)?;
        }
    }
    let programs = Programs::prepare(args.hone.as_deref(), args.engine.as_deref(), &args.out)?;
    for comparison in &mut comparisons {
        comparison.keep(&args.out)?;
    }
    let engine = programs.describe_engine()?;
    let mut results = Vec::new();
    for comparison in comparisons {
        results.push(compare(args, &programs, comparison, &settings, &engine)?);
    }

    let mut page = Vec::new();
    for table in &results {
        let folder = table.comparison.folder(&args.out);
        page.push(write_table(&folder, table.markdown(), &table.csv())?);
        if let Some(games) = &table.games {
            let differences = games.differences(&programs, &table.comparison)?;
            write(&folder.join("differences.csv"), &differences)?;
            write(&folder.join("pairings.csv"), &games.pairings())?;
        }
    }
    let page = page.join("\n");
    write(&args.out.join("table.md"), &page)?;
    for (name, svg) in chart::charts(&results)? {
        write(&args.out.join(name), &svg)?;
    }
    print!("{page}");
    Ok(())
}

/// Plays and measures the designs of a comparison.
fn compare(
    args: &Arguments,
    programs: &Programs,
    comparison: Comparison,
    settings: &games::Settings,
    engine: &str,
) -> Result<Table> {
    let folder = comparison.folder(&args.out);
    let games = if args.no_games {
        None
    } else {
        let pairs = args.pairs.unwrap_or(comparison.pairs(args.games));
        let games = Games::play(programs, &comparison, settings, pairs, &folder)?;
        Some(games)
    };
    let mut measures = Measures::load(&folder)?;
    measures.take(programs, &comparison, args.wac.as_deref(), args.speed_runs)?;
    let anchor = comparison.anchor(args.anchor.as_deref()).to_owned();
    let ratings = match &games {
        Some(games) => games.ratings(programs, &anchor)?,
        None => BTreeMap::new(),
    };
    Ok(Table {
        anchor,
        engine: engine.to_owned(),
        settings: settings.clone(),
        speed_runs: args.speed_runs,
        ratings,
        comparison,
        games,
        measures,
    })
}

/// Plays the ladder of each main search.
fn climb(args: &Arguments) -> Result<()> {
    let programs = Programs::prepare(args.hone.as_deref(), args.engine.as_deref(), &args.out)?;
    let mut page = Vec::new();
    for &main in args.main.searches() {
        let limit = args.limit.as_deref();
        let ladder = Ladder::play(
            &programs,
            main,
            &args.ladder,
            &args.designs,
            limit,
            &args.out,
        )?;
        let folder = ladder.folder(&args.out);
        page.push(write_table(&folder, ladder.markdown(), &ladder.csv())?);
    }
    let page = page.join("\n");
    write(&args.out.join("ladder.md"), &page)?;
    print!("{page}");
    Ok(())
}

/// Writes `table.md` and `table.csv`. Returns the Markdown.
fn write_table(folder: &Path, markdown: String, csv: &str) -> Result<String> {
    write(&folder.join("table.md"), &markdown)?;
    write(&folder.join("table.csv"), csv)?;
    Ok(markdown)
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
}
