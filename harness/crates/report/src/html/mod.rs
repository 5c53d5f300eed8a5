//! The report as a self-contained page of HTML: it loads nothing, has a light and a dark
//! theme, fits a phone, and has a table or a caption beside each chart.

mod cells;
mod failures;
mod field;
mod figures;
mod games;
mod machines;
mod markup;
mod numbers;
mod openings;
mod outcomes;
mod page;
mod progress;
mod quantiles;
mod record;
mod setup;
mod source;
mod stages;
mod summary;
mod table;
mod workers;

pub use super::chart::Paint;
pub use cells::{Cell, scale_of};
pub use figures::{Figure, Tone};
pub use games::games_section;
pub use games::{Head, line as game_line, start_text};
pub use markup::{collapsed, copyable, figure, paragraph, pictures, preformatted, side_by_side};
pub use numbers::p_value;
pub use numbers::percentage;
pub use numbers::{counted, ends, probability, rounded, signed, with_ends, with_margin};
pub use openings::openings_section;
pub use page::Page;
pub use page::{SCRIPT, STYLE, Section, section};
pub use record::{CommentScore, MoveComment, Ply, Record, read as read_record};
pub use source::{BELOW, PageLocation, Source};
pub use table::Table;
pub use workers::workers_section;

use maud::{Markup, html};

use super::facts::RunFacts;
use super::follow::Breakdown;
use super::text::verdict_sentence;
use super::timeline::Timeline;
use failures::failures_section;
use hone_run::Manifest;
use page::GamesSection;
use setup::setup_section;

/// The page of a match or a sequential test. For a test in stages, the caller adds the
/// verdict.
///
/// # Errors
/// If the games cannot be read or a chart cannot be drawn.
pub fn run_page(facts: &RunFacts, course: &Timeline, source: Source<'_>) -> anyhow::Result<Page> {
    let names = source.manifest.names();
    let title = match names.as_slice() {
        [first, second] => format!("{first} against {second}"),
        [] => facts.run.clone(),
        all => format!("Tournament of {} engines", all.len()),
    };
    let mut page = Page::new(&title, &subtitle(facts, source.manifest));
    if facts.stages.is_empty() {
        // The section of the results contains what the other lines state.
        let verdict = verdict_sentence(facts);
        page.plain_lead(
            verdict.lines().next().unwrap_or_default(),
            summary::tone(facts),
        );
    }
    page.figures(&summary::figures(facts));
    if names.len() > 2 {
        page.section("ratings", "Ratings and crosstable", field::section(facts));
    }
    if !facts.stages.is_empty() {
        page.section("stages", "Stages", stages::section(facts, &source));
    }
    page.section("results", "Results", outcomes::results(facts));
    if let Some(trace) = course.trace() {
        let heading = if facts.kind.is_sequential_test() {
            "Progress of the test"
        } else {
            "Progress"
        };
        page.section("progress", heading, progress::section(trace)?);
    }
    page.section("pairs", "Pairs and games", outcomes::counts(facts)?);
    let (games, moves) = games_section(&source, facts.absorbed)?;
    page.section(
        "effort",
        "Time and depth of the moves",
        quantiles::section(&moves, facts, course.means()),
    );
    if let Some(fleet) = &facts.fleet {
        page.section("machines", "Machines", machines::section(fleet));
    }
    record_sections(
        &mut page,
        &source,
        facts.absorbed,
        games,
        &repeat(source.manifest),
    )?;
    Ok(page)
}

/// The last sections of every run's page: failures, workers and openings of the first
/// `pairs` pairs, games, configuration. `repeat` explains how to repeat the run.
///
/// # Errors
/// If the ledger cannot be read or the configuration cannot be written.
pub fn record_sections(
    page: &mut Page,
    source: &Source<'_>,
    pairs: u64,
    games: GamesSection,
    repeat: &Markup,
) -> anyhow::Result<()> {
    page.section("failures", "Failures", failures_section(source, pairs)?);
    // The live pages count workers and openings as the ledger grows.
    if !matches!(source.place, PageLocation::Served(_)) {
        let shard = source.manifest.config.r#match.shard;
        let breakdown = Breakdown::read(source.pairs, shard, pairs)?;
        let facts = breakdown.workers.facts(source.manifest, source.dir);
        // The workers of a fleet are in the section of the machines.
        if !page.has_section("machines") && facts.len() > 1 {
            page.section("workers", "Workers", workers::workers_section(&facts, None));
        }
        let facts = breakdown.openings.facts();
        let html = openings::openings_section(&facts, source.manifest, None);
        page.section("openings", "Openings", html);
    }
    page.games(games);
    page.section("setup", "Configuration", setup_section(source, repeat)?);
    Ok(())
}

/// How to repeat a match or a sequential test.
fn repeat(manifest: &Manifest) -> Markup {
    let words = "To repeat the run: save the configuration below as config.toml, start hone in \
         the same folder with the same programs and the same book, and compare the digests that \
         `hone verify` prints. With a node or depth limit they are equal.";
    let command = manifest.kind.name();
    html! {
        (paragraph(words))
        (copyable(&format!("hone {command} config.toml")))
    }
}

fn subtitle(facts: &RunFacts, manifest: &Manifest) -> String {
    // Tunings and bisections have other subtitles.
    let kind = if facts.kind.is_sequential_test() {
        "SPRT"
    } else {
        "Match"
    };
    let part = match (facts.shard.is_whole(), &facts.pool) {
        (false, _) => format!(", {}", facts.shard.words()),
        (true, Some(pool)) => format!(", pooled from {}", counted(pool.runs.len() as u64, "run")),
        (true, None) => String::new(),
    };
    format!(
        "{kind} {}{part}, started {}, limit {}, openings: {}",
        facts.run,
        manifest.created.strftime("%Y-%m-%d %H:%M UTC"),
        facts.limit,
        facts.openings
    )
}
