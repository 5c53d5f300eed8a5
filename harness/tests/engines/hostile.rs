//! Engines that flood `hone` with output, leave their pipes to children, or report absurd
//! numbers: memory and disk stay bounded, and time limits are kept.
use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::common::running::Running;
use crate::common::{
    Setup, engines, finish, hone, on_run, resume, rows, scripted, stillwater, wait_until, workspace,
};

/// The exit code of a child and its peak memory, in KiB.
fn ended(child: Running) -> (Option<i32>, i64) {
    use std::os::unix::process::ExitStatusExt;
    let pid = i32::try_from(child.id()).expect("a process id");
    let mut status = 0;
    // SAFETY: a zeroed rusage is valid, and wait4 writes to both places; the child has not
    // been waited for.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::wait4(pid, &raw mut status, 0, &raw mut usage), pid);
        usage
    };
    // Its id may be that of another process now.
    std::mem::forget(child);
    let status = std::process::ExitStatus::from_raw(status);
    (status.code(), usage.ru_maxrss)
}

/// A debug build needs about 40 MiB.
const MAX_KIB: i64 = 200 * 1024;

fn setup(script: &str, play: &str) -> Setup {
    let bad = format!("{} --name bad {script}", scripted());
    let players = engines(("bad", &bad, ""), ("good", &scripted(), ""));
    Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=10\"\n{play}pairs = 1\nconcurrency = 1\n\
         max_failures = 1.0\n[adjudication]\nmax_moves = 10\n"
    ))
}

fn bytes(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.path() {
            path if path.is_dir() => bytes(&path),
            path => fs::metadata(path).map_or(0, |file| file.len()),
        })
        .sum()
}

#[test]
fn empty_lines_without_end_fill_neither_memory_nor_disk() {
    let setup = setup("go:2=blank", "stall_ms = 2000\n");
    let mut command = setup.command("match", "run", &["--json"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let (code, memory) = ended(Running::start(&mut command));
    assert_eq!(code, Some(0));
    assert!(memory < MAX_KIB, "{memory} KiB");
    let run = setup.run("run");
    assert!(bytes(&run) < 4 << 20, "{} bytes", bytes(&run));
    let csv = fs::read_to_string(run.join("games.csv")).unwrap();
    assert_eq!(csv.matches("stall").count(), 2, "{csv}");
}

#[test]
fn a_flood_before_uciok_is_refused() {
    for (script, startup_ms, message) in [
        ("uci=blank", 1_000, "did not send `uciok` within 1 s"),
        ("uci=options", 60_000, "declares more than 4096 options"),
    ] {
        let setup = setup(script, &format!("startup_ms = {startup_ms}\n"));
        let mut command = setup.command("match", "run", &[]);
        let errors = setup.dir.path().join("errors");
        let file = fs::File::create(&errors).unwrap();
        let (code, memory) = ended(Running::start(command.stderr(file)));
        let errors = fs::read_to_string(&errors).unwrap();
        assert_eq!(code, Some(2), "{errors}");
        assert!(errors.contains(message), "{errors}");
        assert!(memory < MAX_KIB, "{script}: {memory} KiB");
    }
}

#[test]
fn a_check_of_an_engine_that_floods_is_bounded() {
    for script in ["go=flood", "go=blank", "isready=blank"] {
        let mut command = hone();
        command
            .args(["check", "--patience", "300"])
            .arg(format!("{} {script}", scripted()))
            .stdout(Stdio::null());
        let (code, memory) = ended(Running::start(&mut command));
        assert_eq!(code, Some(1), "{script}");
        assert!(memory < MAX_KIB, "{script}: {memory} KiB");
    }
}

#[test]
fn an_engine_that_dies_while_its_child_holds_its_output_has_crashed() {
    for limit in ["match.limit=nodes=10", "match.limit=20+1"] {
        let script = "go:2=orphan:100 go:2=exit:7";
        let setup = setup(script, "stall_ms = 20000\n");
        let finished = setup.play("match", "run", &["--set", limit, "--json"]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let failures = &finished.json()["failures"];
        assert_eq!(failures["crash"], serde_json::json!([2, 0]), "{failures}");
        let summary = setup.run("run").join("failures/1-1/summary.txt");
        let summary = fs::read_to_string(summary).unwrap();
        assert!(summary.contains("process:   exit status 7"), "{summary}");
    }
}

/// The next start of the engine would be another program, whose games would be mixed into the
/// results.
#[test]
fn an_engine_that_is_replaced_during_a_run_ends_it() {
    let setup = setup("", "");
    let engine = setup.dir.path().join("engine");
    fs::copy(scripted(), &engine).unwrap();
    let text = fs::read_to_string(&setup.config).unwrap();
    let text = text
        .replace(
            &format!("cmd = '{} --name bad ", scripted()),
            &format!("restart = true\ncmd = '{} go=late:20 ", engine.display()),
        )
        .replace("pairs = 1\n", "pairs = 1000\n");
    fs::write(&setup.config, text).unwrap();
    let mut command = setup.command("match", "run", &[]);
    let errors = setup.dir.path().join("errors");
    command.stderr(fs::File::create(&errors).unwrap());
    let child = Running::start(command.stdout(Stdio::null()));
    let run = setup.run("run");
    wait_until("a pair", || rows(&run) >= 2);
    // The same content at another inode is harmless.
    let other = setup.dir.path().join("other");
    fs::copy(&engine, &other).unwrap();
    fs::rename(&other, &engine).unwrap();
    let before = rows(&run);
    wait_until("further pairs", || rows(&run) >= before + 4);
    let mut bytes = fs::read(&engine).unwrap();
    bytes.push(0);
    fs::write(&other, bytes).unwrap();
    let mode = fs::metadata(&engine).unwrap().permissions();
    fs::set_permissions(&other, mode).unwrap();
    let kept = fs::read(&engine).unwrap();
    fs::rename(&other, &engine).unwrap();
    let (code, _) = ended(child);
    let text = fs::read_to_string(&errors).unwrap();
    assert_eq!(code, Some(4), "{text}");
    assert!(
        text.contains("is not the program that this run was started with"),
        "{text}"
    );
    // With the old program it continues.
    let refused = resume(&run, &["--max-time", "1s"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    fs::write(&engine, kept).unwrap();
    let resumed = resume(&run, &["--max-time", "1s"]);
    assert_eq!(resumed.code, Some(3), "{}", resumed.stderr);
}

#[test]
fn too_few_open_files_are_an_error() {
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", "ulimit -n 8; exec \"$0\" check x"])
        .arg(hone().get_program());
    let refused = finish(command);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("ulimit -n 1024"),
        "{}",
        refused.stderr
    );
}

#[test]
fn too_few_open_files_for_the_games_are_found_before_the_folder_is_made() {
    let setup = setup("", "");
    let played = setup.command("match", "run", &["--set", "match.concurrency=2"]);
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", "ulimit -n 40; exec \"$0\" \"$@\""])
        .arg(played.get_program())
        .args(played.get_args())
        .current_dir(workspace());
    let refused = finish(command);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let stderr = &refused.stderr;
    assert!(
        stderr.contains("2 games at a time need up to 48"),
        "{stderr}"
    );
    assert!(stderr.contains("ulimit -n 1024"), "{stderr}");
    assert!(!setup.run("run").exists());
}

/// The terminal and reports show its name, its author and the end of its error output.
#[test]
fn control_characters_of_an_engine_reach_no_terminal() {
    let setup = setup("", "");
    let engine = setup.dir.path().join("hostile.sh");
    let text = "#!/bin/sh\nprintf 'id name A\\033[31mB<b>\\nid author \\033]0;x\\007\\n'\n\
                printf '\\033[2Jlast words\\n' >&2\n";
    fs::write(&engine, text).unwrap();
    let mut command = hone();
    command.args(["check", &format!("sh {}", engine.display())]);
    let done = finish(command);
    assert_eq!(done.code, Some(1));
    let printed = done.stdout + &done.stderr;
    assert!(printed.contains("last words"), "{printed}");
    assert!(!printed.contains(['\u{1b}', '\u{7}']), "{printed:?}");
}

#[test]
fn a_second_bestmove_is_not_the_answer_to_the_next_go() {
    for (flag, ponder) in [("", ""), ("--ponder", "ponder = true")] {
        let cmd = |more: &str| format!("{} {flag} {more}", scripted());
        let players = engines(
            ("bad", &cmd("--name bad start=twice"), ponder),
            ("good", &cmd(""), ponder),
        );
        let setup = Setup::new(&format!(
            "{players}[match]\nlimit = \"nodes=10\"\npairs = 4\nconcurrency = 1\n\
             max_failures = 1.0\n[adjudication]\nmax_moves = 20\n"
        ));
        let finished = setup.play("match", "run", &["--json"]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let csv = fs::read_to_string(setup.run("run").join("games.csv")).unwrap();
        assert!(!csv.contains("illegal_move"), "{ponder}: {csv}");
        let words = "warning: engine `bad` sends a `bestmove` without a `go`";
        let warned = finished.stderr.matches(words).count();
        assert_eq!(warned, 1, "{ponder}: {}", finished.stderr);
    }
}

#[test]
fn an_answer_of_control_characters_reaches_no_terminal() {
    let setup = setup("move=escape", "");
    let finished = setup.play("match", "run", &[]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let summary = setup.run("run").join("failures/1-1/summary.txt");
    let summary = fs::read_to_string(summary).unwrap();
    assert!(
        summary.contains("answered:  \u{fffd}[31mred\u{fffd}\n"),
        "{summary:?}"
    );
    assert!(!summary.contains(['\u{1b}', '\0']), "{summary:?}");
}

#[test]
fn an_option_is_one_command() {
    let engine = scripted();
    for arguments in [
        &["check", &engine][..],
        &["suite", "x.epd", "--engine", &engine],
        &["sprt", "--dev", &engine, "--base", &engine],
        &["book", "make", "--engine", &engine],
    ] {
        let mut command = hone();
        command.args(arguments).args(["--option", "Seed=1\nquit"]);
        let refused = finish(command);
        assert_eq!(refused.code, Some(2), "{arguments:?}");
        assert!(
            refused.stderr.contains("would break the protocol"),
            "{arguments:?}: {}",
            refused.stderr
        );
    }
}

#[test]
fn an_engine_that_exceeds_its_memory_limit_has_crashed() {
    let summary = |limit: &str| {
        let setup = setup("go:2=alloc:300 go:2=illegal", "");
        let text = fs::read_to_string(&setup.config).unwrap();
        let text = text.replacen("[[engine]]\n", &format!("[[engine]]\n{limit}"), 1);
        fs::write(&setup.config, text).unwrap();
        let finished = setup.play("match", "run", &["--json"]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let summary = setup.run("run").join("failures/1-1/summary.txt");
        (finished.json(), fs::read_to_string(summary).unwrap())
    };
    let peak = |summary: &str| -> u64 {
        let (_, text) = summary.split_once("at most ").expect("a peak");
        let (peak, _) = text.split_once("M resident").expect("a peak");
        peak.parse().expect("in MiB")
    };
    let (json, text) = summary("max_memory = \"200M\"\n");
    assert_eq!(json["failures"]["crash"], serde_json::json!([2, 0]));
    assert!(text.contains("limited to 200M (max_memory)"), "{text}");
    assert!((1..200).contains(&peak(&text)), "{text}");
    // Without a limit it gets its memory, and its illegal move loses.
    let (json, text) = summary("");
    assert_eq!(json["failures"]["illegal_move"], serde_json::json!([1, 0]));
    assert!(text.contains("resident, not limited"), "{text}");
    assert!((300..400).contains(&peak(&text)), "{text}");
}

#[test]
fn an_engine_that_cannot_start_in_its_memory_is_refused() {
    let setup = setup("start=alloc:300", "");
    let limit = ["--max-memory", "100M", "--hash", "128"];
    let refused = setup.play("match", "run", &limit);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    for words in [
        "help: its memory is limited by `max_memory`, 100M",
        "`max_memory` is 100M, but its `Hash` alone is 128M",
    ] {
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
}

#[test]
fn a_hash_beyond_the_memory_is_refused_with_the_engines_words() {
    let engine = stillwater().display().to_string();
    let limited = "max_memory = \"256M\"\noptions = { Hash = 512 }";
    let players = engines(("limited", &engine, limited), ("other", &engine, ""));
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=10\"\npairs = 1\nconcurrency = 1\n"
    ));
    let refused = setup.play("match", "run", &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    for words in [
        "its `Hash` alone is 512M: it will fail to start",
        "standard error: error: cannot allocate Hash = 512\n",
    ] {
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
}

#[test]
fn memory_far_above_the_hash_is_a_warning() {
    let setup = setup("go:2=alloc:1100", "");
    let finished = setup.play("match", "run", &[]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let warnings = finished.stderr.matches("of memory; its `Hash` is 16M");
    assert_eq!(warnings.count(), 1, "{}", finished.stderr);
}

#[test]
fn sums_of_absurd_node_counts_do_not_wrap() {
    let setup = setup("go=nodes:9223372036854775807", "");
    let finished = setup.play("match", "run", &["--json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let csv = fs::read_to_string(setup.run("run").join("games.csv")).unwrap();
    assert!(csv.contains(&u64::MAX.to_string()), "{csv}");
    for command in ["report", "verify"] {
        let done = on_run(command, &setup.run("run"));
        assert_eq!(done.code, Some(0), "{command}: {}", done.stderr);
    }
}
