//! Ratings compared with those of Ordo.

use std::collections::BTreeMap;

use hone_stats::rating::{Game, Games, RatingError, RatingOptions, Ratings, rate};

use super::report::{Case, Report, Tolerance};

/// Points for each factor of 10 in the odds: Ordo's scale has 202 points at a score of 76 %.
fn scale() -> f64 {
    202.0 / (0.76f64 / 0.24).log10()
}

fn games(case: &Case) -> Games {
    let mut games = Games::default();
    let results = case.inputs["results_by_white_black_[W,D,L]"]
        .as_object()
        .expect("results");
    for (players, counts) in results {
        let (white, black) = players.split_once('-').expect("two players");
        let (white, black) = (games.player(white), games.player(black));
        for (i, half_points) in [2, 1, 0].into_iter().enumerate() {
            let count = counts[i].as_u64().expect("a count");
            let game = Game {
                white,
                black,
                half_points,
            };
            games.add_single(game, count);
        }
    }
    games
}

fn options(case: &Case) -> (RatingOptions, bool) {
    let words: Vec<&str> = case.inputs["options"]
        .as_array()
        .expect("options")
        .iter()
        .map(|word| word.as_str().expect("a word"))
        .collect();
    let after = |flag: &str| {
        words
            .iter()
            .position(|word| *word == flag)
            .map(|i| words[i + 1])
    };
    let level: f64 = after("-a").expect("a level").parse().expect("a number");
    let estimates = words.contains(&"-W");
    let options = RatingOptions {
        anchors: after("-A")
            .map(|name| (name.to_owned(), level))
            .into_iter()
            .collect(),
        average: level,
        white_advantage: (!estimates).then_some(0.0),
        scale: scale(),
        planned: None,
    };
    (options, estimates)
}

pub(crate) fn ordo(case: &Case, report: &mut Report) {
    let (options, estimates) = options(case);
    let rows: Vec<Vec<String>> = case.outputs["csv"]
        .as_array()
        .expect("lines")
        .iter()
        .skip(1)
        .map(|line| {
            line.as_str()
                .expect("a line")
                .split(',')
                .map(str::to_owned)
                .collect()
        })
        .collect();
    let result = rate(&games(case), &options);
    if rows.is_empty() {
        refused(case, &result);
        report.except("Ordo refuses pools that are not connected; here each pool is rated");
        return;
    }
    let ratings = result.expect("ratings");
    if ratings
        .warnings
        .iter()
        .any(|warning| warning.contains("White's advantage"))
    {
        report.except("White's advantage with one colour only: Ordo's value is arbitrary");
        return;
    }
    let by_name: BTreeMap<&str, f64> = ratings
        .ratings
        .iter()
        .map(|rating| (rating.name.as_str(), rating.elo.expect("a rating").estimate))
        .collect();
    let tolerance = Tolerance::absolute(if estimates { 0.3 } else { 1e-4 });
    for row in rows {
        let name = row[1].trim_matches('"');
        let expected: f64 = row[2].parse().expect("a rating");
        report.compare(case, "rating", by_name[name], expected, tolerance);
        if row[3] != "\"-\"" {
            report.except("Ordo's error bars assume single games, half of them drawn");
        }
    }
    if estimates {
        footer(case, &ratings, report);
    }
}

/// "White advantage = 19.55" and "Draw rate (equal opponents) = 44.69 %".
fn footer(case: &Case, ratings: &Ratings, report: &mut Report) {
    for line in case.outputs["footer"].as_array().expect("lines") {
        let (name, value) = line
            .as_str()
            .expect("a line")
            .split_once(" = ")
            .expect("a value");
        let expected: f64 = value.trim_end_matches(" %").parse().expect("a number");
        let (actual, absolute) = if name.starts_with("White") {
            (ratings.white_advantage.estimate, 0.3)
        } else {
            (100.0 * ratings.draw_ratio.expect("games"), 0.1)
        };
        report.compare(case, name, actual, expected, Tolerance::absolute(absolute));
    }
}

fn refused(case: &Case, result: &Result<Ratings, RatingError>) {
    let ratings = result.as_ref().expect("ratings");
    assert!(
        !ratings.warnings.is_empty(),
        "{}: nothing to warn of",
        case.id
    );
}
