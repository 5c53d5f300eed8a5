//! `hone fastchess` and `hone cutechess-cli`: the command line, the lines on standard output,
//! the files. What servers read is in `dropin/servers.rs`.

use std::fs;
#[cfg(unix)]
use std::process::Command;

use crate::common::dropin::{folder, lines, run_dropin};
#[cfg(unix)]
use crate::common::finish;
use crate::common::{self, hone_in, scripted};
use hone_testing::snapshots;

const TWO: &str = "-engine cmd=ENGINE name=A -engine cmd=ENGINE name=B 'args=--seed 5' -each nodes=100 -maxmoves 30 -openings file=book.epd order=sequential";

/// The second engine loses games by its scores.
const LOSING: &str = "-engine cmd=ENGINE name=A -engine cmd=ENGINE name=B 'args=--seed 5 --lose 60' -each nodes=100 -maxmoves 30 -resign movecount=1 score=500 -openings file=book.epd order=sequential";

/// What differs from run to run.
const TIMES: [(&str, &str); 1] = [(r"\d\d:\d\d:\d\d", "[TIME]")];

#[test]
fn a_match_is_printed_as_by_fastchess() {
    let dir = folder();
    let line = format!(
        "{LOSING} -rounds 4 -repeat -ratinginterval 2 -pgnout file=g.pgn nodes=true -epdout file=e.epd --out run"
    );
    let finished = run_dropin("fastchess", dir.path(), &line);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    snapshots(&TIMES).bind(|| insta::assert_snapshot!("fastchess", finished.stdout));
    // The files of the command line, and the run's folder too.
    let pgn = fs::read_to_string(dir.path().join("g.pgn")).expect("written");
    assert_eq!(pgn.matches("[Event ").count(), 8);
    let kept = fs::read_to_string(dir.path().join("run/games.pgn")).expect("kept");
    assert_eq!(pgn, kept);
    let epd = fs::read_to_string(dir.path().join("e.epd")).expect("written");
    assert_eq!(epd.lines().count(), 8);
    // The same command again appends.
    let again = line.replace("--out run", "--out run2");
    assert_eq!(run_dropin("fastchess", dir.path(), &again).code, Some(0));
    let pgn = fs::read_to_string(dir.path().join("g.pgn")).expect("written");
    assert_eq!(pgn.matches("[Event ").count(), 16);
}

#[test]
fn a_match_is_printed_as_by_cutechess() {
    let dir = folder();
    let line = format!("{LOSING} -games 2 -rounds 4 -repeat -pgnout g.pgn min");
    let finished = run_dropin("cutechess-cli", dir.path(), &line);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    // Tuners read up to the first empty line.
    snapshots(&TIMES).bind(|| insta::assert_snapshot!("cutechess-cli", finished.stdout));
    let pgn = fs::read_to_string(dir.path().join("g.pgn")).expect("written");
    assert!(!pgn.contains("[Termination") && !pgn.contains('{'), "{pgn}");
}

/// An interval of single games may end between the two games of a pair.
#[test]
fn results_at_odd_intervals_follow_their_game() {
    let dir = folder();
    for (program, line, start) in [
        (
            "fastchess",
            "-games 2 -report penta=false -ratinginterval 3",
            "Games: ",
        ),
        ("fastchess", "-games 1 -ratinginterval 3", "Games: "),
        (
            "cutechess-cli",
            "-games 2 -ratinginterval 3",
            "Elo difference: ",
        ),
    ] {
        let rounds = if line.contains("-games 1") { 6 } else { 3 };
        let line = format!("{TWO} {line} -rounds {rounds}");
        let finished = run_dropin(program, dir.path(), &line);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let (mut games, mut shown) = (0, Vec::new());
        for line in finished.stdout.lines() {
            games += usize::from(line.starts_with("Finished game "));
            if let Some(rest) = line.strip_prefix(start) {
                if start == "Games: " {
                    assert_eq!(rest.split(',').next(), Some(&*games.to_string()), "{line}");
                }
                shown.push(games);
            }
        }
        assert_eq!(shown, [3, 6], "{}", finished.stdout);
    }
}

#[test]
fn a_decided_test_ends_with_its_line() {
    let dir = folder();
    // The second engine plays illegal moves: the first wins every game.
    let line = "-engine cmd=ENGINE name=A -engine cmd=ENGINE name=B args=move=illegal -each tc=20+1 -openings file=book.epd order=random -srand 1 -sprt elo0=0 elo1=100 alpha=0.3 beta=0.3 model=logistic -rounds 200 -repeat -recover";
    let finished = run_dropin("fastchess", dir.path(), line);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(
        lines(&finished, "SPRT ("),
        ["SPRT ([0.00, 100.00]) completed - H1 was accepted"]
    );
    let llr = lines(&finished, "LLR: ");
    let last = llr.last().expect("a test");
    assert!(last.ends_with("(-0.85, 0.85) [0.00, 100.00]"), "{last}");
    // The first engine plays illegal moves.
    let lost = line.replacen("name=B args=move=illegal", "name=B", 1);
    let lost = lost.replacen("name=A", "name=A args=move=illegal", 1);
    let verdict = run_dropin("fastchess", dir.path(), &lost);
    assert!(
        verdict.stdout.contains("H0 was accepted"),
        "{}",
        verdict.stdout
    );
    assert_eq!(verdict.code, Some(0), "as fastchess");
    let own = format!("{lost} --exit-code verdict");
    assert_eq!(run_dropin("fastchess", dir.path(), &own).code, Some(1));
    let cutechess = line.replace(" model=logistic", "");
    let finished = run_dropin("cutechess-cli", dir.path(), &cutechess);
    let line = lines(&finished, "SPRT: llr ");
    let line = line.last().expect("a test");
    assert!(
        line.ends_with("lbound -0.85, ubound 0.85 - H1 was accepted"),
        "{line}"
    );
}

#[test]
fn a_config_file_resumes_the_run() {
    let dir = folder();
    let line = format!("{TWO} -rounds 4 -repeat -pgnout g.pgn --out run");
    assert_eq!(run_dropin("fastchess", dir.path(), &line).code, Some(0));
    // As after a kill: the last pair is missing.
    let ledger = dir.path().join("run/games.csv");
    let text = fs::read_to_string(&ledger).expect("a ledger");
    let rows: Vec<&str> = text.lines().collect();
    fs::write(&ledger, rows[..rows.len() - 2].join("\n") + "\n").expect("written");
    let finished = run_dropin("fastchess", dir.path(), "-config file=config.json");
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(lines(&finished, "Finished game").len(), 2);
    assert!(lines(&finished, "Games: ")[0].starts_with("Games: 8, "));
    let verify = common::on_run("verify", &dir.path().join("run"));
    assert_eq!(verify.code, Some(0), "{}", verify.stderr);
    fs::write(dir.path().join("other.json"), "{}").expect("written");
    let other = run_dropin("fastchess", dir.path(), "-config file=other.json");
    assert_eq!(other.code, Some(1));
    assert!(other.stderr.contains("does not name a run of hone"));
}

/// By whichever command a run is resumed, the files of its command line have every game.
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
        assert_eq!(run_dropin(program, dir.path(), &line).code, Some(0));
        let files = ["g.pgn", "g.epd"].map(|name| dir.path().join(name));
        let whole = files
            .each_ref()
            .map(|file| fs::read_to_string(file).expect("written"));
        let before = "[Event \"of another match\"]\n\n1. e4 *\n\n";
        for (cut, with) in [(0.6, before), (0.0, "")] {
            // As after a kill, with the games of another match before them.
            for (file, whole) in files.iter().zip(&whole) {
                let kept = &whole[..(whole.len() as f64 * cut) as usize];
                fs::write(file, format!("{with}{kept}")).expect("written");
            }
            let words: Vec<&str> = resume.split(' ').collect();
            let finished = hone_in(dir.path(), &words);
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
    assert_eq!(run_dropin("fastchess", dir.path(), &line).code, Some(0));
    let more = "-config file=config.json -rounds 9 -concurrency 2";
    let finished = run_dropin("fastchess", dir.path(), more);
    let warning = "warning: no effect of `-concurrency`, `-rounds`:";
    assert!(finished.stderr.contains(warning), "{}", finished.stderr);
}

#[test]
fn a_refused_start_changes_no_file() {
    let dir = folder();
    for name in ["g.pgn", "g.epd"] {
        fs::write(dir.path().join(name), "precious").expect("written");
    }
    let files = "-pgnout file=g.pgn append=false -epdout file=g.epd append=false -log file=log";
    let line = format!("{TWO} -rounds 1 {files}");
    let refused = run_dropin(
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
    assert!(
        read("log").contains("no program `./absent`"),
        "{}",
        read("log")
    );
    assert_eq!(run_dropin("fastchess", dir.path(), &line).code, Some(0));
    assert!(read("g.pgn").starts_with("[Event "), "{}", read("g.pgn"));
    assert!(!read("g.epd").contains("precious"));
}

/// fastchess searches the `PATH` and then the current folder, cutechess-cli the other way.
#[test]
fn a_bare_name_may_be_a_file_in_the_current_folder() {
    let dir = folder();
    let name = format!("own-engine{}", std::env::consts::EXE_SUFFIX);
    fs::copy(scripted(), dir.path().join(&name)).expect("copied");
    for program in ["fastchess", "cutechess-cli"] {
        let line = "-engine cmd=own-engine name=A -engine cmd=own-engine name=B -each st=0.5 -rounds 1 -games 2 -pgnout g.pgn -maxmoves 2";
        let finished = run_dropin(program, dir.path(), line);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let pgn = fs::read_to_string(dir.path().join("g.pgn")).expect("written");
        assert!(pgn.contains("[TimeControl \"0.5/move\"]"), "{pgn}");
    }
}

/// fishtest's worker looks for this line.
#[test]
fn an_option_that_an_engine_lacks_is_a_warning() {
    let dir = folder();
    let line = format!("{TWO} -each option.Nonsense=3 -noswap -rounds 1");
    for program in ["fastchess", "cutechess-cli"] {
        let finished = run_dropin(program, dir.path(), &line);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let (mark, text) = match program {
            "fastchess" => ("Warning;", &finished.stdout),
            _ => ("Warning:", &finished.stderr),
        };
        for name in ["A", "B"] {
            let line = format!("{mark} {name} doesn't have option Nonsense\n");
            assert_eq!(text.matches(&line).count(), 1, "{text}");
        }
        assert!(finished.stderr.contains("`-noswap`"), "{}", finished.stderr);
        assert_eq!(lines(&finished, "Finished game").len(), 2);
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

/// To update the page, put the output of `hone fastchess --table` between the two comments.
#[test]
fn the_page_has_the_table_that_the_program_prints() {
    let table = run_dropin("fastchess", common::workspace(), "--table").stdout;
    let page =
        fs::read_to_string(common::workspace().join("docs/coming-from-flags.md")).expect("a page");
    let (_, rest) = page.split_once("<!-- table -->\n").expect("its start");
    let (on_page, _) = rest.split_once("<!-- end of table -->").expect("its end");
    assert_eq!(on_page.trim(), table.trim());
}

#[test]
fn a_log_has_the_dialogue_and_a_pgn_its_checksum() {
    let dir = folder();
    let line = format!(
        "{TWO} -rounds 1 -repeat -crc32 pgn=true -pgnout file=g.pgn -log file=f.log engine=true level=info"
    );
    let line = line.replace("name=A", "name=A args='go:5=stderr go:9=illegal'");
    let finished = run_dropin("fastchess", dir.path(), &line);
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
    // Engines have the names of the command line from the first line on.
    assert!(!log.contains("scripted_engine <---"), "{log}");
    // Without the dialogue, nothing is appended.
    let again = line.replace("engine=true level=info", "level=err");
    assert_eq!(run_dropin("fastchess", dir.path(), &again).code, Some(0));
    let longer = fs::read_to_string(dir.path().join("f.log")).expect("a log");
    assert_eq!(longer, log);
    let debug = format!("{TWO} -games 2 -rounds 1 -debug");
    let shown = run_dropin("cutechess-cli", dir.path(), &debug);
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
    let finished = run_dropin("fastchess", dir.path(), &line);
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
    let refused = run_dropin("cutechess-cli", dir.path(), &line);
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
    let why = "`-seeds 2` is not supported in a gauntlet: the seeds of cutechess-cli do not play";
    assert!(refused.stderr.contains(why), "{}", refused.stderr);
    // In other tournaments they have no effect.
    for line in [
        line.replace("-seeds 2", "-seeds 1"),
        line.replace("-tournament gauntlet", ""),
        format!("{TWO} -tournament gauntlet -seeds 2 -rounds 1 -games 2"),
    ] {
        let explained = run_dropin("cutechess-cli", dir.path(), &format!("{line} --explain"));
        assert_eq!(explained.code, Some(0), "{}", explained.stderr);
    }
}

#[test]
fn a_rule_of_cutechess_with_zero_moves_is_off() {
    let dir = folder();
    let explained = |program: &str, rules: &str| {
        let line = format!("{TWO} -rounds 1 {rules} --explain");
        run_dropin(program, dir.path(), &line)
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
