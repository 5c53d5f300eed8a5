//! The report of a tuning run as one page of HTML.

use maud::{Markup, html};

use super::facts::{TOO_HIGH, TuneFacts};
use super::pictures::{self, interval, optimum};
use super::prepare::PLUS;
use super::tested::{UNCHANGED, elo, finding, standing};
use hone_base::platform::quoted;
use hone_experiment::tune::TuneExperiment;
use hone_experiment::tune::response::Relevance;
use hone_report::chart::Chart;
use hone_report::html::{
    Cell, Figure, Page, PageLocation, Paint, Source, Table, Tone, collapsed, copyable, counted,
    ends, figure, games_section, paragraph, pictures as in_rows, preformatted, record_sections,
    side_by_side, signed,
};
use hone_report::{MatchReport, Report, limits};
use hone_run::{Folder, VERIFY};
use hone_stats::detect::Finding;
use hone_stats::summary::Interval;

const REPEAT: &str = "To resume the run: `hone resume FOLDER`. To repeat it: run \
     `hone tune` with the original configuration. The configuration below is the one that was \
     played; it lists the engine twice, once for each side.";

/// What the page of a run shows.
pub(super) struct Content<'a> {
    pub(super) experiment: &'a TuneExperiment,
    pub(super) facts: &'a TuneFacts,
    pub(super) findings: &'a [Finding],
    /// The verifying test, if it has been started.
    pub(super) test: Option<&'a MatchReport>,
    pub(super) source: Source<'a>,
}

/// The page of a run.
///
/// # Errors
/// If the games cannot be read or a picture cannot be drawn.
pub(super) fn html(content: Content<'_>) -> anyhow::Result<Page> {
    let lead = lead(&content);
    let Content {
        experiment,
        facts,
        test,
        source,
        ..
    } = content;
    let manifest = source.manifest;
    let run = Folder::open(source.dir).name();
    let names = manifest.names();
    let engine = names
        .first()
        .map_or("", |name| name.strip_suffix(PLUS).unwrap_or(name));
    let mut page = Page::new(
        &format!("Tuning of {engine}"),
        &format!(
            "Run {run}, started {}, limit {}",
            manifest.created.strftime("%Y-%m-%d %H:%M UTC"),
            limits(&manifest.config)
        ),
    );
    page.lead(&lead, tone(facts, test));
    page.figures(&figures(facts, test));
    if let Some(test) = test {
        page.section("verify", "Verifying test", verifying(test, source));
    }
    page.section("values", "Values", values(facts));
    page.section("paths", "Paths of the parameters", paths(experiment)?);
    page.section("responses", "Estimated responses", responses(facts)?);
    let pairs = experiment.absorbed();
    let (games, _) = games_section(&source, pairs)?;
    record_sections(&mut page, &source, pairs, games, &paragraph(REPEAT))?;
    Ok(page)
}

/// The tone of the test's verdict; without a test, that of the predicted gain.
fn tone(facts: &TuneFacts, test: Option<&MatchReport>) -> Tone {
    match test {
        Some(test) => test.facts.verdict.into(),
        None => Tone::of(facts.gain()),
    }
}

fn lead(content: &Content<'_>) -> String {
    let facts = content.facts;
    let gain = match facts.response() {
        Some(response) => format!("Predicted gain: {}.", facts.gain_in_words(response.gain)),
        None => format!("Predicted gain: none, {}.", facts.no_response()),
    };
    let pairs = counted(facts.pairs, "pair");
    let mut text = match content.test {
        Some(test) => format!(
            "{}\n{}\nTuning: {pairs}. {gain}",
            finding(&test.facts, content.source.dir),
            standing(&test.facts)
        ),
        None => match not_final(facts) {
            Some(not_final) => {
                let run = quoted(content.source.dir);
                format!("{not_final}. Resume a stopped run with `hone resume {run}`.\n{gain}")
            }
            None => format!("{gain}\n{pairs}. {}", untested(facts, content.source)),
        },
    };
    for finding in content.findings {
        text += &format!("\n{}", finding.sentence());
    }
    text
}

/// That pairs are missing, if they are.
fn not_final(facts: &TuneFacts) -> Option<String> {
    let planned = counted(facts.planned, "pair");
    (!facts.is_finished()).then(|| format!("Not final: {} of {planned}", facts.pairs))
}

/// The advice before a test has a result; the test may be in progress.
fn untested(facts: &TuneFacts, source: Source<'_>) -> String {
    if !facts.is_changed() {
        return format!("{UNCHANGED}.");
    }
    let section = source.manifest.config.tune.as_ref();
    let run = quoted(source.dir);
    if section.is_some_and(|section| section.verify.is_some()) {
        format!(
            "The verifying test has no result yet: `hone report {run}` shows where it stands, \
         `hone resume {run}` plays it."
        )
    } else {
        format!(
            "Only a test shows whether the engine got stronger: `hone resume {run} --verify` \
         plays one."
        )
    }
}

/// The test as text, and a link to its own page, which is missing if `hone` was killed during
/// the test.
fn verifying(test: &MatchReport, source: Source<'_>) -> Markup {
    let page = format!("{VERIFY}/{}", test.page_name());
    html! {
        (preformatted(&test.text()))
        p { @match source.place {
            PageLocation::Inside if source.dir.join(&page).exists() => a href=(page) { "Report of the verifying test" },
            PageLocation::Inside => a href={ (VERIFY) "/" } { "Folder of the verifying test" },
            PageLocation::Elsewhere | PageLocation::Served(_) => {
                "The test is a separate run, in the folder " code { (VERIFY) } " of this run."
            }
        } }
    }
}

/// The measured gain, or else the predicted one.
fn gain_figure(facts: &TuneFacts, test: Option<&MatchReport>) -> Figure {
    match test.map(|test| elo(&test.facts)) {
        None => predicted_figure(facts),
        Some(Some((elo, Interval::AlwaysValid))) => Figure::early_elo(
            "Elo of the test, always-valid interval: too few different pairs",
            Some(elo),
        ),
        Some(elo) => Figure::elo(
            "Elo of the test, corrected for the stopping rule",
            elo.map(|(elo, _)| elo),
        ),
    }
}

/// A predicted gain is a number only if a parameter matters.
fn predicted_figure(facts: &TuneFacts) -> Figure {
    let (value, note) = match (facts.response(), facts.gain()) {
        (None, _) => ("–".to_string(), facts.no_response().to_string()),
        (_, None) => (
            "–".to_string(),
            "no parameter is shown to matter".to_string(),
        ),
        (_, Some(gain)) => (
            signed(gain.estimate),
            format!("roughly {}; {TOO_HIGH}", ends(gain)),
        ),
    };
    Figure::new("Predicted gain, Elo", &value, &note).with_tone(Tone::of(facts.gain()))
}

fn figures(facts: &TuneFacts, test: Option<&MatchReport>) -> Vec<Figure> {
    let share = facts.pairs as f64 / facts.planned.max(1) as f64;
    let of = format!("of {}", counted(facts.planned, "pair"));
    let all = counted(facts.params().len() as u64, "parameter");
    let at_bound = facts.at_bound();
    let bounds = match at_bound.as_slice() {
        [] => Figure::new("At a bound of the range", "0", "no value at a bound"),
        names => Figure::new(
            "At a bound of the range",
            &names.len().to_string(),
            &format!(
                "widen the range if the engine allows it: {}",
                names.join(", ")
            ),
        )
        .with_tone(Tone::Bad),
    };
    vec![
        gain_figure(facts, test),
        Figure::new(
            "Pairs of the tuning",
            &facts.pairs.to_string(),
            &left_out(facts, of),
        )
        .with_progress(share),
        Figure::new(
            "Parameters shown to matter",
            &facts.matter().to_string(),
            &format!("of {all}"),
        ),
        bounds,
    ]
}

fn left_out(facts: &TuneFacts, note: String) -> String {
    match facts.failed {
        0 => note,
        _ => format!("{note}; {}", facts.left_out()),
    }
}

fn values(facts: &TuneFacts) -> Markup {
    let copies = facts
        .exports()
        .map(|(name, text)| html! { h3 { (name) } (copyable(&text)) });
    html! {
        (table(facts).html())
        @if let Some(not_final) = not_final(facts) { p { strong { (not_final) "." } } }
        (side_by_side(&copies))
        (collapsed("All of it as text", &preformatted(&facts.text())))
    }
}

fn table(facts: &TuneFacts) -> Table {
    let (values, column) = if facts.is_finished() {
        ("Final values", "final")
    } else {
        ("Values so far", "now")
    };
    let mut table = Table::new(
        &format!(
            "{values}; optimum, and the Elo lost a quarter of the span away from it, with 95 % \
             intervals"
        ),
        &[
            "parameter",
            "start",
            column,
            "Δ",
            "optimum",
            "Elo lost",
            "class",
        ],
    );
    let start = facts.start_options();
    let responses = facts.responses();
    let options = facts.options();
    let values = options.iter().zip(&start).zip(facts.params());
    for (index, (((name, value), (_, start)), param)) in values.enumerate() {
        let mut row = vec![
            Cell::text(name),
            Cell::text(start),
            Cell::text(value),
            Cell::text(&difference(start, value)),
        ];
        if let Some(known) = responses.get(index) {
            row.push(Cell::text(&optimum(param, known)));
            row.push(Cell::text(&interval(known.quarter)));
            row.push(Cell::text(known.weight.word()));
        }
        table.cells(row);
    }
    table
}

/// The difference of two values, with the digits of `to`; empty if they are not numbers.
fn difference(from: &str, to: &str) -> String {
    let (Ok(start), Ok(end)) = (from.parse::<f64>(), to.parse::<f64>()) else {
        return String::new();
    };
    let decimals = to.split_once('.').map_or(0, |(_, digits)| digits.len());
    let text = format!("{:+.decimals$}", end - start);
    if end == start {
        "0".to_string()
    } else {
        text.replace('-', "\u{2212}")
    }
}

fn paths(experiment: &TuneExperiment) -> anyhow::Result<Markup> {
    let charts = pictures::paths(experiment);
    if charts.is_empty() {
        return Ok(paragraph("No pairs yet."));
    }
    let colours = [(Paint::First, "value"), (Paint::Faint, "start")];
    all(&charts, &colours)
}

fn all(charts: &[Chart<'_>], colours: &[(Paint, &str)]) -> anyhow::Result<Markup> {
    let figures: Vec<Markup> = charts
        .iter()
        .map(|chart| figure(chart, colours))
        .collect::<anyhow::Result<_>>()?;
    Ok(in_rows(&figures))
}

fn responses(facts: &TuneFacts) -> anyhow::Result<Markup> {
    let Some(response) = facts.response() else {
        return Ok(Markup::default());
    };
    let values = if facts.is_finished() {
        "final values"
    } else {
        "values so far"
    };
    let words = format!("Elo lost by each parameter alone, the others at their {values}.");
    let colours = [
        (Paint::First, "estimate"),
        (Paint::Faint, "ends of its 95 % interval"),
        (Paint::Second, "95 % interval of the optimum"),
    ];
    let mut table = Table::new(
        "Interacting parameters: extra Elo lost if both values are raised by a quarter of the \
         span, compared with raising each alone (95 %)",
        &["one", "other", "Elo"],
    );
    for pair in &response.interactions {
        table.row(&[pair.first.clone(), pair.second.clone(), interval(pair.elo)]);
    }
    let weights = facts.responses().into_iter().map(|known| known.weight);
    let charts = pictures::responses(facts).into_iter().zip(weights);
    // The curve of an unclear parameter is noise.
    let charts = charts.filter(|(_, weight)| *weight != Relevance::Unclear);
    let charts: Vec<_> = charts.map(|(chart, _)| chart).collect();
    Ok(html! {
        @if !charts.is_empty() { (paragraph(&words)) (all(&charts, &colours)?) }
        @if !response.interactions.is_empty() { (table.html()) }
    })
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn differences_have_the_digits_of_the_value() {
        for (from, to, text) in [
            ("200", "187", "\u{2212}13"),
            ("0.50", "0.75", "+0.25"),
            ("7", "7", "0"),
            ("true", "false", ""),
        ] {
            assert_eq!(difference(from, to), text);
        }
    }
}
