//! Every mistake of a user gets one clear message and exit code 2, and leaves
//! nothing behind.

use std::fs;

use crate::common::{self, Setup, engines, hone, scripted};

struct Case {
    what: &'static str,
    /// A part of the valid configuration and its replacement.
    replace: (&'static str, String),
    /// Parts of the error message.
    expected: &'static [&'static str],
}

fn valid() -> String {
    let players = engines(
        ("dev", &scripted(), "options = { Hash = 8 }"),
        ("base", &scripted(), ""),
    );
    format!(
        "{players}[match]\nlimit = \"nodes=10\"\nopenings = {{ file = \"books/quick.epd\" }}\n[sprt]\nelo0 = 0.0\nelo1 = 5.0\nalpha = 0.05\nmax_pairs = 1\n"
    )
}

fn case(
    what: &'static str,
    from: &'static str,
    to: impl Into<String>,
    expected: &'static [&'static str],
) -> Case {
    Case {
        what,
        replace: (from, to.into()),
        expected,
    }
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
    let dev = format!("cmd = '{}'\noptions", scripted());
    let cmd = |program: &str| format!("cmd = '{program}'\noptions");
    let cases = [
        case(
            "an unknown key",
            "elo0 =",
            "elo_0 =",
            &[
                "\n  --> ",
                "config.toml:13:1\n",
                "`elo_0`; did you mean `elo0`?",
            ],
        ),
        case(
            "a wrong type",
            "alpha = 0.05",
            "alpha = \"x\"",
            &["config.toml:15:9", "expected a number"],
        ),
        case(
            "H1 not above H0",
            "elo0 = 0.0",
            "elo0 = 5.0",
            &["elo0 (5)", "less than elo1"],
        ),
        case(
            "alpha too large",
            "alpha = 0.05",
            "alpha = 0.5",
            &["config.toml:15", "below 0.5"],
        ),
        case("alpha zero", "alpha = 0.05", "alpha = 0.0", &["above 0"]),
        case(
            "an invalid limit",
            "nodes=10",
            "nodes=x",
            &["`nodes=x` is not a valid limit"],
        ),
        case(
            "an unknown option",
            "Hash =",
            "Hasch =",
            &[
                "`dev`",
                "`Hasch`",
                "did you mean `Hash`",
                "config.toml:4:21\n",
            ],
        ),
        case(
            "a value out of range",
            "Hash = 8",
            "Hash = 0",
            &["`dev`", "from 1 to 1024", "config.toml:4:20\n"],
        ),
        case(
            "an option against the variant",
            "Hash = 8",
            "UCI_Chess960 = true",
            &["config.toml:", "contradicts `variant", "remove the option"],
        ),
        case(
            "a missing book",
            "books/quick.epd",
            "books/none.epd",
            &["none.epd", "config.toml:11:21\n"],
        ),
        Case {
            what: "an empty book",
            replace: ("books/quick.epd", empty),
            expected: &["empty.epd"],
        },
        Case {
            what: "an illegal position",
            replace: ("books/quick.epd", illegal),
            expected: &["illegal.epd:2"],
        },
    ];
    for Case {
        what,
        replace: (from, to),
        expected,
    } in cases
    {
        refused(what, &valid().replacen(from, &to, 1), expected);
    }
    let no_tables = "[adjudication]\nsyzygy = { path = \"no/tables\" }\n[match]\n";
    refused(
        "no endgame tables",
        &valid().replacen("[match]\n", no_tables, 1),
        &["no/tables", "config.toml:10:19\n"],
    );
    refused(
        "scaling without a clock",
        &format!("{}[fleet]\nscale = \"bench\"\n", valid()),
        &["needs a time control", "config.toml:18:9\n"],
    );
    if cfg!(unix) {
        let program = |program: &str| valid().replacen(&dev, &cmd(program), 1);
        refused(
            "no program",
            &program("/no/such/engine"),
            &["`dev`", "/no/such/engine", "config.toml:3:7\n"],
        );
        refused(
            "not on the path",
            &program("no-such-engine"),
            &["on the PATH"],
        );
        refused(
            "a program that ends",
            &program("/bin/true"),
            &["`dev`", "before it sent `uciok`"],
        );
        let echoing = program("/bin/cat").replace("[match]\n", "[match]\nstartup_ms = 300\n");
        refused(
            "a program that echoes",
            &echoing,
            &["`dev`", "did not send `uciok`"],
        );
        let dead = program(&format!("{} start=exit:3", scripted()));
        refused("an engine that dies", &dead, &["exit status 3"]);
    }
}

fn refused(what: &str, config: &str, expected: &[&str]) {
    assert_ne!(
        config,
        valid(),
        "{what}: the mistake is in the configuration"
    );
    let setup = Setup::new(config);
    let finished = setup.play("sprt", "run", &["--json"]);
    assert_eq!(finished.code, Some(2), "{what}: {}", finished.stderr);
    assert_eq!(finished.stdout, "", "{what}");
    assert!(
        finished.stderr.contains("error: cannot "),
        "{what}: {}",
        finished.stderr
    );
    for part in expected {
        assert!(
            finished.stderr.contains(part),
            "{what}: `{part}` is not in {}",
            finished.stderr
        );
    }
    assert!(!setup.run("run").exists(), "{what}: nothing is left behind");
}

#[test]
fn missing_configurations_and_runs_are_named() {
    for (args, expected) in [
        (
            vec!["sprt", "/no/such/config.toml"],
            "cannot read the configuration",
        ),
        (vec!["resume", "/no/such/run"], "is not a run"),
        (vec!["report", "/no/such/run"], "is not a run"),
        (vec!["verify", "/no/such/run"], "is not a run"),
        (vec!["sprt"], "no engines are named"),
        (vec!["play"], "unrecognized subcommand"),
    ] {
        let mut command = hone();
        command.args(&args);
        let finished = common::finish(command);
        assert_eq!(finished.code, Some(2), "{args:?}");
        assert!(
            finished.stderr.contains(expected),
            "{args:?}: {}",
            finished.stderr
        );
    }
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
