//! `hone calc` as scripts use it.

mod common;

use std::path::Path;

use common::json::number;
use common::{Finished, finish, hone};
use serde_json::Value;

/// `hone calc` with these words.
fn calc(arguments: &str) -> Finished {
    let mut command = hone();
    command.arg("calc").args(arguments.split_whitespace());
    finish(command)
}

fn json(arguments: &str) -> Value {
    let finished = calc(&format!("{arguments} --json"));
    assert_eq!(finished.code, Some(0), "{arguments}: {}", finished.stderr);
    finished.json()
}

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
        let text = calc(&format!("elo {counts}")).stdout;
        assert!(!text.contains("+/-"), "{text}");
        assert!(
            text.contains("always-valid 95 %") && text.contains("too few"),
            "{text}"
        );
    }
    // What another program prints is not changed.
    let theirs = json("elo --pentanomial 0,1,9,0,0 --definition fishtest");
    assert_eq!(theirs["interval"], "fixed_length");
}

#[test]
fn zero_has_no_sign() {
    let text = calc("elo --wdl 30,0,30").stdout;
    assert!(text.contains("Elo            0.00 +/- "), "{text}");
    assert!(!text.contains("-0.00"), "{text}");
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
fn counts_far_beyond_a_bound_are_noted() {
    let is_noted = |counts: &str, elo1: u32| {
        let args = format!("sprt --pentanomial {counts} --elo0 0 --elo1 {elo1}");
        let notes = json(&args)["notes"].to_string();
        notes.contains("far beyond its bound")
    };
    assert!(is_noted("10,20,500,900,4000", 5) && is_noted("4000,900,500,20,10", 5));
    assert!(!is_noted("10,60,100,60,10", 5));
    // Too few for an estimate after the test, of which the note speaks.
    assert!(!is_noted("0,0,0,0,40", 50));
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

/// The test of single games moves by a game, whose step is smaller than a pair's by the
/// root of two.
#[test]
fn the_overshoot_of_single_games_is_that_of_a_game() {
    let sprt = json("sprt --wdl 200,400,190 --elo0 0 --elo1 50 --model logistic --overshoot");
    // ln 19 = 2.944; 50 Elo are 0.0715 points, and a game's standard deviation is 0.351.
    let expected = 2.944 - 0.5826 * 0.0715 / 0.351;
    assert!((number(&sprt["upper"]) - expected).abs() < 0.005, "{sprt}");
    assert!((number(&sprt["lower"]) + expected).abs() < 0.005, "{sprt}");
}

#[test]
fn the_plain_elo_is_biased_away_from_the_middle_of_the_bounds() {
    let notes = json("sprt --pentanomial 10,60,100,60,10 --elo0 0 --elo1 20")["notes"].to_string();
    assert!(
        notes.contains("away from the middle of its bounds"),
        "{notes}"
    );
}

/// Five counts do not tell a win and a loss from two draws; six do.
#[test]
fn notes_on_a_test_are_in_its_json_too() {
    let is_guessed = |counts: &str| {
        let args = format!("sprt --pentanomial {counts} --elo0 0 --elo1 5 --model bayesian");
        let notes = json(&args)["notes"].to_string();
        assert!(notes.contains("median-unbiased"), "{notes}");
        notes.contains("count as two draws")
    };
    assert!(is_guessed("10,60,100,60,10"));
    assert!(!is_guessed("10,60,40,60,60,10"));
}

/// Where all pairs end alike they have one order only, so the average over all
/// orders is what the live test has: it accepts H1 after 28 pairs of two wins,
/// and after 48 of a win and a draw, and H0 after 509 level pairs.
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
        let is = sprt(counts)["llr"].as_f64().unwrap();
        assert!((is - llr).abs() < 0.1, "{counts}: {is}");
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

#[test]
fn each_definition_gives_what_its_program_prints() {
    let elo = |definition: &str| {
        json(&format!("elo --wdl 10,0,0 --definition {definition}"))["elo"].clone()
    };
    assert!(elo("fastchess").is_null());
    assert!(elo("fishtest")["estimate"].is_f64());
    // cutechess prints Elo, its error and LOS; c-chess-cli the score only.
    let summary = |definition: &str| json(&format!("elo --wdl 10,20,5 --definition {definition}"));
    assert!(summary("cutechess")["elo"]["low"].is_f64());
    assert!(summary("cutechess")["los"].is_f64());
    let theirs = summary("c-chess-cli");
    assert_eq!(theirs["score"], summary("cutechess")["score"]);
    for key in ["elo", "nelo", "los"] {
        assert!(theirs[key].is_null(), "{theirs}");
    }
    let sprt = json("sprt --wdl 10,20,5 --definition c-chess-cli --model logistic");
    assert!(sprt["llr"].is_f64() && sprt["elo"].is_null(), "{sprt}");
    let output = calc("elo --pentanomial 1,2,3,4,5 --definition cutechess");
    assert_eq!(output.code, Some(2));
}

/// The LLR of cutechess and OpenBench was computed by their formulas apart from `hone`.
#[test]
fn each_definition_has_the_test_of_its_program() {
    let counts = "--wdl 6699,12677,6440";
    for (definition, model, llr) in [
        ("hone", "normalized", 2.551),
        ("fastchess", "normalized", 2.551),
        ("openbench", "bayesian", 2.533),
        ("cutechess", "logistic", 2.071),
        ("c-chess-cli", "logistic", 2.071),
    ] {
        let sprt = json(&format!("sprt {counts} --definition {definition}"));
        assert_eq!(sprt["model"], model, "{definition}");
        let value = sprt["llr"].as_f64().expect("a number");
        assert!((value - llr).abs() < 1e-3, "{definition}: {value}");
    }
    for (model, definition, help) in [
        ("bayesian", "cutechess", "use `--model logistic`"),
        ("normalized", "openbench", "use `--model bayesian`"),
        ("betting", "fastchess", "`--model normalized` or"),
    ] {
        let output = calc(&format!(
            "sprt {counts} --definition {definition} --model {model}"
        ));
        assert_eq!(output.code, Some(2), "{}", output.stderr);
        assert!(output.stderr.contains(help), "{}", output.stderr);
    }
}

#[test]
fn mistakes_are_named_and_exit_with_2() {
    for (arguments, expected) in [
        ("elo --pentanomial 1,2,3", "5 counts"),
        ("elo --wdl 1,2,x", "`x` is not a count"),
        ("elo", "--pentanomial"),
        (
            "sprt --wdl 1,2,3 --elo0 5 --elo1 0",
            "elo0 (5) must be less than elo1 (0)",
        ),
        (
            "sprt --wdl 1,2,3 --elo0 0 --elo1 5 --alpha 0.7",
            "between 0 and 0.5",
        ),
        (
            "plan --alpha 1e-310 --elos=0,5",
            "a bound of the LLR would be infinite",
        ),
        ("sprt --wdl 1,2,3 --elo0 0 --elo1 inf", "elo1 is inf"),
        ("sprt --wdl 1,2,3 --model elo", "unknown model `elo`"),
        (
            "sprt --wdl 1,2,3 --model betting",
            "hone has no betting test of single games",
        ),
        (
            "simulate --elo 0 --distribution 0.5,0.5,0.5,0,0",
            "sum to 1.5",
        ),
        ("simulate --elo 0 --draw-ratio 1.5", "`1.5` is not a share"),
        ("plan --draw-ratio 0.5 --hours 12", "--pairs-per-hour"),
        ("plan --run no-such-run", "no run `no-such-run`"),
        (
            "plan --model betting --elo0 0 --elo1 40",
            "calc simulate --model betting --elo0 0 --elo1 40",
        ),
        ("rate a.pgn --average nan", "`nan` is not a rating"),
        ("rate a.pgn --white-advantage inf", "`inf` is not a rating"),
        (
            "plan --distribution 0.5,0.5,0,0,0 --model logistic --elos=-400",
            "the test cannot be computed",
        ),
        (
            "plan --draw-ratio=0.999 --elo0=229 --elo1=231",
            "elo1 is 231: a bound of the normalized model must be from -230 to 230 nElo",
        ),
        (
            "simulate --elo 0 --elo0 -231 --elo1 0",
            "help: use the logistic model",
        ),
        ("rate no-such-file.pgn", "no-such-file.pgn"),
    ] {
        let output = calc(arguments);
        let errors = &output.stderr;
        assert_eq!(output.code, Some(2), "{arguments}: {errors}");
        assert!(errors.contains(expected), "{arguments}: {errors}");
    }
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
fn a_plan_needs_nothing_but_its_bounds() {
    let plan = json("plan --elo0 0 --elo1 3");
    let point = &plan["points"][0];
    assert_eq!(number(&point["games"]), 2.0 * number(&point["pairs"]));
    let text = calc("plan --elo0 0 --elo1 3").stdout;
    for part in [
        "SPRT [0, 3] in normalized Elo (nElo), alpha 0.05, beta 0.05",
        "typical of fishtest",
        "At most ",
        "LL, LD, DD+WL, WD, WW = 0.4, 19.6, 60.0, 19.6, 0.4 %",
        "games (",
        "95 % pairs",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let given = json("plan --draw-ratio 50%");
    assert_eq!(given, json("plan --draw-ratio 0.5"));
    assert!(given["assumption"].is_null());
    let logistic = calc("plan --draw-ratio 50% --model logistic").stdout;
    assert!(logistic.contains("in logistic Elo"), "{logistic}");
    assert!(!logistic.contains("typical"), "{logistic}");
}

/// Whichever strengths are shown. With error rates that differ it is not the middle.
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
        let text = calc(&chosen).stdout;
        let said = format!("at a true strength of {elo:.2} Elo");
        assert!(text.contains("At most ") && text.contains(&said), "{text}");
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
    for arguments in [
        format!("plan --run {run}"),
        format!("simulate --run {run} --elo 0"),
    ] {
        let refused = calc(&arguments);
        let errors = &refused.stderr;
        assert_eq!(refused.code, Some(2), "{errors}");
        for part in ["has 3 engines", "help: ", "--pentanomial"] {
            assert!(errors.contains(part), "{part}: {errors}");
        }
    }
}

#[test]
fn a_plan_takes_a_draw_ratio_or_a_run() {
    // Wider normalized tests do not keep their error rates.
    let bounds = "plan --draw-ratio 0.5 --elo0 225 --elo1 230";
    let text = calc(&format!("{bounds} --pairs-per-hour 1000 --hours 1")).stdout;
    assert!(text.contains("No test up to [225, 230] takes"), "{text}");
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
    let svg = run.join("plan.svg");
    let plan = json(&format!(
        "plan --run {} --svg {}",
        run.display(),
        svg.display()
    ));
    assert!(
        plan["points"][0]["hours"].is_f64(),
        "the report has the run's speed"
    );
    assert!(std::fs::read_to_string(svg).unwrap().starts_with("<svg"));
}

#[test]
fn runs_and_games_are_rated_together() {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path());
    let pgn = folder.path().join("other.pgn");
    let game = |white, black, round, result| {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Round \"{round}\"]\n\
             [Result \"{result}\"]\n\n1. e4 e5 {result}\n\n"
        )
    };
    let games = [
        game("new", "third", 1, "1-0"),
        game("third", "new", 1, "1/2-1/2"),
        game("new", "third", 2, "1/2-1/2"),
        game("third", "new", 2, "1-0"),
    ];
    std::fs::write(&pgn, games.concat()).unwrap();
    let sources = format!("{} {}", folder.path().display(), pgn.display());
    let ratings = json(&format!("rate {sources} --anchor old=-10"));
    assert_eq!(ratings["pairs"], 42);
    let rows = ratings["ratings"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    let old = rows.iter().find(|row| row["name"] == "old").unwrap();
    assert_eq!(old["elo"]["estimate"], -10.0);
    let third = rows.iter().find(|row| row["name"] == "third").unwrap();
    assert_eq!(third["interval"], "always_valid", "two pairs");
    let text = calc(&format!("rate {sources}")).stdout;
    for part in [
        "too few different results: the always-valid interval of",
        "too few different results for an interval",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let csv = calc(&format!("rate {sources} --csv")).stdout;
    assert_eq!(csv.lines().count(), 4);
    let unknown = calc(&format!("rate {sources} --anchor nobody"));
    assert_eq!(unknown.code, Some(2));
}

/// Of pairs that are all drawn nobody knows how much White's points vary.
#[test]
fn equal_results_give_no_narrow_advantage_for_white() {
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("games.pgn");
    let rate = |result: &str| {
        let pair = |round: u32| {
            let game = |white: &str, black: &str| {
                format!(
                    "[White \"{white}\"]\n[Black \"{black}\"]\n[Round \"{round}\"]\n\
                     [Result \"{result}\"]\n\n1. e4 e5 {result}\n\n"
                )
            };
            game("a", "b") + &game("b", "a")
        };
        std::fs::write(&pgn, (1..=100).map(pair).collect::<String>()).unwrap();
        let args = format!("rate {}", pgn.display());
        assert_eq!(json(&args)["white_advantage_supported"], false);
        calc(&args).stdout
    };
    for result in ["1/2-1/2", "1-0"] {
        let text = rate(result);
        let says = "White's advantage: 0.0 Elo (too few different results for an interval)";
        assert!(text.contains(says), "{text}");
        assert!(text.contains("100 pairs and 0 single games"), "{text}");
    }
    // Without a rating no row has the mark that the footnote explains.
    let won = "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n";
    std::fs::write(&pgn, won).unwrap();
    let text = calc(&format!("rate {}", pgn.display())).stdout;
    assert!(!text.contains("* too few"), "{text}");
    assert!(text.contains("0 pairs and 1 single game\n"), "{text}");
}

#[test]
fn games_without_moves_are_rated() {
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("tags.pgn");
    let game = |white, black, round, result| {
        format!(
            "[Event \"x\"]\n[Round  \"{round}\"]\n[White\t\"{white}\"]\n[ Black \"{black}\" ]\n\
             [Result \"{result}\"]\n\n"
        )
    };
    let games = [
        game("=1+2", "b", 1, "1-0"),
        game("b", "=1+2", 1, "1/2-1/2"),
        game("b", "=1+2", 2, "1/2-1/2"),
        game("", "b", 3, "1-0"),
    ];
    std::fs::write(&pgn, games.concat()).unwrap();
    let source = pgn.display();
    let ratings = json(&format!("rate {source}"));
    assert_eq!(ratings["pairs"], 1);
    let rows = ratings["ratings"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["name"]), (2, &"=1+2".into()));
    assert_eq!(
        (&rows[0]["games"], &rows[0]["points"]),
        (&3.into(), &2.0.into())
    );
    let csv = calc(&format!("rate {source} --csv"));
    let text = &csv.stdout;
    assert!(text.contains("\n1,'=1+2,"), "{text}");
    let warnings = &csv.stderr;
    let says = "skipped 1 game without a result or two players";
    assert!(warnings.contains(says), "{warnings}");
    let twice = calc(&format!("rate {source} {source}"));
    let errors = &twice.stderr;
    assert_eq!(twice.code, Some(2), "{errors}");
    assert!(errors.contains("is given twice"), "{errors}");
    std::fs::write(&pgn, games.concat() + "[Event \"x\"]\n[White \"=1").unwrap();
    let cut = calc(&format!("rate {source}"));
    let warnings = &cut.stderr;
    assert_eq!(cut.code, Some(0), "{warnings}");
    assert!(warnings.contains(" does not end: skipped it"), "{warnings}");
    std::fs::write(&pgn, b"\x1f\x8b\x08\x00").unwrap();
    let errors = calc(&format!("rate {source}")).stderr;
    assert!(errors.contains("is compressed"), "{errors}");
}

#[test]
fn a_run_and_its_own_file_of_games_would_count_twice() {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path());
    let (run, pgn) = (folder.path(), folder.path().join("games.pgn"));
    std::fs::write(&pgn, "[White \"new\"]\n[Black \"old\"]\n\n1. e4 1-0\n").unwrap();
    for sources in [[run, &pgn], [&pgn, run]] {
        let sources = sources.map(|source| source.display().to_string());
        let refused = calc(&format!("rate {}", sources.join(" ")));
        let errors = &refused.stderr;
        assert_eq!(refused.code, Some(2), "{errors}");
        assert!(errors.contains("have the same games"), "{errors}");
    }
}

/// A finished run of forty pairs.
fn write_run(folder: &Path) {
    let mut ledger = "pair,game,white,black,opening,result,termination\n".to_owned();
    for pair in 1..=40 {
        let (first, second) = match pair % 5 {
            0 => ("1-0", "0-1"),
            1 => ("1-0", "1/2-1/2"),
            2 => ("1/2-1/2", "1/2-1/2"),
            3 => ("0-1", "1/2-1/2"),
            _ => ("1-0", "1-0"),
        };
        ledger += &format!("{pair},1,new,old,{pair},{first},checkmate\n");
        ledger += &format!("{pair},2,old,new,{pair},{second},checkmate\n");
    }
    std::fs::write(folder.join("games.csv"), ledger).unwrap();
    std::fs::write(folder.join("report.json"), r#"{"pairs":40,"seconds":120}"#).unwrap();
}
