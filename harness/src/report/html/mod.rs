//! The report as one self-contained page of HTML: no network,
//! light and dark, readable on a phone, a table or a text beside each picture.

mod bins;
mod cells;
mod distributions;
mod effort;
mod failures;
mod field;
mod figures;
mod games;
mod markup;
mod numbers;
mod outcomes;
mod page;
mod progress;
mod record;
mod setup;
mod source;
mod summary;
mod table;
mod trace;

pub(crate) use super::chart::Paint;
pub(crate) use super::escape;
pub(crate) use cells::{Cell, scale_of};
pub(crate) use failures::failures_section;
pub(crate) use figures::{Figure, Tone};
pub(crate) use games::games_section;
pub(crate) use markup::{
    collapsed, copyable, figure, paragraph, pictures, preformatted, side_by_side,
};
pub(crate) use numbers::{counted, ends, percentage, rounded, signed, with_margin};
pub(crate) use page::Page;
pub(crate) use setup::setup_section;
pub(crate) use source::Source;
pub(crate) use table::Table;

use super::facts::RunFacts;
use super::text::verdict_sentence;
use crate::run::Manifest;

/// The page of a match or a sequential test.
///
/// # Errors
/// If the games cannot be read or a picture cannot be drawn.
pub(crate) fn run_page(facts: &RunFacts, source: Source<'_>) -> anyhow::Result<Page> {
    let names = source.manifest.names();
    let title = match names.as_slice() {
        [first, second] => format!("{first} against {second}"),
        [] => facts.run.clone(),
        all => format!("Tournament of {} engines", all.len()),
    };
    let mut page = Page::new(&title, &subtitle(facts, source.manifest));
    // What follows its first line is among the results.
    let verdict = verdict_sentence(facts);
    page.lead(
        verdict.lines().next().unwrap_or_default(),
        summary::tone(facts),
    );
    page.figures(&summary::figures(facts));
    if names.len() > 2 {
        page.section("ratings", "Ratings and crosstable", field::section(facts));
    }
    page.section("results", "Results", outcomes::results(facts));
    if names.len() == 2 {
        let trace = trace::Trace::of(&source, facts)?;
        page.section("progress", "Course of the test", progress::section(&trace)?);
    }
    page.section("pairs", "Pairs and games", outcomes::counts(facts)?);
    let (games, efforts) = games_section(&source, facts.absorbed)?;
    page.section(
        "effort",
        "Time and depth of the moves",
        distributions::section(&efforts, facts, &source)?,
    );
    page.section(
        "failures",
        "Failures",
        failures_section(&source, facts.absorbed),
    );
    page.section("games", "Games", games);
    page.section(
        "setup",
        "Configuration",
        setup_section(&source, &repeat(source.manifest))?,
    );
    Ok(page)
}

/// How a run of engines that the configuration names is repeated.
fn repeat(manifest: &Manifest) -> String {
    let words = paragraph(
        "To repeat it: save this as config.toml, start hone in the same folder with the \
         same programs and the same book, and compare the digests that `hone verify` prints. \
         With a node or depth limit they are equal.",
    );
    let command = manifest.kind.name();
    words + &copyable(&format!("hone {command} config.toml"))
}

fn subtitle(facts: &RunFacts, manifest: &Manifest) -> String {
    let kind = match facts.sprt {
        Some(_) => "SPRT",
        None => "Match",
    };
    format!(
        "{kind} {}, started {}, limit {}, openings: {}",
        facts.run,
        manifest.created.strftime("%Y-%m-%d %H:%M UTC"),
        facts.limit,
        facts.openings
    )
}
