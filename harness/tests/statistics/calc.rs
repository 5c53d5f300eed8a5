//! `hone calc` as scripts use it, except `hone calc rate`.

use crate::common::calc::{calc, json, write_run};
use crate::common::json::number;
use hone_testing::{listed, snapshots};
use serde_json::Value;

fn has_keys(value: &Value, keys: &[&str]) {
    for key in keys {
        assert!(value.get(key).is_some(), "no {key} in {value}");
    }
}

#[test]
fn elo_of_pairs_and_of_games_has_its_keys() {
    let keys = [
        "score",
        "elo",
        "nelo",
        "los",
        "draw_ratio",
        "pair_ratio",
        "wl_dd_ratio",
    ];
    let pairs = json("elo --pentanomial 10,60,100,40,8");
    has_keys(&pairs, &keys);
    has_keys(&pairs["elo"], &["estimate", "low", "high"]);
    assert!(pairs["elo"]["estimate"].as_f64().unwrap() < 0.0);
    let six = json("elo --pentanomial 10,60,25,75,40,8");
    assert_eq!(six["wl_dd_ratio"].as_f64(), Some(1.0 / 3.0));
    assert_eq!(six["elo"], pairs["elo"]);
    let games = json("elo --wdl 30,40,20");
    has_keys(&games, &keys);
    let ratios = |json: &Value| ["draw_ratio", "pair_ratio"].map(|key| json[key].as_f64());
    assert_eq!(ratios(&pairs), [Some(100.0 / 218.0), Some(48.0 / 70.0)]);
    assert_eq!(ratios(&games), [Some(40.0 / 90.0), None]);
}

#[test]
fn games_are_read_as_they_are_printed() {
    let printed = json("elo --wdl 512-1203-478");
    assert_eq!(printed, json("elo --wdl 512,1203,478"));
    assert_eq!(printed["interval"], "fixed_length");
}

#[test]
fn few_pairs_have_no_narrow_interval() {
    for counts in [
        "--pentanomial 0,0,1,0,0",
        "--pentanomial 0,1,9,0,0",
        "--wdl 1,0,1",
    ] {
        let few = json(&format!("elo {counts}"));
        assert_eq!(few["interval"], "always_valid", "{few}");
        let width = |end: &str| few["elo"][end].as_f64().unwrap();
        assert!(width("high") - width("low") > 150.0, "{few}");
        assert!(few["los"].is_null() && few["nelo"].is_null(), "{few}");
        let sprt = json(&format!("sprt {counts} --elo0 0 --elo1 5"));
        assert!(sprt["sprt_elo"].is_null(), "{sprt}");
        assert_eq!(sprt["elo"], few["elo"]);
    }
}

/// A report of a match takes its planned pairs as the length for which its interval is made.
#[test]
fn planned_pairs_give_the_interval_of_a_report() {
    let pairs = "elo --pentanomial 1,2,8,6,23";
    let of_report = json(&format!("{pairs} --pairs 40"));
    assert_eq!(of_report["interval"], "always_valid");
    assert!((number(&of_report["elo"]["low"]) - 93.71).abs() < 0.01);
    assert!((number(&of_report["elo"]["high"]) - 594.08).abs() < 0.01);
    assert!((number(&json(pairs)["elo"]["low"]) - 13.63).abs() < 0.01);
}

#[test]
fn edge_cases_are_null_or_finite() {
    let none = json("elo --pentanomial 0,0,0,0,0");
    assert!(none["elo"].is_null() && none["score"].is_null());
    let wins = json("elo --wdl 1000000000,0,0");
    assert!(wins["elo"]["estimate"].as_f64().unwrap() > 1000.0);
    for model in ["normalized", "logistic", "bayesian", "betting"] {
        let pairs = [
            "--pentanomial 0,0,1000000000,0,0",
            "--pentanomial 0,0,0,0,1",
            "--pentanomial 0,0,0,0,0",
        ];
        let games = ["--wdl 0,0,0", "--wdl 0,7,0"];
        let games = games.iter().filter(|_| model != "betting");
        for counts in pairs.iter().chain(games) {
            let sprt = json(&format!("sprt {counts} --elo0 -5 --elo1 0 --model {model}"));
            assert!(sprt["llr"].as_f64().unwrap().is_finite());
        }
    }
}

#[test]
fn sprt_has_its_keys_and_verdicts() {
    let keys = [
        "model", "llr", "lower", "upper", "verdict", "elo", "nelo", "los", "sprt_elo",
    ];
    let verdict = |counts: &str| {
        let sprt = json(&format!(
            "sprt --pentanomial {counts} --elo0 -1.75 --elo1 0.25 --alpha 0.1"
        ));
        has_keys(&sprt, &keys);
        has_keys(&sprt["sprt_elo"], &["estimate", "low", "high", "los"]);
        sprt["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict("100,1000,4000,3000,1000"), "H1");
    assert_eq!(verdict("1000,3000,4000,1000,100"), "H0");
    assert_eq!(verdict("10,60,100,60,10"), "none");
    let plain = json("sprt --pentanomial 10,60,100,60,10 --elo0 0 --elo1 5");
    let corrected = json("sprt --pentanomial 10,60,100,60,10 --elo0 0 --elo1 5 --overshoot");
    assert!(number(&corrected["upper"]) < number(&plain["upper"]));
}

/// A step of the test is a game, which is smaller than a pair by the root of two.
#[test]
fn the_overshoot_of_single_games_is_that_of_a_game() {
    let sprt = json("sprt --wdl 200,400,190 --elo0 0 --elo1 50 --model logistic --overshoot");
    // ln 19 = 2.944; 50 Elo are 0.0715 points, and a game's standard deviation is 0.351.
    let expected = 2.944 - 0.5826 * 0.0715 / 0.351;
    assert!((number(&sprt["upper"]) - expected).abs() < 0.005, "{sprt}");
    assert!((number(&sprt["lower"]) + expected).abs() < 0.005, "{sprt}");
}

/// If all pairs are equal, they have one order only, so the average over all orders is the
/// value of the live test. It accepts H1 after 28 pairs of two wins or 48 of a win and a
/// draw, and H0 after 509 pairs without a winner.
#[test]
fn the_betting_test_of_counts_agrees_with_the_live_test() {
    let sprt = |counts: &str| {
        json(&format!(
            "sprt --pentanomial {counts} --elo0 0 --elo1 5 --model betting"
        ))
    };
    for (counts, llr) in [
        ("0,0,0,0,28", 3.02),
        ("0,0,0,48,0", 3.06),
        ("0,0,509,0,0", -3.00),
        ("0,0,0,0,0", 0.0),
    ] {
        let value = number(&sprt(counts)["llr"]);
        assert!((value - llr).abs() < 0.1, "{counts}: {value}");
    }
    for (counts, verdict) in [
        ("0,0,0,0,20", "none"),
        ("0,0,0,0,30", "H1"),
        ("0,0,0,60,0", "H1"),
        ("0,0,600,0,0", "H0"),
    ] {
        assert_eq!(sprt(counts)["verdict"], verdict, "{counts}");
    }
}

/// The outputs of command lines, or their errors.
fn all(lines: &[&str], code: i32) -> String {
    let outputs = lines.iter().map(|arguments| {
        let finished = calc(arguments);
        assert_eq!(
            finished.code,
            Some(code),
            "{arguments}: {}",
            finished.stderr
        );
        (arguments, finished.stdout + &finished.stderr)
    });
    listed(outputs)
}

#[test]
fn mistakes_are_named_and_exit_with_2() {
    let lines = [
        "elo --pentanomial 1,2,3",
        "elo --wdl 1,2,x",
        "elo",
        "sprt --wdl 1,2,3 --elo0 5 --elo1 0",
        "sprt --wdl 1,2,3 --elo0 0 --elo1 5 --alpha 0.7",
        "plan --alpha 1e-310 --elos=0,5",
        "sprt --wdl 1,2,3 --elo0 0 --elo1 inf",
        "sprt --wdl 1,2,3 --model elo",
        "sprt --wdl 1,2,3 --model betting",
        "simulate --elo 0 --distribution 0.5,0.5,0.5,0,0",
        "simulate --elo 0 --draw-ratio 1.5",
        "plan --draw-ratio 0.5 --hours 12",
        "plan --run no-such-run",
        "plan --model betting --elo0 0 --elo1 40",
        "rate a.pgn --average nan",
        "rate a.pgn --white-advantage inf",
        "plan --distribution 0.5,0.5,0,0,0 --model logistic --elos=-400",
        "plan --draw-ratio=0.999 --elo0=229 --elo1=231",
        "simulate --elo 0 --elo0 -231 --elo1 0",
        "rate no-such-file.pgn",
        "rate no/such.pgn",
        "elo --wdl 1,2,3 --pairs 3",
        "elo --pentanomial 1,2,3,4,5 --pairs 0",
    ];
    let runs = (r"results has \d+ runs?", "results has N runs");
    snapshots(&[runs]).bind(|| insta::assert_snapshot!("calc-mistakes", all(&lines, 2)));
}

/// Few results, zero, likelihoods near their ends, and each note.
#[test]
fn texts_of_results() {
    let lines = [
        "elo --pentanomial 0,0,1,0,0",
        "elo --pentanomial 0,1,9,0,0",
        "elo --wdl 1,0,1",
        "elo --wdl 30,0,30",
        "elo --pentanomial 0,100,200,900,800",
        "elo --pentanomial 800,900,200,100,0",
        "sprt --pentanomial 0,0,0,0,0 --elo0 0 --elo1 5",
        "sprt --pentanomial 0,0,100,0,0 --elo0 0 --elo1 5",
        "sprt --pentanomial 0,100,200,900,800 --elo0 0 --elo1 5",
        "sprt --pentanomial 800,900,200,100,0 --elo0 0 --elo1 5",
        "sprt --pentanomial 10,60,100,60,10 --elo0 0 --elo1 20",
        // Far beyond a bound, also with too few pairs for the estimate.
        "sprt --pentanomial 10,20,500,900,4000 --elo0 0 --elo1 5",
        "sprt --pentanomial 4000,900,500,20,10 --elo0 0 --elo1 5",
        "sprt --pentanomial 0,0,0,0,40 --elo0 0 --elo1 50",
        // Six counts distinguish a win and a loss from two draws; five do not.
        "sprt --pentanomial 10,60,100,60,10 --elo0 0 --elo1 5 --model bayesian",
        "sprt --pentanomial 10,60,40,60,60,10 --elo0 0 --elo1 5 --model bayesian",
    ];
    snapshots(&[]).bind(|| insta::assert_snapshot!("calc", all(&lines, 0)));
}

#[test]
fn texts_of_plans() {
    let lines = [
        "plan --elo0 0 --elo1 3",
        "plan --draw-ratio 50% --model logistic",
        "plan --elo0 0 --elo1 3 --alpha 0.01 --beta 0.3 --elos 20,30",
        // Wider normalized tests do not keep their error rates.
        "plan --draw-ratio 0.5 --elo0 225 --elo1 230 --pairs-per-hour 1000 --hours 1",
    ];
    snapshots(&[]).bind(|| insta::assert_snapshot!("calc-plan", all(&lines, 0)));
}

#[test]
fn simulation_is_reproducible() {
    let arguments = "simulate --elo -5 --elo0 0 --elo1 30 --distribution 0.025,0.225,0.5,0.225,0.025 --runs 50 --seed 3";
    let result = json(&format!("{arguments} --threads 1"));
    has_keys(
        &result,
        &["runs", "pass", "pass_se", "pairs_mean", "pairs_se"],
    );
    assert_eq!(json(&format!("{arguments} --threads 2")), result);
}

#[test]
fn a_plan_needs_only_its_bounds() {
    let plan = json("plan --elo0 0 --elo1 3");
    let point = &plan["points"][0];
    assert_eq!(number(&point["games"]), 2.0 * number(&point["pairs"]));
    let given = json("plan --draw-ratio 50%");
    assert_eq!(given, json("plan --draw-ratio 0.5"));
    assert!(given["assumption"].is_null());
}

/// The worst case does not depend on the strengths that are shown. With different error rates
/// it is not the middle of the bounds.
#[test]
fn a_plan_names_its_worst_case() {
    for rates in ["", "--alpha 0.01 --beta 0.3"] {
        let test = format!("plan --elo0 0 --elo1 3 {rates}");
        let worst = json(&test)["worst_case"].clone();
        let elo = number(&worst["elo"]);
        assert_eq!((elo - 1.5).abs() < 0.01, rates.is_empty(), "{worst}");
        for point in json(&test)["points"].as_array().unwrap() {
            let most = number(&worst["pairs"]) * (1.0 + 1e-6);
            assert!(number(&point["pairs"]) <= most, "{point}");
        }
        let chosen = format!("{test} --elos 20,30");
        assert_eq!(json(&chosen)["worst_case"], worst);
    }
}

#[test]
fn a_tournament_is_not_one_distribution_of_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = "pair,game,white,black,opening,result,termination\n\
        1,1,a,b,1,1-0,checkmate\n1,2,b,a,1,0-1,checkmate\n\
        2,1,a,c,1,1-0,checkmate\n2,2,c,a,1,1/2-1/2,checkmate\n";
    std::fs::write(folder.path().join("games.csv"), ledger).unwrap();
    let run = folder.path().display();
    let lines = [
        format!("plan --run {run}"),
        format!("simulate --run {run} --elo 0"),
    ];
    let errors = all(&lines.each_ref().map(String::as_str), 2);
    snapshots(&[]).bind(|| insta::assert_snapshot!("calc-tournament", errors));
}

#[test]
fn a_plan_takes_a_draw_ratio_or_a_run() {
    let plan = json("plan --draw-ratio 0.5 --pairs-per-hour 1000 --hours 12");
    let points = plan["points"].as_array().unwrap();
    assert!(points.len() >= 5);
    points
        .iter()
        .for_each(|point| has_keys(point, &["elo", "pass", "pairs", "hours"]));
    let elo1 = plan["affordable"]["elo1"].as_f64().unwrap();
    // Half of 8.669 (C / d)^2 pairs at the middle, with the calculator's
    // constant: 12,000 pairs are worth 6.6 Elo.
    assert!((elo1 - 6.6).abs() < 0.1, "{elo1}");

    let folder = tempfile::tempdir().unwrap();
    let run = folder.path();
    write_run(run);
    let plan = json(&format!("plan --run {}", run.display()));
    assert!(
        plan["points"][0]["hours"].is_f64(),
        "the report has the run's speed"
    );
}
