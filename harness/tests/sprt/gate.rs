//! The merge gate: `hone sprt` on commits, as a job of continuous integration
//! runs it.

use std::fs;
use std::path::PathBuf;

use crate::common::repository::{BUILD, EngineRepository, SLOW, WEAK};
use crate::common::{
    self, Finished, Setup, engines, finish, on_run, report, rows, scripted, workspace,
};

/// A repository whose `main` is Stillwater without quiescence search, which
/// costs it hundreds of Elo.
fn repository() -> EngineRepository {
    let repository = EngineRepository::new();
    repository.commit_engine(WEAK, 5, "Main");
    repository.git(&["checkout", "--quiet", "-b", "change"]);
    repository
}

struct Gate {
    finished: Finished,
    run: PathBuf,
    summary: String,
    step_summary: String,
}

/// Tests `HEAD` against `main`.
fn gate(repository: &EngineRepository, more: &[&str]) -> Gate {
    let folder = tempfile::tempdir_in(repository.dir.path())
        .expect("made")
        .keep();
    let step = folder.join("step.md");
    fs::write(&step, "earlier\n").expect("written");
    let mut command = repository.hone();
    command
        .args([
            "sprt", "--dev", "git:HEAD", "--base", "git:main", "--build", BUILD,
        ])
        .args(["--limit", "nodes=1", "--json", "--book"])
        .arg(workspace().join("books/quick.epd"))
        .args(["--set", "adjudication.max_moves=20"])
        .args([
            "--set",
            "adjudication.resign={count=3,score=400,twosided=false}",
        ])
        .arg("--out")
        .arg(folder.join("run"))
        .arg("--summary")
        .arg(folder.join("summary.md"))
        .args(more)
        .env("GITHUB_STEP_SUMMARY", &step);
    let finished = finish(command);
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    Gate {
        finished,
        run: folder.join("run"),
        summary: read("summary.md"),
        step_summary: read("step.md"),
    }
}

#[test]
fn a_good_change_passes() {
    let repository = repository();
    let commit = repository.commit_engine("", 6, "Quiescence search\n\nBench: 6");
    let gate = gate(
        &repository,
        &["--profile", "gain", "--set", "sprt.elo1=50.0"],
    );
    assert_eq!(gate.finished.code, Some(0), "{}", gate.finished.stderr);
    assert_eq!(gate.finished.json()["verdict"], "H1");
    assert!(
        gate.summary.starts_with("## hone: passed"),
        "{}",
        gate.summary
    );
    for part in [
        &format!("H1 accepted: {} is stronger than main", &commit[..10]),
        &format!("commit `{}` Quiescence search, bench 6", &commit[..10]),
    ] {
        assert!(gate.summary.contains(part), "{part}: {}", gate.summary);
    }
    assert_eq!(gate.step_summary, format!("earlier\n{}", gate.summary));
}

#[test]
fn a_subject_is_text_in_the_summary() {
    let repository = repository();
    let subject = "Faster, @team: [here](https://evil.example) <img src=x> | #1";
    repository.commit_engine("", 6, subject);
    let gate = gate(&repository, &["--set", "sprt.max_pairs=1"]);
    assert_eq!(gate.finished.code, Some(3), "{}", gate.finished.stderr);
    assert!(gate.summary.contains("Faster, @"), "{}", gate.summary);
    for part in ["@team", "[here]", "://", "<img", " | #", "#1"] {
        assert!(!gate.summary.contains(part), "{part} in {}", gate.summary);
    }
}

#[test]
fn a_bad_change_fails() {
    let repository = repository();
    repository.git(&["checkout", "--quiet", "main"]);
    repository.commit_engine("", 6, "Better");
    repository.git(&["checkout", "--quiet", "change"]);
    let gate = gate(&repository, &["--profile", "non-regression"]);
    assert_eq!(gate.finished.code, Some(1), "{}", gate.finished.stderr);
    assert!(
        gate.summary.starts_with("## hone: failed"),
        "{}",
        gate.summary
    );
    assert!(
        gate.summary.contains(" is weaker than main ("),
        "{}",
        gate.summary
    );
    assert_eq!(gate.finished.json()["sprt"]["elo0"], -5.0);
}

#[test]
fn no_change_within_the_budget_is_undecided_and_can_be_resumed() {
    let repository = repository();
    let slow = format!("{WEAK} {SLOW}");
    repository.commit_engine(&slow, 5, "No functional change\n\nBench: 5");
    let gate = gate(&repository, &["--profile", "gain", "--max-time", "2s"]);
    assert_eq!(gate.finished.code, Some(3), "{}", gate.finished.stderr);
    assert!(
        gate.summary.starts_with("## hone: no decision"),
        "{}",
        gate.summary
    );
    assert!(
        gate.summary.contains("To resume: `hone resume "),
        "{}",
        gate.summary
    );
    assert!(
        gate.finished.stderr.contains("Time limit reached"),
        "{}",
        gate.finished.stderr
    );
    let before = rows(&gate.run);
    let mut resume = repository.hone();
    resume
        .arg("resume")
        .arg(&gate.run)
        .args(["--max-time", "1s", "--json"]);
    let resumed = finish(resume);
    assert_eq!(resumed.code, Some(3), "{}", resumed.stderr);
    // Pairs in progress at the time limit are finished.
    assert_eq!(resumed.json()["games"], rows(&gate.run));
    assert_eq!(resumed.json()["finished"], false);
    assert!(rows(&gate.run) > before, "{}", resumed.stderr);
    // So ends a test whose number of pairs is limited.
    let gate = self::gate(&repository, &["--set", "sprt.max_pairs=3"]);
    assert_eq!(gate.finished.code, Some(3), "{}", gate.finished.stderr);
    let json = report(&gate.run, &["--json"]).json();
    assert_eq!(
        (&json["verdict"], &json["finished"], &json["max_pairs"]),
        (&"none".into(), &true.into(), &3.into())
    );
}

#[test]
fn a_broken_build_is_distinguished_from_a_bad_change() {
    let repository = repository();
    repository.write("build.sh", "echo engine.c:7: error: no such thing; exit 3");
    repository.commit("Broken");
    let gate = gate(&repository, &[]);
    assert_eq!(gate.finished.code, Some(4), "{}", gate.finished.stderr);
    for text in [&gate.finished.stderr, &gate.summary] {
        assert!(
            text.contains("(Broken) does not build (exit status: 3)"),
            "{text}"
        );
        assert!(text.contains("engine.c:7: error: no such thing"), "{text}");
    }
    assert!(
        gate.summary.starts_with("## hone: not played"),
        "{}",
        gate.summary
    );
    assert!(!gate.run.exists());
}

/// A build that takes longer is finished, and the run can be resumed.
#[test]
fn the_time_limit_includes_builds() {
    let repository = repository();
    let build = fs::read_to_string(repository.path().join("build.sh")).expect("there");
    repository.write("build.sh", &format!("sleep 1.1\n{build}"));
    repository.commit("A slow build");
    let gate = gate(
        &repository,
        &["--max-time", "1s", "--set", "sprt.max_pairs=2"],
    );
    assert_eq!(gate.finished.code, Some(3), "{}", gate.finished.stderr);
    let reached = "Time limit reached. Resume with ";
    assert!(
        gate.finished.stderr.contains(reached),
        "{}",
        gate.finished.stderr
    );
    assert_eq!(rows(&gate.run), 0);
    let mut resume = repository.hone();
    resume
        .arg("resume")
        .arg(&gate.run)
        .args(["--max-time", "1h"]);
    let resumed = finish(resume);
    assert_eq!(resumed.code, Some(3), "{}", resumed.stderr);
    assert_eq!(rows(&gate.run), 4);
}

/// As in a shallow clone. The build command would be guessed from the commit, which is missing.
#[test]
fn a_revision_that_is_missing_is_in_the_summary() {
    let repository = repository();
    let [summary, step] = ["s.md", "step.md"].map(|name| repository.dir.path().join(name));
    let [head, missing] = ["git:HEAD", "git:v0.1"];
    for arguments in [
        &["sprt", "--dev", head, "--base", missing][..],
        &["match", head, missing],
    ] {
        for path in [&summary, &step] {
            fs::write(path, "earlier\n").expect("written");
        }
        let mut command = repository.hone();
        command.args(arguments).args(["--build", BUILD]);
        command.arg("--summary").arg(&summary);
        command.env("GITHUB_STEP_SUMMARY", &step);
        let refused = finish(command);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        let text = fs::read_to_string(&summary).expect("there");
        assert!(text.starts_with("## hone: not played"), "{text}");
        let message = "has no commit, tag or branch `v0.1`";
        assert!(text.contains(message), "{text}");
        let appended = fs::read_to_string(&step).expect("there");
        assert_eq!(appended, format!("earlier\n{text}"));
    }
}

#[test]
fn a_build_that_does_not_start_is_a_broken_build() {
    let repository = repository();
    repository.write(
        "engine.sh",
        "#!/bin/sh\necho libnet.so is missing >&2\nexit 127\n",
    );
    repository.commit("Broken");
    let gate = gate(&repository, &[]);
    assert_eq!(gate.finished.code, Some(4), "{}", gate.finished.stderr);
    for text in [&gate.finished.stderr, &gate.summary] {
        let once = text.matches("libnet.so is missing").count();
        assert_eq!(once, 1, "{text}");
        assert!(text.contains("it builds but does not start"), "{text}");
    }
    assert!(!gate.run.exists());
}

#[test]
fn uncommitted_changes_and_programs_can_be_tested_too() {
    let repository = repository();
    repository.write_engine("", 7);
    let program = scripted();
    let mut command = repository.hone();
    command
        .args(["sprt", "--dev", "worktree:", "--base"])
        .arg(format!("path:{program}"))
        .args([
            "--build",
            BUILD,
            "--limit",
            "nodes=100",
            "--set",
            "sprt.max_pairs=2",
            "--json",
        ])
        .args(["--set", "adjudication.max_moves=40", "--out"])
        .arg(repository.dir.path().join("run"));
    let finished = finish(command);
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    assert_eq!(finished.json()["engines"][0]["bench"], 7);
    let mut command = repository.hone();
    command.args(["sprt", "--dev", "git:HEAD"]);
    let incomplete = finish(command);
    assert_eq!(incomplete.code, Some(2));
    assert!(
        incomplete.stderr.contains("`--base` is missing"),
        "{}",
        incomplete.stderr
    );
}

#[test]
fn a_configuration_and_the_command_line_are_combined() {
    let repository = repository();
    repository.commit_engine("", 6, "Change");
    let config = repository.dir.path().join("gate.toml");
    let engine =
        |name: &str| format!("[[engine]]\nname = \"{name}\"\ngit = \".\"\nbuild = \"{BUILD}\"\n");
    let conditions =
        "[match]\nlimit = \"nodes=100\"\n[adjudication]\nmax_moves = 40\n[sprt]\nmax_pairs = 2\n";
    fs::write(&config, engine("new") + &engine("old") + conditions).expect("written");
    let mut command = repository.hone();
    command
        .arg("sprt")
        .arg(&config)
        .args(["--base", "git:main", "--json", "--out"])
        .arg(repository.dir.path().join("run"));
    let finished = finish(command);
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    let json = finished.json();
    assert_eq!(json["engines"][0]["name"], "new");
    assert_eq!(json["engines"][0]["bench"], 6);
    assert_eq!(json["engines"][1]["bench"], 5);
    assert_eq!(json["pairs"], 2);
}

/// A test of an engine that makes an illegal move in each game.
fn failing(max_failures: &str) -> Setup {
    let bad = format!("{} move=illegal", scripted());
    let players = engines(("bad@home", &bad, ""), ("good", &scripted(), ""));
    Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=10\"\nconcurrency = 1\nmax_failures = {max_failures}\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 20\n\
         [sprt]\nelo0 = -200.0\nelo1 = 200.0\nalpha = 1e-300\nbeta = 1e-300\n"
    ))
}

/// Standard output, report and summaries of a run that an error stopped have all its games;
/// the error comes last. `step` is the earlier content of the job's summary.
fn has_results_so_far(finished: &Finished, setup: &Setup, step: &str) {
    assert_eq!(finished.code, Some(4), "{}", finished.stderr);
    let run = setup.run("run");
    let json = finished.json();
    assert_eq!(json["games"], rows(&run));
    assert_eq!(json, report(&run, &["--json"]).json());
    let file = fs::read_to_string(run.join("report.json")).expect("written");
    let file: serde_json::Value = serde_json::from_str(&file).expect("JSON");
    assert_eq!(json, file);
    let text = fs::read_to_string(run.join("report.md")).expect("written");
    assert!(text.contains("bad"), "{text}");
    assert!(run.join("report.html").exists());

    let summary = fs::read_to_string(setup.run("summary.md")).expect("written");
    let failed = "## hone: stopped\n\nThe run stopped: bad@<!-- -->home failed in ";
    assert!(summary.starts_with(failed), "{summary}");
    let games = format!("| games | {}: W-D-L", rows(&run));
    for part in [&games, "To resume: `hone resume "] {
        assert!(summary.contains(part), "{part}: {summary}");
    }
    let appended = fs::read_to_string(setup.run("step.md")).expect("written");
    assert_eq!(appended, format!("{step}{summary}"));
    let (_, error) = finished.stderr.split_once("error: ").expect("an error");
    assert!(error.contains("home failed in "), "{error}");
    let last = finished.stderr.lines().next_back().expect("lines");
    assert!(last.starts_with("help: "), "{last}");
}

#[test]
fn a_test_that_an_error_stops_has_its_results_so_far() {
    let setup = failing("0.1");
    let mut command = setup.command("sprt", "run", &["--json", "--summary"]);
    command.arg(setup.run("summary.md"));
    command.env("GITHUB_STEP_SUMMARY", setup.run("step.md"));
    has_results_so_far(&finish(command), &setup, "");
    assert_eq!(on_run("verify", &setup.run("run")).code, Some(0));
}

#[test]
fn a_resumed_test_that_an_error_stops_leaves_no_earlier_results() {
    let setup = failing("1.0");
    let first = setup.play("sprt", "run", &["--max-time", "1s"]);
    assert_eq!(first.code, Some(3), "{}", first.stderr);
    let run = setup.run("run");
    // `max_failures` does not change the games.
    let manifest = fs::read_to_string(run.join("run.toml")).expect("there");
    let strict = manifest.replace("max_failures = 1.0", "max_failures = 0.1");
    fs::write(run.join("run.toml"), strict).expect("written");
    for name in ["run/report.json", "run/report.md", "summary.md", "step.md"] {
        fs::write(setup.run(name), "earlier\n").expect("written");
    }
    let mut command = common::hone();
    command
        .arg("resume")
        .arg(&run)
        .args(["--max-time", "1h", "--json", "--summary"]);
    command.arg(setup.run("summary.md"));
    command.env("GITHUB_STEP_SUMMARY", setup.run("step.md"));
    has_results_so_far(&finish(command), &setup, "earlier\n");
}
