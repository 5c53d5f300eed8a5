//! `[[stage]]`: several tests with one name and one verdict.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::running::Running;
use crate::common::{
    self, Finished, Setup, digest, finish, lead, on_run, random_players, report, resume, rows,
    script, scripted, wait_until, workspace,
};

/// A test that two random players pass, and one that they fail.
const PASSED: &str = "sprt = { elo0 = -150.0, elo1 = -50.0 }";
const FAILED: &str = "sprt = { elo0 = 50.0, elo1 = 150.0 }";

/// A test whose first stage passes; `second` is the configuration of the second stage, and
/// `more` follows it.
fn stages(second: &str, more: &str) -> Setup {
    let players = random_players();
    Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\nconcurrency = 2\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 40\n\
         [[stage]]\nname = \"STC\"\n{PASSED}\n[[stage]]\nname = \"LTC\"\nlimit = \"nodes=2\"\n{second}\n{more}"
    ))
}

#[test]
fn a_change_that_passes_all_stages_passes() {
    let setup = stages(PASSED, "");
    let played = setup.play("sprt", "runs/run", &["--json"]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let json = played.json();
    assert_eq!(
        (&json["verdict"], &json["finished"], &json["stage"]),
        (&"H1".into(), &true.into(), &2.into())
    );
    assert_eq!(
        (&json["run"], &json["limit"]),
        (&"run".into(), &"nodes=2".into())
    );
    let limits = [0, 1].map(|stage: usize| json["stages"][stage]["limit"].clone());
    assert_eq!(limits, ["nodes=1", "nodes=2"]);
    let run = setup.run("runs/run");
    let reported = on_run("report", &run);
    assert_eq!(reported.code, Some(0), "{}", reported.stderr);
    for part in [
        "Stage 1 of 2 (STC)\nResults of one vs two (nodes=1",
        "Stage 2 of 2 (LTC)\nResults of one vs two (nodes=2",
        "The change passed: all stages accepted H1.",
    ] {
        assert!(
            reported.stdout.contains(part),
            "{part}: {}",
            reported.stdout
        );
    }
    let page = fs::read_to_string(run.join("report.html")).expect("there");
    assert!(
        page.contains("stage-2/report.html"),
        "the first page has a link to the second"
    );
    assert_eq!(
        lead(&page),
        " good\"><p>The change passed: all stages accepted H1.</p>\
         <p>Unless another stage is named, the numbers and games on this page are those of \
         stage 1 of 2 (STC).</p>"
    );
    assert!(run.join("stage-2/report.html").exists());
    let listed = on_run("runs", &setup.run("runs"));
    assert!(listed.stdout.contains(" H1 "), "{}", listed.stdout);
    assert!(
        listed.stdout.contains(", stage 2 of 2 (LTC)"),
        "{}",
        listed.stdout
    );
    // The numbers are those of the last stage, as in the JSON.
    let text = report(&run, &["--format", "openbench"]).stdout;
    assert!(text.contains("SPRT  | nodes=2"), "{text}");
    // A stage is a separate run with its own openings.
    assert_ne!(digest(&run), digest(&run.join("stage-2")));
    let manifest = fs::read_to_string(run.join("stage-2/run.toml")).expect("there");
    assert!(manifest.contains("seed = 1\n"), "{manifest}");
    // Pairs that were finished after the verdict do not count.
    let judged = report(&run, &["--json"]).json()["stages"][0]["pairs"].as_u64();
    let [pairs, openings] = ["pair", "opening"].map(|name| common::column(&run, name));
    let counts = |pair: &String| pair.parse().ok() <= judged;
    let first = pairs.iter().zip(&openings).filter(|(pair, _)| counts(pair));
    let second = common::column(&run.join("stage-2"), "opening");
    for (pair, opening) in first {
        assert!(!second.contains(opening), "pair {pair}: {second:?}");
    }
    // The test has ended: resuming it has the same exit code.
    let resumed = on_run("resume", &run);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    // Between two stages the test has no verdict.
    fs::remove_dir_all(run.join("stage-2")).expect("removed");
    let json = report(&run, &["--json"]).json();
    assert_eq!(
        (&json["verdict"], &json["finished"], &json["stage"]),
        (&"none".into(), &false.into(), &1.into())
    );
    assert_eq!(json["stages"][0]["finished"], true);
}

/// The second stage has the limit of the first, so games from the same openings are the same.
#[test]
fn games_of_an_earlier_stage_are_not_new_evidence() {
    let endless = "limit = \"nodes=1\"\nsprt = { elo0 = -5.0, elo1 = 5.0, max_pairs = 200 }";
    let setup = stages("", "");
    let config = fs::read_to_string(&setup.config).expect("there");
    let config = config.replace("limit = \"nodes=2\"", endless);
    let book = fs::read_to_string(workspace().join("books/quick.epd")).expect("there");
    let lines: Vec<&str> = book.lines().take(40).collect();
    let small = setup.dir.path().join("small.epd");
    fs::write(&small, lines.join("\n")).expect("written");
    let config = config.replace("books/quick.epd", small.to_str().expect("a path"));
    fs::write(&setup.config, config).expect("written");
    let played = setup.play("sprt", "run", &["--json"]);
    assert_eq!(played.code, Some(3), "{}", played.stderr);
    let warning = "pairs are planned in all stages together, but there are 40 distinct openings";
    assert!(played.stderr.contains(warning), "{}", played.stderr);
    let json = played.json();
    assert_eq!(json["reason"], "repeated_games", "{json}");
    let pairs = [0, 1].map(|stage: usize| json["stages"][stage]["pairs"].as_u64());
    let [Some(first), Some(second)] = pairs else {
        panic!("{json}");
    };
    assert_eq!(first + second, 40, "{json}");
    assert_eq!(json["stages"][1]["repeated_pairs"], 20);
    // Every reader of the ledger agrees.
    let run = setup.run("run");
    assert_eq!(resume(&run, &[]).code, Some(3));
    let again = report(&run, &["--json"]).json();
    assert_eq!(again["stages"][1]["pairs"], second);
    let verified = on_run("verify", &run);
    assert_eq!(verified.code, Some(0), "{}", verified.stderr);
}

#[test]
fn a_stage_that_fails_is_the_last() {
    let third = format!("[[stage]]\nname = \"VLTC\"\n{PASSED}\n");
    let setup = stages(FAILED, &third);
    let played = setup.play("sprt", "run", &[]);
    assert_eq!(played.code, Some(1), "{}", played.stderr);
    assert!(
        played
            .stdout
            .ends_with("The change failed: stage 2 of 3 (LTC) accepted H0.\n"),
        "{}",
        played.stdout
    );
    let run = setup.run("run");
    assert!(!run.join("stage-3").exists());
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(run.join("report.json")).expect("there"))
            .expect("JSON");
    assert_eq!(
        (&json["verdict"], &json["finished"], &json["stage"]),
        (&"H0".into(), &true.into(), &2.into())
    );
    let markdown = fs::read_to_string(run.join("report.md")).expect("there");
    assert!(markdown.contains("The change failed"), "{markdown}");
    let page = fs::read_to_string(run.join("report.html")).expect("there");
    assert_eq!(
        lead(&page),
        " bad\"><p>The change failed: stage 2 of 3 (LTC) accepted H0.</p>\
         <p>Unless another stage is named, the numbers and games on this page are those of \
         stage 1 of 3 (STC).</p>"
    );
}

#[test]
fn kills_in_any_stage_change_nothing() {
    // Engines so slow that most kills interrupt a game.
    let late = [("one", 1), ("two", 2)]
        .map(|(name, seed)| format!("engine.{name}.cmd={} --seed {seed} go=late:1", scripted()));
    let setup = stages(PASSED, "");
    let play = ["--set", &late[0], "--set", &late[1]];
    let undisturbed = setup.play("sprt", "undisturbed", &play);
    assert_eq!(undisturbed.code, Some(0), "{}", undisturbed.stderr);
    let run = setup.run("killed");
    let second = run.join("stage-2");
    let all = |run: &Path| rows(run) + rows(&run.join("stage-2"));
    let whole = all(&setup.run("undisturbed"));
    let mut hits = [0, 0];
    for share in 1..8 {
        let mut command = if run.join("run.toml").exists() {
            let mut resume = common::hone();
            resume.arg("resume").arg(&run);
            resume
        } else {
            setup.command("sprt", "killed", &play)
        };
        let mut playing = Running::start(command.stdout(Stdio::null()).stderr(Stdio::null()));
        let mut has_ended = false;
        wait_until("some games", || {
            has_ended = playing.has_ended();
            has_ended || all(&run) >= share * whole / 8
        });
        playing.kill();
        hits[usize::from(second.exists())] += usize::from(!has_ended);
    }
    assert!(hits.iter().all(|hits| *hits > 0), "{hits:?}");
    let resumed = on_run("resume", &run);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert!(second.join("report.html").exists());
    let undisturbed = setup.run("undisturbed");
    assert_eq!(digest(&run), digest(&undisturbed));
    assert_eq!(digest(&second), digest(&undisturbed.join("stage-2")));
}

/// The engine sends the signal when it starts for the second stage, after the report of the
/// first.
#[test]
fn a_request_to_stop_between_two_stages_is_obeyed() {
    for signal in ["INT", "TERM"] {
        let setup = stages(PASSED, "");
        let run = setup.run("run");
        let (report, sent) = (run.join("report.html"), setup.run("sent"));
        let text = format!(
            "#!/bin/sh\nif [ -e '{report}' ] && [ ! -e '{sent}' ]; then : >'{sent}'; kill -{signal} $PPID; fi\n\
             exec '{engine}' --seed 1\n",
            report = report.display(),
            sent = sent.display(),
            engine = scripted()
        );
        let engine = script(setup.dir.path(), "engine", &text);
        let cmd = format!("engine.one.cmd={}", engine.display());
        let trusted = "engine.one.trusted=true";
        let args = ["--set", &cmd, "--set", trusted];
        let stopped = setup.play("sprt", "run", &args);
        assert!(sent.exists());
        assert_eq!(stopped.code, Some(130), "{signal}: {}", stopped.stderr);
        assert!(stopped.stderr.contains("hone resume"), "{}", stopped.stderr);
        let second = run.join("stage-2");
        assert_eq!(rows(&second), 0, "{signal}");
        let resumed = on_run("resume", &run);
        assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
        assert!(rows(&second) > 0);
    }
}

#[test]
fn a_later_stage_whose_games_are_lost_is_played_again_when_that_is_asked_for() {
    let setup = stages(PASSED, "");
    let played = setup.play("sprt", "run", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let run = setup.run("run");
    let whole = digest(&run);
    let games = run.join("stage-2/games.pgn");
    fs::remove_file(&games).expect("removed");
    let refused = on_run("resume", &run);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("`hone resume --replay-missing`"),
        "{}",
        refused.stderr
    );
    let resumed = resume(&run, &["--replay-missing"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(digest(&run), whole);
}

#[test]
fn settings_that_a_later_stage_cannot_play_are_refused_at_once() {
    let setup = stages(PASSED, "");
    for (args, message) in [
        (
            &["--limit", "nodes=5"][..],
            "--limit is given, but [[stage]] sets its own `limit`",
        ),
        (&["--elo1", "3"], "sets its own `sprt`"),
        (
            &["--shard", "1/2"],
            "all shards together decide whether a stage is passed",
        ),
        (
            &["--set", "stage.1.openings=no/such.epd"],
            "stage 2 of 2 (LTC)",
        ),
        (&["--set", "stage.1.options.NoSuch=1"], "NoSuch"),
        (&["--set", "stage.1.limt=nodes=5"], "limt"),
    ] {
        let refused = setup.play("sprt", "run", args);
        assert_eq!(refused.code, Some(2), "{args:?}: {}", refused.stderr);
        assert!(
            refused.stderr.contains(message),
            "{message}: {}",
            refused.stderr
        );
        assert!(!setup.run("run").exists(), "{args:?}");
    }
}

/// A shell command by which a player replaces its own file, as a compiler does.
const CHANGE_ITSELF: &str =
    "cp \"$0\" \"$0.new\"; echo '# changed' >>\"$0.new\"; mv \"$0.new\" \"$0\"";

/// A shell command that replaces a book by a copy without its first line.
fn shorten(book: &str) -> String {
    format!("tail -n +2 {book} >{book}.new; mv {book}.new {book}")
}

/// Writes a player that appends the folder in which it runs to `bin/folders`. At its third
/// game it runs the shell command `change`.
fn write_player(folder: &Path, seed: u32, change: &str) {
    let text = format!(
        "#!/bin/sh\npwd -P >>\"${{0%/*}}/folders\"\ngames=0\nwhile read -r line; do\n\
         [ \"$line\" != ucinewgame ] || games=$((games + 1))\n\
         if [ $games = 3 ]; then games=4; {change}; fi\n\
         echo \"$line\"\n[ \"$line\" != quit ] || break\ndone | '{}' --seed {seed}\n",
        scripted()
    );
    fs::create_dir_all(folder.join("bin")).expect("made");
    script(folder, "bin/one", &text);
}

/// [`stages`] with paths that are relative to its folder, and `more` at the end. Each
/// `build` changes the program.
fn relative_stages(more: &str) -> Setup {
    let setup = stages(PASSED, &format!("options = {{ Hash = 8 }}\n{more}"));
    let text = fs::read_to_string(&setup.config).expect("there");
    let first = format!("cmd = '{} --seed 1'\n", scripted());
    assert!(text.contains(&first), "{text}");
    let build = "echo built >>builds; echo '# built' >>bin/one";
    let text = text
        .replace(&first, &format!("cmd = 'bin/one'\nbuild = \"{build}\"\n"))
        .replace("books/quick.epd", "book.epd")
        .replace("concurrency = 2", "concurrency = 1");
    fs::write(&setup.config, text).expect("written");
    let book = workspace().join("books/quick.epd");
    for name in ["book.epd", "other.epd"] {
        fs::copy(&book, setup.run(name)).expect("copied");
    }
    setup
}

fn in_folder(mut command: Command, folder: &Path) -> Finished {
    command.current_dir(folder);
    finish(command)
}

/// Plays [`relative_stages`]; the first engine runs `change` at its third game.
fn play_relative_stages(change: &str, more: &str) -> (Setup, Finished) {
    let setup = relative_stages(more);
    let folder = setup.dir.path();
    write_player(folder, 1, change);
    let played = in_folder(setup.command("sprt", "run", &[]), folder);
    (setup, played)
}

fn resume_in(folder: &Path, run: &Path) -> Finished {
    let mut resume = common::hone();
    resume.arg("resume").arg(run);
    in_folder(resume, folder)
}

#[test]
fn a_faulty_value_of_a_stage_has_its_place() {
    let missing = "openings = \"nothere.epd\"";
    let option = "options = { Hasch = 1 }";
    let second = stages(&format!("{PASSED}\n{missing}"), "");
    let second_option = stages(&format!("{PASSED}\n{option}"), "");
    let first = |faulty: &str| {
        let text = fs::read_to_string(&second.config).expect("there");
        let text = text.replace(missing, "");
        Setup::new(&text.replace("name = \"STC\"", &format!("name = \"STC\"\n{faulty}")))
    };
    let later = "stage 2 of 2 (LTC): ";
    for (setup, faulty, column, message) in [
        (&second, missing, 12, later),
        (&second_option, option, 21, later),
        (&first(missing), missing, 12, "nothere.epd"),
        (&first(option), option, 21, "`Hasch`"),
    ] {
        let text = fs::read_to_string(&setup.config).expect("there");
        let line = text.lines().position(|line| line == faulty).expect("there") + 1;
        let refused = setup.play("sprt", "run", &[]);
        assert_eq!(refused.code, Some(2), "{faulty}: {}", refused.stderr);
        let place = format!("config.toml:{line}:{column}\n");
        for part in [&*place, message] {
            assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
        }
    }
}

#[test]
fn a_program_that_is_replaced_in_a_stage_is_not_played_in_the_next() {
    let (setup, played) = play_relative_stages(CHANGE_ITSELF, "");
    let folder = setup.dir.path();
    assert_eq!(played.code, Some(4), "{}", played.stdout);
    let message = "engine `one` is not the one this run was started with";
    assert!(played.stderr.contains(message), "{}", played.stderr);
    let run = setup.run("run");
    assert!(!run.join("stage-2").exists());
    assert_eq!(resume_in(folder, &run).code, Some(2));
    // With its own program, the test continues.
    let program = folder.join("bin/one");
    let text = fs::read_to_string(&program).expect("there");
    let own = text.strip_suffix("# changed\n").expect("changed once");
    fs::write(&program, own).expect("written");
    let resumed = resume_in(folder, &run);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
}

#[test]
fn a_book_that_is_replaced_in_a_stage_is_not_played_in_the_next() {
    let (setup, played) = play_relative_stages(&shorten("book.epd"), "");
    let folder = setup.dir.path();
    assert_eq!(played.code, Some(4), "{}", played.stdout);
    let message = "the book book.epd is not the one this run was started with";
    assert!(played.stderr.contains(message), "{}", played.stderr);
    let run = setup.run("run");
    assert!(!run.join("stage-2").exists());
    assert_eq!(resume_in(folder, &run).code, Some(2));
    // With its own book, the test continues.
    let book = workspace().join("books/quick.epd");
    fs::copy(book, setup.run("book.epd")).expect("copied");
    let resumed = resume_in(folder, &run);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
}

#[test]
fn a_stage_may_have_another_book_but_the_next_has_the_same() {
    let other = "openings = { file = \"other.epd\" }\n";
    let (_, played) = play_relative_stages(&shorten("book.epd"), other);
    assert_eq!(played.code, Some(0), "{}", played.stderr);

    let third = format!("{other}[[stage]]\nname = \"VLTC\"\n{PASSED}\n{other}");
    let (setup, played) = play_relative_stages(&shorten("other.epd"), &third);
    assert_eq!(played.code, Some(4), "{}", played.stdout);
    let message = "the book other.epd is not the one this run was started with";
    assert!(played.stderr.contains(message), "{}", played.stderr);
    assert!(setup.run("run/stage-2/report.html").exists());
    assert!(!setup.run("run/stage-3").exists());
}

#[test]
fn a_later_stage_has_the_program_and_the_folder_of_the_first() {
    let (setup, played) = play_relative_stages(":", "");
    let folder = setup.dir.path();
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let builds = || fs::read_to_string(folder.join("builds")).expect("there");
    assert_eq!(builds(), "built\n");

    // As after a kill between the stages; the other folder has files of the same
    // names.
    let (run, second) = (setup.run("run"), setup.run("run/stage-2"));
    let undisturbed = digest(&second);
    fs::remove_dir_all(&second).expect("removed");
    let other = tempfile::tempdir().expect("a folder");
    write_player(other.path(), 3, ":");
    let book = fs::read_to_string(folder.join("book.epd")).expect("there");
    let reversed: Vec<&str> = book.lines().rev().collect();
    fs::write(other.path().join("book.epd"), reversed.join("\n")).expect("written");
    let resumed = resume_in(other.path(), &run);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(digest(&second), undisturbed);
    assert_eq!(builds(), "built\n");
    assert!(!other.path().join("bin/folders").exists());
    let folders = fs::read_to_string(folder.join("bin/folders")).expect("there");
    let own = folder.canonicalize().expect("there").display().to_string();
    assert!(folders.lines().all(|line| line == own), "{folders}");
}
