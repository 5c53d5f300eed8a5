//! `hone book convert`: from any format to EPD or PGN.

use std::{collections::HashSet, num::NonZeroUsize, path::PathBuf};

use anyhow::anyhow;
use clap::Args;
use serde::Serialize;

use super::read::Reading;
use crate::cli::args::ranges::from_one;
use crate::cli::{Exit, Failure};
use hone_base::diagnostic::Diagnostic;
use hone_base::{errln, outln};
use hone_books::book::opening::BookOpening;
use hone_books::book::output::Output;
use hone_uci::openings::{Format, Order, Schedule};

/// Convert books: EPD, FEN, PGN and Polyglot in, EPD and PGN out
///
/// Joins several files into one. --plies cuts games and openings with moves;
/// --shuffle gives the order in which a match with this seed plays them.
#[derive(Debug, Args)]
pub(super) struct Convert {
    /// The books to read, plain or packed with gzip or zip
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The book to write: .epd or .pgn, with .gz or .zip after it to pack it
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// Put the openings into a random order
    #[arg(long, value_name = "SEED")]
    shuffle: Option<u64>,
    /// Write this many numbered books of equal size
    #[arg(long, value_name = "N", value_parser = from_one::<NonZeroUsize>)]
    split: Option<NonZeroUsize>,
    /// Keep the first of openings that lead to the same position
    #[arg(long)]
    unique: bool,
    /// Skip illegal openings instead of refusing the book
    #[arg(long)]
    skip_illegal: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct ConvertSummary {
    books: Vec<PathBuf>,
    count: usize,
    illegal: usize,
    duplicates: usize,
}

impl Convert {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let output = Output::new(&self.out)?;
        let (mut entries, illegal) = self.read(output.format())?;
        let all = entries.len();
        if self.unique {
            let mut seen = HashSet::new();
            entries.retain(|entry| seen.insert(entry.end.clone()));
        }
        let duplicates = all - entries.len();
        if entries.is_empty() {
            return Err(anyhow!("no opening to write").into());
        }
        let order: Vec<usize> = match self.shuffle {
            None => (0..entries.len()).collect(),
            Some(seed) => {
                let schedule = Schedule::new(entries.len(), Order::Random, seed, 0);
                (0..entries.len() as u64)
                    .map(|k| schedule.index(k))
                    .collect()
            }
        };
        let books = self.write(&output, &entries, &order)?;
        if !self.json {
            outln!(
                "{} openings written; {illegal} illegal, {duplicates} duplicates skipped",
                entries.len()
            );
        } else {
            let summary = ConvertSummary {
                books,
                count: entries.len(),
                illegal,
                duplicates,
            };
            outln!("{}", serde_json::to_string(&summary)?);
        }
        Ok(Exit::Done)
    }

    fn read(&self, format: Format) -> Result<(Vec<BookOpening>, usize), Failure> {
        let mut entries = Vec::new();
        let mut illegal = 0;
        for path in &self.files {
            let scan = self.reading.scan(path)?;
            if let Some(fault) = scan.faults.first()
                && !self.skip_illegal
            {
                let places: Vec<String> = scan
                    .faults
                    .iter()
                    .take(3)
                    .map(|fault| format!("\n  --> {}:{}", path.display(), fault.line))
                    .collect();
                let count = match scan.faults.len() {
                    1 => String::new(),
                    count => format!(" (the first of {count} illegal openings)"),
                };
                return Err(anyhow!(
                    Diagnostic::new(format!("{}{count}{}", fault.error, places.concat()))
                        .help("--skip-illegal skips such openings")
                )
                .into());
            }
            illegal += scan.faults.len();
            entries.extend(scan.entries);
        }
        if let Some(plies) = self.reading.plies() {
            for entry in &mut entries {
                entry.cut(plies);
            }
        }
        if format == Format::Pgn && entries.iter().any(|entry| !entry.operations.is_empty()) {
            errln!("warning: PGN has no EPD operations: all but `ce` are dropped");
        }
        Ok((entries, illegal))
    }

    fn write(
        &self,
        output: &Output,
        entries: &[BookOpening],
        order: &[usize],
    ) -> Result<Vec<PathBuf>, Failure> {
        let parts = self.split.map_or(1, NonZeroUsize::get);
        if parts > order.len() {
            return Err(anyhow!("{} openings are too few for {parts} books", order.len()).into());
        }
        let mut books = Vec::new();
        for part in 0..parts {
            // Sizes differ by one opening at most.
            let share = order.len() * part / parts..order.len() * (part + 1) / parts;
            let book = match self.split {
                Some(_) => output.part(part + 1, parts),
                None => output.clone(),
            };
            let openings = order[share].iter().map(|&index| &entries[index]);
            book.write(openings).map_err(Failure::failed)?;
            books.push(book.path().to_owned());
        }
        Ok(books)
    }
}
