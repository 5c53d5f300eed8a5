//! Results are on standard output, messages on standard error. Closed pipes and full
//! devices do not end a run.
use std::fs::{self, File};
use std::io::Read;
use std::process::{Command, Stdio};

use crate::common::running::Running;
use crate::common::{
    self, Finished, Setup, digest, engines, finish, hone, hone_in, on_run, player, report, resume,
    rows, scripted, signal, wait_until,
};

/// A match of `pairs` pairs between engines that move at once.
fn instant(pairs: usize) -> Setup {
    let players = player("a", "") + &player("b", "");
    Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=10\"\nconcurrency = 2\npairs = {pairs}\nopenings = {{ file = \"books/quick.epd\" }}\n\
         [adjudication]\nmax_moves = 20\n"
    ))
}

/// A stream whose reader is gone.
fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

fn full_device() -> Stdio {
    let full = File::options().write(true).open("/dev/full");
    full.expect("Linux has /dev/full").into()
}

fn code(command: &mut Command) -> Option<i32> {
    command.status().expect("hone starts").code()
}

/// The run has all its games, which `hone verify` accepts, and a report.
fn is_complete(setup: &Setup, name: &str, pairs: usize) {
    let run = setup.run(name);
    assert_eq!(rows(&run), 2 * pairs);
    digest(&run);
    assert!(run.join("report.json").exists());
}

#[test]
fn the_result_is_on_standard_output() {
    let setup = instant(2);
    let Finished { stdout, stderr, .. } = setup.play("match", "run", &[]);
    assert!(stdout.contains("Elo"), "{stdout}");
    assert!(!stderr.contains("Elo"), "{stderr}");
    assert!(stderr.contains("playing 2 pairs at a time"), "{stderr}");
    let reported = on_run("report", &setup.run("run"));
    assert_eq!(reported.stdout, stdout);
    assert_eq!(reported.stderr, "");
    let json = report(&setup.run("run"), &["--json"]);
    assert_eq!(json.json()["pairs"], 2);
    assert_eq!(json.stdout.lines().count(), 1);
}

#[test]
fn a_run_outlives_its_closed_pipes() {
    let setup = instant(20);
    let mut play = setup.command("match", "run", &["-v"]);
    assert_eq!(
        code(play.stdout(closed_pipe()).stderr(closed_pipe())),
        Some(0)
    );
    is_complete(&setup, "run", 20);
}

/// As in `hone match … 2>&1 | head -n 1`.
#[test]
fn a_run_outlives_a_reader_that_leaves() {
    let setup = instant(40);
    for (name, arguments) in [("run", &["-vv"][..]), ("plain", &[])] {
        let (mut reader, writer) = std::io::pipe().expect("a pipe");
        let mut play = setup.command("match", name, arguments);
        play.stdout(writer.try_clone().expect("a pipe"))
            .stderr(writer);
        let playing = Running::start(&mut play);
        // It holds the writing ends of the pipe, too.
        drop(play);
        let mut some = [0; 20];
        reader.read_exact(&mut some).expect("hone writes");
        drop(reader);
        assert_eq!(playing.finish().code, Some(0));
        is_complete(&setup, name, 40);
    }
}

/// As in `hone match … 2> >(head -n 1)`, with a test that decides.
#[test]
fn a_test_outlives_the_reader_of_its_messages() {
    let setup = instant(200);
    let limits = [
        "--set",
        "sprt.max_pairs=100",
        "--set",
        "sprt.elo1=0.5",
        "--json",
    ];
    let mut play = setup.command("sprt", "run", &limits);
    let mut playing = Running::start(play.stdout(Stdio::piped()).stderr(Stdio::piped()));
    let mut some = [0; 20];
    let mut messages = playing.stderr.take().expect("a pipe");
    messages.read_exact(&mut some).expect("hone writes");
    drop(messages);
    let ended = playing.finish();
    assert_eq!(ended.code, Some(3));
    assert_eq!(ended.json()["pairs"], 100);
    is_complete(&setup, "run", 100);
}

/// Runs a match on a pseudo-terminal of this many columns. Returns what standard
/// error showed; `None` where `script` is not installed.
#[cfg(target_os = "linux")]
fn on_terminal(setup: &Setup, out: &str, columns: u32, no_color: bool) -> Option<String> {
    let hone = env!("CARGO_BIN_EXE_hone");
    let (config, out) = (setup.config.display(), setup.run(out));
    let line = format!(
        "stty rows 24 cols {columns} && exec '{hone}' match '{config}' --out '{}' > /dev/null",
        out.display()
    );
    let mut script = Command::new("script");
    script
        .args(["-qec", &line, "/dev/null"])
        .current_dir(common::workspace())
        .env("TERM", "xterm-256color")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR")
        .stdin(Stdio::null());
    if no_color {
        script.env("NO_COLOR", "1");
    }
    let output = match script.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            common::skip::skipped("`script` is not installed");
            return None;
        }
        output => output.expect("script runs"),
    };
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{shown}");
    Some(shown)
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_a_block_of_its_width_and_colours() {
    const BOLD: &str = "\u{1b}[1m";
    let setup = instant(100);
    let Some(coloured) = on_terminal(&setup, "coloured", 100, false) else {
        return;
    };
    assert!(coloured.contains(BOLD), "{coloured:?}");
    assert!(coloured.contains(" elapsed  "), "{coloured:?}");
    let plain = on_terminal(&setup, "plain", 30, true).expect("script is there");
    assert!(!plain.contains(BOLD), "{plain:?}");
    // Lines are cut off, not wrapped.
    assert!(plain.contains("of 100 pairs"), "{plain:?}");
    assert!(
        plain.contains('…') && !plain.contains(" elapsed  "),
        "{plain:?}"
    );
    // At the end the block is cleared, and the message that names the report follows.
    let end = plain.rsplit("\u{1b}[J").next().unwrap_or_default();
    assert!(end.starts_with("Report with every game: "), "{end:?}");
    assert_eq!(end.lines().count(), 1, "{end:?}");
}

#[test]
fn without_a_terminal_no_escape_sequences_are_printed() {
    let setup = instant(20);
    let Finished { stdout, stderr, .. } = setup.play("match", "run", &[]);
    assert!(!stdout.contains('\u{1b}') && !stderr.contains('\u{1b}'));
    let verdict = stdout
        .lines()
        .rfind(|line| line.contains("too few different pairs"))
        .unwrap_or_default();
    assert!(verdict.contains("(always-valid 95 %: "), "{stdout}");
}

#[test]
fn a_run_outlives_a_full_device() {
    let setup = instant(20);
    let mut play = setup.command("match", "run", &["-vv"]);
    play.args(["--log", "/dev/full", "--log-level", "trace"]);
    assert_eq!(
        code(play.stdout(Stdio::null()).stderr(full_device())),
        Some(0)
    );
    is_complete(&setup, "run", 20);
}

#[test]
fn a_result_that_is_lost_is_an_error() {
    let setup = instant(2);
    let mut play = setup.command("match", "run", &[]);
    let output = play.stdout(full_device()).output().expect("hone starts");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{errors}");
    assert!(
        errors.contains("error: cannot write the result to standard output: No space left"),
        "{errors}"
    );
    is_complete(&setup, "run", 2);
}

#[test]
fn commands_end_quietly_where_their_pipe_is_closed() {
    let setup = instant(2);
    setup.play("match", "run", &[]);
    let run = setup.run("run").display().to_string();
    let results = setup.dir.path().display().to_string();
    let failing = format!("{} uci=silent", scripted());
    let commands: &[&[&str]] = &[
        &["book", "info", "books/balanced.epd"],
        &["report", &run],
        &["report", &run, "--json"],
        &["verify", &run],
        &["runs", &results],
        &["builds"],
        &["calc", "elo", "--pentanomial", "1,2,3,4,5"],
        &["calc", "rate", &run],
        &["calc", "rate", &run, "--csv"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
        &["sprt", "--help"],
    ];
    for arguments in commands {
        let mut command = hone();
        let output = command
            .args(*arguments)
            .env("HONE_CACHE", setup.dir.path().join("cache"))
            .stdout(closed_pipe())
            .output()
            .expect("hone starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
        assert_eq!(errors, "", "{arguments:?}");
    }
    // A closed pipe does not change the exit code.
    let mut check = hone();
    check.args(["check", &failing, "--patience", "200"]);
    assert_eq!(
        code(check.stdout(closed_pipe()).stderr(closed_pipe())),
        Some(1)
    );
}

/// The CSV is longer than a buffer, which could end within a character.
#[test]
fn characters_beyond_ascii_are_printed_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let names: Vec<String> = (0..60)
        .map(|number| format!("{}{number}", "♞".repeat(40)))
        .collect();
    let game = |name: &String| {
        format!(
            "[Event \"x\"]\n[White \"{name}\"]\n[Black \"b\"]\n[Result \"1/2-1/2\"]\n\n1/2-1/2\n\n"
        )
    };
    let games: String = names.iter().map(game).collect();
    fs::write(folder.path().join("games.pgn"), games).expect("written");
    let rated = hone_in(folder.path(), &["calc", "rate", "games.pgn", "--csv"]);
    assert_eq!(rated.code, Some(0), "{}", rated.stderr);
    for name in &names {
        assert!(rated.stdout.contains(name), "{name}: {}", rated.stdout);
    }
}

/// Without a terminal, `hone` passes on what the build command writes.
#[test]
fn a_build_outlives_a_closed_pipe() {
    let build = "build = 'for i in 1 2 3 4 5 6 7 8 9; do seq 20000 >&2 || exit 9; done'";
    let players = engines(("a", &scripted(), build), ("b", &scripted(), ""));
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=10\"\nconcurrency = 1\npairs = 2\nopenings = {{ file = \"books/quick.epd\" }}\n"
    ));
    let mut play = setup.command("match", "run", &[]);
    assert_eq!(
        code(play.stdout(closed_pipe()).stderr(closed_pipe())),
        Some(0)
    );
    is_complete(&setup, "run", 2);
}

#[test]
fn an_interrupted_run_prints_how_to_resume_it() {
    let setup = instant(100_000);
    let mut play = setup.command("match", "run", &[]);
    let playing = Running::start(play.stdout(Stdio::piped()).stderr(Stdio::piped()));
    wait_until("the first pair", || rows(&setup.run("run")) >= 2);
    signal(&playing, libc::SIGINT);
    let ended = playing.finish();
    assert_eq!(ended.code, Some(130));
    let errors = ended.stderr;
    assert!(errors.contains("Resume with `hone resume "), "{errors}");
}

#[test]
fn details_are_shown_and_logged_on_request() {
    let setup = instant(2);
    let log = setup.run("hone.log");
    let quiet = setup.play("match", "quiet", &[]);
    assert!(!quiet.stderr.contains("started: "), "{}", quiet.stderr);
    let path = log.display().to_string();
    let shown = setup.play(
        "match",
        "run",
        &["-v", "--log", &path, "--log-level", "trace"],
    );
    assert!(shown.stderr.contains("started: "), "{}", shown.stderr);
    assert!(!shown.stderr.contains("> ucinewgame"), "{}", shown.stderr);
    let logged = fs::read_to_string(&log).expect("a log");
    for part in [
        "started: ",
        "> ucinewgame",
        "< bestmove ",
        "pair 2 finished",
    ] {
        assert!(logged.contains(part), "no {part} in {logged}");
    }
    let resumed = resume(&setup.run("run"), &["-vv"]);
    assert!(
        resumed.stderr.contains("2 pairs are finished"),
        "{}",
        resumed.stderr
    );
}

/// A build that obeys `CARGO_TARGET_DIR` writes the file that `cmd` names.
#[test]
fn a_target_directory_of_the_user_does_not_hide_the_engine() {
    let make = "mkdir -p \"${CARGO_TARGET_DIR:-target}/release\" && cp \"$SCRIPTED\" \"${CARGO_TARGET_DIR:-target}/release/e\"";
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().display();
    let build = format!("dir = '{dir}'\nbuild = '{make}'");
    let players = engines(("a", "target/release/e", &build), ("b", &scripted(), ""));
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=10\"\nconcurrency = 1\npairs = 1\nopenings = {{ file = \"books/quick.epd\" }}\n"
    ));
    for elsewhere in [Some("elsewhere"), None] {
        let mut play = setup.command("match", elsewhere.unwrap_or("plain"), &[]);
        play.env("SCRIPTED", scripted())
            .env_remove("CARGO_TARGET_DIR");
        if let Some(elsewhere) = elsewhere {
            play.env("CARGO_TARGET_DIR", folder.path().join(elsewhere));
        }
        let finished = finish(play);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    }
    assert!(!folder.path().join("elsewhere").exists());
}
