//! `hone tune` against models.

use std::fs;

use crate::common::json::number;
use crate::common::{Finished, Setup, finish, hone, tuning};

const MODEL: &str = r#"
scale = 300.0
pair = [0.025, 0.225, 0.5, 0.225, 0.025]
coupling = [[1.0, 0.3, 0.0], [0.3, 1.0, 0.0], [0.0, 0.0, 1.0]]
[[param]]
name = "A"
min = 0
max = 200
start = 80
optimum = 120
sensitivity = 200
skew = 0.4
[[param]]
name = "B"
min = 0
max = 40
start = 20
optimum = 12
sensitivity = 100
[[param]]
name = "Dead"
min = 0
max = 1000
start = 400
optimum = 600
sensitivity = 0.01
"#;

/// Tunes [`MODEL`] with a configuration that has only `[tune]`.
fn simulate(tune: &str, args: &[&str]) -> Finished {
    simulate_model(MODEL, tune, args)
}

/// [`simulate`] with another model.
fn simulate_model(model: &str, tune: &str, args: &[&str]) -> Finished {
    let setup = Setup::new(tune);
    let file = setup.run("model.toml");
    fs::write(&file, model).unwrap();
    let mut command = hone();
    command
        .arg("tune")
        .arg(&setup.config)
        .arg("--simulate")
        .arg(file)
        .args(args);
    finish(command)
}

#[test]
fn a_model_is_tuned_and_the_gain_is_true() {
    for method in ["spsa", "adaptive"] {
        let set = format!("tune.method={method}");
        let finished = simulate("[tune]\npairs = 10000\n", &["--json", "--set", &set]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let json = finished.json();
        assert_eq!(json["pairs"], 10_000);
        assert_eq!(json["start"]["A"], 80.0);
        // The start is 7.5 Elo below the optimum.
        let gain = number(&json["elo_gain_true"]);
        assert!(gain > 6.0, "{method}: {gain}");
        let a = number(&json["values"]["A"]);
        assert!(
            (a - 120.0).abs() < 25.0 && a.fract() == 0.0,
            "{method}: {a}"
        );
        assert!(json["average"]["B"].is_number());
        let table = simulate("[tune]\npairs = 10000\n", &["--set", &set]);
        assert!(table.stdout.contains("true gain"), "{}", table.stdout);
    }
}

/// The start is 12.2 Elo below the optimum.
#[test]
fn a_real_parameter_of_a_model_is_tuned() {
    let model = "[[param]]\nname = \"A\"\nmin = 0.2\nmax = 2\nstart = 0.75\noptimum = 1.2\n\
                 sensitivity = 200\n";
    for params in [
        "",
        "[tune.params]\nA = {}\n",
        "[tune.params]\nA = { min = 0.2, max = 2, start = 0.75, decimals = 3 }\n",
    ] {
        let finished = simulate_model(
            model,
            &format!("[tune]\npairs = 10000\n{params}"),
            &["--json"],
        );
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let json = finished.json();
        assert_eq!(json["start"]["A"], 0.75, "{params}");
        let gain = number(&json["elo_gain_true"]);
        assert!((5.0..=12.3).contains(&gain), "{params}: {gain}");
    }
}

#[test]
fn a_faulty_model_is_named() {
    for (from, to, message) in [
        (
            "start = 80",
            "start = 280",
            "param `A`: start 280 is outside 0 to 200",
        ),
        ("\"Dead\"", "\"a\"", "param `a` is named twice"),
    ] {
        let finished = simulate_model(&MODEL.replace(from, to), "[tune]\npairs = 100\n", &[]);
        assert_eq!(finished.code, Some(2), "{}", finished.stderr);
        let expected = format!("model.toml: {message}");
        assert!(finished.stderr.contains(&expected), "{}", finished.stderr);
        assert!(
            !finished.stderr.contains("config.toml"),
            "{}",
            finished.stderr
        );
    }
}

#[test]
fn options_about_engines_and_games_are_refused_with_a_model() {
    let of_fleets: &[&str] = if cfg!(feature = "fleet") {
        &["--fleet", "--priority=5"]
    } else {
        &[]
    };
    let options = [
        "--max-time=1h",
        "--limit=nodes=50",
        "--option=Hash=8",
        "--hash=8",
        "--threads=1",
        "--book=none",
        "--concurrency=1",
        "--build=make",
        "--cmd=engine",
        "--max-memory=1G",
        "--sandbox",
        "--out=run",
        "--verify",
    ];
    for option in options.iter().chain(of_fleets) {
        let finished = simulate("[tune]\npairs = 100\n", &[option]);
        assert_eq!(finished.code, Some(2), "{option}: {}", finished.stderr);
        let message = "cannot be used with";
        assert!(
            finished.stderr.contains(message),
            "{option}: {}",
            finished.stderr
        );
    }
}

#[test]
fn a_faulty_value_of_a_tuning_has_its_place() {
    for (tune, params, place) in [
        ("group = [\"Z*\"]", "", "15:10"),
        ("exclude = [\"Hash\", \"Z*\"]", "", "15:20"),
        ("import = \"nothere\"", "", "15:10"),
        ("", "Hasch = {}", "18:9"),
        ("", "Hash = { step = 0 }", "18:17"),
        ("", "Hash = { decimals = 10 }", "18:21"),
        ("", "Hash = { min = 8, start = 4 }", "18:27"),
        ("", "Hash = { factor = 2, decimals = 2 }", "18:19"),
        // Not one value alone.
        ("", "HistoryDecay = { max = 99999 }", "18:16"),
        ("", "qsdeltamargin = {}", "18:17"),
    ] {
        let refused = tuning(tune, params).play("tune", "run", &["--dry-run"]);
        assert_eq!(refused.code, Some(2), "{tune}{params}: {}", refused.stderr);
        let place = format!("config.toml:{place}\n");
        assert!(
            refused.stderr.contains(&place),
            "{tune}{params}: {}",
            refused.stderr
        );
    }
    // The value of an option has no place in the file.
    let set = ["--dry-run", "--set", "tune.params.Hash.step=0"];
    let refused = tuning("", "Hash = {}").play("tune", "run", &set);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(!refused.stderr.contains("-->"), "{}", refused.stderr);
    let of_model = simulate("[tune]\n[tune.params]\nC = {}\n", &[]);
    assert_eq!(of_model.code, Some(2), "{}", of_model.stderr);
    for part in ["the model has no parameter `C`", "config.toml:3:5\n"] {
        assert!(of_model.stderr.contains(part), "{}", of_model.stderr);
    }
}

#[test]
fn a_summary_without_games_is_refused() {
    let finished = simulate("[tune]\npairs = 100\n", &["--summary", "s.md"]);
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
    let error = "`--simulate` plays no games that `--summary` could summarize\nhelp: ";
    assert!(finished.stderr.contains(error), "{}", finished.stderr);
}

#[test]
fn the_same_seed_gives_the_same_values_and_another_seed_others() {
    let values = |seed: &str| {
        let set = format!("tune.seed={seed}");
        let finished = simulate("[tune]\npairs = 1000\n", &["--json", "--set", &set]);
        finished.json()["values"].clone()
    };
    assert_eq!(values("5"), values("5"));
    assert_ne!(values("5"), values("6"));
}

/// The pairs determine where the optimum of `A` is, but not how much Elo other values lose.
#[test]
fn a_parameter_whose_optimum_leaves_out_the_start_matters() {
    let json = simulate("[tune]\npairs = 20000\n", &["--json"]).json();
    let known = &json["response"]["params"][0];
    assert_eq!(
        (&known["name"], &known["weight"]),
        (&"A".into(), &"matters".into()),
        "{known}"
    );
    assert!(number(&known["optimum"]["low"]) > 80.0, "{known}");
    assert!(number(&known["quarter"]["low"]) < 0.0, "{known}");
}

/// With 60 parameters that have no effect, the estimate is +20 Elo and its interval does
/// not contain 0.
#[test]
fn a_gain_is_predicted_only_if_a_parameter_matters() {
    let line = |finished: &Finished| {
        let mut lines = finished.stdout.lines();
        let line = lines.find(|line| line.starts_with("predicted gain"));
        line.expect("a prediction").to_string()
    };
    let dead: String = (0..60)
        .map(|index| {
            format!(
                "[[param]]\nname = \"P{index}\"\nmin = 0\nmax = 200\nstart = 80\n\
                 optimum = 100\nsensitivity = 0\n"
            )
        })
        .collect();
    let tune = "[tune]\npairs = 10000\n";
    let finished = simulate_model(&dead, tune, &[]);
    let text = line(&finished);
    assert!(
        text.starts_with("predicted gain: uncertain, because no parameter is shown to matter"),
        "{text}"
    );
    let json = simulate_model(&dead, tune, &["--json"]).json();
    assert!(number(&json["response"]["gain"]["low"]) > 0.0, "{json}");
    let steep = MODEL.replace("sensitivity = 200", "sensitivity = 1000");
    let text = line(&simulate_model(&steep, tune, &[]));
    assert!(
        text.contains("Elo, roughly ") && !text.contains("95 %"),
        "{text}"
    );
}

#[test]
fn a_dry_run_plays_nothing_and_warns() {
    let finished = simulate("[tune]\npairs = 200\n", &["--dry-run"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(
        finished.stdout.contains("noise drift"),
        "{}",
        finished.stdout
    );
    assert!(
        finished.stdout.contains("budget is small"),
        "{}",
        finished.stdout
    );
    assert_eq!(finished.stderr, "");

    let json = simulate("[tune]\npairs = 200\n", &["--dry-run", "--json"]).json();
    assert_eq!(
        (&json["pairs"], &json["games"]),
        (&200.into(), &400.into()),
        "{json}"
    );
    let first = &json["params"][0];
    assert!(
        first["name"].is_string() && first["noise_drift"].is_number(),
        "{json}"
    );
    let warning = json["warnings"][0].as_str().expect("text");
    assert!(warning.contains("budget is small"), "{warning}");
}

#[test]
fn mistakes_are_named() {
    for (tune, message) in [
        ("[tune]\nmethod = \"sspa\"\n", "weather-factory"),
        ("[tune]\npairs = 0\n", "at least 1"),
        ("[tune]\n[tune.params]\nAA = {}\n", "did you mean `A`"),
        (
            "[tune]\n[tune.params]\nA = { start = 500 }\n",
            "outside 0 to 200",
        ),
        ("[tune]\n[tune.spsa]\ngain = nan\n", "from 0 to 1000"),
        ("[tune]\n[tune.adaptive]\nfade = 11\n", "from 0 to 10 is"),
        ("[tune]\n[tune.adaptive]\nspread = 0\n", "a number above 0"),
        ("[tune]\n[tune.classic]\nalpha = inf\n", "from 0 to 10"),
        ("[tune]\n[tune.classic]\nalpha = 1e300\n", "from 0 to 10"),
        ("[tune]\n[tune.classic]\ngamma = 400\n", "from 0 to 10"),
        ("[tune]\n[tune.classic]\nstability = inf\n", "at least 0"),
        ("[tune]\n[tune.params]\nA = {}\na = {}\n", "named twice"),
        (
            "[tune]\n[tune.params]\nA = { min = 0.5 }\n",
            "must be a whole number; the nearest is 0",
        ),
        ("[tune]\n[tune.params]\nA = { gain = -1 }\n", "at least 0"),
        (
            "[tune]\n[tune.adaptive]\nwidth_min = 0.5\n",
            "must not be above width_max 0.35",
        ),
        ("[tune]\ngroup = [\"Z*\"]\n", "no parameter matches `Z*`"),
        ("[tune]\nimport = \"nowhere.txt\"\n", "nowhere.txt"),
    ] {
        let finished = simulate(tune, &[]);
        assert_eq!(finished.code, Some(2), "{tune}: {}", finished.stderr);
        assert!(
            finished.stderr.contains(message),
            "{tune}: {}",
            finished.stderr
        );
    }
}
