//! Results by opening.

use maud::Markup;

use super::cells::Cell;
use super::markup::{paragraph, side_by_side};
use super::numbers::percentage;
use super::table::Table;
use crate::openings::OpeningFacts;
use hone_run::Manifest;

/// The results by opening. `games` is the address of a live page: openings link to their
/// games there.
pub fn openings_section(facts: &OpeningFacts, manifest: &Manifest, games: Option<&str>) -> Markup {
    if facts.pairs == 0 {
        return paragraph("No pairs yet.");
    }
    let mut parts = vec![totals(facts, manifest).html()];
    // One pair of an opening says nothing about it.
    if facts.most_often > 1 && !facts.extreme.is_empty() {
        parts.push(extreme(facts, games).html());
    }
    side_by_side(&parts)
}

fn totals(facts: &OpeningFacts, manifest: &Manifest) -> Table {
    let mut table = Table::new("All openings", &["", ""]);
    let book = match &manifest.book {
        Some(book) => format!("{}, {} openings", book.file.display(), book.openings),
        None => "start position".to_string(),
    };
    let share = |count: u64, of: u64| percentage(count as f64 / of.max(1) as f64);
    let [white, drawn, black] = facts.by_colour;
    let games = white + drawn + black;
    table.row(&["book", &book]);
    table.row(&["different openings played", &facts.played.to_string()]);
    table.row(&[
        "pairs of the most frequent opening",
        &facts.most_often.to_string(),
    ]);
    table.row(&["score of White", &share(2 * white + drawn, 2 * games)]);
    table.row(&["draws", &share(drawn, games)]);
    table.row(&[
        "pairs in which the same colour won both games",
        &format!("{} ({})", facts.decided, share(facts.decided, facts.pairs)),
    ]);
    table
}

fn extreme(facts: &OpeningFacts, games: Option<&str>) -> Table {
    let (caption, score) = if facts.is_by_white {
        (
            "Openings furthest from level, the worst for White first",
            "score of White",
        )
    } else {
        (
            "Openings furthest from level, the worst for the first engine first",
            "score",
        )
    };
    let head = ["opening", "pairs", score, "White won", "drawn", "Black won"];
    let mut table = Table::new(caption, &head);
    for one in &facts.extreme {
        let number = one.opening.to_string();
        let name = match games {
            Some(games) => Cell::link(&number, &format!("{games}?opening={number}#games")),
            None => Cell::text(&number),
        };
        let mut cells = vec![
            name,
            Cell::text(&one.pairs.to_string()),
            Cell::text(&percentage(one.score)).shaded(one.score),
        ];
        cells.extend(one.by_colour.map(|count| Cell::text(&count.to_string())));
        table.cells(cells);
    }
    table
}
