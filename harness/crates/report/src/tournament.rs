//! A tournament of more than two engines as text: rating list, crosstable, leader.

use std::collections::HashMap;

use super::facts::RunFacts;
use super::numbers::{counted, elo_text, percent, probability, signed};
use super::standings::Standing;
use super::table::{self, Column, Fit};

use hone_stats::summary::Interval;
use hone_stats::{Estimate, Wdl};

/// The columns of a rating list, in the report and on the scoreboard.
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

/// The rating list, the crosstable and the pairings; lines may have any length.
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
            if is_early { " (after too few different pairs, the always-valid one)" } else { "" }
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

/// The engines in the order of the rating list, or of the run if it has none.
pub(super) fn ranked(facts: &RunFacts) -> Vec<&str> {
    let ratings = facts.ratings.iter();
    if !facts.ratings.is_empty() {
        ratings.map(|r| r.rating.name.as_str()).collect()
    } else {
        facts.engines.iter().map(|e| e.name.as_str()).collect()
    }
}

/// The engines that have a column in the crosstable, with their ranks from 1: all, but of a
/// gauntlet only its seeds.
pub(super) fn opponents(facts: &RunFacts) -> Vec<(usize, &str)> {
    let seeds = facts.seeds.and_then(|seeds| facts.engines.get(..seeds));
    let is_listed =
        |name: &str| seeds.is_none_or(|seeds| seeds.iter().any(|seed| seed.name == name));
    let all = (1..).zip(ranked(facts));
    all.filter(|(_, name)| is_listed(name)).collect()
}

/// Points of each engine against its [`opponents`], in the order of [`ranked`].
fn crosstable(facts: &RunFacts) -> Vec<Column> {
    let names = ranked(facts);
    let results = results(facts);
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
    columns.extend(opponents(facts).into_iter().map(|(rank, column)| {
        let cells = names.iter().map(|row| match results.get(&[*row, column]) {
            _ if *row == column => "·".to_string(),
            Some(wdl) => format!("{:.1}/{}", wdl.points(), wdl.games()),
            None => "-".to_string(),
        });
        Column::new(rank.to_string(), Fit::Keep, cells.collect())
    }));
    columns
}

/// The results of each pairing, by the names of its engines in both orders, from the side of
/// the first name.
pub(super) fn results(facts: &RunFacts) -> HashMap<[&str; 2], Wdl> {
    let mut results = HashMap::new();
    for pairing in &facts.pairings {
        let (first, second) = (pairing.first.as_str(), pairing.second.as_str());
        let wdl = Wdl::from(pairing.wdl);
        results.insert([first, second], wdl);
        results.insert([second, first], wdl.swapped());
    }
    results
}

/// Whether the first engine plays in all pairings, those without a pair so far included.
pub(super) fn is_gauntlet(facts: &RunFacts) -> bool {
    facts.seeds == Some(1)
}

/// The engines on the first place of the rating list: several if they have the same share of
/// the points and the same Elo.
pub(super) fn leaders(ratings: &[Standing]) -> &[Standing] {
    let Some(best) = ratings.first() else {
        return ratings;
    };
    let is_tied = |other: &&Standing| {
        let has_same_elo = match (best.rating.elo, other.rating.elo) {
            (Some(one), Some(two)) => (one.estimate - two.estimate).abs() < SAME_ELO,
            (one, two) => one.is_none() && two.is_none(),
        };
        has_same_elo && other.score() == best.score()
    };
    &ratings[..ratings.iter().take_while(is_tied).count()]
}

/// Elo estimates of equal results may differ by the error of the fit, which is far smaller.
const SAME_ELO: f64 = 1e-3;

/// `A`, `A and B`, or `A and 2 others`.
pub(super) fn names_of(standings: &[Standing]) -> String {
    match standings {
        [] => String::new(),
        [one] => one.rating.name.clone(),
        [one, two] => format!("{} and {}", one.rating.name, two.rating.name),
        [one, others @ ..] => format!("{} and {} others", one.rating.name, others.len()),
    }
}

/// The leader of a round robin, in one sentence.
pub(super) fn sentence(facts: &RunFacts) -> String {
    let [best, second, ..] = facts.ratings.as_slice() else {
        return match facts.pairs {
            0 => "No games yet.".to_string(),
            pairs => format!("{} played; no rating list.", counted(pairs, "pair")),
        };
    };
    let leaders = leaders(&facts.ratings);
    if leaders.len() > 1 {
        return format!(
            "{} share first place among {} engines with {} of the points.",
            names_of(leaders),
            facts.engines.len(),
            percent(best.score())
        );
    }
    let elo = |elo: Option<Estimate>| {
        elo.map_or(String::new(), |elo| {
            let [value, low, high] = [elo.estimate, elo.low, elo.high].map(signed);
            format!(", {value} [{low}, {high}] Elo")
        })
    };
    let order = match (best.why_unrated(), best.los) {
        (Some(why), _) => format!("; it {why} and has no rating"),
        // With repeated looks, LOS is wrong too often.
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
    use crate::standings::standings;
    use crate::standings::tests::tally_of;

    #[test]
    fn engines_with_equal_results_share_the_first_place() {
        let names = ["a", "b", "c"].map(String::from);
        let leading = |pairings: &[([usize; 2], [[u64; 3]; 3])]| {
            let list = standings(&names, &tally_of(3, pairings)).expect("rated");
            names_of(leaders(&list))
        };
        let drawn = [[0, 0, 0], [0, 4, 0], [0, 0, 0]];
        let won = [[0, 0, 1], [0, 2, 1], [0, 0, 0]];
        let pairings = |one, two, three| [([0, 1], one), ([0, 2], two), ([1, 2], three)];
        let all_level = leading(&pairings(drawn, drawn, drawn));
        assert!(all_level.ends_with(" and 2 others"), "{all_level}");
        let two_level = leading(&pairings(drawn, won, won));
        assert!(["a and b", "b and a"].contains(&&*two_level), "{two_level}");
        assert_eq!(leading(&pairings(won, won, drawn)), "a");
    }

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
