//! Every number of the golden file, which was computed by running other
//! people's programs, against this crate's statistics.

mod fishtest;
mod others;
mod planning;
mod ratings;
mod report;
mod sequences;

use report::{Case, Report};

fn golden() -> Vec<Case> {
    let text = include_str!("../data/statistics.json");
    let file: serde_json::Value = serde_json::from_str(text).expect("golden file is JSON");
    let cases = file["cases"].as_array().expect("cases").iter();
    cases.cloned().map(Case::new).collect()
}

type Compare = fn(&Case, &mut Report);

/// Runs each comparison on the cases whose names start with its prefix.
fn check(comparisons: &[(&str, Compare)]) {
    let cases = golden();
    let mut report = Report::default();
    for (prefix, compare) in comparisons {
        let mut matching = cases
            .iter()
            .filter(|case| case.id.starts_with(prefix))
            .peekable();
        assert!(matching.peek().is_some(), "no case starts with {prefix}");
        matching.for_each(|case| compare(case, &mut report));
    }
    report.finish();
}

#[test]
fn fishtest_match_and_test() {
    check(&[
        ("fishtest-penta", fishtest::match_of_pairs),
        ("fishtest-tri", fishtest::match_of_games),
        ("fishtest-overshoot", sequences::overshoot),
    ]);
}

#[test]
fn extreme_bounds() {
    check(&[("extreme-bounds", fishtest::extreme_bounds)]);
}

#[test]
fn definitions_of_others() {
    check(&[
        ("fastchess-penta", others::fastchess_pairs),
        ("fastchess-tri", others::fastchess_games),
        ("openbench-penta", others::openbench_pairs),
        ("openbench-tri", others::openbench_games),
        ("cutechess-tri", others::cutechess),
        ("cchesscli-tri", others::c_chess_cli),
    ]);
}

#[test]
fn planning() {
    check(&[
        ("fishtest-sprtcalc", planning::calculator),
        ("vdbergh-randomwalk", planning::random_walk),
        ("montecarlo-sprt", planning::simulated),
    ]);
}

#[test]
fn ratings_of_players() {
    check(&[("ordo", ratings::ordo)]);
}
