//! `hone book worth`: measures books by the runs that used them.

use std::{
    collections::{BTreeMap, HashSet},
    fmt::Write as _,
    path::{Path, PathBuf},
};

use anyhow::{Context, anyhow, bail, ensure};
use clap::Args;
use serde::Serialize;

use crate::cli::{Exit, Failure};
use hone_base::{errln, out, outln};
use hone_books::book::advantage::Outlook;
use hone_books::book::output::Output;
use hone_books::book::scan::{Scan, scan, scan_built_in};
use hone_books::book::worth::{Usage, Worth, undecided, usage};
use hone_experiment::PairResult;
use hone_experiment::settings::BookSource;
use hone_kinds as kinds;
use hone_report::TOO_FEW_PAIRS;
use hone_run::{Manifest, RunFiles, find_run};
use hone_uci::openings::BookOptions;

/// Measure books by the runs that used them: draws, splits, sensitivity
///
/// The line below each run estimates whether balanced openings, or openings
/// with another advantage for White, would separate the engines better. To
/// compare books, play a run of the same engines and limits with each. An
/// opening never decided a pair if all its pairs ended 1-1, in every run.
#[derive(Debug, Args)]
pub(super) struct WorthArgs {
    /// Folders of runs
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// Write the book without the openings that never decided a pair
    #[arg(long, value_name = "FILE")]
    prune: Option<PathBuf>,
    /// The book of the runs, if it has moved
    #[arg(long, value_name = "FILE", requires = "prune")]
    book: Option<PathBuf>,
    /// Ignore openings with fewer pairs than this when listing those that never decided a pair
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    min_pairs: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct WorthSummary {
    books: Vec<BookWorth>,
    /// The pruned book, if one was written.
    pruned: Option<Pruned>,
}

#[derive(Debug, Serialize)]
struct BookWorth {
    book: PathBuf,
    sha256: String,
    openings: usize,
    runs: Vec<PairingWorth>,
    /// Number of openings that were played.
    played: usize,
    /// Numbers, from 1, of those that never decided a pair.
    undecided: Vec<u64>,
    /// Its file (`None` for a built-in book), and the options with which the runs read it.
    #[serde(skip)]
    source: (Option<PathBuf>, BookOptions),
}

#[derive(Debug, Serialize)]
struct PairingWorth {
    run: String,
    engines: [String; 2],
    #[serde(flatten)]
    worth: Worth,
}

#[derive(Debug, Serialize)]
struct Pruned {
    book: PathBuf,
    count: usize,
    dropped: usize,
}

const WARNING: &str =
    "these games chose the openings: play new games before you judge a test with this book";

impl WorthArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let books = self.books()?;
        let pruned = match &self.prune {
            Some(out) => Some(self.write_pruned(out, &books)?),
            None => None,
        };
        let summary = WorthSummary { books, pruned };
        if self.json {
            outln!("{}", serde_json::to_string(&summary)?);
        } else {
            out!("{}", text(&summary));
        }
        Ok(Exit::Done)
    }

    fn books(&self) -> anyhow::Result<Vec<BookWorth>> {
        let mut books: BTreeMap<String, (BookWorth, BTreeMap<u64, Usage>)> = BTreeMap::new();
        for path in &self.runs {
            let run = Run::read(path)?;
            let Some(identity) = &run.manifest.book else {
                bail!("{} was played without a book", path.display());
            };
            let (book, openings) = books.entry(identity.sha256.clone()).or_insert_with(|| {
                let book = BookWorth {
                    book: identity.file.clone(),
                    sha256: identity.sha256.clone(),
                    openings: identity.openings,
                    runs: Vec::new(),
                    played: 0,
                    undecided: Vec::new(),
                    source: run.source(),
                };
                (book, BTreeMap::new())
            });
            book.runs.extend(run.pairings());
            let pairs = run.pairs.iter().map(|(number, pair)| (*number, pair));
            for (number, more) in usage(pairs) {
                let opening = openings.entry(number).or_default();
                opening.pairs += more.pairs;
                opening.decided += more.decided;
                opening.split += more.split;
            }
        }
        let finish = |(mut book, openings): (BookWorth, BTreeMap<u64, Usage>)| {
            book.played = openings.len();
            book.undecided = undecided(&openings, self.min_pairs);
            book
        };
        Ok(books.into_values().map(finish).collect())
    }

    fn write_pruned(&self, out: &Path, books: &[BookWorth]) -> Result<Pruned, Failure> {
        let [book] = books else {
            return Err(
                anyhow!("--prune needs runs of one book; these used {}", books.len()).into(),
            );
        };
        let output = Output::new(out)?;
        let scan = self.scan(book)?;
        let dropped: HashSet<u64> = book.undecided.iter().copied().collect();
        let kept: Vec<_> = scan
            .entries
            .iter()
            .filter(|entry| !entry.number.is_some_and(|number| dropped.contains(&number)))
            .collect();
        if kept.is_empty() {
            return Err(anyhow!("no opening decided a pair: the book would be empty").into());
        }
        let count = kept.len();
        output.write(kept).map_err(Failure::failed)?;
        if let Some(first) = scan.faults.first() {
            errln!(
                "warning: {}: {} illegal openings skipped; the first: line {}: {}",
                book.book.display(),
                scan.faults.len(),
                first.line,
                first.error
            );
        }
        errln!("{}: {count} openings; warning: {WARNING}", out.display());
        Ok(Pruned {
            book: out.to_owned(),
            count,
            dropped: dropped.len(),
        })
    }

    /// Reads the book of the runs, and checks that it is unchanged.
    fn scan(&self, book: &BookWorth) -> anyhow::Result<Scan> {
        let (path, options) = &book.source;
        let path = self.book.as_ref().or(path.as_ref());
        let (scan, name) = match path {
            Some(path) => (scan(path, *options), path.display().to_string()),
            None => (
                scan_built_in(options.variant),
                "the built-in book of this hone".to_owned(),
            ),
        };
        let scan = scan.with_context(|| {
            format!("the book of these runs, {name}\nhelp: name it with --book")
        })?;
        ensure!(
            scan.sha256 == book.sha256,
            "{name} is not the book of these runs (sha256 {}, not {})\nhelp: name that with --book",
            scan.sha256,
            book.sha256
        );
        Ok(scan)
    }
}

/// A run up to its verdict.
struct Run {
    name: String,
    manifest: Manifest,
    /// The opening's number, from 1, and the result of each pair.
    pairs: Vec<(u64, PairResult)>,
}

impl Run {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let files = RunFiles::open(&find_run(path)?)?;
        let pairs: Vec<(u64, PairResult)> = kinds::counted(&files)?
            .into_iter()
            .map(|entry| (entry.opening_number, entry.result))
            .collect();
        if pairs.is_empty() {
            bail!("{} contains no finished pairs", path.display());
        }
        Ok(Self {
            name: files.folder.name(),
            manifest: files.manifest,
            pairs,
        })
    }

    /// The file of its book (`None` for a built-in book), and the options with which it was read.
    fn source(&self) -> (Option<PathBuf>, BookOptions) {
        let play = &self.manifest.config.r#match;
        let file = match &play.openings.file {
            Some(BookSource::File(file)) => Some(self.manifest.base.join(file)),
            _ => None,
        };
        let options = BookOptions {
            format: None,
            plies: play.openings.plies,
            variant: play.variant,
        };
        (file, options)
    }

    /// The worth in each pairing.
    fn pairings(&self) -> Vec<PairingWorth> {
        let mut pairings: BTreeMap<[usize; 2], Vec<&PairResult>> = BTreeMap::new();
        for (_, result) in &self.pairs {
            let mut engines = result.engines;
            engines.sort_unstable();
            pairings.entry(engines).or_default().push(result);
        }
        let names = self.manifest.names();
        pairings
            .into_iter()
            .map(|(engines, results)| PairingWorth {
                run: self.name.clone(),
                engines: engines.map(|engine| names[engine].clone()),
                worth: Worth::new(results),
            })
            .collect()
    }
}

fn text(summary: &WorthSummary) -> String {
    let mut text = String::new();
    let mut line = |parts: std::fmt::Arguments<'_>| {
        writeln!(text, "{parts}").expect("writing to a string succeeds");
    };
    for book in &summary.books {
        line(format_args!(
            "{}: {} of {} openings played, {} never decided a pair",
            book.book.display(),
            book.played,
            book.openings,
            book.undecided.len()
        ));
        line(format_args!(
            "  {:>7} {:>7} {:>7} {:>9} {:>24}  run",
            "pairs", "draws", "splits", "decided", "sensitivity (nElo)"
        ));
        for run in &book.runs {
            let worth = &run.worth;
            let percent = |share: f64| format!("{:.1} %", 100.0 * share);
            let sensitivity = worth.sensitivity.map_or_else(
                || TOO_FEW_PAIRS.to_owned(),
                |e| format!("{:.1} [{:.1}, {:.1}]", e.estimate, e.low, e.high),
            );
            line(format_args!(
                "  {:>7} {:>7} {:>7} {:>9} {sensitivity:>24}  {}: {} - {}",
                worth.pairs,
                percent(worth.draw_rate),
                percent(worth.split_rate),
                percent(worth.decided_rate),
                run.run,
                run.engines[0],
                run.engines[1]
            ));
            if worth.repeated_rate > 0.5 {
                line(format_args!(
                    "          in {} of the pairs both games are identical: the engines play the same moves",
                    percent(worth.repeated_rate)
                ));
            }
            if let Some(outlook) = &worth.outlook {
                line(format_args!("          {}", forecast(outlook)));
            }
        }
    }
    text
}

/// Whether another advantage for White would separate the engines better.
fn forecast(outlook: &Outlook) -> String {
    let level = format!(
        "balanced openings: {:.0} % draws, {:.2} of this sensitivity",
        100.0 * outlook.level_draw_rate,
        1.0 / outlook.relative_sensitivity
    );
    let best = outlook.best_relative_sensitivity;
    if best <= 1.0 {
        return format!("{level}; no advantage for White gives more");
    }
    format!(
        "{level}; best: White wins {:.0} %, {:.0} % draws, {:.2} of this sensitivity",
        100.0 * outlook.best_white_rate,
        100.0 * outlook.best_draw_rate,
        best / outlook.relative_sensitivity
    )
}
