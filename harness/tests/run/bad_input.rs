//! Every mistake of a user gets one clear message and exit code 2, and leaves
//! nothing behind.

use std::fs;

use crate::common::{self, ENGINE, Setup, engines, hone, scripted};
use hone_testing::{listed, snapshots};

fn valid() -> String {
    let players = engines(
        ("dev", &scripted(), "options = { Hash = 8 }"),
        ("base", &scripted(), ""),
    );
    format!(
        "{players}[match]\nlimit = \"nodes=10\"\nopenings = {{ file = \"books/quick.epd\" }}\n[sprt]\nelo0 = 0.0\nelo1 = 5.0\nalpha = 0.05\nmax_pairs = 1\n"
    )
}

#[test]
fn the_unchanged_configuration_is_valid() {
    let setup = Setup::new(&valid());
    let finished = setup.play("sprt", "run", &[]);
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
}

#[test]
fn mistakes_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let empty = write("empty.epd", "\n");
    let illegal = write(
        "illegal.epd",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n\
         8/8/8/8/8/8/8/4K3 w - -\n",
    );
    let of_match = "[match]\n";
    let no_tables = "[adjudication]\nsyzygy = { path = \"no/tables\" }\n[match]\n";
    let scaled = "[fleet]\nscale = \"bench\"\n[match]\n";
    let shown = [
        ("elo0 =", "elo_0 ="),
        ("alpha = 0.05", "alpha = \"x\""),
        ("alpha = 0.05", "alpha = 0.5"),
        ("alpha = 0.05", "alpha = 0.0"),
        ("elo0 = 0.0", "elo0 = 5.0"),
        ("nodes=10", "nodes=x"),
        ("Hash =", "Hasch ="),
        ("Hash = 8", "Hash = 0"),
        ("Hash = 8", "UCI_Chess960 = true"),
        ("books/quick.epd", "books/none.epd"),
        ("books/quick.epd", &empty),
        ("books/quick.epd", &illegal),
        (of_match, no_tables),
        (of_match, scaled),
    ]
    .map(|(from, to)| (to, refused(&valid().replacen(from, to, 1))));
    snapshots(&[ENGINE]).bind(|| insta::assert_snapshot!("mistakes", listed(shown)));
}

#[cfg(unix)]
#[test]
fn programs_that_are_no_engine_are_named() {
    let dev = format!("cmd = '{}'\noptions", scripted());
    let dead = format!("{} start=exit:3", scripted());
    let shown = [
        "/no/such/engine",
        "no-such-engine",
        "/usr/bin/true",
        "/bin/cat",
        &dead,
    ]
    .map(|program| {
        let cmd = format!("cmd = '{program}'\noptions");
        let config = valid().replacen(&dev, &cmd, 1);
        let startup = if program == "/bin/cat" { 300 } else { 60_000 };
        let startup = format!("[match]\nstartup_ms = {startup}\n");
        (program, refused(&config.replace("[match]\n", &startup)))
    });
    let folders = (r"(/usr)?/bin/", "");
    snapshots(&[ENGINE, folders]).bind(|| insta::assert_snapshot!("programs", listed(shown)));
}

/// The message about a configuration, which leaves nothing behind.
fn refused(config: &str) -> String {
    assert_ne!(config, valid(), "the mistake is in the configuration");
    let setup = Setup::new(config);
    let finished = setup.play("sprt", "run", &["--json"]);
    assert_eq!(finished.code, Some(2), "{config}: {}", finished.stderr);
    assert_eq!(finished.stdout, "", "{config}");
    assert!(!setup.run("run").exists(), "{config}");
    finished.stderr
}

#[test]
fn missing_configurations_and_runs_are_named() {
    let shown = [
        "sprt /no/such/config.toml",
        "resume /no/such/run",
        "report /no/such/run",
        "verify /no/such/run",
        "sprt",
    ]
    .map(|line| {
        let mut command = hone();
        command.args(line.split(' '));
        let finished = common::finish(command);
        assert_eq!(finished.code, Some(2), "{line}");
        (line, finished.stderr)
    });
    snapshots(&[]).bind(|| insta::assert_snapshot!("missing", listed(shown)));
}

#[test]
fn a_build_that_fails_exits_with_4_and_its_output() {
    // The message quotes the command, in which the output must not be found.
    let build = "build = \"echo bro''ken; exit 7\"\noptions";
    let config = valid().replacen("options", build, 1);
    let setup = Setup::new(&config);
    let finished = setup.play("sprt", "run", &["--json"]);
    assert_eq!(finished.code, Some(4), "{}", finished.stderr);
    assert!(
        finished.stderr.contains("the build failed"),
        "{}",
        finished.stderr
    );
    assert!(
        finished.stderr.contains("broken"),
        "its output is shown: {}",
        finished.stderr
    );
    assert_eq!(finished.stdout, "");
}

#[cfg(unix)]
#[test]
fn a_built_program_that_cannot_run_is_a_failed_build() {
    let setup = Setup::new(&valid());
    let program = setup.dir.path().join("built").display().to_string();
    let cmd = format!("engine.dev.cmd={program}");
    let does_not_start = "(it builds but does not start)";
    for (name, build, expected) in [
        ("missing", "echo built".to_string(), "after the build"),
        ("text", format!("echo exit >{program}"), does_not_start),
        (
            "ends",
            format!("echo exit >{program}; chmod +x {program}"),
            does_not_start,
        ),
    ] {
        let build = format!("engine.dev.build={build}");
        let finished = setup.play("sprt", name, &["--set", &cmd, "--set", &build]);
        assert_eq!(finished.code, Some(4), "{name}: {}", finished.stderr);
        assert!(finished.stderr.contains(expected), "{}", finished.stderr);
        fs::remove_file(&program).ok();
    }
}

#[test]
fn damaged_runs_are_listed_with_the_reason() {
    let results = tempfile::tempdir().expect("a folder");
    let run = results.path().join("run");
    std::fs::create_dir(&run).expect("a folder");
    std::fs::write(run.join("run.toml"), "hone = ").expect("a file");
    std::fs::create_dir(results.path().join("notes")).expect("a folder");
    let listed = common::on_run("runs", results.path());
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    assert!(
        listed.stdout.contains("damaged") && listed.stdout.contains("run.toml"),
        "{}",
        listed.stdout
    );
    assert!(!listed.stdout.contains("notes"), "{}", listed.stdout);
    let mut command = hone();
    command.arg("runs").arg(results.path()).arg("--json");
    let listed = common::finish(command).json();
    assert_eq!(listed["damaged"][0]["run"], "run");
    assert_eq!(listed["runs"].as_array().map(Vec::len), Some(0));
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_not_utf_8_is_an_error() {
    use std::os::unix::ffi::OsStrExt as _;
    let odd = std::ffi::OsStr::from_bytes(b"\xff");
    for (command, more, expected) in [
        ("match", &["--limit", "nodes=50"][..], "UTF-8"),
        ("check", &[], "UTF-8"),
        ("verify", &[], "cannot verify the run"),
        ("nothing", &[], "unrecognized subcommand"),
    ] {
        let mut hone = hone();
        hone.arg(command).arg(odd).args(more);
        let done = common::finish(hone);
        assert_eq!(done.code, Some(2), "{command}: {}", done.stderr);
        assert!(done.stderr.starts_with("error: "), "{}", done.stderr);
        assert!(done.stderr.contains(expected), "{command}: {}", done.stderr);
    }
}
