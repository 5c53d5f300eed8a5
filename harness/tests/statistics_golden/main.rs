//! Every number of the golden file, which was computed by running other
//! people's programs, against this crate's statistics.

mod fishtest;
mod report;

use report::{Case, Report};

fn golden() -> Option<Vec<Case>> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/data/golden/statistics.json"
    );
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("skipped: {path} is not here");
        return None;
    };
    let file: serde_json::Value = serde_json::from_str(&text).expect("golden file is JSON");
    let cases = file["cases"].as_array().expect("cases").iter();
    Some(cases.cloned().map(Case::new).collect())
}

#[test]
fn fishtest() {
    let Some(cases) = golden() else { return };
    let mut report = Report::default();
    for case in cases
        .iter()
        .filter(|case| case.id.starts_with("fishtest-penta"))
    {
        fishtest::match_of_pairs(case, &mut report);
    }
    for case in cases
        .iter()
        .filter(|case| case.id.starts_with("fishtest-tri"))
    {
        fishtest::match_of_games(case, &mut report);
    }
    report.finish();
}

#[test]
fn extreme_bounds() {
    let Some(cases) = golden() else { return };
    let mut report = Report::default();
    for case in cases
        .iter()
        .filter(|case| case.id.starts_with("extreme-bounds"))
    {
        fishtest::extreme_bounds(case, &mut report);
    }
    report.finish();
}
