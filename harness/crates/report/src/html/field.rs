//! The ratings and the crosstable of a tournament.

use maud::{Markup, html};

use super::cells::{Cell, scale_of};
use super::markup::{paragraph, side_by_side};
use super::numbers::{ends, percentage, probability, real_minus, with_ends, with_margin};
use super::table::Table;
use crate::facts::RunFacts;
use crate::numbers::TOO_FEW_PAIRS;
use crate::standings::Standing;
use crate::tournament::{opponents, ranked, results};
use hone_stats::Wdl;
use hone_stats::summary::Interval;

pub(super) fn section(facts: &RunFacts) -> Markup {
    let has_ratings = !facts.ratings.is_empty();
    // Empty if no two engines have played enough different pairs.
    let superiority = superiority(&facts.ratings);
    let pairings = pairings(facts);
    let beside = if superiority.0.is_empty() {
        pairings.html()
    } else {
        superiority.clone()
    };
    html! {
        @if let Some(error) = &facts.rating_error { (paragraph(&format!("No rating list: {error}."))) }
        @else if has_ratings { (ratings(&facts.ratings)) }
        (side_by_side(&[crosstable(facts), beside]))
        @if !superiority.0.is_empty() { (pairings.collapsed()) }
    }
}

/// A table with a column for each engine of these ranks.
fn matrix_table(caption: &str, ranks: impl Iterator<Item = usize>) -> Table {
    let numbers: Vec<String> = ranks.map(|rank| rank.to_string()).collect();
    let mut head = vec!["engine"];
    head.extend(numbers.iter().map(String::as_str));
    Table::new(caption, &head)
}

/// The likelihood of superiority of each engine over each other one.
fn superiority(ratings: &[Standing]) -> Markup {
    let caption = "LOS: probability that the engine in the row is stronger than the one in the \
                   column";
    let mut table = matrix_table(caption, 1..=ratings.len());
    for (row, one) in ratings.iter().enumerate() {
        let name = &one.rating.name;
        let mut cells = vec![Cell::text(&format!("{}. {name}", row + 1))];
        let others = one.los_against.iter().zip(ratings);
        cells.extend(others.enumerate().map(|(column, (los, other))| {
            match los {
                _ if column == row => Cell::text("").faint(),
                None => Cell::text("–").faint(),
                Some(los) => Cell::text(&probability(*los))
                    .shaded(*los)
                    .with_tooltip(&format!("{name} over {}", other.rating.name)),
            }
        }));
        table.cells(cells);
    }
    table.html()
}

fn ratings(ratings: &[Standing]) -> Markup {
    let scale = scale_of(ratings.iter().filter_map(|one| one.rating.elo));
    let is_early = |one: &Standing| one.rating.interval == Interval::AlwaysValid;
    let caption = format!(
        "Ratings, relative to their mean; the bars are 95 % intervals{} from {:.0} to {:.0} Elo",
        if ratings.iter().any(is_early) {
            " (after too few different pairs, always-valid ones)"
        } else {
            ""
        },
        scale.0,
        scale.1
    );
    let caption = real_minus(&caption);
    let head = [
        "",
        "engine",
        "Elo",
        "W-D-L",
        "score",
        "95 % interval",
        "games",
        "LOS vs next",
    ];
    let mut table = Table::new(&caption, &head);
    for (index, standing) in ratings.iter().enumerate() {
        let rating = &standing.rating;
        let (elo, bar) = match rating.elo {
            Some(elo) => (
                Cell::text(&with_ends(elo)),
                Cell::interval(elo, scale, &format!("{}: {}", rating.name, ends(elo))),
            ),
            None => {
                let why = standing.why_unrated().unwrap_or("no games");
                (Cell::text(why), Cell::text(""))
            }
        };
        table.cells(vec![
            Cell::text(&(index + 1).to_string()),
            Cell::text(&rating.name).aligned_as_text(),
            elo,
            Cell::text(&standing.wdl().to_string()),
            Cell::text(&standing.score().map_or("–".to_string(), percentage)),
            bar,
            Cell::text(&rating.games.to_string()),
            Cell::text(&standing.los.map_or("–".to_string(), probability)),
        ]);
    }
    table.html()
}

/// The score of each engine against its opponents, the best engine first.
fn crosstable(facts: &RunFacts) -> Markup {
    let (opponents, results) = (opponents(facts), results(facts));
    let caption =
        "Crosstable: score and W-D-L of the engine in the row against the one in the column";
    let mut table = matrix_table(caption, opponents.iter().map(|(rank, _)| *rank));
    for (row, name) in ranked(facts).into_iter().enumerate() {
        let mut cells = vec![Cell::text(&format!("{}. {name}", row + 1))];
        cells.extend(
            opponents
                .iter()
                .map(|(_, other)| match results.get(&[name, *other]) {
                    Some(wdl) => score(*wdl, name, other),
                    None => Cell::text("").faint(),
                }),
        );
        table.cells(cells);
    }
    table.html()
}

fn score(wdl: Wdl, name: &str, other: &str) -> Cell {
    let Some(share) = wdl.score() else {
        return Cell::text("–").faint();
    };
    Cell::lines(&percentage(share), &wdl.to_string())
        .shaded(share)
        .with_tooltip(&format!("{name} against {other}"))
}

fn pairings(facts: &RunFacts) -> Table {
    let mut table = Table::new(
        "Pairings, from the first engine's side",
        &["pairing", "W-D-L", "Elo", "normalized Elo"],
    );
    for pairing in &facts.pairings {
        let early = match pairing.summary.interval {
            Interval::AlwaysValid => " (always-valid)",
            Interval::FixedLength => "",
        };
        let elo = pairing.summary.elo.map(|elo| with_ends(elo) + early);
        // The interval of normalized Elo is symmetric.
        let nelo = pairing.summary.nelo.map(with_margin);
        table.row(&[
            format!("{} - {}", pairing.first, pairing.second),
            Wdl::from(pairing.wdl).to_string(),
            elo.unwrap_or_else(|| TOO_FEW_PAIRS.to_string()),
            nelo.unwrap_or_else(|| TOO_FEW_PAIRS.to_string()),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::standings::standings;
    use crate::standings::tests::tally_of;

    #[test]
    fn an_engine_without_games_has_no_score() {
        let names = ["a", "b", "idle"].map(String::from);
        let level = [[0, 0, 1], [0, 1, 0], [1, 0, 0]];
        let list = standings(&names, &tally_of(3, &[([0, 1], level)])).expect("rated");
        let html = ratings(&list).into_string();
        assert!(html.contains(">no games<"), "{html}");
        assert!(
            html.contains(">50.0\u{a0}%<") && !html.contains(">0.0\u{a0}%<"),
            "{html}"
        );
    }
}
