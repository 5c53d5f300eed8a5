//! `hone tune` with Stillwater.

use std::fs;

use crate::common::running::Running;
use crate::common::{
    self, Finished, Setup, digest, lead, on_run, report, resume, rows, scripted, tuning, wait_until,
};
use serde_json::Value;

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
