//! The results of a run: numbers, engines, pairs, colours, terminations.

use maud::{Markup, html};

use super::cells::Cell;
use super::markup::{figure, plain, side_by_side};
use super::numbers::{
    duration, ends, percentage, probability, real_minus, rounded_or_dash, with_margin,
};
use super::summary::PAIRS;
use super::table::Table;
use crate::chart::{Chart, Paint, Reading};
use crate::contract::{EngineFacts, SprtFacts};
use crate::facts::RunFacts;
use crate::numbers::{TOO_FEW_PAIRS, fixed};
use crate::text::at_the_end;
use hone_stats::summary::Interval;
use hone_stats::{Counts, Estimate, Wdl};

/// The findings, the results and the engines.
pub(super) fn results(facts: &RunFacts) -> Markup {
    let numbers = if facts.engines.len() > 2 {
        all_games(facts)
    } else {
        first_engine(facts)
    };
    html! {
        @for finding in &facts.findings { div.lead.bad { (plain(&finding.sentence())) } }
        (side_by_side(&[numbers.html(), engines(facts).html()]))
    }
}

fn first_engine(facts: &RunFacts) -> Table {
    let mut table = Table::new("From the first engine's side", &["", ""]);
    let is_fixed = facts.always_valid_only().is_none();
    if is_fixed && facts.interval == Interval::FixedLength {
        table.row(&["Elo", &interval(facts.elo)]);
    }
    if let Some(valid) = facts.always_valid_of_match() {
        table.row(&["Elo, always-valid interval (95 %)", &ends(valid)]);
    }
    if let Some(sprt) = &facts.sprt {
        test(&mut table, sprt);
    }
    if is_fixed {
        table.row(&["normalized Elo", &interval(facts.nelo)]);
    }
    let los = at_the_end(facts, facts.los).map_or_else(str::to_string, probability);
    table.row(&["LOS", &los]);
    let wdl = Wdl::from(facts.wdl);
    let (games, [wins, draws, losses]) = (wdl.games(), facts.wdl);
    table.row(&[
        "games",
        &format!("{games}: {wins} won, {draws} drawn, {losses} lost"),
    ]);
    let (points, share) = (wdl.points(), share_words(wdl.score()));
    table.row(&["points", &format!("{points:.1} ({share})")]);
    table.row(&["draw ratio (1–1 pairs)", &share_words(facts.draw_ratio)]);
    table.row(&[
        "pair ratio (won / lost)",
        &rounded_or_dash(facts.pair_ratio),
    ]);
    table.row(&["time of play", &duration(facts.seconds)]);
    table
}

/// Adds the rows of a sequential test.
fn test(table: &mut Table, sprt: &SprtFacts) {
    if let Some(estimate) = &sprt.elo {
        let name = "Elo, corrected for the stopping rule";
        table.row(&[name, &interval(Some(estimate.elo))]);
    }
    table.row(&[
        "LLR",
        &real_minus(&format!(
            "{}, bounds {:.2} and {:.2}",
            fixed(sprt.llr, 2),
            sprt.lower,
            sprt.upper
        )),
    ]);
    table.row(&[
        "hypotheses",
        &real_minus(&format!(
            "H0: {} Elo, H1: {} Elo ({}), error rates {} and {}",
            sprt.elo0, sprt.elo1, sprt.model, sprt.alpha, sprt.beta
        )),
    ]);
}

fn all_games(facts: &RunFacts) -> Table {
    let mut table = Table::new("All games", &["", ""]);
    let white = Wdl::from(facts.by_colour);
    table.row(&["games", &white.games().to_string()]);
    table.row(&["pairs", &facts.pairs.to_string()]);
    table.row(&["score of White", &share_words(white.score())]);
    let draws = Counts::from(white).draw_ratio();
    table.row(&["draws", &share_words(draws)]);
    table.row(&["time of play", &duration(facts.seconds)]);
    table
}

fn interval(estimate: Option<Estimate>) -> String {
    match estimate {
        Some(e) => format!("{} (95 %: {})", with_margin(e), ends(e)),
        None => TOO_FEW_PAIRS.to_string(),
    }
}

fn share_words(share: Option<f64>) -> String {
    share.map_or("no games".to_string(), percentage)
}

fn engines(facts: &RunFacts) -> Table {
    let mut head = vec![""];
    head.extend(facts.engines.iter().map(|engine| engine.name.as_str()));
    let mut table = Table::new("The engines: means over their moves", &head);
    let mut row = |name: &str, cell: &dyn Fn(&EngineFacts) -> String| {
        let mut cells = vec![Cell::text(name)];
        let values = facts.engines.iter().map(cell);
        cells.extend(values.map(|value| Cell::text(&value).aligned_as_number()));
        table.cells(cells);
    };
    row("limit", &|e| e.limit.clone());
    let score = |wdl: [u64; 3]| share_words(Wdl::from(wdl).score());
    row("score as White", &|e| score(e.as_white));
    row("score as Black", &|e| score(e.as_black));
    row("depth", &|e| rounded_or_dash(e.depth));
    row("selective depth", &|e| rounded_or_dash(e.seldepth));
    row("nodes per move", &|e| rounded_or_dash(e.nodes));
    row("ms per move", &|e| rounded_or_dash(e.ms));
    row("nodes per second", &|e| rounded_or_dash(e.nps));
    table
}

/// Pairs, colours and terminations.
pub(super) fn counts(facts: &RunFacts) -> anyhow::Result<Markup> {
    let endings = html! {
        (endings(facts).html())
        @if let Some(plies) = facts.mean_plies {
            p { (format!("A game had {plies:.1} plies on average, without the opening.")) }
        }
    };
    let colours = colours(facts).html();
    if facts.engines.len() > 2 {
        return Ok(side_by_side(&[colours, endings]));
    }
    let pairs = html! { (pairs_chart(facts)?) (pairs_table(facts).collapsed()) };
    Ok(side_by_side(&[pairs, html! { (colours) (endings) }]))
}

fn pairs_chart(facts: &RunFacts) -> anyhow::Result<Markup> {
    let paints = [
        Paint::Bad,
        Paint::Bad,
        Paint::Faint,
        Paint::Good,
        Paint::Good,
    ];
    let bars = PAIRS.iter().zip(facts.pentanomial).zip(paints);
    let label = format!("Pairs LL, LD, DD+WL, WD, WW: {:?}.", facts.pentanomial);
    let bars = bars.map(|(((name, ..), count), paint)| ((*name).to_string(), count as f64, paint));
    let total: u64 = facts.pentanomial.iter().sum();
    let readings = PAIRS.iter().zip(facts.pentanomial).zip(0..);
    let readings = readings.map(|(((name, meaning, _), count), at)| Reading {
        x: f64::from(at) + 0.5,
        text: format!(
            "{name}, {meaning}\n{count} of {total} pairs ({})",
            percentage(count as f64 / total.max(1) as f64)
        ),
    });
    let chart = Chart {
        title: "Pentanomial".to_string(),
        readings: readings.collect(),
        ..Chart::of_bars(label, "pairs", bars)
    };
    let legend = [
        (Paint::Bad, "lost"),
        (Paint::Faint, "level"),
        (Paint::Good, "won"),
    ];
    figure(&chart, &legend)
}

fn pairs_table(facts: &RunFacts) -> Table {
    let total: u64 = facts.pentanomial.iter().sum();
    let mut table = Table::new(
        "The same in numbers",
        &["pair", "meaning", "pairs", "share"],
    );
    for ((name, meaning, _), count) in PAIRS.iter().zip(facts.pentanomial) {
        table.row(&[
            (*name).to_string(),
            (*meaning).to_string(),
            count.to_string(),
            share_words((total > 0).then(|| count as f64 / total as f64)),
        ]);
    }
    table
}

fn colours(facts: &RunFacts) -> Table {
    let games: u64 = facts.by_colour.iter().sum();
    let mut table = Table::new("Games by colour", &["", "games", "share", ""]);
    for (name, count) in ["White won", "drawn", "Black won"]
        .iter()
        .zip(facts.by_colour)
    {
        let share = count as f64 / games.max(1) as f64;
        let mut cells = texts(&[name, &count.to_string(), &percentage(share)]);
        cells.push(Cell::bar(share));
        table.cells(cells);
    }
    table
}

fn endings(facts: &RunFacts) -> Table {
    let games: u64 = facts.terminations.iter().map(|(_, count)| count).sum();
    let head = ["ended by", "games", "White", "drawn", "Black", "share", ""];
    let mut table = Table::new("Games by how they ended, and who won", &head);
    for (termination, colours) in &facts.endings {
        let count: u64 = colours.iter().sum();
        let share = count as f64 / games.max(1) as f64;
        let mut cells = texts(&[termination.words(), &count.to_string()]);
        cells.extend(colours.map(|count| Cell::text(&count.to_string())));
        cells.push(Cell::text(&percentage(share)));
        cells.push(Cell::bar(share));
        table.cells(cells);
    }
    table
}

fn texts(texts: &[&str]) -> Vec<Cell> {
    texts.iter().map(|text| Cell::text(text)).collect()
}
