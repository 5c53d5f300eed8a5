//! The LLR of fastchess and OpenBench, and the Elo of OpenBench.

use hone_stats::{Counts, Pentanomial, Wdl, elo, llr};

use super::report::{Case, DISPLAY, Report, Tolerance, compare_bounds, number};

/// fastchess computes the root to three digits and stops the fixed-point iteration early.
/// The error is visible if nearly all results are the same.
const FASTCHESS_LLR: Tolerance = Tolerance {
    relative: 1e-2,
    absolute: 1e-8,
};

pub(crate) fn fastchess_pairs(case: &Case, report: &mut Report) {
    let [ll, ld, wl, dd, wd, ww] =
        ["LL", "LD", "WL", "DD", "WD", "WW"].map(|key| case.input(key) as u64);
    fastchess(case, Pentanomial([ll, ld, wl + dd, wd, ww]).into(), report);
}

pub(crate) fn fastchess_games(case: &Case, report: &mut Report) {
    fastchess(case, Wdl::from(case.wins_draws_losses()).into(), report);
}

fn fastchess(case: &Case, counts: Counts, report: &mut Report) {
    compare_bounds(case, &case.config(&case.model), report);
    let exact = llr_of(case, counts);
    let expected = number(&case.outputs["llr"]).expect("an LLR");
    let is_far_off = (exact - expected).abs() > 1e-2 * expected.abs() + 1e-8;
    if is_far_off && one_sided(counts) {
        report.except("fastchess stops early where all results are the same");
        return;
    }
    report.compare(case, "llr", exact, expected, FASTCHESS_LLR);
}

fn llr_of(case: &Case, counts: Counts) -> f64 {
    let model = case.model.parse().expect("a model");
    llr::llr(model, counts, case.input("elo0"), case.input("elo1"))
}

fn one_sided(counts: Counts) -> bool {
    match counts {
        Counts::Pentanomial(pairs) => pairs.0.iter().filter(|&&n| n > 0).count() == 1,
        Counts::Wdl(games) => <[u64; 3]>::from(games).iter().filter(|&&n| n > 0).count() == 1,
    }
}

pub(crate) fn openbench_pairs(case: &Case, report: &mut Report) {
    let pairs = Pentanomial(case.counts());
    let counts = pairs.into();
    let expected = number(&case.outputs["llr"]).expect("an LLR");
    let tolerance = super::fishtest::llr_tolerance(counts);
    report.compare(case, "llr", llr_of(case, counts), expected, tolerance);
    let expected = &case.outputs["elo_lower_elo_upper"];
    let Some(elo) = elo::elo_by_student(&pairs) else {
        assert!(pairs.pairs() <= 1, "{}", case.id);
        report.except("OpenBench prints 0 for up to one pair; here it is not defined");
        return;
    };
    for (i, value) in [elo.low, elo.estimate, elo.high].into_iter().enumerate() {
        let expected = number(&expected[i]).expect("a number");
        report.compare(case, "elo", value, expected, DISPLAY);
    }
}
