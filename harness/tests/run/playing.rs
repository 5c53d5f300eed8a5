//! `hone match`: what games can be played and how they are recorded.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::json::number;
use crate::common::{
    self, BOOK, Finished, Setup, engines, no_failures, on_run, play, player, scripted, stillwater,
};
use sha2::{Digest, Sha256};

/// Four pairs of engines that play random moves; `more` is more configuration.
fn random_match(more: &str) -> (Setup, Finished) {
    let cmd =
        |name: &str, seed: u32| format!("{} --name {name} --seed {seed} --ponder", scripted());
    let players = engines(("one", &cmd("one", 1), ""), ("two", &cmd("two", 2), ""));
    play(&format!(
        "{players}[match]\npairs = 4\nconcurrency = 2\n{more}"
    ))
}

#[test]
fn without_a_book_games_start_from_the_usual_position() {
    for openings in ["\"none\"", "{ file = \"none\" }"] {
        let more = format!("limit = \"nodes=5\"\nopenings = {openings}\n");
        let (setup, finished) = random_match(&more);
        no_failures(&finished);
        let pgn = fs::read_to_string(setup.run("run").join("games.pgn")).unwrap();
        assert!(!pgn.contains("[FEN"));
        assert_eq!(finished.json()["openings"], "start position");
        assert!(!manifest(&setup).contains("[book]"));
    }
}

fn manifest(setup: &Setup) -> String {
    fs::read_to_string(setup.run("run").join("run.toml")).unwrap()
}

#[test]
fn the_built_in_book_is_the_default_of_each_variant() {
    for (variant, book) in [("standard", "default.epd.gz"), ("chess960", "chess960.epd")] {
        let (setup, finished) =
            random_match(&format!("limit = \"nodes=5\"\nvariant = \"{variant}\"\n"));
        no_failures(&finished);
        let json = finished.json();
        assert_eq!(json["openings"], format!("built-in book {book}"));
        assert_eq!(json["distinct_games"], 8);
        let pgn = fs::read_to_string(setup.run("run").join("games.pgn")).unwrap();
        assert_eq!(pgn.matches("[FEN").count(), 8);
        let manifest = manifest(&setup);
        let file = fs::read(common::workspace().join("books").join(book)).unwrap();
        let sha256: String = Sha256::digest(file)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        for line in [
            "file = \"default\"".to_string(),
            format!("file = \"{book}\""),
            format!("sha256 = \"{sha256}\""),
        ] {
            assert!(manifest.contains(&line), "{line}: {manifest}");
        }
    }
}

#[test]
fn each_kind_of_limit_can_be_played() {
    // The engines move at once: none loses on time, also on a slow machine.
    for limit in [
        "60+0.5",
        "40/60",
        "10/60,20/90+1",
        "1:30+1",
        "movetime=60000",
        "depth=2",
        "60+0.5 nodes=100 depth=9",
    ] {
        let (_, finished) = random_match(&format!("limit = \"{limit}\"\n{BOOK}"));
        no_failures(&finished);
        assert_eq!(finished.json()["pairs"], 4);
    }
}

#[test]
fn each_engine_may_have_its_own_limit() {
    let path = stillwater().display().to_string();
    let players = engines(
        ("nodes", &path, "limit = \"nodes=200\""),
        ("clock", &path, "limit = \"20+0.2 depth=1\""),
    );
    let more = format!("[match]\npairs = 1\n{BOOK}[adjudication]\nmax_moves = 15\n");
    let (setup, finished) = play(&(players + &more));
    no_failures(&finished);
    let pgn = fs::read_to_string(setup.run("run").join("games.pgn")).unwrap();
    assert!(pgn.contains("[WhiteTimeControl \"nodes=200\"]"));
    assert!(pgn.contains("[BlackTimeControl \"20+0.2 depth=1\"]"));
}

/// Each engine is started twice: for one search before the games, and for the games.
#[test]
fn the_first_search_has_the_options_of_the_games() {
    let cmd = |seed: u32| format!("{} --ponder --seed {seed}", scripted());
    let more = "ponder = true\noptions = { Hash = 8 }";
    let players = engines(("one", &cmd(1), more), ("two", &cmd(2), more));
    let setup = Setup::new(&format!(
        "{players}[match]\npairs = 1\nconcurrency = 1\nvariant = \"chess960\"\nlimit = \"20+0.5\"\n[adjudication]\nmax_moves = 3\n"
    ));
    let log = setup.run("hone.log");
    let path = log.display().to_string();
    let finished = setup.play("match", "run", &["--log", &path, "--log-level", "trace"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let log = fs::read_to_string(&log).expect("a log");
    let mut processes = BTreeMap::<&str, Vec<&str>>::new();
    for line in log.lines() {
        if let Some((engine, option)) = line.split_once(") > setoption name ") {
            let (_, pid) = engine.rsplit_once('(').expect("a process id");
            processes.entry(pid).or_default().push(option);
        }
    }
    assert_eq!(processes.len(), 4, "{processes:?}");
    for options in processes.values() {
        let expected = [
            "UCI_Chess960 value true",
            "Ponder value true",
            "Hash value 8",
        ];
        assert_eq!(options[..], expected, "{processes:?}");
    }
}

#[test]
fn notation_comments_and_final_positions_are_those_of_the_configuration() {
    for (style, shows) in [
        (
            "notation = \"san\"",
            &["2... e6 {book} 3. Nc3 {book}", " {0.00/1 "][..],
        ),
        ("notation = \"lan\"", &["2... e7e6 {book} 3. Nb1c3 {book}"]),
        (
            "notation = \"uci\"\nseldepth = true\nnodes = true\nnps = true",
            &[
                "2... e7e6 {book} 3. b1c3 {book}",
                "s, n=1, sd=1, nps=1000} ",
            ],
        ),
        ("minimal = true", &["1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. "]),
        (
            "pv = true\nlatency = true\nhashfull = true\ntbhits = true",
            &["s, latency=0.", "s, hashfull=0, tbhits=0, pv=\""],
        ),
    ] {
        let book = "openings = { file = \"BOOK\", plies = 6 }\n";
        let dir = tempfile::tempdir().unwrap();
        let pgn = dir.path().join("book.pgn");
        fs::write(&pgn, "[Event \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 *\n\n[Event \"y\"]\n\n1. d4 d5 2. c4 e6 3. Nc3 Nf6 *\n").unwrap();
        let book = book.replace("BOOK", &pgn.display().to_string());
        let (setup, _) = random_match(&format!(
            "limit = \"nodes=5\"\n{book}[pgn]\nepd = true\n{style}\n"
        ));
        let run = setup.run("run");
        let text = fs::read_to_string(run.join("games.pgn"))
            .unwrap()
            .replace('\n', " ");
        for part in shows {
            assert!(text.contains(part), "{style}: {part}");
        }
        // Fields that the configuration does not ask for are not written.
        for (key, field) in [
            ("nodes", "n"),
            ("seldepth", "sd"),
            ("nps", "nps"),
            ("latency", "latency"),
            ("hashfull", "hashfull"),
            ("tbhits", "tbhits"),
            ("pv", "pv"),
        ] {
            let is_wanted = style.contains(&format!("{key} = true"));
            let is_written = text.contains(&format!(", {field}="));
            assert_eq!(is_written, is_wanted, "{style}: {key}");
        }
        let epd = fs::read_to_string(run.join("games.epd")).unwrap();
        assert_eq!(epd.lines().count(), 8);
        assert!(
            epd.lines()
                .all(|line| line.contains(" hmvc ") && line.contains("; fmvn "))
        );
        if !style.contains("uci") {
            accepted_by_pgn_extract(&run.join("games.pgn"), 8);
        }
    }
}

fn accepted_by_pgn_extract(pgn: &Path, games: usize) {
    let output = Command::new("pgn-extract").arg("-r").arg(pgn).output();
    let Ok(output) = output else {
        common::skip::skipped("pgn-extract is not installed");
        return;
    };
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(
        printed.contains(&format!("{games} games matched out of {games}")),
        "{printed}"
    );
}

#[test]
fn chess960_by_any_notation_of_castling_rights() {
    let setup = tempfile::tempdir().unwrap();
    let book = setup.path().join("frc.epd");
    fs::write(
        &book,
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9\n\
         nrbbqnkr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQNKR w KQkq -\n\
         rkbbqnnr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQNKR w HBha -\n",
    )
    .unwrap();
    let path = stillwater().display().to_string();
    let players = engines(("x", &path, ""), ("y", &path, "options = { Hash = 1 }"));
    let (setup, finished) = play(&format!(
        "{players}[match]\npairs = 3\nlimit = \"nodes=300\"\nvariant = \"chess960\"\nopenings = {{ file = '{}', order = \"sequential\" }}\n",
        book.display()
    ));
    no_failures(&finished);
    let pgn = fs::read_to_string(setup.run("run").join("games.pgn")).unwrap();
    assert_eq!(pgn.matches("[Variant \"Chess960\"]").count(), 6);
}

#[test]
fn a_round_robin_plays_all_pairings_and_a_gauntlet_those_of_the_first_engine() {
    let players = player("a", "--seed 1") + &player("b", "--seed 2") + &player("c", "--seed 3");
    let rules = "pairs = 3\nlimit = \"nodes=5\"\n";
    // Of the crosstable: the rank, the name, and one for each opponent.
    let columns = |setup: &Setup| {
        let text = on_run("report", &setup.run("run")).stdout;
        let mut lines = text.lines();
        let _ = lines.find(|line| line.starts_with("Points of the engine"));
        lines.next().map(|head| head.split_whitespace().count())
    };
    let (setup, all) = play(&format!("{players}[match]\n{rules}{BOOK}"));
    assert_eq!(columns(&setup), Some(5));
    let json = all.json();
    assert_eq!(json["pairs"], 9);
    assert_eq!(json["pairings"].as_array().map(Vec::len), Some(3));
    assert_eq!(json["engines"][2]["games"], 12);
    assert_eq!(json["ratings"].as_array().map(Vec::len), Some(3), "{json}");
    let gauntlet = format!("{players}[match]\ntournament = \"gauntlet\"\n{rules}{BOOK}");
    let (setup, gauntlet) = play(&gauntlet);
    assert_eq!(columns(&setup), Some(3));
    assert_eq!(gauntlet.json()["pairs"], 6);
    assert_eq!(gauntlet.json()["engines"][2]["games"], 6);
}

/// A round robin is reported by ratings, not from the first engine's point of view, and
/// its verdict names failures.
#[test]
fn a_round_robin_is_reported_by_its_ratings_and_failures() {
    let players =
        player("bad", "go:2=illegal") + &player("good", "--seed 2") + &player("fine", "--seed 3");
    let (setup, finished) = play(&format!(
        "{players}[match]\npairs = 3\nlimit = \"nodes=5\"\nmax_failures = 1.0\n{BOOK}[adjudication]\nmax_moves = 20\n"
    ));
    let json = finished.json();
    let lost = number(&json["failures"]["illegal_move"][0]);
    assert!(lost > 0.0, "{json}");
    let text = on_run("report", &setup.run("run")).stdout;
    let lines: Vec<_> = text.lines().collect();
    let titles = "name games W-D-L score Elo 95 % LOS";
    assert!(
        lines[1].split_whitespace().skip(1).eq(titles.split(' ')),
        "{text}"
    );
    assert!(text.contains("Points of the engine in the row"), "{text}");
    assert!(text.contains("bad vs good: W-D-L "), "{text}");
    assert!(!text.contains("bad against the others"), "{text}");
    let verdict = lines.iter().find(|line| line.contains(" % of the points"));
    let verdict = verdict.copied().unwrap_or_default();
    assert!(!verdict.starts_with("bad "), "{verdict}");
    let share = 100.0 * lost / 12.0;
    let failed =
        format!("bad lost {lost} of 12 games ({share:.1} %) by failures: {lost} by illegal moves.");
    assert!(verdict.ends_with(&failed), "{verdict}");
    let markdown = fs::read_to_string(setup.run("run").join("report.md")).unwrap();
    assert!(
        markdown.contains(&failed) && markdown.contains(lines[1]),
        "{markdown}"
    );
}

/// The numbers in a list of the kernel, as in `Cpus_allowed_list: 0-2,7`.
#[cfg(target_os = "linux")]
fn processors(line: &str) -> Vec<usize> {
    let (_, list) = line.split_once(':').expect("a name and a list");
    let ranges = list.trim().split(',').map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let [first, last] = [first, last].map(|text| text.parse().expect("a number"));
        first..=last
    });
    ranges.flatten().collect()
}

#[cfg(target_os = "linux")]
#[test]
fn games_are_bound_to_processors_of_their_own() {
    let more = format!("limit = \"nodes=5\"\naffinity = true\n{BOOK}");
    let dir = tempfile::tempdir().unwrap();
    let allowed = dir.path().join("allowed");
    // Records the processors on which it may run, then becomes the engine.
    let script = dir.path().join("engine.sh");
    let text = format!(
        "grep Cpus_allowed_list: /proc/self/status >>'{}'\nexec '{}'\n",
        allowed.display(),
        scripted()
    );
    fs::write(&script, text).unwrap();
    let cmd = format!("sh {}", script.display());
    let players = engines(("one", &cmd, ""), ("two", &cmd, ""));
    let (_, finished) = play(&format!(
        "{players}[match]\npairs = 2\nconcurrency = 1\n{more}"
    ));
    let placement = finished.json()["placement"].clone();
    assert_eq!(placement.as_array().map(Vec::len), Some(1), "{placement}");
    let allowed = fs::read_to_string(allowed).unwrap();
    let lines: Vec<&str> = allowed.lines().collect();
    // The first process of each engine searches once, before the games.
    assert!(lines.len() >= 4, "{allowed}");
    for line in &lines[lines.len() - 2..] {
        let used = serde_json::json!(processors(line));
        assert_eq!(used, placement[0], "{allowed}");
    }

    let crowd = format!("{players}[match]\npairs = 2\nconcurrency = 1024\n{more}");
    let refused = Setup::new(&crowd).play("match", "run", &[]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("processors of their own"),
        "{}",
        refused.stderr
    );
}

/// With the engines that Debian packages, as far as they are installed.
#[test]
fn a_round_robin_with_real_engines() {
    let found: Vec<(&str, PathBuf)> = ["stockfish", "toga2", "glaurung"]
        .into_iter()
        .filter_map(|name| {
            let places = ["/usr/games", "/usr/bin", "/usr/local/bin"];
            let mut paths = places.iter().map(|place| Path::new(place).join(name));
            paths.find(|path| path.exists()).map(|path| (name, path))
        })
        .collect();
    if found.is_empty() {
        common::skip::skipped("neither stockfish, toga2 nor glaurung is installed");
        return;
    }
    let mut players = format!("[[engine]]\ncmd = '{}'\n", stillwater().display());
    for (name, path) in &found {
        players += &format!(
            "[[engine]]\nname = \"{name}\"\ncmd = '{}'\n",
            path.display()
        );
    }
    let pairs = found.len() * (found.len() + 1) / 2;
    let (setup, finished) = play(&format!(
        "{players}[match]\npairs = 1\nlimit = \"depth=3\"\n{BOOK}[adjudication]\nmax_moves = 120\n"
    ));
    no_failures(&finished);
    let games = 2 * pairs;
    assert_eq!(finished.json()["games"], games);
    accepted_by_pgn_extract(&setup.run("run").join("games.pgn"), games);
}

#[test]
fn a_folder_without_runs_is_listed_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = common::hone();
    command.arg("runs").current_dir(&folder);
    let finished = common::finish(command);
    assert_eq!(finished.code, Some(0));
    assert!(finished.stdout.contains("no runs in"));
}

#[test]
fn a_match_stops_on_its_always_valid_interval() {
    let players = player("strong", "--seed 1") + &player("weak", "--seed 2 --lose 70");
    let rules = "limit = \"nodes=1\"\npairs = 1000\n";
    let adjudication = "[adjudication]\nresign = { count = 1, score = 500, twosided = false }\n\
                        max_moves = 20\n";
    let config =
        |stop: &str| format!("{players}[match]\nstop = {stop}\n{rules}{BOOK}{adjudication}");
    let (setup, finished) = play(&config("\"zero_outside\""));
    let report = fs::read_to_string(setup.run("run").join("report.md")).expect("there");
    assert!(
        report.contains("0 is outside this interval"),
        "no other interval is valid then: {report}"
    );
    let json = finished.json();
    assert!(number(&json["pairs"]) < 200.0, "{json}");
    assert!(number(&json["always_valid"]["low"]) > 0.0, "{json}");

    let three = config("{ width = 20.0 }") + &player("third", "");
    for (config, message) in [
        (three, "two engines"),
        (config("{ width = 0.0 }"), "above 0"),
    ] {
        let refused = Setup::new(&config).play("match", "run", &[]);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains(message), "{}", refused.stderr);
    }
}

/// With the tables that `.ci/run` puts into the folder named by
/// `HONE_TEST_SYZYGY`.
#[test]
fn tablebases_end_games() {
    let Some(tables) = std::env::var_os("HONE_TEST_SYZYGY").map(PathBuf::from) else {
        common::skip::skipped("HONE_TEST_SYZYGY is not set");
        return;
    };
    let tables = tables.canonicalize().expect("the folder is there");
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("endings.epd");
    // The first is won for Black as soon as a capture or a pawn's move resets the counter
    // of the 50-move rule. The second, king against king and rook's pawn, is drawn.
    fs::write(
        &book,
        "6k1/8/8/8/7r/8/1p6/K7 w - - hmvc 0;\nk7/8/K7/P7/8/8/8/8 w - - hmvc 0;\n",
    )
    .unwrap();
    let more = format!(
        "limit = \"nodes=5\"\nopenings = {{ file = '{}', order = \"sequential\" }}\n\
         [adjudication]\nsyzygy = {{ path = '{}' }}\n",
        book.display(),
        tables.display()
    );
    let (setup, finished) = random_match(&more);
    no_failures(&finished);
    let ledger = fs::read_to_string(setup.run("run").join("games.csv")).unwrap();
    assert!(ledger.contains(",tablebase,"), "{ledger}");
    let pgn = fs::read_to_string(setup.run("run").join("games.pgn")).unwrap();
    assert!(pgn.contains("by adjudication: SyzygyTB"));
    assert!(pgn.contains("[Termination \"adjudication\"]"));
}
