//! The displays of fastchess, OpenBench, cutechess and c-chess-cli.

use hone_stats::definitions::Definition;
use hone_stats::{Counts, Estimate, Pentanomial, Summary, Wdl};

use super::report::{Case, DISPLAY, LLR, Report, Tolerance, compare_bounds, number};

/// fastchess computes the root to three digits and stops the fixed-point iteration early.
/// The error is visible if nearly all results are the same.
const FASTCHESS_LLR: Tolerance = Tolerance {
    relative: 1e-2,
    absolute: 1e-8,
};

fn games(case: &Case) -> Counts {
    Wdl::from(case.wins_draws_losses()).into()
}

pub(crate) fn fastchess_pairs(case: &Case, report: &mut Report) {
    let [ll, ld, wl, dd, wd, ww] =
        ["LL", "LD", "WL", "DD", "WD", "WW"].map(|key| case.input(key) as u64);
    fastchess(case, Pentanomial([ll, ld, wl + dd, wd, ww]).into(), report);
}

pub(crate) fn fastchess_games(case: &Case, report: &mut Report) {
    fastchess(case, games(case), report);
}

fn fastchess(case: &Case, counts: Counts, report: &mut Report) {
    let summary = Definition::Fastchess
        .summary(counts)
        .expect("fastchess has both kinds of counts");
    let estimate =
        |value: Option<Estimate>| (value.map(|e| e.estimate), value.map(|e| e.half_width()));
    let ((elo, elo_error), (nelo, nelo_error)) = (estimate(summary.elo), estimate(summary.nelo));
    compare_bounds(case, &case.config(&case.model), report);
    for (key, value) in [
        ("elo_err", elo_error),
        ("nelo", nelo),
        ("nelo_err", nelo_error),
        ("score", summary.score),
    ] {
        compare(case, key, value, DISPLAY, report);
    }
    // If the interval is not a number, the estimate is not defined here either.
    if elo.is_some() {
        compare(case, "elo", elo, DISPLAY, report);
    }
    let percent = summary.draw_ratio.map(|ratio| 100.0 * ratio);
    match counts {
        Counts::Pentanomial(_) => {
            compare(case, "pairs_ratio", summary.pair_ratio, DISPLAY, report);
            compare(case, "draw_ratio_penta", percent, DISPLAY, report);
        }
        Counts::Wdl(_) => compare(case, "draw_ratio", percent, DISPLAY, report),
    }
    if let Some(expected) = case.outputs.get("los_unrounded_recomputed") {
        let expected = number(expected).expect("a number");
        report.compare(case, "los", summary.los, expected, DISPLAY);
    }
    fastchess_llr(case, counts, report);
}

fn fastchess_llr(case: &Case, counts: Counts, report: &mut Report) {
    let value = llr(Definition::Fastchess, &case.model, case, counts);
    let expected = number(&case.outputs["llr"]).expect("an LLR");
    let exact = value.expect("an exact LLR");
    let is_far_off = (exact - expected).abs() > 1e-2 * expected.abs() + 1e-8;
    if is_far_off && one_sided(counts) {
        report.except("fastchess stops early where all results are the same");
        return;
    }
    report.compare(case, "llr", value, expected, FASTCHESS_LLR);
}

fn one_sided(counts: Counts) -> bool {
    match counts {
        Counts::Pentanomial(pairs) => pairs.0.iter().filter(|&&n| n > 0).count() == 1,
        Counts::Wdl(games) => <[u64; 3]>::from(games).iter().filter(|&&n| n > 0).count() == 1,
    }
}

pub(crate) fn openbench_pairs(case: &Case, report: &mut Report) {
    let counts = Pentanomial(case.counts()).into();
    openbench_elo(case, counts, report);
    let value = llr(Definition::OpenBench, "normalized", case, counts);
    let expected = number(&case.outputs["llr"]).expect("an LLR");
    report.compare(
        case,
        "llr",
        value,
        expected,
        super::fishtest::llr_tolerance(counts),
    );
}

pub(crate) fn openbench_games(case: &Case, report: &mut Report) {
    openbench_elo(case, games(case), report);
    let value = llr(Definition::OpenBench, "bayesian", case, games(case));
    compare(case, "llr", value, LLR, report);
}

fn openbench_elo(case: &Case, counts: Counts, report: &mut Report) {
    let summary = Definition::OpenBench
        .summary(counts)
        .expect("OpenBench has both kinds of counts");
    let expected = &case.outputs["elo_lower_elo_upper"];
    let Some(elo) = summary.elo else {
        assert!(counts.units() <= 1, "{}", case.id);
        report.except("OpenBench prints 0 for up to one pair; here it is not defined");
        return;
    };
    for (i, value) in [elo.low, elo.estimate, elo.high].into_iter().enumerate() {
        let expected = number(&expected[i]).expect("a number");
        report.compare(case, "elo", value, expected, DISPLAY);
    }
}

pub(crate) fn cutechess(case: &Case, report: &mut Report) {
    let summary: Summary = Definition::Cutechess
        .summary(games(case))
        .expect("single games");
    let value = llr(Definition::Cutechess, "logistic", case, games(case));
    compare(case, "llr", value, LLR, report);
    compare_bounds(case, &case.config("logistic"), report);
    let half_width = summary.elo.map(|elo| elo.half_width());
    compare(case, "elo_err", half_width, DISPLAY, report);
    if let Some(elo) = summary.elo {
        compare(case, "elo", Some(elo.estimate), DISPLAY, report);
    }
    let los = summary.los.map(|los| 100.0 * los);
    compare(case, "los_percent", los, DISPLAY, report);
}

pub(crate) fn c_chess_cli(case: &Case, report: &mut Report) {
    let value = llr(Definition::CChessCli, "logistic", case, games(case));
    compare(case, "llr", value, LLR, report);
}

fn llr(definition: Definition, model: &str, case: &Case, counts: Counts) -> Option<f64> {
    definition
        .llr(&case.config(model), counts)
        .expect("the program has this test")
}

fn compare(case: &Case, key: &str, value: Option<f64>, tolerance: Tolerance, report: &mut Report) {
    let expected = number(&case.outputs[key]).expect(key);
    report.compare(case, key, value, expected, tolerance);
}
