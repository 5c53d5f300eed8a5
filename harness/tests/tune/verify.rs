//! The test that verifies the values of `hone tune`, with Stillwater.

use std::fs;

#[cfg(unix)]
use crate::common::running::Running;
use crate::common::{
    self, Setup, column, digest, finish, hone, on_run, resume, rows, stillwater, tuning, wait_until,
};

fn games(tune: &str) -> Setup {
    tuning(tune, "HistoryDecay = { min = 64, max = 1000 }")
}

#[test]
fn the_verifying_test_decides_the_exit_code() {
    let setup = games("pairs = 4");
    // One pair does not decide the test.
    let finished = setup.play(
        "tune",
        "run",
        &[
            "--verify",
            "--json",
            "--set",
            "tune.verify.sprt.max_pairs=1",
        ],
    );
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    let verify = &finished.json()["verify"];
    assert_eq!(verify["verdict"], "none");
    assert_eq!(verify["engines"][1]["options"]["QsDeltaMargin"], "20");
    assert_eq!(verify["pairs"], 1);
    // Lost games are played again only with `--replay-missing`.
    let run = setup.run("run");
    fs::remove_file(run.join("verify/games.pgn")).expect("removed");
    assert_eq!(on_run("resume", &run).code, Some(4));
    let resumed = resume(&run, &["--replay-missing"]);
    assert_eq!(resumed.code, Some(3), "{}", resumed.stderr);
    assert!(run.join("verify/games.pgn").exists());
}

#[test]
fn the_verifying_test_has_other_openings_than_the_tuning() {
    ["sequential", "random"]
        .into_iter()
        .for_each(has_other_openings);
}

fn has_other_openings(order: &str) {
    let setup = games("pairs = 4");
    let order = format!("match.openings.order={order}");
    let settings = [
        order.as_str(),
        "match.seed=9223372036854775807",
        "tune.verify.sprt.max_pairs=2",
    ];
    let args = settings.iter().flat_map(|setting| ["--set", *setting]);
    let args: Vec<&str> = ["--verify"].into_iter().chain(args).collect();
    let finished = setup.play("tune", "run", &args);
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    let openings = |folder: &str| -> Vec<String> {
        let mut names = column(&setup.run(folder), "opening");
        names.sort();
        names.dedup();
        names
    };
    let (tuned, tested) = (openings("run"), openings("run/verify"));
    assert_eq!((tuned.len(), tested.len()), (4, 2), "{tuned:?} {tested:?}");
    assert!(
        tested.iter().all(|opening| !tuned.contains(opening)),
        "{tuned:?} {tested:?}"
    );
    // The games of the tuning are known.
    let manifest = fs::read_to_string(setup.run("run/verify/run.toml")).expect("there");
    assert!(
        manifest.contains("[[earlier]]\nfolder = \"..\"\npairs = 4\n"),
        "{manifest}"
    );
    // TOML can hold the seed: the run can be read.
    assert_eq!(on_run("report", &setup.run("run/verify")).code, Some(0));
}

/// The test starts after the tuning, which may take hours.
#[test]
fn a_missing_book_of_the_test_is_found_before_the_tuning() {
    let setup = games("pairs = 4\nverify = { openings = \"nothere.epd\" }");
    for (args, place) in [
        (&[][..], Some("config.toml:16:23\n")),
        (&["--dry-run"], Some("config.toml:16:23\n")),
        (&["--set", "tune.verify.openings=no.epd"], None),
    ] {
        let refused = setup.play("tune", "run", args);
        let text = &refused.stderr;
        assert_eq!(refused.code, Some(2), "{args:?}: {text}");
        assert!(text.contains("`openings` in [tune.verify]: "), "{text}");
        assert_eq!(text.contains("  --> "), place.is_some(), "{text}");
        assert!(text.contains(place.unwrap_or("no.epd")), "{text}");
        assert!(!setup.run("run").exists(), "{args:?}");
    }
}

#[test]
fn values_that_did_not_change_are_not_tested() {
    let setup = games("pairs = 4\nspsa = { gain = 0, gain_end = 0 }");
    let finished = setup.play("tune", "run", &["--verify"]);
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    let sentence = "The values did not change";
    assert!(finished.stderr.contains(sentence), "{}", finished.stderr);
    assert!(!setup.run("run/verify").exists());
    let page = fs::read_to_string(setup.run("run/report.html")).unwrap();
    assert!(page.contains(sentence));
    assert!(page.contains("Predicted gain: uncertain"));
    let again = on_run("resume", &setup.run("run"));
    assert_eq!(again.code, Some(3), "{}", again.stderr);
}

/// The engine sends the signal when it starts for the test, after the report of the tuning.
#[cfg(unix)]
#[test]
fn a_request_to_stop_between_a_tuning_and_its_test_is_obeyed() {
    let setup = games("pairs = 4");
    let run = setup.run("run");
    let (report, sent) = (run.join("report.html"), setup.run("sent"));
    let text = format!(
        "#!/bin/sh\nif [ -e '{report}' ] && [ ! -e '{sent}' ]; then : >'{sent}'; kill -INT $PPID; fi\nexec '{engine}'\n",
        report = report.display(),
        sent = sent.display(),
        engine = stillwater().display()
    );
    let engine = common::script(setup.dir.path(), "engine", &text);
    let cmd = format!("engine.sw.cmd={}", engine.display());
    let args = [
        "--verify",
        "--set",
        &cmd,
        "--set",
        "engine.sw.trusted=true",
        "--set",
        "tune.verify.sprt.max_pairs=1",
    ];
    let stopped = setup.play("tune", "run", &args);
    assert!(sent.exists());
    assert_eq!(stopped.code, Some(130), "{}", stopped.stderr);
    assert!(stopped.stderr.contains("hone resume"), "{}", stopped.stderr);
    assert_eq!(rows(&run.join("verify")), 0);
    let resumed = on_run("resume", &run);
    assert_eq!(resumed.code, Some(3), "{}", resumed.stderr);
    assert_eq!(rows(&run.join("verify")), 2);
}

/// The verifying test is interrupted after its first pair.
#[cfg(unix)]
#[test]
fn a_tuning_that_has_ended_can_be_verified() {
    let setup = games("pairs = 4");
    let tuned = setup.play("tune", "run", &[]);
    assert_eq!(tuned.code, Some(0), "{}", tuned.stderr);
    let run = setup.run("run");
    let values = run.join("values.txt").display().to_string();
    assert!(tuned.stdout.contains(&values), "{}", tuned.stdout);
    let advice = format!("hone resume {} --verify", run.display());
    assert!(tuned.stderr.contains(&advice), "{}", tuned.stderr);
    let before = digest(&run);
    let mut command = hone();
    command.arg("resume").arg(&run).arg("--verify");
    let verifying = Running::start(&mut command);
    wait_until("verifying games", || rows(&run.join("verify")) >= 2);
    common::signal(&verifying, libc::SIGINT);
    assert_eq!(verifying.finish().code, Some(130));
    // The time limit of the process ends the test too.
    let before_test = rows(&run.join("verify"));
    let limited = resume(&run, &["--max-time", "1s"]);
    assert_eq!(limited.code, Some(3), "{}", limited.stderr);
    assert!(
        limited.stderr.contains("Time limit reached"),
        "{}",
        limited.stderr
    );
    assert!(rows(&run.join("verify")) >= before_test);
    // The manifest has `--verify`: later commands need not repeat it.
    let manifest = fs::read_to_string(run.join("run.toml")).unwrap();
    assert!(manifest.contains("[config.tune.verify"), "{manifest}");
    let verified = on_run("verify", &run);
    assert_eq!(verified.code, Some(0), "{}", verified.stdout);
    assert_eq!(verified.digest(), before);
    // The games of the test are checked too.
    let pgn = run.join("verify/games.pgn");
    let games = fs::read_to_string(&pgn).unwrap();
    fs::write(&pgn, games.replace("\"tuned\"", "\"other\"")).unwrap();
    let verified = on_run("verify", &run);
    assert_eq!(verified.code, Some(1), "{}", verified.stdout);
    let (of_test, of_tuning) = verified.stdout.split_once("\ntuning\n").unwrap();
    assert!(of_test.starts_with("verifying test\n"), "{of_test}");
    assert!(of_tuning.contains(" 0 faults;"), "{of_tuning}");
    assert_eq!(verified.digest(), before);
}

#[test]
fn missing_games_are_played_again_before_the_values_are_verified() {
    let setup = games("pairs = 4");
    let tuned = setup.play("tune", "run", &[]);
    assert_eq!(tuned.code, Some(0), "{}", tuned.stderr);
    let run = setup.run("run");
    fs::remove_file(run.join("games.pgn")).expect("removed");
    let limited = resume(&run, &["--verify", "--replay-missing", "--max-time", "1s"]);
    // How far the test gets in this time depends on the machine.
    assert!(
        matches!(limited.code, Some(0 | 1 | 3)),
        "{}",
        limited.stderr
    );
    assert!(run.join("games.pgn").exists());
}

/// An engine keeps its old value if it does not accept a new one: the games of such a tuning
/// would not depend on its values.
#[test]
fn values_that_the_engine_does_not_accept_are_refused() {
    let setup = games("pairs = 4");
    let text = fs::read_to_string(&setup.config).unwrap();
    let play = |entry: &str, args: &[&str]| {
        let text = text.replace("QsDeltaMargin = { min = 0, max = 400 }", entry);
        fs::write(&setup.config, text).unwrap();
        setup.play("tune", "run", args)
    };
    let refused = |entry: &str, args: &[&str], value: &str, allowed: &str| {
        let finished = play(entry, args);
        assert_eq!(finished.code, Some(2), "{entry}: {}", finished.stderr);
        for part in [value, allowed] {
            assert!(finished.stderr.contains(part), "{}", finished.stderr);
        }
        assert!(!setup.run("run").exists());
    };
    let margin = "option `QsDeltaMargin`; allowed: whole numbers from 0 to 4000";
    for (entry, value) in [
        ("QsDeltaMargin = { max = 5000 }", "`5000`"),
        // The bounds are those of the option, not divided by the factor.
        (
            "QsDeltaMargin = { factor = 100, min = 0, max = 600 }",
            "`60000`",
        ),
        ("QsDeltaMargin = { decimals = 2 }", "`0.00`"),
    ] {
        refused(entry, &[], value, margin);
    }
    refused(
        "QsNodeDelta = { choices = [\"off\", \"margin\", \"best-capure\"] }",
        &[],
        "`best-capure`",
        "option `QsNodeDelta`; allowed: one of: off, margin, best-capture",
    );
    let list = setup.run("list");
    let set = format!("tune.import={}", list.display());
    for import in [
        "QsDeltaMargin, int, 200, 0, 5000, 20, 0.002",
        r#"{"QsDeltaMargin": {"value": 200, "min_value": 0, "max_value": 5000, "step": 20}}"#,
    ] {
        fs::write(&list, import).unwrap();
        refused("", &["--set", &set], "`5000`", margin);
    }
    fs::write(&list, "QsDeltaMargin, int, many, 0, 600, 20, 0.002").unwrap();
    let finished = play("", &["--set", &set]);
    let reasons = finished.stderr.matches("`many` is not a number").count();
    assert_eq!(
        (finished.code, reasons),
        (Some(2), 1),
        "{}",
        finished.stderr
    );
    let finished = play("QsDeltaMargin = { factor = 100 }", &["--dry-run"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
}

/// Tunes with an engine that runs the shell command `change` at its third game, after which
/// the verifying test must be refused with `message`. Also returns the engine's script.
#[cfg(unix)]
fn tuned_but_not_verified(change: &str, message: &str) -> (Setup, String) {
    let setup = games("pairs = 4");
    let folder = setup.dir.path();
    let text = fs::read_to_string(&setup.config).unwrap();
    let stillwater = stillwater().display().to_string();
    let book = common::workspace().join("books/quick.epd");
    fs::copy(book, setup.run("book.epd")).unwrap();
    let text = text
        .replace(&format!("{stillwater:?}"), "\"./engine\"")
        .replace("books/quick.epd", "book.epd")
        .replace("[match]", "[match]\nconcurrency = 1");
    fs::write(&setup.config, text).unwrap();
    let script = format!(
        "#!/bin/sh\ngames=0\nwhile read -r line; do\n\
         [ \"$line\" != ucinewgame ] || games=$((games + 1))\n\
         if [ $games = 3 ]; then games=4; {change}; fi\n\
         echo \"$line\"\n[ \"$line\" != quit ] || break\ndone | '{stillwater}'\n"
    );
    common::script(folder, "engine", &script);
    let one_pair = ["--verify", "--set", "tune.verify.sprt.max_pairs=1"];
    let mut tune = setup.command("tune", "run", &one_pair);
    tune.current_dir(folder);
    let tuned = finish(tune);
    assert_eq!(tuned.code, Some(4), "{}", tuned.stdout);
    assert!(tuned.stderr.contains(message), "{}", tuned.stderr);
    assert!(!setup.run("run/verify").exists());
    (setup, script)
}

#[cfg(unix)]
#[test]
fn values_are_not_verified_with_another_book() {
    let change = "tail -n +2 book.epd >book.$$; mv book.$$ book.epd";
    let message = "the book book.epd is not the one this run was started with";
    tuned_but_not_verified(change, message);
}

/// An engine that replaces its own file, as a compiler does.
#[cfg(unix)]
#[test]
fn values_are_verified_with_the_engine_that_was_tuned() {
    let change = "cp \"$0\" \"$0.$$\"; echo '# changed' >>\"$0.$$\"; mv \"$0.$$\" \"$0\"";
    let message = "/engine has changed (sha256";
    let (setup, script) = tuned_but_not_verified(change, message);
    let verify = setup.run("run/verify");

    // With the engine that was tuned, and from any folder.
    fs::write(setup.run("engine"), &script).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let mut resume = hone();
    resume.arg("resume").arg(setup.run("run"));
    resume.current_dir(elsewhere.path());
    let resumed = finish(resume);
    assert_eq!(resumed.code, Some(3), "{}", resumed.stderr);
    assert_eq!(rows(&verify), 2);
}
