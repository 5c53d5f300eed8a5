//! Quantiles of the times and depths of moves.

use maud::{Markup, html};

use super::markup::{paragraph, side_by_side};
use super::table::Table;
use crate::effort::{Histogram, MoveHistograms};
use crate::facts::RunFacts;

/// What a table is about.
type Quantity = fn(&MoveHistograms) -> &Histogram;

/// The captions of the tables, and what they are about.
const QUANTITIES: [(&str, Quantity); 2] = [
    ("Time of a move: quantiles, in ms", |engine| &engine.ms),
    ("Depth of a move: quantiles", |engine| &engine.depth),
];

/// Tables of `moves`, from the comments of the games; without comments, of `means`, the means
/// of each game in the ledger.
pub(super) fn section(
    moves: &[MoveHistograms],
    facts: &RunFacts,
    means: &[MoveHistograms],
) -> Markup {
    let names: Vec<&str> = facts.engines.iter().map(|e| e.name.as_str()).collect();
    let has_comments = moves.iter().any(|engine| engine.ms.total() > 0);
    let (engines, unit, origin) = if has_comments {
        (moves, "moves", "From every move's comment in games.pgn.")
    } else {
        (
            means,
            "games",
            "Means of each game, from games.csv: a live page does not read the comments in games.pgn, and with [pgn] minimal = true there are none.",
        )
    };
    if engines.iter().all(|engine| engine.ms.total() == 0) {
        return paragraph("No moves yet.");
    }
    let tables = QUANTITIES.map(|(caption, pick)| {
        table(caption, unit, names.iter().zip(engines.iter().map(pick))).html()
    });
    html! { (paragraph(origin)) (side_by_side(&tables)) }
}

fn table<'a>(
    caption: &str,
    unit: &str,
    engines: impl Iterator<Item = (&'a &'a str, &'a Histogram)>,
) -> Table {
    let head = ["engine", unit, "10 %", "median", "90 %", "99 %", "maximum"];
    let mut table = Table::new(caption, &head);
    for (name, counts) in engines {
        let mut row = vec![(*name).to_string(), counts.total().to_string()];
        row.extend([0.1, 0.5, 0.9, 0.99, 1.0].map(|q| {
            let value = counts.quantile(q);
            value.map_or("–".to_string(), |value| value.to_string())
        }));
        table.row(&row);
    }
    table
}
