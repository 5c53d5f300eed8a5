//! The report of a bisection as one page of HTML.

use super::outcome::Outcome;
use crate::report::chart::Chart;
use crate::report::html::{
    Page, Paint, Source, Table, Tone, escape, failures_section, games_section, paragraph,
    setup_section,
};

/// Bars that have room beside each other.
const BARS: usize = 12;

const REPEAT: &str = "To resume the run: `hone resume` and its folder. To repeat it: \
     `hone bisect` with the configuration it was started with; below is what was played, an \
     engine for each commit.";

/// The page of a run.
///
/// # Errors
/// If the games cannot be read or a picture cannot be drawn.
pub(crate) fn html(outcome: &Outcome, source: Source<'_>) -> anyhow::Result<Page> {
    let manifest = source.manifest;
    let names = manifest.names();
    let (first, last) = (names.first(), names.last());
    let title = format!(
        "Bisection from {} to {}",
        first.map_or("?", String::as_str),
        last.map_or("?", String::as_str)
    );
    let mut page = Page::new(
        &title,
        &format!(
            "{} commits, begun {}, limit {}",
            outcome.posterior.len(),
            manifest.created.strftime("%Y-%m-%d %H:%M UTC"),
            manifest.config.r#match.limit
        ),
    );
    page.lead(&outcome.sentence(), Tone::Neutral);
    page.section("suspects", "Suspects", suspects(outcome)?);
    page.section("matches", "Matches", matches(outcome));
    let (games, _) = games_section(&source, outcome.pairs)?;
    page.section("failures", "Failures", failures_section(&source));
    page.section("games", "Games", games);
    page.section(
        "setup",
        "Configuration",
        setup_section(&source, &paragraph(REPEAT))?,
    );
    Ok(page)
}

fn suspects(outcome: &Outcome) -> anyhow::Result<String> {
    let likely: Vec<&str> = outcome
        .most_probable()
        .into_iter()
        .take(BARS)
        .map(|suspect| suspect.commit.as_str())
        .collect();
    let percent = |probability: Option<f64>| 100.0 * probability.unwrap_or_default();
    let shown = outcome
        .posterior
        .iter()
        .filter(|suspect| likely.contains(&suspect.commit.as_str()));
    let words = format!(
        "The {} most probable commits, oldest first, in percent.",
        likely.len()
    );
    let bars = shown.map(|suspect| {
        let name = suspect.commit.chars().take(5).collect();
        (name, percent(suspect.probability), Paint::Bad)
    });
    let svg = Chart::of_bars(words.clone(), "%", bars).svg()?;
    let mut table = Table::new(
        "All commits, oldest first",
        &["commit", "subject", "probability", ""],
    );
    for suspect in &outcome.posterior {
        let share = suspect.probability.unwrap_or_default();
        let cells = [
            suspect.commit.chars().take(10).collect(),
            suspect.subject.clone(),
            format!("{:.2} %", 100.0 * share),
        ];
        table.bar_row(&cells, share);
    }
    Ok(format!(
        "<figure><div class=\"scroll\">{svg}</div><figcaption>{}</figcaption></figure>\n{}",
        escape(&words),
        table.html()
    ))
}

fn matches(outcome: &Outcome) -> String {
    let mut table = Table::new(
        "Pairs between two commits, from the later one's side",
        &["earlier - later", "LL", "LD", "DD+WL", "WD", "WW", "Elo"],
    );
    for one in &outcome.matches {
        let mut row = vec![format!("{} - {}", one.earlier, one.later)];
        row.extend(one.pentanomial.map(|count| count.to_string()));
        row.push(one.elo.map_or("-".to_string(), |elo| {
            format!("{:+.1} ({:+.1} to {:+.1})", elo.estimate, elo.low, elo.high)
        }));
        table.row(&row);
    }
    table.html()
}
