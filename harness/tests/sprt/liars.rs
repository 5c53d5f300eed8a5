//! Engines that take an advantage: what `hone` finds, and that a test withholds its verdict.

use std::fs;

use serde_json::Value;

use crate::common::skip::skipped;
use crate::common::{Finished, Setup, digest, engines, example, scripted, stillwater};

/// Two engines of the same program. The first takes an advantage (see `examples/liar.rs`).
struct Liar<'a> {
    lie: &'a str,
    /// The honest engine, with arguments.
    engine: &'a str,
    /// Of `[match]`.
    play: &'a str,
    adjudication: &'a str,
    /// Of the table of the first engine.
    more: &'a str,
    /// Pairs at a time.
    concurrency: u8,
}

const LIAR: Liar<'static> = Liar {
    lie: "none",
    engine: "",
    play: "",
    adjudication: "max_moves = 8",
    more: "",
    concurrency: 2,
};

/// The bounds of the test: with two engines that draw, it ends after 13 pairs.
const FEW: &str = "1e-3";
/// After 37 pairs.
const MANY: &str = "1e-9";

impl Liar<'_> {
    fn setup(&self, error_rate: &str) -> Setup {
        let command = format!("{} {}", example("liar").display(), self.engine);
        let env = |lie: &str| format!("env = {{ LIE = \"{lie}\" }}\n");
        let dev = env(self.lie) + self.more;
        let players = engines(("dev", &command, &dev), ("base", &command, &env("none")));
        Setup::new(&format!(
            "{players}[match]\nconcurrency = {}\nmax_failures = 1.0\non_finding = \"undecided\"\n{}\n\
             [adjudication]\n{}\n[sprt]\nmodel = \"logistic\"\nelo0 = -900.0\nelo1 = -800.0\n\
             alpha = {error_rate}\nbeta = {error_rate}\n",
            self.concurrency, self.play, self.adjudication
        ))
    }

    /// Its match in the folder `run`, finished.
    fn played(&self) -> Setup {
        let setup = self.setup(FEW);
        let finished = setup.play("match", "run", &["--json"]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        setup
    }

    /// The verdict is withheld because of the finding `test`, which has this rank and names
    /// the liar.
    fn is_found(&self, error_rate: &str, test: &str, rank: &str) {
        let finished = self.setup(error_rate).play("sprt", "run", &["--json"]);
        assert_eq!(finished.code, Some(3), "{test}: {}", finished.stderr);
        let json = finished.json();
        assert_eq!(json["withheld"], "H1", "{json}");
        let found = findings(&finished);
        let found = found.iter().find(|finding| finding["test"] == test);
        let found = found.unwrap_or_else(|| panic!("{test}: {json}"));
        assert_eq!(found["rank"], rank, "{found}");
        let detail = found["detail"].as_str().expect("text");
        assert!(detail.contains("dev"), "{detail}");
    }
}

fn findings(finished: &Finished) -> Vec<Value> {
    let json = finished.json();
    json["findings"].as_array().expect("a list").clone()
}

/// Short games of random moves.
fn random(options: &str) -> String {
    format!("{} {options}", scripted())
}

#[test]
fn honest_engines_get_their_verdict() {
    let engine = stillwater().display().to_string();
    let honest = Liar {
        engine: &engine,
        play: "limit = \"nodes=1000\"",
        adjudication: "max_moves = 12",
        ..LIAR
    };
    let finished = honest.setup(FEW).play("sprt", "run", &["--json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(finished.json()["verdict"], "H1");
    let found = findings(&finished);
    assert!(found.iter().all(|it| it["rank"] == "note"), "{found:?}");
}

#[test]
fn scores_that_are_too_high() {
    let engine = stillwater().display().to_string();
    Liar {
        lie: "score",
        engine: &engine,
        play: "limit = \"nodes=300\"",
        adjudication: "resign = { count = 3, score = 600, twosided = false }",
        ..LIAR
    }
    .is_found(MANY, "resigned_games", "doubtful");
}

#[test]
fn more_nodes_than_the_limit() {
    let engine = stillwater().display().to_string();
    for (lie, rank) in [("more:6", "invalid"), ("shallow", "doubtful")] {
        Liar {
            lie,
            engine: &engine,
            play: "limit = \"nodes=1000\"",
            adjudication: "max_moves = 12",
            ..LIAR
        }
        .is_found(FEW, "ignored_limit", rank);
    }
}

/// Each search takes 30 ms, however fast the machine is.
#[test]
fn fewer_nodes_than_were_searched() {
    Liar {
        lie: "hidden:4",
        engine: &random("start=nodes:1000 move=late:30"),
        play: "limit = \"nodes=1000\"",
        ..LIAR
    }
    .is_found(FEW, "speed", "doubtful");
}

#[cfg(target_os = "linux")]
#[test]
fn computing_in_the_time_of_the_opponent() {
    let engine = random("move=late:50");
    Liar {
        lie: "helper:50",
        engine: &engine,
        play: "limit = \"90+1\"",
        ..LIAR
    }
    .is_found(FEW, "processor_time", "doubtful");
}

/// Where the system lets `hone` isolate engines, only a trusted one can do that.
#[test]
fn pausing_hone() {
    Liar {
        lie: "pause:600",
        engine: &scripted(),
        play: "limit = \"60+1\"",
        more: "trusted = true\n",
        concurrency: 1,
        ..LIAR
    }
    .is_found(FEW, "pauses", "doubtful");
}

#[test]
fn using_the_margin() {
    Liar {
        lie: "overrun:300",
        engine: &scripted(),
        play: "limit = \"0.1+0\"\nmargin_ms = 1000",
        ..LIAR
    }
    .is_found(FEW, "clock_use", "doubtful");
}

#[test]
fn games_that_are_played_again_for_one_side() {
    Liar {
        lie: "crash:10",
        engine: &scripted(),
        play: "limit = \"nodes=1\"\non_failure = \"replay\"",
        adjudication: "max_moves = 12",
        ..LIAR
    }
    .is_found(FEW, "replays", "doubtful");
}

#[test]
fn learning_over_games() {
    Liar {
        lie: "learn",
        engine: &random("--seed 3"),
        play: "limit = \"nodes=1\"",
        ..LIAR
    }
    .is_found(FEW, "state_over_games", "doubtful");
}

#[test]
fn a_new_process_for_each_game_forgets_the_others() {
    let digest_of = |lie: &str, more: &str| {
        let engine = random("--seed 3");
        let learning = Liar {
            lie,
            engine: &engine,
            play: "limit = \"nodes=1\"\npairs = 3",
            more,
            ..LIAR
        };
        digest(&learning.played().run("run"))
    };
    let honest = digest_of("none", "");
    assert_ne!(digest_of("learn", ""), honest);
    assert_eq!(digest_of("learn", "restart = true\n"), honest);
}

/// What engines could do to their opponents and to `hone`.
#[cfg(target_os = "linux")]
#[test]
fn reaching_the_opponent_and_hone() {
    let reached = |more: &str| {
        let log = tempfile::NamedTempFile::new().expect("a file");
        let lie = format!("attack:{}", log.path().display());
        let attacking = Liar {
            lie: &lie,
            engine: &scripted(),
            play: "limit = \"nodes=1\"\npairs = 2",
            more,
            ..LIAR
        };
        let setup = attacking.played();
        let mut lines: Vec<String> = fs::read_to_string(log.path())
            .expect("a log")
            .lines()
            .map(str::to_string)
            .collect();
        lines.sort();
        lines.dedup();
        let manifest = fs::read_to_string(setup.run("run").join("run.toml")).expect("there");
        (lines, manifest)
    };
    let (lines, manifest) = reached("");
    let is = |isolation: &str| manifest.contains(&format!("isolation = \"{isolation}\""));
    if is("none") {
        return skipped("the kernel has no Landlock");
    }
    let signals = is("partial");
    assert!(signals || is("full"), "{manifest}");
    let expected = format!("input=false opponent={signals} parent={signals}");
    assert_eq!(lines, [expected]);
    // An opponent may end at any time.
    let (lines, _) = reached("trusted = true\n");
    let all = "input=true opponent=true parent=true".to_string();
    assert!(lines.contains(&all), "{lines:?}");
}
