//! What servers and tuners start with `hone fastchess` and `hone cutechess-cli`, and what
//! they read: fishtest, OpenBench, weather-factory.

use std::fs;
#[cfg(unix)]
use std::process::Command;

use crate::common::dropin::{LONG_PING_MS, folder, lines, run_dropin};
use crate::common::{self, Finished};

/// The blocks of results, as servers read them: the number of games and the counts of pairs.
fn counts(finished: &Finished) -> Vec<(u64, [u64; 5])> {
    let games = lines(finished, "Games: ").into_iter().map(|line| {
        let fields: Vec<u64> = line
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|word| word.parse().ok())
            .collect();
        assert_eq!(fields[0], fields[1] + fields[2] + fields[3], "{line}");
        fields[0]
    });
    let pairs = lines(finished, "Ptnml(0-2): [").into_iter().map(|line| {
        let (counts, rest) = line["Ptnml(0-2): [".len()..].split_once(']').expect("]");
        assert!(rest.starts_with(", WL/DD Ratio: "), "{line}");
        let counts: Vec<u64> = counts
            .split(", ")
            .map(|count| count.parse().expect("a count"))
            .collect();
        counts.try_into().expect("five counts")
    });
    games.zip(pairs).collect()
}

/// What fishtest's worker sends and reads: a block after each pair, whose counts of games and
/// pairs agree.
#[test]
fn a_worker_reads_a_whole_match_with_every_kind_of_failure() {
    let dir = folder();
    for (failure, word, ping_ms) in [
        ("go:3=exit:1", "disconnects", LONG_PING_MS),
        ("go:3=hang", "connection stalls", 3000),
        ("go:3=illegal", "makes an illegal move", LONG_PING_MS),
        ("ucinewgame:2=exit:1", "disconnects", LONG_PING_MS),
    ] {
        let line = format!(
            "-testEnv -recover -repeat -games 2 -rounds 4 -ratinginterval 1 -scoreinterval 1 -autosaveinterval 0 -report penta=true -crc32 pgn=true -srand 3 -maxmoves 30 -concurrency 2 -openings file=book.epd format=epd order=random plies=16 start=1 -ping-ms {ping_ms} -engine name=New-abc cmd=ENGINE dir=. 'args={failure}' -engine name=Base-def cmd=ENGINE dir=. -each proto=uci nodes=100"
        );
        let finished = run_dropin("fastchess", dir.path(), &line);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let blocks = counts(&finished);
        let mut before = 0;
        for (games, pairs) in &blocks {
            assert_eq!(*games, 2 * pairs.iter().sum::<u64>());
            assert!(*games <= 8 && *games >= before);
            before = *games;
        }
        assert_eq!(before, 8, "{}", finished.stdout);
        let all = lines(&finished, "Finished game");
        assert!(
            all.iter().any(|line| line.contains(word)),
            "{failure}: {all:?}"
        );
        // The worker counts these words in all lines: only a finished game may have them.
        for line in finished.stdout.lines().chain(finished.stderr.lines()) {
            let is_counted = ["disconnect", "stall", "on time", "timeout"]
                .iter()
                .any(|word| line.contains(word));
            assert!(!is_counted || line.starts_with("Finished game"), "{line}");
        }
        let warned = finished.stdout.contains("Warning; Illegal move");
        assert_eq!(warned, failure.ends_with("illegal"), "{}", finished.stdout);
    }
}

/// What weather-factory starts, for either program, and how it reads the output.
#[test]
fn a_tuner_reads_the_score_and_the_elo() {
    let dir = folder();
    for (program, more) in [
        (
            "fastchess",
            "-config discard=true outname=t/c.json -output format=cutechess",
        ),
        ("cutechess-cli", ""),
    ] {
        let line = format!(
            "{more} -engine cmd=ENGINE name=e-1 proto=uci -engine cmd=ENGINE name=e-2 proto=uci 'args=--seed 9' -resign movecount=3 score=400 -draw movenumber=40 movecount=8 score=10 -recover -concurrency 2 -each tc=5+0.05 -openings file=book.epd format=epd order=random plies=16 -repeat 2 -games 2 -rounds 4 -pgnout t/games.pgn"
        );
        let finished = run_dropin(program, dir.path(), &line);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert!(finished.stdout.is_ascii());
        let mut score = Vec::new();
        let mut elo = None;
        for line in finished.stdout.lines().take_while(|line| !line.is_empty()) {
            let value = line.split_once(':').map_or("", |(_, value)| value);
            if line.starts_with("Score of") {
                let counts = value.split('[').next().expect("counts");
                let counts = counts.split(" - ").map(|count| count.trim().parse::<u64>());
                score = counts.collect::<Result<_, _>>().expect(line);
            } else if line.starts_with("Elo difference") {
                let number = value.split('+').next().expect("a number");
                elo = Some(number.trim().parse::<f64>().expect(line));
            }
        }
        assert_eq!(score.iter().sum::<u64>(), 8, "{}", finished.stdout);
        assert!(elo.is_some(), "{}", finished.stdout);
        assert!(dir.path().join("t/games.pgn").exists());
    }
    assert!(dir.path().join("t/c.json").exists());
}

/// What OpenBench's client reads: words of each finished game, and how it ended in the PGN.
#[test]
fn a_server_reads_each_game_and_its_end() {
    let dir = folder();
    for (failure, word, ending, ping_ms) in [
        ("go:9=exit:1", "disconnect", "abandoned", LONG_PING_MS),
        ("go:9=illegal", "illegal", "illegal move", LONG_PING_MS),
        ("ucinewgame:2=hang", "stalls", "abandoned", 3000),
    ] {
        let line = format!(
            "-recover -variant standard -testEnv -concurrency 2 -rounds 4 -games 2 -ping-ms {ping_ms} -engine cmd=ENGINE proto=uci tc=inf nodes=100 'args={failure}' name=E-dev -engine cmd=ENGINE proto=uci tc=inf nodes=100 name=E-base -openings file=book.epd format=epd order=random start=3 -srand 9 -maxmoves 30 -pgnout file=g.pgn append=false seldepth=true nodes=true match_line='^info depth 1 .*'"
        );
        let finished = run_dropin("fastchess", dir.path(), &line);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        // The client stops at the first empty line, and reads ASCII.
        assert!(finished.stdout.is_ascii());
        let head = finished.stdout.split("\n\n").next().expect("text");
        let games: Vec<&str> = head
            .lines()
            .filter(|line| line.contains("Finished game"))
            .collect();
        let mut numbers = Vec::new();
        let mut failures = 0;
        for game in &games {
            let words: Vec<&str> = game.split(' ').collect();
            numbers.push(words[2].parse::<u32>().expect(game));
            assert!(["1-0", "0-1", "1/2-1/2"].contains(&words[6]), "{game}");
            let reason = game.split(':').nth(1).expect("a reason");
            failures += usize::from(reason.contains(word));
        }
        numbers.sort_unstable();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
        assert!(failures > 0, "{}", finished.stdout);
        let pgn = fs::read_to_string(dir.path().join("g.pgn")).expect("written");
        let pgn = pgn.replace('\n', " ");
        let tag = format!("[Termination \"{ending}\"]");
        assert_eq!(pgn.matches(&tag).count(), failures, "{failure}");
        assert!(pgn.contains(", sd=1,") && pgn.contains("line=\"info depth 1 "));
    }
}

/// OpenBench builds a match runner and engines with `make`.
#[cfg(unix)]
#[test]
fn the_makefiles_build_the_programs_of_openbench() {
    let make = |folder: &str, words: &[&str]| {
        let mut command = Command::new("make");
        command.arg("-n").args(words);
        command.current_dir(common::workspace().join(folder));
        command.env("CARGO", "cargo").env_remove("TARGET");
        command.output()
    };
    let Ok(runner) = make("", &["-j", "CXX=g++"]) else {
        common::skip::skipped("`make` is not installed");
        return;
    };
    let runner = String::from_utf8_lossy(&runner.stdout).into_owned();
    assert!(runner.contains("--bin hone"), "{runner}");
    assert!(runner.contains("\"fastchess\"\n"), "{runner}");
    let engine = make("engine", &["-j", "EXE=Stillwater-1A2B"]).expect("make is there");
    let engine = String::from_utf8_lossy(&engine.stdout).into_owned();
    assert!(engine.contains("--bin stillwater"), "{engine}");
    assert!(engine.contains("\"Stillwater-1A2B\"\n"), "{engine}");
}
