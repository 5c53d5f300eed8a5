//! The reports of `hone tune`: the results of the verifying test, and the units of the
//! numbers.

use std::fs;
use std::path::Path;

use crate::common::{self, Setup, lead, on_run, report, resume, rows, tuning};
use serde_json::Value;

/// Bounds far above what the values can gain.
const REJECTED: [&str; 7] = [
    "--verify",
    "--set",
    "tune.verify.sprt.elo0=400",
    "--set",
    "tune.verify.sprt.elo1=500",
    "--set",
    "tune.verify.sprt.model=logistic",
];

fn text(run: &Path, file: &str) -> String {
    fs::read_to_string(run.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn report_json(run: &Path) -> Value {
    serde_json::from_str(&text(run, "report.json")).expect("JSON")
}

#[test]
fn values_that_the_test_rejects_are_not_recommended() {
    let setup = tuning("pairs = 4", "");
    let run = setup.run("run");
    let tuned = setup.play("tune", "run", &REJECTED);
    assert_eq!(tuned.code, Some(1), "{}", tuned.stderr);
    let sentence = "Keep the old values";
    assert!(tuned.stdout.contains(sentence), "{}", tuned.stdout);
    let names = ["report.html", "report.json", "values.txt"];
    let files = || names.map(|name| text(&run, name));
    let written = files();
    let shown = lead(&written[0]);
    assert!(shown.starts_with(" bad\""), "{shown}");
    assert!(
        shown.contains("accepted H0") && shown.contains(sentence),
        "{shown}"
    );
    assert!(!shown.contains("--verify"), "{shown}");
    assert!(written[0].contains("<caption>Final values; "));
    assert!(!written[0].contains("Not final"));
    assert!(written[0].contains("href=\"verify/report.html\""));
    assert!(run.join("verify/report.html").exists());
    let first = written[2].lines().next().unwrap_or_default();
    assert!(
        first.starts_with("# ") && first.contains(sentence),
        "{first}"
    );
    let played = report_json(&run)["verify"].clone();
    assert_eq!(played["verdict"], "H0");

    for command in ["report", "resume"] {
        for name in names {
            fs::remove_file(run.join(name)).expect("removed");
        }
        let again = on_run(command, &run);
        assert!(again.stdout.contains(sentence), "{}", again.stdout);
        assert!(files() == written, "{command}: {}", again.stderr);
    }
    let json = resume(&run, &["--json"]);
    assert_eq!(json.code, Some(1), "{}", json.stderr);
    assert_eq!(json.json()["verify"], played);
    assert_eq!(json.json(), report_json(&run));
    #[cfg(unix)]
    common::chromium::check_report(&run.join("report.html"));
    // A page in another folder has no link to the test's page.
    let page = setup.run("page.html");
    let html = report(&run, &["--html", &page.display().to_string()]);
    assert_eq!(html.code, Some(0), "{}", html.stderr);
    let page = fs::read_to_string(page).expect("written");
    assert!(lead(&page).contains(sentence) && !page.contains("href=\"verify"));
}

#[cfg(unix)]
#[test]
fn the_live_pages_show_the_verifying_test() {
    use crate::common::server::Server;
    use crate::common::wait_until;

    let setup = tuning("pairs = 4", "");
    let results = setup.run("results");
    let tuned = setup.play("tune", "results/run", &REJECTED);
    assert_eq!(tuned.code, Some(1), "{}", tuned.stderr);
    let server = Server::start(&results, &[]);
    wait_until("the runs are read", || {
        let runs = server.get("/api/runs").json();
        runs["loading"] == false && runs["runs"].as_array().map(Vec::len) == Some(2)
    });
    let page = server.get("/runs/run").body;
    assert!(page.contains("Keep the old values"), "{page}");
    let facts = server.get("/api/runs/run").json();
    assert_eq!(facts["verify"], report_json(&results.join("run"))["verify"]);
}

#[test]
fn an_undecided_test_shows_its_pairs_and_how_to_resume_it() {
    let setup = tuning("pairs = 4\nmax_time = \"10m\"", "");
    let run = setup.run("run");
    // The limit of [match] is that of the test.
    let limits = [
        "--verify",
        "--json",
        "--set",
        "match.max_time=1s",
        "--set",
        "tune.verify.sprt.elo1=1",
    ];
    let mut finished = setup.play("tune", "run", &limits);
    for _ in 0..2 {
        assert_eq!(finished.code, Some(3), "{}", finished.stderr);
        assert!(finished.stderr.contains("Time limit reached"));
        let verify = finished.json()["verify"].clone();
        assert_eq!(verify["verdict"], "none");
        assert_eq!(
            (&finished.json()["finished"], &verify["finished"]),
            (&true.into(), &false.into())
        );
        assert_eq!(report_json(&run)["verify"], verify);
        let page = text(&run, "report.html");
        let shown = lead(&page);
        let advice = format!("hone resume {}", run.display());
        let pairs = format!("{} pair", verify["pairs"]);
        for part in ["has not decided", &advice, &pairs] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        // Neither good nor bad.
        assert!(shown.starts_with('"'), "{shown}");
        let report = on_run("report", &run).stdout;
        assert!(report.contains(&advice), "{report}");
        let values = text(&run, "values.txt");
        let first = format!("# undecided test: {pairs}");
        assert!(values.starts_with(&first), "{values}");
        let before = rows(&run.join("verify"));
        finished = resume(&run, &["--json", "--max-time", "1s"]);
        assert!(rows(&run.join("verify")) > before, "{}", finished.stderr);
    }
}

/// The announced bounds are those of the test that is played.
#[test]
fn a_test_that_has_begun_keeps_its_settings() {
    let setup = tuning("pairs = 4", "");
    let run = setup.run("run");
    let one_pair = ["--verify", "--set", "tune.verify.sprt.max_pairs=1"];
    let tuned = setup.play("tune", "run", &one_pair);
    let again = resume(&run, &[]);
    let announced = "against the start: Elo 0 against 5\n";
    let changed = "[config.tune.verify] in run.toml has changed since the test began";
    for finished in [tuned, again] {
        assert_eq!(finished.code, Some(3), "{}", finished.stderr);
        assert!(finished.stderr.contains(announced), "{}", finished.stderr);
        assert!(!finished.stderr.contains(changed), "{}", finished.stderr);
    }
    let manifest = text(&run, "run.toml");
    let edited = manifest.replace("elo1 = 5.0", "elo1 = 200.0");
    assert_ne!(edited, manifest);
    fs::write(run.join("run.toml"), edited).expect("written");
    let edited = resume(&run, &[]);
    assert_eq!(edited.code, Some(3), "{}", edited.stderr);
    for part in [announced, changed] {
        assert!(edited.stderr.contains(part), "{}", edited.stderr);
    }
}

/// Drawn pairs count, although they show no difference.
#[test]
fn drawn_pairs_are_not_missing_pairs() {
    let setup = tuning("pairs = 4", "");
    let drawn = ["--set", "adjudication.max_moves=1"];
    let tuned = setup.play("tune", "run", &drawn);
    assert_eq!(tuned.code, Some(0), "{}", tuned.stderr);
    let shown = "redicted gain: none, the pairs show no difference of the sides";
    let page = text(&setup.run("run"), "report.html");
    assert!(lead(&page).contains(shown), "{}", lead(&page));
    assert!(tuned.stdout.contains(shown), "{}", tuned.stdout);
    assert!(!page.contains("o pair has counted"));
}

#[test]
fn a_tuning_without_a_test_names_the_command_that_plays_one() {
    let setup = tuning("pairs = 4", "");
    let run = setup.run("run");
    let tuned = setup.play("tune", "run", &[]);
    assert_eq!(tuned.code, Some(0), "{}", tuned.stderr);
    let page = text(&run, "report.html");
    let command = format!("hone resume {} --verify", run.display());
    assert!(lead(&page).contains(&command), "{}", lead(&page));
    assert_eq!(report_json(&run)["verify"], Value::Null);
}

/// The factor is a power of two, so that scaling does not round and the games are the same.
#[test]
fn a_scaled_parameter_is_shown_in_the_engines_units() {
    let plain = tuning("pairs = 12", "ReverseFutilityBlend = {}");
    let scaled = tuning("pairs = 12", "ReverseFutilityBlend = { factor = 64 }");
    let reports = [&plain, &scaled].map(|setup| {
        let planned = setup.play("tune", "run", &["--dry-run"]);
        assert_eq!(planned.code, Some(0), "{}", planned.stderr);
        let tuned = setup.play("tune", "run", &[]);
        assert_eq!(tuned.code, Some(0), "{}", tuned.stderr);
        let run = setup.run("run");
        let page = text(&run, "report.html");
        let (_, values) = page.split_once("<section id=\"values\"").expect("values");
        let (values, _) = values.split_once("<section id=\"workers\"").expect("more");
        // All parameters are unclear after these pairs.
        assert!(!values.contains("<section id=\"responses\""));
        [
            planned.stdout,
            tuned.stdout.replace(&run.display().to_string(), "RUN"),
            values.to_string(),
            text(&run, "paths.svg"),
            text(&run, "responses.svg"),
        ]
    });
    let [plain_reports, scaled_reports] = reports;
    for (plain, scaled) in plain_reports.iter().zip(&scaled_reports) {
        let lines = plain.lines().zip(scaled.lines());
        for (plain, scaled) in lines {
            assert_eq!(plain, scaled);
        }
        assert_eq!(plain.len(), scaled.len());
    }
    // The JSON has the units of the configuration.
    let value = |setup: &Setup| {
        report_json(&setup.run("run"))["values"]["ReverseFutilityBlend"]
            .as_f64()
            .expect("a number")
    };
    assert!((value(&plain) - 64.0 * value(&scaled)).abs() < f64::EPSILON);
}
