//! `hone book info`: describes a book.

use std::{collections::BTreeMap, fmt::Write as _, path::PathBuf};

use anyhow::anyhow;
use clap::Args;

use super::read::Reading;
use crate::cli::{Exit, Failure};
use hone_base::diagnostic::{Diagnostic, Place};
use hone_base::{out, outln};
use hone_books::book::info::BookFacts;
use hone_report::counted;
use hone_uci::openings::source::Format;

/// Describe a book: openings, duplicates, illegal lines, first moves
///
/// Reads EPD, FEN, PGN and Polyglot, plain or packed with gzip or zip.
#[derive(Debug, Args)]
pub(super) struct Info {
    /// The book
    file: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
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
        let facts = BookFacts::new(&scan);
        if self.json {
            outln!("{}", serde_json::to_string(&facts)?);
        } else {
            out!("{}", text(&facts));
        }
        Ok(Exit::Done)
    }
}

/// Maximum number of illegal lines that the text lists.
const FAULTS_SHOWN: usize = 3;

fn text(facts: &BookFacts) -> String {
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
