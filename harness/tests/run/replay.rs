//! `hone replay`: which evidence a name means, and what a failure that does not repeat may
//! depend on.
use std::fs;

use crate::common::{finish, hone, hone_in, on_run, script, scripted};

#[test]
fn a_failure_of_the_newest_run_is_found_and_earlier_searches_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let play = |bad: &str| {
        let mut args = vec!["match", bad];
        let good = scripted();
        args.extend([&good, "--limit", "nodes=10", "--pairs", "1"]);
        args.extend(["--book", "none", "--set", "match.stall_ms=60000"]);
        args.extend(["--set", "adjudication.max_moves=20"]);
        let played = hone_in(folder.path(), &args);
        assert_eq!(played.code, Some(0), "{}", played.stderr);
    };
    let replay = |name: &str| hone_in(folder.path(), &["replay", name]);
    play(&format!("{} go:3=exit:1", scripted()));
    let run = replay("latest");
    assert_eq!(run.code, Some(2), "{}", run.stdout);
    let help = "/failures/NAME`, where NAME is 1-1, 1-2\n";
    assert!(run.stderr.contains(help), "{}", run.stderr);
    let again = replay("latest/failures/1-1");
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let words = "in the run, the process had searched 2 times before";
    assert!(again.stdout.contains(words), "{}", again.stdout);
    let twice = ["replay", "latest/failures/1-1", "--json", "--times", "2"];
    let twice = hone_in(folder.path(), &twice);
    assert_eq!(twice.code, Some(0), "{}", twice.stderr);
    let json = twice.json();
    assert_eq!(json["earlier_searches"], 2, "{json}");
    let tries = json["tries"].as_array().expect("a list");
    assert_eq!(tries.len(), 2, "{json}");
    for attempt in tries {
        assert_eq!(attempt["failed"], false, "{json}");
        let answer = attempt["answer"].as_str().expect("a text");
        assert!(answer.starts_with("bestmove "), "{json}");
        assert!(
            attempt["ms"].as_u64() <= json["allowed_ms"].as_u64(),
            "{json}"
        );
    }

    play(&format!("{} --seed 2", scripted()));
    let run = replay("latest");
    assert_eq!(run.code, Some(2), "{}", run.stdout);
    let words = " has no failures to repeat\n";
    assert!(run.stderr.ends_with(words), "{}", run.stderr);
}

#[test]
fn an_engine_that_ends_after_its_move_fails_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "#!/bin/sh
while read -r line; do
  case \"$line\" in
    uci) echo uciok ;;
    isready) echo readyok ;;
    go*) echo bestmove e2e4; exit ;;
  esac
done
";
    let engine = script(folder.path(), "engine", text);
    let situation = format!(
        "name = \"x\"\nfailure = \"White disconnects\"\nchess960 = false\n\
         position = \"position startpos\"\ngo = \"go nodes 10\"\nallowed_ms = 60000\n\
         startup_ms = 60000\nstall_ms = 60000\noptions = []\n[launch]\nprogram = {:?}\n",
        engine.display().to_string()
    );
    fs::write(folder.path().join("replay.toml"), situation).expect("written");
    let again = on_run("replay", folder.path());
    assert_eq!(again.code, Some(1), "{}{}", again.stdout, again.stderr);
    let words = "try 1: after bestmove e2e4: the engine closed its output or ended";
    assert!(again.stdout.contains(words), "{}", again.stdout);
    let mut command = hone();
    command.args(["replay", "--json", "--dialogue", "--times", "3"]);
    command.arg(folder.path());
    let again = finish(command);
    assert_eq!(again.code, Some(1), "{}", again.stderr);
    let json = again.json();
    assert_eq!(json["engine"], "x");
    assert_eq!(json["failure"], "White disconnects");
    assert_eq!(json["tries"].as_array().map(Vec::len), Some(1), "{json}");
    let attempt = &json["tries"][0];
    assert_eq!(
        (&attempt["failed"], &attempt["ms"]),
        (&true.into(), &serde_json::Value::Null)
    );
    let answer = attempt["answer"].as_str().expect("a text");
    assert!(answer.starts_with("after bestmove e2e4: "), "{answer}");
    let dialogue = attempt["dialogue"].as_str().expect("a text");
    assert!(dialogue.contains("> go nodes 10"), "{dialogue}");
}
