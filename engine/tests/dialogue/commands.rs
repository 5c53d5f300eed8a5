//! Spellings of `go` and `setoption`, the commands besides UCI, and refused commands.

use crate::number_after;
use crate::session::Session;
use std::process::Command;

/// The answers to `text` before that to `isready`.
fn answers(session: &mut Session, text: &str) -> Vec<String> {
    session.send(text);
    let mut lines = session.ask("isready", "readyok");
    lines.pop();
    lines
}

#[test]
fn unknown_words_of_go_are_reported() {
    let mut session = Session::new();
    for (go, word) in [
        ("go deph 5 depth 1", "deph"),
        ("go depth=5 depth 1", "depth=5"),
        ("go 5 depth 1", "5"),
        ("go e2e4 depth 1", "e2e4"),
        ("go searchmoves e2e4 e2e5 depth 1", "e2e5"),
    ] {
        let lines = session.ask(go, "bestmove");
        let complaint = format!("info string go: unknown limit or illegal move '{word}'; ignored");
        assert_eq!(lines[0], complaint, "{go}");
    }
    // Words after an illegal move count too.
    let lines = session.ask("go searchmoves a2a5 h2h3 x depth 1", "bestmove");
    assert_eq!(lines.last().unwrap(), "bestmove h2h3");
    assert_eq!(lines.iter().filter(|line| line.contains("go: ")).count(), 2);
    session.quit();
}

#[test]
fn numbers_of_go_are_rounded_and_clamped() {
    let mut session = Session::new();
    let nodes = |lines: &[String]| {
        let info = lines.iter().rfind(|line| line.contains(" nodes ")).unwrap();
        let mut words = info.split(' ').skip_while(|&word| word != "nodes").skip(1);
        words.next().unwrap().parse::<u64>().unwrap()
    };
    for go in ["go nodes 1e3", "go nodes 999.6"] {
        session.send("ucinewgame");
        assert_eq!(nodes(&session.ask(go, "bestmove")), 1000, "{go}");
    }
    // Each of these has a limit, so that it ends by itself.
    for go in [
        "go movetime 20.5",
        "go wtime 60.5 btime 1e2",
        "go wtime -1e30",
        "go depth 1 wtime 18446744073709551616 winc 1e300",
        "go depth 1 movetime inf",
    ] {
        let lines = session.ask(go, "bestmove");
        assert!(!lines.iter().any(|line| line.contains("go: ")), "{lines:?}");
    }
    let lines = session.ask("go depth 1 wtime nan", "bestmove");
    assert!(lines[0].contains("'wtime' needs a number, not 'nan'"));
    session.quit();
}

#[test]
fn a_search_with_only_the_clock_of_the_other_side_ends() {
    let mut session = Session::new();
    let complaint = "info string go: the side to move has no clock; 0 is assumed";
    for go in [
        "go btime 1000",
        "go winc 10 binc 10",
        "go movestogo 5",
        "go wtime nan",
    ] {
        let lines = session.ask(go, "bestmove");
        assert!(
            lines.iter().any(|line| line == complaint),
            "{go}: {lines:?}"
        );
    }
    session.quit();
}

#[test]
fn words_may_be_separated_by_tabs() {
    let mut session = Session::new();
    let set = "setoption\tname\tMove  Overhead\tvalue\t20";
    assert_eq!(
        answers(&mut session, set),
        ["info string Move Overhead = 20"]
    );
    let usage = "info string usage: setoption name NAME value VALUE";
    assert_eq!(answers(&mut session, "setoption Hash 1"), [usage]);
    session.quit();
}

#[test]
fn isready_waits_for_options_while_a_search_ends() {
    let mut session = Session::new();
    for _ in 0..20 {
        session.send("go infinite");
        session.send("stop");
        session.send("setoption name QsDeltaMargin value 150");
        let lines = session.ask("isready", "readyok");
        let set = "info string QsDeltaMargin = 150".to_owned();
        assert!(lines.contains(&set), "{lines:?}");
    }
    session.quit();
}

#[test]
fn perft_and_bench_can_be_stopped() {
    for command in ["bench 60", "stats 60", "perft 20", "qperft 20", "qsearch"] {
        let name = command.split(' ').next().unwrap();
        let stopped = format!("info string {name} was stopped");
        let mut session = Session::new();
        // A quiescence search of all moves is endless.
        session.send("setoption name QsMoves value all");
        session.send(command);
        session.ask("stop", &stopped);
        // It stops only earlier commands.
        session.ask("perft 2", "400 nodes");
        session.quit();
    }
}

#[test]
fn perft_and_bench_finish_before_the_end_of_the_input() {
    let mut session = Session::new();
    session.send("go infinite");
    session.send("perft 3");
    session.send("go infinite");
    let lines = session.quit();
    assert!(lines.iter().any(|line| line.contains("8902")), "{lines:?}");
    let mut session = Session::new();
    session.send("bench 3");
    let lines = session.end();
    assert!(lines.iter().any(|line| line.contains(" nps")), "{lines:?}");
}

/// A search of all moves never ends by itself, so it must not wait for its end.
#[test]
fn quit_and_the_end_of_the_input_stop_an_endless_quiescence_search() {
    for (command, end) in [("qsearch", "quit"), ("qsearch", ""), ("bench 1", "quit")] {
        let mut session = Session::new();
        session.send("setoption name QsMoves value all");
        session.send("perft 3");
        session.send(command);
        session.send(end);
        let lines = session.end();
        let finished = lines.iter().any(|line| line.contains("8902 nodes"));
        let stopped = lines.iter().any(|line| line.ends_with(" was stopped"));
        assert!(finished && stopped, "{command}: {lines:?}");
    }
    let mut session = Session::new();
    session.send("setoption name QsMoves value all");
    session.send("setoption name QsMaxPly value 1");
    session.send("qsearch");
    let lines = session.quit();
    assert!(
        lines.iter().any(|line| line.starts_with("score ")),
        "{lines:?}"
    );
}

#[test]
fn a_queued_search_has_its_full_time() {
    let mut session = Session::new();
    session.send("go movetime 500");
    session.send("go movetime 500");
    session.until("bestmove");
    let lines = session.until("bestmove");
    let last = &lines[lines.len() - 2];
    // The first check of the clock is after 1,024 nodes.
    assert!(number_after(last, "nodes") > 2048, "{last}");
    session.quit();
}

#[test]
fn impossible_depths_are_refused() {
    let mut session = Session::new();
    for (command, least) in [
        ("perft 100000000", 0),
        ("qperft -1", 0),
        ("bench -4", 1),
        ("bench 0", 1),
        ("stats x", 1),
    ] {
        let depth = command.split(' ').nth(1).unwrap();
        let error = format!("info string `{depth}` is not a depth from {least} to 119");
        assert_eq!(answers(&mut session, command), [error]);
    }
    for command in ["perft", "qperft", "perft 1 2"] {
        let name = command.split(' ').next().unwrap();
        let usage = format!("info string usage: {name} DEPTH");
        assert_eq!(answers(&mut session, command), [usage]);
    }
    session.quit();
}

#[test]
fn display_writes_the_right_of_an_inner_rook_by_its_file() {
    let mut session = Session::new();
    let fen = "1r1rk1rr/8/8/8/8/8/8/1R1RK1RR w GDkq - 0 1";
    session.send(&format!("position fen {fen}"));
    let shown = answers(&mut session, "display");
    assert!(shown.contains(&format!("FEN: {fen}")), "{shown:?}");
    session.quit();
}

#[test]
fn every_command_works_within_a_session() {
    let mut session = Session::new();
    let version = concat!("stillwater ", env!("CARGO_PKG_VERSION"));
    assert_eq!(answers(&mut session, "--version"), [version]);
    for help in ["help", "--help", "params --help", "bench -h"] {
        let help = answers(&mut session, help);
        assert!(help[0].starts_with("usage: stillwater"), "{help:?}");
        assert!(
            help.iter().any(|line| line.contains("Examples:")),
            "{help:?}"
        );
    }
    let openbench = answers(&mut session, "params --format openbench");
    assert!(openbench[0].ends_with(", 0.002"), "{openbench:?}");
    assert!(answers(&mut session, "params").len() > openbench.len());
    session.quit();
}

/// The engine in a shell that limits its address space. Linux does so reliably.
#[cfg(target_os = "linux")]
fn limited(kilobytes: u32, input: &str, arguments: &str) -> Command {
    let engine = env!("CARGO_BIN_EXE_stillwater");
    let script = format!("ulimit -v {kilobytes}; {input} {engine} {arguments}");
    let mut command = Command::new("sh");
    command.args(["-c", &script]);
    command
}

/// An engine with other settings than requested would play a match that means nothing.
#[cfg(target_os = "linux")]
#[test]
fn too_much_memory_ends_the_process() {
    for (name, value) in [("Hash", 65536), ("Hash", 4096), ("Threads", 256)] {
        let input = format!("echo setoption name {name} value {value} |");
        let flag = format!("--set {name}={value} eval");
        for (input, flag) in [(&*input, ""), ("", &*flag)] {
            let output = limited(600_000, input, flag).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{name}, {input}");
            let error = format!("error: cannot allocate {name} = {value}\n");
            assert_eq!(String::from_utf8_lossy(&output.stderr), error);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_old_table_is_freed_before_the_new_one_is_allocated() {
    let mut session = Session::of(limited(600_000, "", ""));
    // The memory does not hold both tables at once.
    for megabytes in [300, 350] {
        let set = format!("setoption name Hash value {megabytes}");
        let taken = format!("info string Hash = {megabytes}");
        assert_eq!(answers(&mut session, &set), [taken]);
    }
    session.ask("go depth 3", "bestmove");
    session.quit();
}

/// The stack of a thread needs more memory than the rest, so with one of these tables only
/// the thread is refused.
#[cfg(target_os = "linux")]
#[test]
fn a_search_with_fewer_threads_than_requested_ends_the_process() {
    let is_refused = |megabytes: u32| {
        let commands = format!(
            "setoption name Hash value {megabytes}\nsetoption name Threads value 2\ngo depth 1\n"
        );
        let input = format!("printf '{commands}' |");
        let mut command = limited(150_000, &input, "");
        // One arena: otherwise each thread reserves 64 MB of addresses.
        let output = command.env("MALLOC_ARENA_MAX", "1").output().unwrap();
        let error = "error: cannot start a search thread\n";
        String::from_utf8_lossy(&output.stderr) == error && output.status.code() == Some(2)
    };
    assert!((20..150).step_by(4).any(is_refused));
}

/// Writing to `/dev/full` fails.
#[cfg(target_os = "linux")]
#[test]
fn unwritable_output_is_an_error() {
    let full = || std::fs::File::create("/dev/full").unwrap();
    let engine = || Command::new(env!("CARGO_BIN_EXE_stillwater"));
    let lost = engine().arg("eval").stdout(full()).output().unwrap();
    assert_eq!(lost.status.code(), Some(2));
    let error = String::from_utf8_lossy(&lost.stderr);
    assert!(
        error.starts_with("error: cannot write the output: "),
        "{error}"
    );
    let wrong = engine().arg("nonsense").stderr(full()).output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
}
