//! `hone check`: the compliance report.
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::common::{Finished, finish, hone, script, scripted, stillwater, wait_until};
use serde_json::Value;

fn check(engine: &str, args: &[&str]) -> Finished {
    let mut command = hone();
    command.args(["check", engine]).args(args);
    finish(command)
}

#[test]
fn stillwater_keeps_to_the_protocol() {
    let finished = check(&stillwater().display().to_string(), &["--json"]);
    let json = finished.json();
    assert_eq!(finished.code, Some(0), "{json}");
    assert_eq!(json["failed"], 0);
    assert!(json["passed"].as_u64() >= Some(20), "{json}");
}

#[test]
fn an_engine_that_would_have_to_be_built_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("s.epd");
    fs::write(&file, "7k/8/8/8/8/8/8/1QK5 w - - bm Qb8+;\n").expect("written");
    for engine in ["git:HEAD", "worktree:"] {
        let check = check(engine, &[]);
        let mut suite = hone();
        suite.arg("suite").arg(&file).args(["--engine", engine]);
        let message =
            format!("`{engine}` is not a program, and this command does not build engines");
        for finished in [check, finish(suite)] {
            assert_eq!(finished.code, Some(2), "{}", finished.stderr);
            assert!(finished.stderr.contains(&message), "{}", finished.stderr);
        }
    }
    let named = format!("path:{}", stillwater().display());
    assert_eq!(check(&named, &[]).code, Some(0));
}

/// Milliseconds, longer than any answer takes on a busy machine.
const PATIENT: &str = "60000";

/// The check of this name.
fn outcome<'a>(json: &'a Value, name: &str) -> &'a Value {
    let checks = json["checks"].as_array().expect("checks");
    let check = checks.iter().find(|check| check["name"] == name);
    check.unwrap_or_else(|| panic!("no check `{name}`: {json}"))
}

/// What the check of this name found, which must be a fault.
fn fault<'a>(json: &'a Value, name: &str) -> &'a str {
    let check = outcome(json, name);
    assert_eq!(check["passed"], false, "{check}");
    check["detail"].as_str().expect("text")
}

/// Stillwater behind two filters, whose arms of `case` change or leave out lines of its
/// input and of its output. `end` follows the end of the input.
fn filtered(folder: &Path, [input, end, output]: [&str; 3]) -> String {
    let text = format!(
        r#"#!/bin/sh
{{
  while IFS= read -r line; do
    case "$line" in
      {input}
      quit) echo quit; exit ;;
    esac
    printf '%s\n' "$line"
  done
  {end}
}} | '{}' | while IFS= read -r line; do
  case "$line" in
    {output}
  esac
  printf '%s\n' "$line"
done
"#,
        stillwater().display()
    );
    script(folder, "filtered", &text).display().to_string()
}

const NAMELESS: [&str; 3] = ["", "", r#""id name"*) continue ;;"#];

/// It answers everything, but wrongly.
const WRONG: [&str; 3] = [
    r#""go depth 3") line="go depth 1" ;;
      "position startpos moves e2e4 c7c5 g1f3") line="position startpos" ;;
      "go movetime 100") line="go movetime 700" ;;
      "go wtime"*) sleep 0.6 ;;
      "position fen 8/8/8/k1pP3R/"*) line="position startpos" ;;"#,
    "",
    r#""option name Hash type spin default "*) line="option name Hash type spin default 0 min 1 max 9" ;;
    *"score mate"*) line="${line%%score mate*}score cp${line#*score mate}" ;;
    "info depth "[56]*" pv "*) line="$line a1a1" ;;"#,
];

/// The engine's input ends at certain commands, and so the engine ends.
const ENDS: [&str; 3] = [
    r#"nonsense* | "setoption name Hash value"* | "setoption name No Such"*) exit ;;
      "position fen rnb1kbnr/"*) exit ;;
      "go nodes"*) line="go nodes 1" ;;"#,
    "",
    "",
];

/// It does not answer the second `isready`, the one after the second `ucinewgame` and those
/// during `go infinite`, and it never ends.
const SILENT: [&str; 3] = [
    r#""go infinite") thinking=x ;;
      stop) thinking= ;;
      ucinewgame) games=x$games ;;
      isready) asked=x$asked
        case "$thinking,$games,$asked" in x,* | ,xx,* | ,,xx) continue ;; esac ;;
      quit) continue ;;"#,
    "sleep 1000",
    "",
];

/// Filters, the time limit for answers, and the faults that are found behind
/// them: the check, and what it reports.
type Faulty = (
    [&'static str; 3],
    &'static str,
    &'static [[&'static str; 2]],
);

const FAULTY: [Faulty; 4] = [
    (
        NAMELESS,
        PATIENT,
        &[["answers uci with its name and uciok", "no `id name`"]],
    ),
    (
        WRONG,
        PATIENT,
        &[
            ["declares well-formed options", "the default 0 is outside"],
            ["go depth: a legal move", "does not keep to the limit"],
            ["go nodes: a legal move", "is illegal in `startpos moves"],
            ["go movetime: in time", "`go movetime 100` took "],
            ["go with clocks: in time", "binc 10` took "],
            ["castling, en passant, promotion", "is illegal in `fen 8/8"],
            ["announces mates as mates", "was not announced"],
            ["principal variations are legal", "`a1a1` is illegal"],
        ],
    ),
    (
        ENDS,
        PATIENT,
        &[
            [
                "accepts its own default values",
                "closed its output or ended",
            ],
            ["ignores unknown commands", "closed its output or ended"],
            ["ignores unknown options", "closed its output or ended"],
            ["go nodes: a legal move", "does not keep to the limit"],
            [
                "survives a position without moves",
                "closed its output or ended",
            ],
        ],
    ),
    (
        SILENT,
        "5000",
        &[
            ["answers isready with readyok", "no `readyok`"],
            ["is ready again after ucinewgame", "no `readyok`"],
            ["answers isready while it thinks", "no `readyok`"],
            ["ends on quit", "does not end after `quit`"],
            ["ends when its input ends", "when its input is closed"],
        ],
    ),
];

/// Behind a filter, Stillwater fails these checks; without one, it passes all.
#[test]
fn each_fault_is_found_by_its_check() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut found = BTreeSet::new();
    for (filters, patience, faults) in FAULTY {
        let engine = filtered(folder.path(), filters);
        let finished = check(&engine, &["--json", "--patience", patience]);
        assert_eq!(finished.code, Some(1), "{}", finished.stderr);
        let json = finished.json();
        for [name, expected] in faults {
            let detail = fault(&json, name);
            assert!(detail.contains(expected), "{name}: {detail}");
            found.insert((*name).to_string());
        }
        let count = json["checks"].as_array().map(Vec::len);
        assert_eq!(count, Some(20), "a fault stops no other check: {json}");
    }
    let json = check(&stillwater().display().to_string(), &["--json"]).json();
    let checks = json["checks"].as_array().expect("checks").iter();
    let names = checks.map(|check| check["name"].as_str().expect("a name").to_string());
    let mut names: BTreeSet<String> = names.collect();
    // These have tests of their own.
    names.remove("castles in Chess960");
    names.remove("go infinite: no move before stop");
    assert_eq!(found, names);
}

#[test]
fn the_notation_of_special_moves_is_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let promotion = r#""bestmove e7e8"*) line="bestmove e7e8" ;;"#;
    let castling = r#""bestmove e1g1"*) line="bestmove O-O" ;;"#;
    let of_chess960 = r#""bestmove e1g1"*) line="bestmove e1h1" ;;"#;
    let capitals = r#""bestmove "*)
      best=$(printf %s "${line#bestmove }" | tr a-z A-Z)
      line="bestmove $best" ;;"#;
    for (output, passed, words) in [
        (promotion, false, "`bestmove e7e8` is illegal"),
        (castling, false, "`bestmove O-O` is illegal"),
        (of_chess960, true, "it castles with `e1h1`"),
        (capitals, true, "UCI writes moves in lower case"),
    ] {
        let engine = filtered(folder.path(), ["", "", output]);
        let json = check(&engine, &["--json", "--patience", PATIENT]).json();
        let outcome = outcome(&json, "castling, en passant, promotion");
        assert_eq!(outcome["passed"], passed, "{outcome}");
        let detail = outcome["detail"].as_str().expect("text");
        assert!(detail.contains(words), "{detail}");
        let dialogue = outcome["dialogue"].as_str();
        assert_eq!(dialogue.is_none(), passed, "{outcome}");
        assert!(
            dialogue.is_none_or(|text| text.contains("bestmove")),
            "{outcome}"
        );
    }
    let shown = check(&scripted(), &["--json", "--dialogue"]).json();
    let checks = shown["checks"].as_array().expect("checks");
    assert!(checks.iter().all(|check| check["dialogue"].is_string()));
}

#[test]
fn a_score_that_cannot_be_read_is_quoted() {
    let folder = tempfile::tempdir().expect("a folder");
    let pawns = r#"*"score cp "*) line="${line%%score cp *}score cp 0.${line#*score cp }" ;;"#;
    let engine = filtered(folder.path(), ["", "", pawns]);
    let json = check(&engine, &["--json", "--patience", PATIENT]).json();
    let found = fault(&json, "go depth: a legal move");
    let (start, end) = ("the score in `info depth ", "` cannot be read");
    assert!(found.starts_with(start) && found.ends_with(end), "{found}");
    assert!(found.contains(" score cp 0."), "{found}");
}

/// The check waits only briefly for such a move, which may come later on a busy machine.
#[test]
fn a_move_before_stop_is_found() {
    wait_until("a move before `stop`", || {
        let finished = check(&scripted(), &["--patience", "1500"]);
        let line = "FAILED   go infinite: no move before stop: it moved before `stop`\n";
        let other = "not made answers isready while it thinks: `go infinite` failed\n";
        finished.stdout.contains(line) && finished.stdout.contains(other)
    });
}

/// On a busy machine, the answers that follow may be late too: then it is tried again.
#[test]
fn one_late_answer_is_a_remark() {
    let folder = tempfile::tempdir().expect("a folder");
    let late_once = r#""go wtime"*) [ -n "$late" ] || sleep 0.6; late=x ;;"#;
    let engine = filtered(folder.path(), [late_once, "", ""]);
    wait_until("a remark", || {
        let json = check(&engine, &["--json", "--patience", PATIENT]).json();
        let clocks = outcome(&json, "go with clocks: in time");
        let detail = clocks["detail"].as_str().expect("text");
        assert!(
            detail.starts_with("`go wtime 300 btime 300 winc 10 binc 10` took "),
            "{detail}"
        );
        clocks["passed"] == true
    });
}

#[test]
fn a_fault_is_printed_with_its_dialogue() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = filtered(folder.path(), NAMELESS);
    let text = check(&engine, &["--patience", PATIENT]).stdout;
    let mut lines = text.lines();
    let first = "FAILED   answers uci with its name and uciok: it gives no `id name`";
    assert_eq!(lines.next(), Some(first), "{text}");
    let dialogue: Vec<&str> = lines
        .map_while(|line| line.strip_prefix("         "))
        .collect();
    assert!(
        dialogue[0].ends_with(" earlier lines: --dialogue prints all"),
        "{text}"
    );
    assert!(dialogue[8].ends_with(" < uciok"), "{text}");
    assert_eq!(dialogue.len(), 9, "{text}");
    assert!(text.ends_with("\n19 passed, 1 failed\n"), "{text}");
    let all = check(&engine, &["--patience", PATIENT, "--dialogue"]).stdout;
    let second = all.lines().nth(1).expect("a dialogue");
    assert!(second.ends_with(" > uci"), "{all}");
}

#[test]
fn an_option_that_cannot_be_read_is_found_among_thousands() {
    let folder = tempfile::tempdir().expect("a folder");
    // It ends after its handshake: only its options matter.
    let text = "#!/bin/sh
read -r uci; echo 'id name many'; echo 'option name Bad type wat'
seq -f 'option name O%g type check default true' 4000; echo uciok
";
    let engine = script(folder.path(), "engine", text);
    let json = check(&engine.display().to_string(), &["--json"]).json();
    let found = fault(&json, "declares well-formed options");
    let line = "`option` lines cannot be read; the first is `option name Bad type wat`";
    assert_eq!(found, format!("1 of 4001 {line}"));
    // Perhaps the line should declare an option that is set.
    let file = folder.path().join("s.epd");
    fs::write(&file, "7k/8/8/8/8/8/8/1QK5 w - - bm Qb8+;\n").expect("written");
    let mut suite = hone();
    suite.arg("suite").arg(&file).arg("--engine").arg(&engine);
    suite.args(["--option", "Bad=5"]);
    let refused = finish(suite);
    let words = format!("the engine has no option `Bad` (1 of its {line})");
    assert!(refused.stderr.contains(&words), "{}", refused.stderr);
}

/// The engine ends at the first `setoption`.
#[test]
fn a_default_that_cannot_be_read_is_a_fault_and_not_sent() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "#!/bin/sh
while read -r line; do
  case \"$line\" in
    uci) echo 'id name guess'; echo 'id author t'
         echo 'option name Hash type spin default abc min 0 max 10'
         echo 'option name UCI_ShowWDL type check default maybe'; echo uciok ;;
    isready) echo readyok ;;
    *) exit ;;
  esac
done
";
    let engine = script(folder.path(), "engine", text);
    let args = ["--json", "--patience", PATIENT];
    let json = check(&engine.display().to_string(), &args).json();
    let found = fault(&json, "declares well-formed options");
    assert!(
        found.starts_with("option `Hash`: `default abc` is not a whole number"),
        "{found}"
    );
    let defaults = outcome(&json, "accepts its own default values");
    assert_eq!(defaults["passed"], true, "{defaults}");
}

#[test]
fn an_engine_that_does_not_start_fails_the_first_check_only() {
    let finished = check("/bin/true", &["--json", "--patience", "500"]);
    assert_eq!(finished.code, Some(1));
    assert_eq!(finished.json()["checks"].as_array().map(Vec::len), Some(1));
}

#[test]
fn an_engine_without_uciok_has_the_time_of_a_match_and_its_last_line_is_shown() {
    let json = check("/bin/cat", &["--json", "--patience", "500"]).json();
    assert_eq!(
        fault(&json, "answers uci with its name and uciok"),
        "`/bin/cat` did not send `uciok` within 10 s; its last line: `uci`\n\
         help: if it needs longer, raise `--patience`"
    );
}

/// An engine of one thread: `$1` is its answer to every `go`.
const PLAIN: &str = r#"#!/bin/sh
while read -r line; do
  case "$line" in
    uci) echo "id name p"; echo "id author t"; echo uciok ;;
    isready) echo readyok ;;
    go*wtime*) echo "ValueError: 'wtime' is not in list" >&2; exit 3 ;;
    go*) echo "$1" ;;
    quit) exit ;;
  esac
done
"#;

#[test]
fn a_crash_is_reported_with_its_status_and_its_standard_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = script(folder.path(), "engine", PLAIN);
    let engine = format!("{} 'bestmove d2d4'", engine.display());
    let json = check(&engine, &["--json", "--patience", PATIENT]).json();
    let found = fault(&json, "go with clocks: in time");
    let end = "the engine closed its output or ended (exit status 3); \
               its standard error: ValueError: 'wtime' is not in list";
    assert!(found.ends_with(end), "{found}");
}

#[test]
fn one_fact_has_one_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = script(folder.path(), "engine", PLAIN);
    let engine = format!("{} 'bestmove d2d4'", engine.display());
    let json = check(&engine, &["--json", "--patience", PATIENT]).json();
    let found = fault(&json, "go infinite: no move before stop");
    assert_eq!(found, "it moved before `stop`");
    let after = outcome(&json, "answers isready while it thinks");
    assert_eq!(after["passed"], Value::Null, "{after}");
    assert_eq!(after["detail"], "`go infinite` failed");
}

/// The counters of FENs are optional in EPD, and not in UCI.
#[test]
fn a_fen_without_counters_may_be_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    // It ends, plays in another position, or keeps the earlier one.
    let shown = [
        r#"*" w - -") exit ;;"#,
        r#"*" w - -") line="position startpos" ;;"#,
        r#"*" w - -") continue ;;"#,
    ]
    .map(|refuses| {
        let engine = filtered(folder.path(), [refuses, "", ""]);
        let json = check(&engine, &["--json", "--patience", PATIENT]).json();
        let check = outcome(&json, "castling, en passant, promotion");
        assert_eq!(check["passed"], true, "{refuses}: {check}");
        (refuses, check["detail"].as_str().expect("text").to_string())
    });
    let shown = hone_testing::listed(shown);
    // Stillwater's move is its own matter.
    let snapshots = hone_testing::snapshots(&[("bestmove [a-h1-8]+", "bestmove MOVE")]);
    snapshots.bind(|| insta::assert_snapshot!("fen-without-counters", shown));
}

#[test]
fn without_a_bestmove_only_the_first_search_is_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = script(folder.path(), "engine", PLAIN);
    let engine = format!("{} 'Bestmove d2d4'", engine.display());
    let json = check(&engine, &["--json", "--patience", "5000"]).json();
    assert_eq!(
        fault(&json, "is ready again after ucinewgame"),
        "no `bestmove` after `go depth 1`: the engine did not answer in time; \
         its last line: `Bestmove d2d4`"
    );
    let checks = json["checks"].as_array().expect("checks");
    let is_skipped = |check: &&Value| {
        let detail = check["detail"].as_str().expect("text");
        detail == "the first search gave no `bestmove`" && check["passed"].is_null()
    };
    assert_eq!(checks.iter().filter(is_skipped).count(), 11, "{json}");
    assert_eq!(json["failed"], 1, "{json}");
    assert_eq!(json["not_made"], 11, "{json}");
    assert_eq!(outcome(&json, "ends on quit")["passed"], true, "{json}");
}

#[test]
fn a_program_that_cannot_be_started_is_not_a_fault_of_the_protocol() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("text");
    fs::write(&text, "not a program").expect("written");
    for program in ["no-such-program", &text.display().to_string()] {
        let finished = check(program, &["--json"]);
        assert_eq!(finished.code, Some(2), "{}", finished.stderr);
        let start = format!("error: cannot start `{program}`: ");
        assert!(finished.stderr.starts_with(&start), "{}", finished.stderr);
        assert_eq!(finished.stdout, "");
    }
}

/// It plays its first argument where only castling to the right mates, and its second where
/// only castling to the left does. Its third argument is the kind of its scores.
const CASTLING: &str = r#"#!/bin/sh
while read -r line; do
  case "$line" in
    uci) echo "id name c"; echo "id author t"
         echo "option name UCI_Chess960 type check default false"; echo uciok ;;
    isready) echo readyok ;;
    position*) position="$line" ;;
    "go infinite") thinks=1 ;;
    stop) [ -z "$thinks" ] || echo "bestmove a2a3"; thinks= ;;
    go*) case "$position" in
           *"fen 4R1R1"*) best=$1 ;;
           *"fen 2R1R3"*) best=$2 ;;
           *"moves f1h1"*) best=f8e8 ;;
           *) best=a2a3 ;;
         esac
         echo "info depth 1 score $3 1 nodes 10 pv $best"
         echo "bestmove $best" ;;
    quit) exit ;;
  esac
done
"#;

#[test]
fn castling_of_chess960_in_the_wrong_form_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = script(folder.path(), "engine", CASTLING);
    for (args, wrong) in [
        ("g1h1 b1a1 mate", None),
        // It misses the mates: `b1c1` is then a king move.
        ("g1g2 b1b2 cp", None),
        ("g1h1 b1c1 cp", None),
        ("g1g1 b1a1 mate", Some("`g1h1`")),
        ("g1g1 b1a1 cp", Some("`g1h1`")),
        ("g1h1 b1c1 mate", Some("`b1a1`")),
    ] {
        let engine = format!("{} {args}", engine.display());
        let json = check(&engine, &["--json", "--patience", PATIENT]).json();
        let castling = outcome(&json, "castles in Chess960");
        assert_eq!(castling["passed"], wrong.is_none(), "{args}: {castling}");
        if let Some(right) = wrong {
            let detail = castling["detail"].as_str().expect("text");
            assert!(detail.contains(right), "{args}: {detail}");
        }
    }
}
