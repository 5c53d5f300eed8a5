//! The report of a tuning run as one page of HTML.

use super::outcome::Outcome;
use super::pictures::{self, interval, weight};
use crate::experiment::tune::TuneExperiment;
use crate::report::chart::Chart;
use crate::report::html::{
    Page, Paint, Source, Table, Tone, escape, failures_section, games_section, legend, paragraph,
    preformatted, setup_section,
};
use crate::run::Folder;
use crate::stats::detect::Finding;

const REPEAT: &str = "To resume the run: `hone resume` and its folder. To repeat it: \
     `hone tune` with the configuration it was started with; below is what was played, the \
     engine once for each side.";

/// The page of a run.
///
/// # Errors
/// If the games cannot be read or a picture cannot be drawn.
pub(crate) fn html(
    experiment: &TuneExperiment,
    outcome: &Outcome,
    findings: &[Finding],
    source: Source<'_>,
) -> anyhow::Result<Page> {
    let manifest = source.manifest;
    let run = Folder::open(source.dir).name();
    let names = manifest.names();
    let engine = names
        .first()
        .map_or("", |name| name.trim_end_matches(" plus"));
    let mut page = Page::new(
        &format!("Tuning of {engine}"),
        &format!(
            "Run {run}, begun {}, limit {}",
            manifest.created.strftime("%Y-%m-%d %H:%M UTC"),
            manifest.config.r#match.limit
        ),
    );
    page.lead(&lead(outcome, findings), Tone::Neutral);
    page.section("values", "Values", values(outcome));
    page.section("paths", "Paths of the parameters", paths(experiment)?);
    page.section("responses", "Estimated responses", responses(outcome)?);
    let (games, _) = games_section(&source, experiment.absorbed())?;
    page.section("failures", "Failures", failures_section(&source));
    page.section("games", "Games", games);
    page.section(
        "setup",
        "Configuration",
        setup_section(&source, &paragraph(REPEAT))?,
    );
    Ok(page)
}

fn lead(outcome: &Outcome, findings: &[Finding]) -> String {
    let gain = match outcome.response() {
        Some(response) => format!(
            "Predicted gain {:+.1} Elo (95 %: {:+.1} to {:+.1}).",
            response.gain.estimate, response.gain.low, response.gain.high
        ),
        None => "No pair has counted yet.".to_string(),
    };
    let mut text = format!(
        "{gain}\n{} pairs. Whether the engine got stronger only a test shows: \
         `hone tune --verify` plays one.",
        outcome.pairs
    );
    for finding in findings {
        text += &format!("\n{}", finding.sentence());
    }
    text
}

fn values(outcome: &Outcome) -> String {
    let mut table = Table::new(
        "Optimum and what a quarter of the span away from it loses, with 95 % intervals",
        &[
            "parameter",
            "start",
            "final",
            "optimum",
            "Elo lost a quarter away",
            "it",
        ],
    );
    let start = outcome.start_options();
    for (index, ((name, value), (_, start))) in outcome.options().iter().zip(&start).enumerate() {
        let mut row = vec![name.clone(), start.clone(), value.clone()];
        if let Some(response) = outcome.response() {
            let known = &response.params[index];
            row.push(interval(known.optimum));
            row.push(interval(known.quarter));
            row.push(weight(known.weight).to_string());
        }
        table.row(&row);
    }
    let mut html = table.html();
    html += "<details><summary>The values to copy</summary>\n";
    html += &preformatted(&outcome.exports());
    html += "</details>\n<details><summary>All of it as text</summary>\n";
    html += &preformatted(&outcome.text());
    html + "</details>\n"
}

/// Charts with their titles and what they show in words.
fn figures(charts: &[Chart<'_>]) -> anyhow::Result<String> {
    let mut html = String::from("<div class=\"pictures\">\n");
    for chart in charts {
        html += &format!(
            "<figure><h3>{}</h3><div class=\"scroll\">{}</div><figcaption>{}</figcaption></figure>\n",
            escape(&chart.title),
            chart.svg()?,
            escape(&chart.label)
        );
    }
    Ok(html + "</div>\n")
}

fn paths(experiment: &TuneExperiment) -> anyhow::Result<String> {
    let charts = pictures::paths(experiment);
    if charts.is_empty() {
        return Ok(paragraph("No pairs yet."));
    }
    let legend = legend(&[(Paint::First, "value"), (Paint::Soft, "start")]);
    Ok(legend + &figures(&charts)?)
}

fn responses(outcome: &Outcome) -> anyhow::Result<String> {
    let Some(response) = outcome.response() else {
        return Ok(String::new());
    };
    let mut html = paragraph(
        "Elo lost by each parameter alone, the others at their final values. Grey: the ends \
         of its 95 % interval; upright: the interval of the optimum.",
    );
    html += &figures(&pictures::responses(outcome))?;
    if response.interactions.is_empty() {
        return Ok(html);
    }
    let mut table = Table::new(
        "Parameters that depend on each other: Elo lost when both are a quarter of the span \
         higher, beyond what each loses alone (95 %)",
        &["one", "other", "Elo"],
    );
    for pair in &response.interactions {
        table.row(&[pair.first.clone(), pair.second.clone(), interval(pair.elo)]);
    }
    Ok(html + &table.html())
}
