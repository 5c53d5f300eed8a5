//! This crate's statistics compared with the output of other programs, which is in
//! `data/statistics.json`. The `spsa-*` cases are in the unit tests of the classic tuning
//! rules.

mod fishtest;
mod others;
mod planning;
mod ratings;
mod report;
mod sequences;

use report::{Case, Report};

fn golden() -> Vec<Case> {
    let text = include_str!("../../data/statistics.json");
    let file: serde_json::Value = serde_json::from_str(text).expect("golden file is JSON");
    let cases = file["cases"].as_array().expect("cases").iter();
    cases.cloned().map(Case::new).collect()
}

type Compare = fn(&Case, &mut Report);

/// Runs each comparison on the cases whose names start with its prefix. The number is that
/// of the values that deliberately differ.
fn check(comparisons: &[(&str, Compare, usize)]) {
    let cases = golden();
    let mut report = Report::default();
    let mut excepted = Vec::new();
    for (prefix, compare, _) in comparisons {
        let mut matching = cases
            .iter()
            .filter(|case| case.id.starts_with(prefix))
            .peekable();
        assert!(matching.peek().is_some(), "no case starts with {prefix}");
        let before = report.exceptions();
        matching.for_each(|case| compare(case, &mut report));
        excepted.push((*prefix, report.exceptions() - before));
    }
    report.finish();
    let expected = comparisons
        .iter()
        .map(|(prefix, _, exceptions)| (*prefix, *exceptions));
    assert_eq!(excepted, expected.collect::<Vec<_>>());
}

#[test]
fn matches_and_tests_are_those_of_fishtest() {
    check(&[
        ("fishtest-penta", fishtest::match_of_pairs, 30),
        ("fishtest-tri", fishtest::match_of_games, 18),
        ("fishtest-overshoot", sequences::overshoot, 0),
    ]);
}

#[test]
fn the_llr_is_right_at_bounds_that_other_programs_cannot_compute() {
    check(&[("extreme-bounds", fishtest::extreme_bounds, 1)]);
}

#[test]
fn tests_of_other_programs_have_the_same_llr() {
    check(&[
        ("fastchess-penta", others::fastchess_pairs, 3),
        ("fastchess-tri", others::fastchess_games, 0),
        ("openbench-penta", others::openbench_pairs, 2),
    ]);
}

#[test]
fn plans_agree_with_calculators_and_simulations() {
    check(&[
        ("fishtest-sprtcalc", planning::calculator, 0),
        ("vdbergh-randomwalk", planning::random_walk, 0),
        ("montecarlo-sprt", planning::simulated, 0),
    ]);
}

#[test]
fn ratings_are_those_of_ordo() {
    check(&[("ordo", ratings::ordo, 17)]);
}
