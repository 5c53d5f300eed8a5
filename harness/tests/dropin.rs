//! `hone fastchess` and `hone cutechess-cli` as scripts and servers use them:
//! the command line, the lines on standard output, the files.

mod common;

use std::fs;
use std::process::Command;

use common::{Finished, called, finish, scripted};
use tempfile::TempDir;

const BOOK: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\nrnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\nrnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2\nrnbqkbnr/pppp1ppp/8/4p3/2P5/8/PP1PPPPP/RNBQKBNR w KQkq - 0 2\n";

/// A folder with a book, in which a command is called.
fn folder() -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("book.epd"), BOOK).expect("written");
    dir
}

const TWO: &str = "-engine cmd=ENGINE name=A -engine cmd=ENGINE name=B 'args=--seed 5' -each nodes=100 -maxmoves 30 -openings file=book.epd order=sequential";

/// Milliseconds, longer than any answer takes on a busy machine.
const PATIENT: u32 = 60_000;

/// The lines of standard output that begin with `start`.
fn lines<'a>(finished: &'a Finished, start: &str) -> Vec<&'a str> {
    let all = finished.stdout.lines();
    all.filter(|line| line.starts_with(start)).collect()
}

#[test]
fn a_match_is_printed_as_by_fastchess() {
    let dir = folder();
    let line = format!(
        "{TWO} -rounds 4 -repeat -ratinginterval 2 -pgnout file=g.pgn nodes=true -epdout file=e.epd --out run"
    );
    let finished = called("fastchess", dir.path(), &line);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let expected: Vec<String> = (1..=8)
        .map(|number| {
            let players = if number % 2 == 1 { "A vs B" } else { "B vs A" };
            format!("Started game {number} of 8 ({players})")
        })
        .collect();
    assert_eq!(lines(&finished, "Started game"), expected);
    let all = lines(&finished, "Finished game");
    assert_eq!(all.len(), 8, "{}", finished.stdout);
    for (number, line) in all.iter().enumerate() {
        let start = format!("Finished game {} (", number + 1);
        assert!(line.starts_with(&start) && line.ends_with('}') && line.contains(" {"));
    }
    assert_eq!(
        lines(&finished, "Results of "),
        ["Results of A vs B (100 nodes, 1t, 16MB, book.epd):"; 2]
    );
    assert!(lines(&finished, "Games: ")[1].starts_with("Games: 8, Wins: "));
    assert_eq!(lines(&finished, "Finished match").len(), 1);
    assert!(finished.stdout.contains("\nTotal Time: 00:"));
    // What was asked for, and the run's folder all the same.
    let pgn = fs::read_to_string(dir.path().join("g.pgn")).expect("written");
    assert_eq!(pgn.matches("[Event ").count(), 8);
    let kept = fs::read_to_string(dir.path().join("run/games.pgn")).expect("kept");
    assert_eq!(pgn, kept);
    let epd = fs::read_to_string(dir.path().join("e.epd")).expect("written");
    assert_eq!(epd.lines().count(), 8);
    // The same command again appends.
    let again = line.replace("--out run", "--out run2");
    assert_eq!(called("fastchess", dir.path(), &again).code, Some(0));
    let pgn = fs::read_to_string(dir.path().join("g.pgn")).expect("written");
    assert_eq!(pgn.matches("[Event ").count(), 16);
}

/// As servers read a block: the number of games and the counts of pairs.
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

/// What fishtest's worker sends and reads: a block after every pair, both
/// counts in each, in step with each other and with the games.
#[test]
fn a_worker_reads_a_whole_match_with_every_kind_of_failure() {
    let dir = folder();
    for (failure, word, ping_ms) in [
        ("go:3=exit:1", "disconnects", PATIENT),
        ("go:3=hang", "connection stalls", 3000),
        ("go:3=illegal", "makes an illegal move", PATIENT),
        ("ucinewgame:2=exit:1", "disconnects", PATIENT),
    ] {
        let line = format!(
            "-testEnv -recover -repeat -games 2 -rounds 4 -ratinginterval 1 -scoreinterval 1 -autosaveinterval 0 -report penta=true -crc32 pgn=true -srand 3 -maxmoves 30 -concurrency 2 -openings file=book.epd format=epd order=random plies=16 start=1 -ping-ms {ping_ms} -engine name=New-abc cmd=ENGINE dir=. 'args={failure}' -engine name=Base-def cmd=ENGINE dir=. -each proto=uci nodes=100"
        );
        let finished = called("fastchess", dir.path(), &line);
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
        // Counted in every line: only a finished game may have these words.
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

#[test]
fn a_match_is_printed_as_by_cutechess() {
    let dir = folder();
    let line = format!("{TWO} -games 2 -rounds 4 -repeat -pgnout g.pgn min");
    let finished = called("cutechess-cli", dir.path(), &line);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let scores = lines(&finished, "Score of A vs B: ");
    assert_eq!(scores.len(), 8);
    for (number, score) in scores.iter().enumerate() {
        let end = format!("] {}", number + 1);
        assert!(score.ends_with(&end) && score.contains("  ["), "{score}");
    }
    // Tuners read up to the first empty line: nothing of theirs comes later.
    let head = finished.stdout.split("\n\n").next().expect("text");
    for part in [
        "...      A playing White: ",
        "...      A playing Black: ",
        "...      White vs Black: ",
        "Elo difference: ",
        ", LOS: ",
    ] {
        assert!(head.contains(part), "{part}: {}", finished.stdout);
    }
    assert!(finished.stdout.contains("\n\nPlayer: A\n   \""));
    assert_eq!(finished.last_line(), "Finished match");
    let pgn = fs::read_to_string(dir.path().join("g.pgn")).expect("written");
    assert!(!pgn.contains("[Termination") && !pgn.contains('{'), "{pgn}");
}

/// What weather-factory starts, for either program, and how it reads it.
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
        let finished = called(program, dir.path(), &line);
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

#[test]
fn a_decided_test_ends_with_its_line() {
    let dir = folder();
    // The second engine plays illegal moves: the first wins every game.
    let line = "-engine cmd=ENGINE name=A -engine cmd=ENGINE name=B args=move=illegal -each tc=20+1 -openings file=book.epd order=random -srand 1 -sprt elo0=0 elo1=100 alpha=0.3 beta=0.3 model=logistic -rounds 200 -repeat -recover";
    let finished = called("fastchess", dir.path(), line);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(
        lines(&finished, "SPRT ("),
        ["SPRT ([0.00, 100.00]) completed - H1 was accepted"]
    );
    let llr = lines(&finished, "LLR: ");
    let last = llr.last().expect("a test");
    assert!(last.ends_with("(-0.85, 0.85) [0.00, 100.00]"), "{last}");
    let verdict = called(
        "fastchess",
        dir.path(),
        &line.replace("name=A", "name=A args=move=illegal").replacen(
            "name=B args=move=illegal",
            "name=B",
            1,
        ),
    );
    assert!(
        verdict.stdout.contains("H0 was accepted"),
        "{}",
        verdict.stdout
    );
    assert_eq!(verdict.code, Some(0), "as fastchess");
    let own = format!("{line} --exit-code verdict");
    let own = own.replace("name=A", "name=A args=move=illegal").replacen(
        "name=B args=move=illegal",
        "name=B",
        1,
    );
    assert_eq!(called("fastchess", dir.path(), &own).code, Some(1));
    let cutechess = line.replace(" model=logistic", "");
    let finished = called("cutechess-cli", dir.path(), &cutechess);
    let line = lines(&finished, "SPRT: llr ");
    let line = line.last().expect("a test");
    assert!(
        line.ends_with("lbound -0.847, ubound 0.847 - H1 was accepted"),
        "{line}"
    );
}

#[test]
fn a_config_file_resumes_the_run() {
    let dir = folder();
    let line = format!("{TWO} -rounds 4 -repeat -pgnout g.pgn --out run");
    assert_eq!(called("fastchess", dir.path(), &line).code, Some(0));
    // As after a kill in the middle: the last pair is not there yet.
    let ledger = dir.path().join("run/games.csv");
    let text = fs::read_to_string(&ledger).expect("a ledger");
    let rows: Vec<&str> = text.lines().collect();
    fs::write(&ledger, rows[..rows.len() - 2].join("\n") + "\n").expect("written");
    let finished = called("fastchess", dir.path(), "-config file=config.json");
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(lines(&finished, "Finished game").len(), 2);
    assert!(lines(&finished, "Games: ")[0].starts_with("Games: 8, "));
    let verify = common::on_run("verify", &dir.path().join("run"));
    assert_eq!(verify.code, Some(0), "{}", verify.stderr);
    fs::write(dir.path().join("other.json"), "{}").expect("written");
    let other = called("fastchess", dir.path(), "-config file=other.json");
    assert_eq!(other.code, Some(1));
    assert!(other.stderr.contains("does not name a run of hone"));
}

/// Whoever plays the rest of a run, the files of its command line have every game.
#[test]
fn files_of_games_are_complete_after_a_resume() {
    for (program, resume) in [
        ("cutechess-cli", "resume run"),
        ("fastchess", "resume run"),
        ("fastchess", "fastchess -config file=config.json"),
    ] {
        let dir = folder();
        let line =
            format!("{TWO} -rounds 4 -games 2 -repeat -pgnout g.pgn -epdout g.epd --out run");
        assert_eq!(called(program, dir.path(), &line).code, Some(0));
        let files = ["g.pgn", "g.epd"].map(|name| dir.path().join(name));
        let whole = files
            .each_ref()
            .map(|file| fs::read_to_string(file).expect("written"));
        let before = "[Event \"of another match\"]\n\n1. e4 *\n\n";
        for (cut, with) in [(0.6, before), (0.0, "")] {
            // As after a kill, with the games of another match before.
            for (file, whole) in files.iter().zip(&whole) {
                let kept = &whole[..(whole.len() as f64 * cut) as usize];
                fs::write(file, format!("{with}{kept}")).expect("written");
            }
            let mut command = Command::new(env!("CARGO_BIN_EXE_hone"));
            command.current_dir(dir.path()).args(resume.split(' '));
            let finished = finish(command);
            assert_eq!(finished.code, Some(0), "{}", finished.stderr);
            for (file, whole) in files.iter().zip(&whole) {
                let text = fs::read_to_string(file).expect("there");
                assert_eq!(
                    &text,
                    &format!("{with}{whole}"),
                    "{program}, {resume}, {cut}"
                );
            }
        }
    }
}

#[test]
fn a_resumed_run_names_the_flags_that_it_ignores() {
    let dir = folder();
    let line = format!("{TWO} -rounds 1 -games 2 --out run");
    assert_eq!(called("fastchess", dir.path(), &line).code, Some(0));
    let more = "-config file=config.json -rounds 9 -concurrency 2";
    let finished = called("fastchess", dir.path(), more);
    let warning = "warning: no effect of `-concurrency`, `-rounds`:";
    assert!(finished.stderr.contains(warning), "{}", finished.stderr);
}

#[test]
fn a_refused_start_changes_no_file() {
    let dir = folder();
    for name in ["g.pgn", "g.epd"] {
        fs::write(dir.path().join(name), "precious").expect("written");
    }
    let files = "-pgnout file=g.pgn append=false -epdout file=g.epd append=false";
    let line = format!("{TWO} -rounds 1 {files}");
    let refused = called(
        "fastchess",
        dir.path(),
        &line.replacen("cmd=ENGINE", "cmd=./absent", 1),
    );
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    let read = |name: &str| fs::read_to_string(dir.path().join(name)).expect("there");
    assert_eq!(
        (read("g.pgn"), read("g.epd")),
        ("precious".into(), "precious".into())
    );
    assert_eq!(called("fastchess", dir.path(), &line).code, Some(0));
    assert!(read("g.pgn").starts_with("[Event "), "{}", read("g.pgn"));
    assert!(!read("g.epd").contains("precious"));
}

/// fastchess looks on the `PATH` and then here, cutechess-cli here first.
#[test]
fn a_bare_name_may_be_a_file_here() {
    let dir = folder();
    let name = format!("own-engine{}", std::env::consts::EXE_SUFFIX);
    fs::copy(scripted(), dir.path().join(&name)).expect("copied");
    for program in ["fastchess", "cutechess-cli"] {
        let line = "-engine cmd=own-engine name=A -engine cmd=own-engine name=B -each st=0.5 -rounds 1 -games 2 -pgnout g.pgn -maxmoves 2";
        let finished = called(program, dir.path(), line);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let pgn = fs::read_to_string(dir.path().join("g.pgn")).expect("written");
        assert!(pgn.contains("[TimeControl \"0.5/move\"]"), "{pgn}");
    }
}

#[test]
fn errors_are_one_line_and_code_1() {
    let dir = folder();
    for (line, part) in [
        ("-engne cmd=a", "did you mean `-engine`?"),
        ("-noswap", "`-noswap` is not supported"),
        (
            "-engine cmd=./absent -engine cmd=./absent2 -each tc=1+1",
            "absent",
        ),
    ] {
        let finished = called("fastchess", dir.path(), line);
        assert_eq!(finished.code, Some(1), "{line}");
        assert!(finished.stderr.contains("error: cannot play: "));
        assert!(finished.stderr.contains(part), "{}", finished.stderr);
        assert_eq!(finished.stdout, "");
    }
}

#[cfg(unix)]
#[test]
fn a_link_with_the_name_of_a_program_is_that_program() {
    let dir = folder();
    for (name, version) in [
        ("fastchess", "fastchess 1.8.2 (hone "),
        ("cutechess-cli", "cutechess-cli 1.5.1 (hone "),
    ] {
        let link = dir.path().join(name);
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_hone"), &link).expect("a link");
        let run = |line: &str| {
            let mut command = Command::new(&link);
            let words = shlex::split(&line.replace("ENGINE", &scripted())).expect("words");
            command.current_dir(dir.path()).args(words);
            finish(command)
        };
        let finished = run("--version");
        assert!(finished.stdout.starts_with(version), "{}", finished.stdout);
        let help = run("-help");
        assert!(help.stdout.contains("-ratinginterval") && help.code == Some(0));
        let played = run(&format!("{TWO} -games 2 -rounds 1"));
        assert_eq!(lines(&played, "Finished game").len(), 2);
        let explained = run(&format!("{TWO} -games 2 -rounds 3 --explain"));
        assert!(
            explained.stdout.contains("pairs = 3"),
            "{}",
            explained.stdout
        );
    }
}

/// The page has the table that the program prints: write it anew with
/// `hone fastchess --table` between the two comments.
#[test]
fn the_page_has_the_table_of_the_program() {
    let table = called("fastchess", common::workspace(), "--table").stdout;
    let page =
        fs::read_to_string(common::workspace().join("docs/coming-from-flags.md")).expect("a page");
    let (_, rest) = page.split_once("<!-- table -->\n").expect("its start");
    let (on_page, _) = rest.split_once("<!-- end of table -->").expect("its end");
    assert_eq!(on_page.trim(), table.trim());
}

/// What OpenBench's client reads: words of each finished game, and in the PGN
/// how it ended.
#[test]
fn a_server_reads_each_game_and_its_end() {
    let dir = folder();
    for (failure, word, ending, ping_ms) in [
        ("go:9=exit:1", "disconnect", "abandoned", PATIENT),
        ("go:9=illegal", "illegal", "illegal move", PATIENT),
        ("ucinewgame:2=hang", "stalls", "abandoned", 3000),
    ] {
        let line = format!(
            "-recover -variant standard -testEnv -concurrency 2 -rounds 4 -games 2 -ping-ms {ping_ms} -engine cmd=ENGINE proto=uci tc=inf nodes=100 'args={failure}' name=E-dev -engine cmd=ENGINE proto=uci tc=inf nodes=100 name=E-base -openings file=book.epd format=epd order=random start=3 -srand 9 -maxmoves 30 -pgnout file=g.pgn append=false seldepth=true nodes=true match_line='^info depth 1 .*'"
        );
        let finished = called("fastchess", dir.path(), &line);
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

#[test]
fn a_log_has_the_dialogue_and_a_pgn_its_checksum() {
    let dir = folder();
    let line = format!(
        "{TWO} -rounds 1 -repeat -crc32 pgn=true -pgnout file=g.pgn -log file=f.log engine=true level=info"
    );
    let line = line.replace("name=A", "name=A args='go:5=stderr go:9=illegal'");
    let finished = called("fastchess", dir.path(), &line);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let pgn = fs::read(dir.path().join("g.pgn")).expect("written");
    let checksum = lines(&finished, "File g.pgn has CRC32: ");
    assert_eq!(checksum.len(), 2);
    let expected = format!("File g.pgn has CRC32: {:#x}", crc32fast::hash(&pgn));
    assert_eq!(checksum[1], expected);
    let pgn = String::from_utf8(pgn).expect("text").replace('\n', " ");
    assert!(pgn.contains("makes an illegal move: a1a1} "), "{pgn}");
    let log = fs::read_to_string(dir.path().join("f.log")).expect("a log");
    for part in [
        "[Engine] [",
        ">  A <--- uci\n",
        ">  A <--- ucinewgame\n",
        ">  B ---> readyok\n",
        "[WARN  ] [",
        "> fastchess --- A: ",
        "A wrote: something went wrong inside\n",
        "Warning; Illegal move in game 1 played by A\n",
    ] {
        assert!(log.contains(part), "{part}: {log}");
    }
    // From the first line on, engines have the names that the user gave them.
    assert!(!log.contains("scripted_engine <---"), "{log}");
    // Without the dialogue, and appended to.
    let again = line.replace("engine=true level=info", "level=err");
    assert_eq!(called("fastchess", dir.path(), &again).code, Some(0));
    let longer = fs::read_to_string(dir.path().join("f.log")).expect("a log");
    assert_eq!(longer, log);
    let debug = format!("{TWO} -games 2 -rounds 1 -debug");
    let shown = called("cutechess-cli", dir.path(), &debug);
    let mut sent = shown.stdout.lines().filter(|line| {
        let (number, rest) = line.split_once(' ').unwrap_or_default();
        number.parse::<u64>().is_ok() && rest.starts_with(">A(") && rest.ends_with("): isready")
    });
    assert!(sent.next().is_some(), "{}", shown.stdout);
    assert!(
        !shown.stdout.contains(">scripted_engine("),
        "{}",
        shown.stdout
    );
}

#[test]
fn seeds_of_a_gauntlet_play_all_others() {
    let dir = folder();
    let line = format!(
        "{TWO} -engine cmd=ENGINE name=C 'args=--seed 7' -engine cmd=ENGINE name=D 'args=--seed 8' -tournament gauntlet -seeds 2 -rounds 1 -repeat"
    );
    let finished = called("fastchess", dir.path(), &line);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let started = lines(&finished, "Started game");
    let pairings: Vec<&str> = started
        .iter()
        .step_by(2)
        .map(|line| line.split_once(" of 10 ").expect(line).1)
        .collect();
    let expected = ["(A vs B)", "(A vs C)", "(A vs D)", "(B vs C)", "(B vs D)"];
    assert_eq!(pairings, expected);
    // In cutechess-cli seeds do not play each other.
    let refused = called("cutechess-cli", dir.path(), &line);
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
    let why = "`-seeds 2` is not supported in a gauntlet: the seeds of cutechess-cli do not play";
    assert!(refused.stderr.contains(why), "{}", refused.stderr);
    // Elsewhere they have no effect.
    for line in [
        line.replace("-seeds 2", "-seeds 1"),
        line.replace("-tournament gauntlet", ""),
        format!("{TWO} -tournament gauntlet -seeds 2 -rounds 1 -games 2"),
    ] {
        let explained = called("cutechess-cli", dir.path(), &format!("{line} --explain"));
        assert_eq!(explained.code, Some(0), "{}", explained.stderr);
    }
}

#[test]
fn a_rule_of_cutechess_with_zero_moves_is_off() {
    let dir = folder();
    let explained = |program: &str, rules: &str| {
        let line = format!("{TWO} -rounds 1 {rules} --explain");
        called(program, dir.path(), &line)
    };
    let text = |program: &str, rules: &str| {
        let finished = explained(program, rules);
        assert_eq!(finished.code, Some(0), "{rules}: {}", finished.stderr);
        finished.stdout
    };
    let draw = "-draw movenumber=0 movecount=8 score=10";
    let resign = "-resign movecount=0 score=0";
    let off = text("cutechess-cli", &format!("{draw} {resign}"));
    assert!(!off.contains("draw") && !off.contains("resign"), "{off}");
    let on = "-draw movenumber=1 movecount=8 score=10 -resign movecount=1 score=0";
    let on = text("cutechess-cli", on);
    assert!(on.contains("draw") && on.contains("resign"), "{on}");
    // fastchess uses its draw rule from the first move.
    let theirs = text("fastchess", draw);
    assert!(theirs.contains("draw"), "{theirs}");
    assert_eq!(explained("fastchess", resign).code, Some(1));
}

/// OpenBench builds a match runner and engines by these.
#[cfg(unix)]
#[test]
fn the_makefiles_build_what_a_server_asks_for() {
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
