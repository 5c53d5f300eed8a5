//! Engines that lose on time because they get too little processor time.
use std::fs;

use crate::common::crowd::Crowd;
use crate::common::skip::skipped;
use crate::common::{Setup, column, engines, finish, hone, on_run, scripted};

/// The first processor on which this process may run.
fn processor() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("of Linux");
    let (_, list) = status.split_once("Cpus_allowed_list:").expect("known");
    let first = list.trim_start().split(|c: char| !c.is_ascii_digit());
    first.into_iter().next().unwrap().parse().expect("a number")
}

/// The second engine needs 250 ms of processor time for a move and has 350 ms: it is late
/// if it gets less than two thirds of its processor, which other programs use too.
fn setup(processor: usize, play: &str) -> Setup {
    let starved = format!("taskset -c {processor} {} move=spin:250", scripted());
    let players = engines(
        ("quick", &scripted(), "limit = \"60+1\""),
        ("starved", &starved, "limit = \"movetime=350\""),
    );
    Setup::new(&format!(
        "{players}[match]\npairs = 1\nconcurrency = 1\nmax_failures = 1.0\n\
         startup_ms = 60000\nstall_ms = 60000\n{play}[adjudication]\nmax_moves = 2\n"
    ))
}

#[test]
fn a_pair_that_the_machine_decided_is_played_again_three_times() {
    let processor = processor();
    let Some(_crowd) = Crowd::on(processor, 4) else {
        return skipped("no taskset");
    };
    for (play, replays) in [("", 0), ("on_machine_fault = \"replay\"\n", 3)] {
        let setup = setup(processor, play);
        let finished = setup.play("match", "run", &["--json"]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let json = finished.json();
        let starved = json["engines"][1]["starved"].as_u64();
        assert!(starved.is_some_and(|games| games > 0), "{json}");
        let run = setup.run("run");
        let csv = fs::read_to_string(run.join("games.csv")).unwrap();
        let replayed = ["white_replayed", "black_replayed"].map(|name| {
            let counts = column(&run, name).into_iter();
            counts
                .map(|count| count.parse::<u64>().unwrap())
                .sum::<u64>()
        });
        assert_eq!(replayed.iter().sum::<u64>(), replays, "{csv}");
        assert_eq!(
            json["engines"][1]["replayed"].as_u64().unwrap_or(0),
            replays
        );
        assert_eq!(csv.lines().count(), 3, "a header and one pair: {csv}");
        let report = on_run("report", &run);
        let words = "Played again after a failure: 3 times (starved 3)";
        assert_eq!(
            report.stdout.contains(words),
            replays > 0,
            "{}",
            report.stdout
        );
        assert_eq!(on_run("verify", &run).code, Some(0));
    }
}

#[test]
fn a_crash_counts() {
    let bad = format!("{} move=exit:7", scripted());
    let players = engines(("good", &scripted(), ""), ("bad", &bad, ""));
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"60+1\"\npairs = 1\nconcurrency = 1\n\
         max_failures = 1.0\non_machine_fault = \"replay\"\n"
    ));
    let finished = setup.play("match", "run", &["--json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let json = finished.json();
    assert_eq!(json["failures"]["crash"], serde_json::json!([0, 2]));
    assert_eq!(json["engines"][1].get("replayed"), None);
}

/// More threads than processors delay each other: that is not a fault of the machine.
#[test]
fn more_threads_than_processors_are_refused() {
    let setup = Setup::new(&format!(
        "{}[match]\nlimit = \"1+1\"\nconcurrency = 1000\non_machine_fault = \"replay\"\n",
        engines(("a", &scripted(), ""), ("b", &scripted(), ""))
    ));
    let refused = setup.play("match", "run", &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let words = "`on_machine_fault = \"replay\"`: 1000 games at a time";
    assert!(refused.stderr.contains(words), "{}", refused.stderr);
    let mut unknown = hone();
    unknown.arg("match").arg(&setup.config);
    unknown.args(["--set", "match.on_machine_fault=excuse"]);
    let refused = finish(unknown);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("replay"), "{}", refused.stderr);
}
