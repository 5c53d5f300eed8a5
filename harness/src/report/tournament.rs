//! A tournament of more than two engines in words: rating list, crosstable,
//! who leads.

use super::facts::RunFacts;
use super::numbers::{elo_text, percent, probability, signed};
use super::standings::Standing;
use super::table::{self, Column, Fit};

use crate::stats::summary::Interval;
use crate::stats::{Estimate, Wdl};

/// The columns of a rating list, as in the report and live.
pub(super) fn standing_columns(standings: &[Standing]) -> Vec<Column> {
    let cells = |cell: &dyn Fn(&Standing) -> String| standings.iter().map(cell).collect();
    let ranks = (1..=standings.len()).map(|rank| rank.to_string()).collect();
    let defined = |text: Option<String>| text.unwrap_or_else(|| "-".to_string());
    let share = |share: f64| format!("{:.1} %", 100.0 * share);
    vec![
        Column::new("#", Fit::Keep, ranks),
        Column::new("name", Fit::Shorten, cells(&|s| s.rating.name.clone())),
        Column::new(
            "games",
            Fit::Drop(2),
            cells(&|s| s.rating.games.to_string()),
        ),
        Column::new("W-D-L", Fit::Drop(3), cells(&|s| s.wdl().to_string())),
        Column::new(
            "score",
            Fit::Drop(1),
            cells(&|s| defined(s.score().map(share))),
        ),
        Column::new(
            "Elo",
            Fit::Keep,
            cells(&|s| defined(s.rating.elo.map(|elo| signed(elo.estimate)))),
        ),
        Column::new(
            "95 %",
            Fit::Keep,
            cells(&|s| defined(s.rating.elo.map(interval))),
        ),
        Column::new(
            "LOS",
            Fit::Drop(4),
            cells(&|s| defined(s.los.map(|los| probability(los, 1)))),
        ),
    ]
}

/// `+/- 3.1`, or both ends where the two sides differ.
fn interval(elo: Estimate) -> String {
    match elo.margin() {
        Some(margin) => format!("+/- {margin:.1}"),
        None => format!("[{}, {}]", signed(elo.low), signed(elo.high)),
    }
}

/// The rating list and the crosstable, in lines of any length.
pub(super) fn block(facts: &RunFacts) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(error) = &facts.rating_error {
        lines.push(format!("no rating list: {error}"));
    }
    if !facts.ratings.is_empty() {
        lines.extend(table::lines(standing_columns(&facts.ratings), usize::MAX));
        let mut ratings = facts.ratings.iter().map(|standing| &standing.rating);
        let is_early = ratings.any(|rating| rating.interval == Interval::AlwaysValid);
        lines.push(format!(
            "95 % is the interval of the Elo{}; LOS is the probability of being stronger than the next.",
            match is_early {
                true => " (after too few different pairs, the always-valid one)",
                false => "",
            }
        ));
        let unrated = facts.ratings.iter().filter_map(|standing| {
            let why = standing.why_unrated()?;
            Some(format!("{} {why}: it has no rating.", standing.rating.name))
        });
        lines.extend(unrated);
    }
    if !facts.pairings.is_empty() {
        lines.push(String::new());
        lines.push("Points of the engine in the row against the one in the column:".to_string());
        lines.extend(table::lines(crosstable(facts), usize::MAX));
        lines.push(String::new());
        lines.extend(facts.pairings.iter().map(|pairing| {
            format!(
                "{} vs {}: W-D-L {}, Elo {}",
                pairing.first,
                pairing.second,
                Wdl::from(pairing.wdl),
                elo_text(pairing.summary.elo, pairing.summary.interval)
            )
        }));
    }
    lines
}

/// The engines in the order of the rating list; without one, in that of the run.
pub(super) fn ranked(facts: &RunFacts) -> Vec<&str> {
    let ratings = facts.ratings.iter();
    match facts.ratings.is_empty() {
        false => ratings.map(|r| r.rating.name.as_str()).collect(),
        true => facts.engines.iter().map(|e| e.name.as_str()).collect(),
    }
}

/// Who won how many points against whom, in the order of the rating list.
fn crosstable(facts: &RunFacts) -> Vec<Column> {
    let names = ranked(facts);
    let mut columns = vec![
        Column::new(
            "#",
            Fit::Keep,
            (1..=names.len()).map(|rank| rank.to_string()).collect(),
        ),
        Column::new(
            "name",
            Fit::Shorten,
            names.iter().map(|name| (*name).to_string()).collect(),
        ),
    ];
    columns.extend(names.iter().zip(1..).map(|(column, rank): (_, usize)| {
        let cells = names.iter().map(|row| match against(facts, row, column) {
            _ if row == column => "·".to_string(),
            Some(wdl) => format!("{:.1}/{}", wdl.points(), wdl.games()),
            None => "-".to_string(),
        });
        Column::new(rank.to_string(), Fit::Keep, cells.collect())
    }));
    columns
}

/// The games of one engine against another, from its side.
pub(super) fn against(facts: &RunFacts, name: &str, other: &str) -> Option<Wdl> {
    facts.pairings.iter().find_map(|pairing| {
        let games = Wdl::from(pairing.wdl);
        match (pairing.first.as_str(), pairing.second.as_str()) {
            (first, second) if first == name && second == other => Some(games),
            (first, second) if first == other && second == name => Some(games.swapped()),
            _ => None,
        }
    })
}

/// Whether all pairings are those of the first engine.
pub(super) fn is_gauntlet(facts: &RunFacts) -> bool {
    let first = facts.engines.first().map(|engine| engine.name.as_str());
    let mut pairings = facts.pairings.iter();
    pairings.len() + 1 == facts.engines.len()
        && pairings.all(|pairing| Some(pairing.first.as_str()) == first)
}

/// Who leads a round robin, in one sentence.
pub(super) fn sentence(facts: &RunFacts) -> String {
    let mut rated = facts.ratings.iter();
    let (Some(best), Some(second)) = (rated.next(), rated.next()) else {
        return match facts.pairs {
            0 => "No games yet.".to_string(),
            pairs => format!("{pairs} pairs played; no rating list."),
        };
    };
    let elo = |elo: Option<Estimate>| {
        elo.map_or(String::new(), |elo| {
            let [value, low, high] = [elo.estimate, elo.low, elo.high].map(signed);
            format!(", {value} [{low}, {high}] Elo")
        })
    };
    let order = match (best.why_unrated(), best.los) {
        (Some(why), _) => format!("; it {why} and has no rating"),
        // A LOS that is looked at again and again is wrong too often.
        (None, Some(_)) if !facts.is_finished => String::new(),
        (None, Some(los)) => format!(
            "; stronger than {} with {} probability",
            second.rating.name,
            probability(los, 1)
        ),
        (None, None) => format!(
            "; too few different pairs to place it above {}",
            second.rating.name
        ),
    };
    format!(
        "{} leads {} engines with {} of the points{}{order}.",
        best.rating.name,
        facts.engines.len(),
        percent(best.score()),
        elo(best.rating.elo)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_with_two_different_sides_has_both_ends() {
        let elo = |low: f64, high: f64| {
            interval(Estimate {
                estimate: 113.7,
                low,
                high,
            })
        };
        assert_eq!(elo(-1223.0, 1176.6), "[-1223.0, +1176.6]");
        assert_eq!(elo(101.2, 126.2), "+/- 12.5");
        assert_eq!(elo(-0.01, 227.0), "[0.0, +227.0]");
    }
}
