//! `hone tune` as a user runs it: against models, and with Stillwater.

use std::fs;

use crate::common::json::number;
use crate::common::running::Running;
use crate::common::{
    self, Finished, Setup, digest, finish, hone, lead, on_run, report, resume, rows, scripted,
    tuning, wait_until,
};
use serde_json::Value;

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
    let of_fleets: &[&str] = match cfg!(feature = "fleet") {
        true => &["--fleet", "--priority=5"],
        false => &[],
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
fn the_options_of_other_runs_work_too() {
    let setup = tuning("pairs = 400\nmax_time = \"1s\"", "");
    let options = "--pairs 2 --limit nodes=50 --book none --concurrency 1 --max-time 1h --json";
    let options: Vec<&str> = options.split(' ').collect();
    let finished = setup.play("tune", "run", &options);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(finished.json()["pairs"], 2);
    let manifest = fs::read_to_string(setup.run("run/run.toml")).unwrap();
    for line in [
        "limit = \"nodes=50\"\n",
        "file = \"none\"\n",
        "\nconcurrency = 1\n",
    ] {
        assert!(manifest.contains(line), "{line}: {manifest}");
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

fn games(tune: &str) -> Setup {
    tuning(tune, "HistoryDecay = { min = 64, max = 1000 }")
}

fn values_of(finished: &Finished) -> Value {
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    finished.json()["values"].clone()
}

#[test]
fn values_do_not_depend_on_concurrency_or_kills() {
    let setup = games("pairs = 40");
    let one = setup.play("tune", "one", &["--json", "--set", "match.concurrency=1"]);
    let two = setup.play("tune", "two", &["--json", "--set", "match.concurrency=2"]);
    let values = values_of(&one);
    assert_eq!(values_of(&two), values);
    assert_eq!(one.json()["start"]["QsDeltaMargin"], 20.0);

    let mut command = setup.command("tune", "killed", &["--set", "match.concurrency=2"]);
    let killed = Running::start(&mut command);
    let run = setup.run("killed");
    wait_until("some games", || rows(&run) >= 20);
    killed.kill();
    assert_eq!(values_of(&resume(&run, &["--json"])), values);
    assert_eq!(digest(&run), digest(&setup.run("one")));
    assert_eq!(values_of(&report(&run, &["--json"])), values);
    let files = [
        "report.html",
        "paths.svg",
        "values.csv",
        "values.txt",
        "report.json",
    ];
    for file in files {
        assert!(run.join(file).exists(), "{file}");
    }
    // 20 batches of two parameters.
    let path = fs::read_to_string(run.join("values.csv")).unwrap();
    assert_eq!(path.lines().count(), 1 + 20 * 2, "{path}");
    #[cfg(unix)]
    common::chromium::check_report(&run.join("report.html"));
    let text = fs::read_to_string(run.join("values.txt")).unwrap();
    assert!(
        text.contains("setoption name QsDeltaMargin value "),
        "{text}"
    );
    assert!(text.starts_with("# not tested\n\n"), "{text}");
}

/// They are in the units of the engine. Options of types that OpenBench lacks are left out.
#[test]
fn values_for_openbench_are_those_of_the_engine() {
    let setup = games("pairs = 12");
    let config = fs::read_to_string(&setup.config).unwrap()
        + "ReverseFutilityBlend = { factor = 100 }\nCaptureHistory = {}\n";
    fs::write(&setup.config, config).unwrap();
    let played = setup.play("tune", "run", &["--json"]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let bounds = played.json()["at_bound"].clone();
    assert!(!bounds.to_string().contains("CaptureHistory"), "{bounds}");
    let text = fs::read_to_string(setup.run("run/values.txt")).unwrap();
    let rest_of = |start: &str| text.lines().find_map(|line| line.strip_prefix(start));
    let value = rest_of("setoption name ReverseFutilityBlend value ").expect("for UCI");
    let line = rest_of("ReverseFutilityBlend, int, ").expect("for OpenBench");
    assert!(line.starts_with(&format!("{value}, 0, 100, ")), "{text}");
    assert_eq!(rest_of("CaptureHistory, "), None, "{text}");
}

#[test]
fn a_time_limit_without_pairs_becomes_a_budget_of_whole_batches() {
    let setup = games("max_time = \"20s\"");
    let planned = setup.play("tune", "none", &["--dry-run"]);
    assert_eq!(planned.code, Some(0), "{}", planned.stderr);
    assert!(!setup.run("none").exists());
    // "N pairs in S s: the budget is M pairs", and the schedule is for M.
    let words: Vec<&str> = planned.stderr.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "budget").unwrap();
    let budget: u64 = words[at + 2].parse().unwrap();
    assert_eq!(budget % 2, 0);
    let schedule = format!("{budget} pairs ({} games)", 2 * budget);
    assert!(planned.stdout.contains(&schedule), "{}", planned.stdout);
    let played: f64 = words[at - 6].parse().unwrap();
    assert!(played >= 1.0, "{}", planned.stderr);
}

/// The speed of this machine is not that of the fleet.
#[cfg(feature = "fleet")]
#[test]
fn a_fleet_needs_pairs() {
    let setup = games("max_time = \"20s\"");
    for args in [&["--fleet"][..], &["--fleet", "--dry-run"]] {
        let refused = setup.play("tune", "run", args);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        let message = "`max_time` without `pairs` does not work with `--fleet`";
        assert!(refused.stderr.contains(message), "{}", refused.stderr);
    }
    assert!(!setup.run("run").exists());
}

#[test]
fn a_speed_that_cannot_be_measured_leaves_no_run_to_resume() {
    let setup = Setup::new(&format!(
        "[[engine]]\nname = \"bad\"\ncmd = \"{} go:3=exit:7\"\n[match]\nlimit = \"nodes=10\"\n\
         openings = {{ file = \"books/quick.epd\" }}\n\
         [tune]\nmax_time = \"60s\"\n[tune.params]\nHash = {{ min = 1, max = 64 }}\n",
        scripted()
    ));
    let refused = setup.play("tune", "run", &[]);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    for part in ["the speed cannot be measured: bad ", "fix the engine"] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    assert!(
        !refused.stderr.contains("hone resume"),
        "{}",
        refused.stderr
    );
    assert!(!setup.run("run").exists());
}

#[test]
fn the_folder_is_checked_before_the_speed_is_measured() {
    let setup = games("max_time = \"60s\"");
    fs::create_dir(setup.run("taken")).unwrap();
    fs::write(setup.run("taken/run.toml"), "").unwrap();
    fs::write(setup.run("file"), "").unwrap();
    for (out, message) in [
        ("taken", "taken contains a run already\n"),
        ("file/run", "cannot make the run's folder "),
    ] {
        let refused = setup.play("tune", out, &[]);
        assert_eq!(refused.code, Some(2), "{out}: {}", refused.stderr);
        assert!(
            refused.stderr.contains(message),
            "{out}: {}",
            refused.stderr
        );
        assert!(
            !refused.stderr.contains("measuring the speed"),
            "{out}: {}",
            refused.stderr
        );
    }
}

/// `hone resume --pairs` is refused too: the schedule depends on the pairs.
#[test]
fn pairs_that_are_added_to_the_manifest_are_refused() {
    let setup = games("pairs = 2");
    let played = setup.play("tune", "run", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let run = setup.run("run");
    let manifest = run.join("run.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, format!("pairs = 8\n{text}")).unwrap();
    let refused = resume(&run, &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let message = format!(
        "the top-level `pairs` in run.toml is for matches and tests, and {} is a tuning\n",
        run.display()
    );
    assert!(refused.stderr.contains(&message), "{}", refused.stderr);
    assert_eq!(rows(&run), 4);
}

#[test]
fn the_manifest_leaves_no_budget_to_defaults() {
    let setup = games("");
    let manifest = setup.run("run").join("run.toml");
    let tuning = Running::start(&mut setup.command("tune", "run", &[]));
    wait_until("the manifest", || {
        fs::read_to_string(&manifest).is_ok_and(|text| text.contains("tune.params"))
    });
    tuning.kill();
    let text = fs::read_to_string(&manifest).unwrap();
    assert!(text.contains("pairs = 10000"), "{text}");
}

#[test]
fn the_manifest_leaves_no_constant_of_a_classic_rule_to_defaults() {
    let setup = games("pairs = 4\nmethod = \"fishtest\"");
    let tuned = setup.play("tune", "run", &["--set", "tune.classic.gain=0.003"]);
    assert_eq!(tuned.code, Some(0), "{}", tuned.stderr);
    let text = fs::read_to_string(setup.run("run").join("run.toml")).unwrap();
    let manifest: toml::Table = text.parse().unwrap();
    let classic = &manifest["config"]["tune"]["classic"];
    for (key, value) in [
        ("alpha", 0.602),
        ("gamma", 0.101),
        ("stability", 0.1),
        ("gain", 0.003),
        ("width", 1.0),
    ] {
        assert_eq!(classic[key].as_float(), Some(value), "{key} in {text}");
    }
}

/// Without the settings that were played, the values do not follow from the games.
#[test]
fn a_tuning_with_an_edited_manifest_is_reported_with_a_warning_and_keeps_its_files() {
    let setup = games("pairs = 4");
    let tuned = setup.play("tune", "run", &[]);
    assert_eq!(tuned.code, Some(0), "{}", tuned.stderr);
    let run = setup.run("run");
    let names = ["values.txt", "values.csv", "report.json"];
    let files = || names.map(|name| fs::read(run.join(name)).unwrap());
    let before = files();
    let path = run.join("run.toml");
    let manifest = fs::read_to_string(&path).unwrap();
    let edited = manifest.replace("max = 1000.0", "max = 900.0");
    assert_ne!(edited, manifest);
    fs::write(&path, edited).unwrap();
    let reported = report(&run, &[]);
    assert_eq!(reported.code, Some(0), "{}", reported.stderr);
    let warning = "warning: run.toml has changed: 4 of 4 pairs were played under other \
                   conditions; the report's files are not written";
    assert!(reported.stderr.contains(warning), "{}", reported.stderr);
    assert_eq!(files(), before);
    fs::write(&path, manifest).unwrap();
    let reported = report(&run, &[]);
    assert!(!reported.stderr.contains("warning"), "{}", reported.stderr);
}

#[test]
fn at_the_time_limit_the_values_so_far_are_reported() {
    let setup = games("pairs = 4000\nmax_time = \"2s\"");
    let finished = setup.play("tune", "run", &["--json", "--verify"]);
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    let report = on_run("report", &setup.run("run"));
    assert!(
        report.stdout.contains("these values are not final"),
        "{}",
        report.stdout
    );
    assert!(!report.stdout.contains(" final "), "{}", report.stdout);
    let text = fs::read_to_string(setup.run("run/values.txt")).unwrap();
    let first = text.lines().next().unwrap_or_default();
    assert!(
        first.starts_with("# NOT FINAL: ") && first.ends_with(" of 4000 pairs"),
        "{first}"
    );
    let page = fs::read_to_string(setup.run("run/report.html")).unwrap();
    let result = lead(&page);
    assert!(
        result.contains("Not final: ") && result.contains(" of 4000 pairs. Resume a stopped run"),
        "{result}"
    );
    assert!(page.contains(" of 4000 pairs.</strong>"), "{page}");
    assert!(page.contains("<caption>Values so far; "), "{page}");
    assert!(!page.to_lowercase().contains("final value"), "{page}");
    let json = finished.json();
    assert!(json["values"]["QsDeltaMargin"].is_number());
    assert_eq!(
        (&json["finished"], &json["max_pairs"]),
        (&false.into(), &4000.into())
    );
    let before = rows(&setup.run("run"));
    assert_eq!(on_run("resume", &setup.run("run")).code, Some(3));
    assert!(rows(&setup.run("run")) > before);
}

#[test]
fn an_option_that_the_engine_lacks_is_refused() {
    let setup = games("pairs = 4\nexclude = [\"History*\"]");
    let text = fs::read_to_string(&setup.config).unwrap();
    fs::write(&setup.config, text.replace("HistoryDecay", "QsDeltaMargn")).unwrap();
    let finished = setup.play("tune", "run", &[]);
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
    assert!(
        finished.stderr.contains("did you mean `QsDeltaMargin`"),
        "{}",
        finished.stderr
    );
    assert!(!setup.run("run").exists());
}
