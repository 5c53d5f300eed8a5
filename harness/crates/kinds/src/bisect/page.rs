//! The report of a bisection as one page of HTML.

use maud::{Markup, html};

use super::course;
use super::facts::{BisectFacts, BisectVerdict, MatchFacts, SAME_BENCH, Suspect};
use hone_builds::{Forge, Repository, short_id};
use hone_report::chart::{Bar, Chart, Mark, Reading, Ticks};
use hone_report::html::{
    Cell, Figure, Page, Paint, Source, Table, Tone, collapsed, copyable, counted, ends, figure,
    games_section, paragraph, probability, record_sections, scale_of, side_by_side, signed,
};
use hone_report::limits;
use hone_run::Manifest;
use hone_stats::summary::Interval;

/// Commits in the table that is not collapsed.
const SHOWN: usize = 10;

const REPEAT: &str = "To resume the run: `hone resume FOLDER`. To repeat it: run \
     `hone bisect` with the original configuration. The configuration below is the one that was \
     played; it lists one engine for each commit.";

/// The page of a run.
///
/// # Errors
/// If the games cannot be read or a picture cannot be drawn.
pub(super) fn html(facts: &BisectFacts, source: Source<'_>) -> anyhow::Result<Page> {
    let manifest = source.manifest;
    let forge = forge(manifest);
    let title = format!(
        "Bisection from {} to {}",
        short_id(&facts.good.commit),
        short_id(&facts.bad.commit)
    );
    let mut page = Page::new(
        &title,
        &format!(
            "{}, started {}, limit {}",
            counted(facts.posterior.len() as u64, "commit"),
            manifest.created.strftime("%Y-%m-%d %H:%M UTC"),
            limits(&manifest.config)
        ),
    );
    page.lead(&facts.sentence(), tone(facts));
    page.figures(&figures(facts));
    page.section("culprit", "Culprit", culprit(facts, forge.as_ref()));
    page.section("suspects", "Suspects", suspects(facts, forge.as_ref())?);
    page.section(
        "course",
        "Progress of the bisection",
        course::section(facts)?,
    );
    page.section("matches", "Matches", matches(&facts.matches));
    let pairs = facts.absorbed;
    let (games, _) = games_section(&source, pairs)?;
    record_sections(&mut page, &source, pairs, games, &paragraph(REPEAT))?;
    Ok(page)
}

/// The website with the pages of the commits, if it is known.
fn forge(manifest: &Manifest) -> Option<Forge> {
    let repository = manifest.config.engine.first()?.git.as_ref()?;
    Repository::open(&manifest.base.join(repository))
        .ok()?
        .forge()
}

fn tone(facts: &BisectFacts) -> Tone {
    match facts.verdict {
        BisectVerdict::Found => Tone::of(facts.change),
        BisectVerdict::NoChange | BisectVerdict::None => Tone::Neutral,
    }
}

fn figures(facts: &BisectFacts) -> Vec<Figure> {
    let found = facts.verdict == BisectVerdict::Found;
    let name = if found { "Culprit" } else { "Most probable" };
    let tied = 1 + facts.tied.len() as u64;
    let commit = match facts.likeliest.as_slice() {
        [] => Figure::new(name, "–", ""),
        [_] if tied > 1 => Figure::new(name, &counted(tied, "commit"), "equally probable"),
        [one] => Figure::new(name, short_id(&one.commit), &one.subject),
        several => Figure::new(
            name,
            &counted(several.len() as u64, "commit"),
            "those before the last do not build or play",
        ),
    };
    let no_change = format!("nothing changed: {}", probability(facts.no_change));
    let skipped = facts.skipped.len() as u64;
    let mut games = counted(facts.pairs, "pair");
    if skipped > 0 {
        games += &format!(", {} skipped", counted(skipped, "commit"));
    }
    vec![
        commit.with_tone(tone(facts)),
        Figure::new("Probability", &probability(facts.probability), &no_change)
            .with_progress(facts.probability),
        if found {
            Figure::elo("Change, Elo", facts.change)
        } else {
            Figure::new("Change, Elo", "–", "no culprit is found")
        },
        Figure::new("Games", &facts.games.to_string(), &games),
    ]
}

/// The culprit, and the command that shows it; empty until it is found.
fn culprit(facts: &BisectFacts, forge: Option<&Forge>) -> Markup {
    let parts = facts.culprit.iter().map(|one| {
        let mut table = Table::new("", &["", ""]);
        table.cells(vec![Cell::text("commit"), linked(one, &one.commit, forge)]);
        table.row(&["subject", &one.subject]);
        if let Some(author) = &one.author {
            table.row(&["author", author]);
        }
        if let Some(date) = one.date {
            table.row(&["date", &date.strftime("%Y-%m-%d %H:%M UTC").to_string()]);
        }
        let show = copyable(&format!("git show {}", short_id(&one.commit)));
        side_by_side(&[table.html(), show])
    });
    html! { @for part in parts { (part) } }
}

fn linked(suspect: &Suspect, text: &str, forge: Option<&Forge>) -> Cell {
    match forge {
        Some(forge) => Cell::link(text, &forge.commit(&suspect.commit)),
        None => Cell::text(text).aligned_as_text(),
    }
}

fn suspects(facts: &BisectFacts, forge: Option<&Forge>) -> anyhow::Result<Markup> {
    let mut words = vec![(Paint::Bad, "probability")];
    if !facts.skipped.is_empty() {
        words.push((Paint::Faint, "skipped: does not build or play"));
    }
    let picture = figure(&chart(facts), &words)?;
    let likely = facts.most_probable(SHOWN).into_iter();
    let likely: Vec<&Suspect> = likely.map(|(_, one)| one).collect();
    let has_more = likely.len() < facts.posterior.len();
    let first = table("The most probable commits", facts, &likely, forge);
    let all: Vec<&Suspect> = facts.posterior.iter().collect();
    Ok(html! {
        (side_by_side(&[picture, first.html()]))
        @if has_more { (table("All commits, oldest first", facts, &all, forge).collapsed()) }
        @if !facts.cleared.is_empty() { (paragraph(SAME_BENCH)) }
    })
}

/// The probability of every commit, oldest first.
fn chart(facts: &BisectFacts) -> Chart<'static> {
    let posterior = || facts.posterior.iter().zip((0..).map(f64::from));
    let percent = |suspect: &Suspect| 100.0 * suspect.probability.unwrap_or_default();
    let most = posterior()
        .map(|(suspect, _)| percent(suspect))
        .fold(1.0, f64::max);
    let short = |suspect: &Suspect| suspect.commit.chars().take(7).collect();
    let bars = posterior().map(|(suspect, at)| Bar {
        paint: Paint::Bad,
        x: (at - 0.4, at + 0.4),
        height: percent(suspect),
        name: None,
    });
    let skipped = posterior().filter(|(suspect, _)| is_skipped(facts, suspect));
    let marks = skipped.map(|(_, at)| Mark {
        paint: Paint::Faint,
        x: at,
        text: String::new(),
        row: 0,
    });
    let readings = posterior().map(|(suspect, at)| Reading {
        x: at,
        text: format!(
            "{}{}\n{}",
            suspect.describe(),
            if is_skipped(facts, suspect) {
                ", skipped"
            } else {
                ""
            },
            probability(suspect.probability.unwrap_or_default())
        ),
    });
    Chart {
        label: "Probability of each commit to be the culprit, oldest first.".to_string(),
        title: "Probability of each commit".to_string(),
        x_title: "commit",
        y_title: "%",
        x: (-0.6, facts.posterior.len() as f64 - 0.4),
        y: (0.0, most * 1.1),
        x_ticks: Ticks::Named(
            posterior()
                .map(|(suspect, at)| (at, short(suspect)))
                .collect(),
        ),
        bars: bars.collect(),
        marks: marks.collect(),
        readings: readings.collect(),
        ..Chart::default()
    }
}

fn is_skipped(facts: &BisectFacts, suspect: &Suspect) -> bool {
    facts.skipped.iter().any(|one| one.commit == suspect.commit)
}

fn is_cleared(facts: &BisectFacts, suspect: &Suspect) -> bool {
    facts.cleared.iter().any(|one| one.commit == suspect.commit)
}

fn table(
    caption: &str,
    facts: &BisectFacts,
    suspects: &[&Suspect],
    forge: Option<&Forge>,
) -> Table {
    let head = ["commit", "probability", "", "subject", "date", "author"];
    // Older runs have only the subjects.
    let columns = if suspects.iter().any(|suspect| suspect.date.is_some()) {
        head.len()
    } else {
        head.len() - 2
    };
    let mut table = Table::new(caption, &head[..columns]);
    for suspect in suspects {
        let share = suspect.probability.unwrap_or_default();
        let is_skipped = is_skipped(facts, suspect);
        let note = match (is_skipped, is_cleared(facts, suspect)) {
            (true, _) => " (skipped)",
            (false, true) => " (same bench)",
            (false, false) => "",
        };
        let date = suspect
            .date
            .map(|date| date.strftime("%Y-%m-%d").to_string());
        let cells = [
            linked(suspect, short_id(&suspect.commit), forge),
            Cell::text(&probability(share)),
            Cell::bar(share),
            Cell::text(&format!("{}{note}", suspect.subject)).aligned_as_text(),
            Cell::text(&date.unwrap_or_default()).aligned_as_text(),
            Cell::text(suspect.author.as_deref().unwrap_or_default()).aligned_as_text(),
        ];
        let cells = cells.into_iter().take(columns);
        table.cells(if is_skipped {
            cells.map(Cell::faint).collect()
        } else {
            cells.collect()
        });
    }
    table
}

fn matches(matches: &[MatchFacts]) -> Markup {
    if matches.is_empty() {
        return paragraph("No pairs yet.");
    }
    let scale = scale_of(matches.iter().filter_map(|one| one.elo));
    let head = [
        "earlier - later",
        "Elo",
        "95 % interval",
        "pairs",
        "LL LD DD+WL WD WW",
    ];
    let mut table = Table::new("From the later commit's side", &head);
    for one in matches {
        let (elo, bar) = match one.elo {
            Some(elo) => {
                let early = match one.interval {
                    Interval::AlwaysValid => " (always-valid)",
                    Interval::FixedLength => "",
                };
                (
                    Cell::text(&signed(elo.estimate)),
                    Cell::interval(elo, scale, &(ends(elo) + early)),
                )
            }
            None => (Cell::text("–"), Cell::text("")),
        };
        let counts = one.pentanomial.map(|count| count.to_string());
        table.cells(vec![
            Cell::text(&format!("{} - {}", one.earlier, one.later)),
            elo,
            bar,
            Cell::text(&one.pentanomial.iter().sum::<u64>().to_string()),
            Cell::text(&counts.join(" ")),
        ]);
    }
    if matches.len() <= 2 * SHOWN {
        table.html()
    } else {
        collapsed("All matches", &table.html())
    }
}
