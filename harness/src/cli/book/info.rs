//! `hone book info`: describes a book.

use std::{collections::BTreeMap, fmt::Write as _, num::NonZeroUsize, path::PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use serde::Serialize;
use shakmaty::Chess;

use super::read::Reading;
use crate::cli::args::concurrency::concurrency;
use crate::cli::args::program::program;
use crate::cli::args::ranges::from_one;
use crate::cli::args::sandbox::SandboxArgs;
use crate::cli::results::progress;
use crate::cli::{Exit, Failure};
use hone_base::diagnostic::{Diagnostic, Place};
use hone_base::{out, outln};
use hone_books::book::histogram::Histogram;
use hone_books::book::info::BookFacts;
use hone_books::book::make::judge::white_score;
use hone_books::book::scan::Scan;
use hone_report::counted;
use hone_uci::engine::analysis::{Analyst, Request, SearchLimit, evaluate_all};
use hone_uci::engine::uci::parse_option;
use hone_uci::openings::Opening;
use hone_uci::openings::source::Format;

/// Describe a book: openings, duplicates, illegal lines, first moves
///
/// Reads EPD, FEN, PGN and Polyglot, plain or packed with gzip or zip. With
/// --engine, or if the lines have scores (`ce`), it also shows their
/// distribution.
#[derive(Debug, Args)]
pub(super) struct Info {
    /// The book
    file: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// Evaluate each position with this engine
    #[arg(long, value_name = "CMD")]
    engine: Option<String>,
    /// Set an option of the engine; repeatable
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option, requires = "engine")]
    options: Vec<(String, String)>,
    /// Nodes that the engine searches in each position
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Engines that run at the same time [default: number of physical cores]
    #[arg(long, value_name = "N", value_parser = from_one::<NonZeroUsize>)]
    concurrency: Option<NonZeroUsize>,
    #[command(flatten)]
    sandbox: SandboxArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct BookSummary {
    #[serde(flatten)]
    facts: BookFacts,
    scores: Option<Scores>,
}

/// Scores in centipawns from White's side.
#[derive(Debug, Serialize)]
struct Scores {
    /// The engine's name, or `ce` for the scores in the file.
    judge: String,
    /// Positions with a mate score.
    mates: usize,
    #[serde(flatten)]
    histogram: Histogram,
}

impl Info {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let scan = self.reading.scan(&self.file)?;
        if scan.entries.is_empty() && scan.faults.is_empty() {
            return Err(anyhow!("{} contains no openings", self.file.display()).into());
        }
        if let (true, Some(fault)) = (scan.entries.is_empty(), scan.faults.first()) {
            let file = self.file.display();
            // Most games end in a position that is not an opening.
            if scan.format == Format::Pgn && self.reading.plies().is_none() {
                let games = counted(scan.faults.len() as u64, "complete game");
                let what = format!("{file} contains no openings, but {games}: {}", fault.error);
                let error = Diagnostic::new(what)
                    .at(Place::line(file, fault.line))
                    .help("give `--plies 8` to use their first 8 plies");
                return Err(anyhow::Error::new(error).into());
            }
            let lines = counted(scan.faults.len() as u64, "illegal line");
            return Err(anyhow!(
                "{file} contains no openings, only {lines}: {}\n  --> {file}:{}",
                fault.error,
                fault.line
            )
            .into());
        }
        let scores = match &self.engine {
            Some(engine) => self.judged(engine, &scan)?,
            None => {
                let known = scan.entries.iter().filter_map(|entry| entry.score);
                scores("ce".to_owned(), known.collect(), 0)
            }
        };
        let summary = BookSummary {
            facts: BookFacts::new(&scan),
            scores,
        };
        if self.json {
            outln!("{}", serde_json::to_string(&summary)?);
        } else {
            out!("{}", text(&summary));
        }
        Ok(Exit::Done)
    }

    fn judged(&self, engine: &str, scan: &Scan) -> Result<Option<Scores>, Failure> {
        let command = self
            .sandbox
            .around(program(engine, self.options.clone())?)?;
        let ends: Vec<&Chess> = scan.entries.iter().map(|entry| &entry.end).collect();
        let request = |end: &&Chess| {
            let fen = Opening::from_position(end).start_fen().to_owned();
            let place = format!("position \"{fen}\"");
            Request { fen, place }
        };
        let requests: Vec<Request> = ends.iter().map(request).collect();
        let runtime = hone_base::platform::runtime()?;
        runtime.block_on(async {
            let count = concurrency(self.concurrency)?;
            let analysts = Analyst::start_several(count, &command, scan.variant)
                .await
                .with_context(|| format!("the engine `{engine}`"))?;
            let judge = analysts[0].name().to_owned();
            let bar = progress::positions(requests.len());
            let limit = SearchLimit::Nodes(self.nodes);
            let work = evaluate_all(analysts, requests, limit, move |_, _| bar.inc(1));
            let evaluations = work.await.map_err(Failure::failed)?;
            let values: Vec<i32> = evaluations
                .iter()
                .zip(&ends)
                .filter_map(|(evaluation, end)| white_score(evaluation.score, end))
                .collect();
            let mates = evaluations.len() - values.len();
            Ok(scores(judge, values, mates))
        })
    }
}

fn scores(judge: String, values: Vec<i32>, mates: usize) -> Option<Scores> {
    let histogram = Histogram::new(values)?;
    Some(Scores {
        judge,
        mates,
        histogram,
    })
}

/// Maximum number of illegal lines that the text lists.
const FAULTS_SHOWN: usize = 3;

fn text(summary: &BookSummary) -> String {
    let facts = &summary.facts;
    let mut text = String::new();
    let mut row = |name: &str, value: String| {
        writeln!(text, "{name:<14} {value}").expect("writing to a string succeeds");
    };
    row("Openings", facts.count.to_string());
    row("Duplicates", facts.duplicates.to_string());
    row("Illegal", facts.illegal.to_string());
    let shown = facts.illegal_lines.len().min(FAULTS_SHOWN);
    for fault in &facts.illegal_lines[..shown] {
        row("", format!("line {}: {}", fault.line, fault.error));
    }
    if facts.illegal_lines.len() > shown {
        let more = facts.illegal_lines.len() - shown;
        row("", format!("and {more} more; --json lists all"));
    }
    let sides = facts.side_to_move;
    row(
        "Side to move",
        format!("White {}, Black {}", sides.white, sides.black),
    );
    row("Plies", listed(&facts.plies));
    row("Men", listed(&facts.men));
    row("Material", listed(&facts.balance));
    row("First moves", listed(&facts.families));
    row("SHA-256", facts.sha256.clone());
    if let Some(scores) = &summary.scores {
        let histogram = &scores.histogram;
        let mates = match scores.mates {
            0 => String::new(),
            count => format!(", {count} mates or without score"),
        };
        row(
            "Scores",
            format!(
                "by {}: {} to {}, mean {:.1}, median {:.1}{mates} (centipawns, White's side)",
                scores.judge, histogram.min, histogram.max, histogram.mean, histogram.median
            ),
        );
        text.push_str(&histogram.text());
    }
    text
}

/// `8: 590, 9: 10`, in the order of the keys.
fn listed<K: std::fmt::Display>(counts: &BTreeMap<K, usize>) -> String {
    if counts.is_empty() {
        return "unknown".to_owned();
    }
    let parts: Vec<String> = counts
        .iter()
        .map(|(key, n)| format!("{key}: {n}"))
        .collect();
    parts.join(", ")
}
