//! Tests: command lines of public scripts with hand-written configurations, and every flag of
//! the table by its example.

use super::Program;
use super::settings::{Request, Settings};
use super::table::{FLAGS, FlagEntry, GROUPS, Of, Support};

/// Each block: `$ ` and a command line, then its configuration.
const GOLDEN: &str = include_str!("golden.txt");

/// The program and the rest of a command line.
fn parsed(line: &str) -> anyhow::Result<Settings> {
    let (program, rest) = line.split_once(' ').expect("a program and its options");
    let program = Program::named(program).expect("a known program");
    Settings::of(program, rest)
}

#[test]
fn command_lines_of_public_scripts() {
    let mut blocks = 0;
    let mut wrong = String::new();
    for block in GOLDEN.split("$ ").skip(1) {
        let (line, expected) = block.split_once('\n').expect("a line and a configuration");
        let settings = parsed(line).unwrap_or_else(|error| panic!("{line}: {error:#}"));
        let mut text = settings.explanation().expect(line);
        for warning in &settings.warnings {
            text += &format!("# warning: {warning}\n");
        }
        if text.trim() != expected.trim() {
            wrong += &format!("$ {line}\n{text}\n");
        }
        blocks += 1;
    }
    assert!(blocks >= 60, "{blocks} command lines");
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn what_is_explained_is_a_configuration_with_the_same_meaning() {
    for block in GOLDEN.split("$ ").skip(1) {
        let (line, text) = block.split_once('\n').expect("a line and a configuration");
        let settings = parsed(line).expect(line);
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("c.toml");
        std::fs::write(&path, text).expect("written");
        let read = hone_run::config::load(&path, &[]).expect(line);
        assert_eq!(read, settings.config(1).expect(line), "{line}");
    }
}

const BASE: &str = "-engine cmd=./a -engine cmd=./b -each nodes=5";

/// The error and its causes.
fn refusal(program: Program, line: &str) -> String {
    let error = Settings::of(program, line).expect_err(line);
    hone_base::text::with_causes(&error)
}

fn program_of(entry: &FlagEntry) -> Program {
    match entry.of {
        Of::Cutechess => Program::Cutechess,
        Of::Both | Of::Fastchess => Program::Fastchess,
    }
}

fn check(entry: &FlagEntry, line: &str) {
    if entry.example.is_empty() {
        return;
    }
    let program = program_of(entry);
    match entry.support {
        Support::Refused => {
            let text = refusal(program, line);
            assert!(
                text.contains(entry.name) && text.contains(entry.note),
                "{line}: {text}"
            );
        }
        Support::Yes => {
            let settings = Settings::of(program, line).expect(line);
            assert_eq!(settings.warnings, [""; 0], "{line}");
            settings.config(1).expect(line);
        }
        Support::Ignored => {
            let settings = Settings::of(program, line).expect(line);
            let [warning] = &settings.warnings[..] else {
                panic!("{line}: {:?}", settings.warnings);
            };
            assert!(warning.contains(entry.name) && warning.contains(entry.note));
            // Words that servers count in every line.
            for word in ["stall", "disconnect", "on time", "timeout", "Warning;"] {
                assert!(!warning.contains(word), "{warning}");
            }
        }
    }
}

#[test]
fn every_flag_does_what_the_table_describes() {
    for entry in FLAGS {
        check(entry, &format!("{BASE} {}", entry.example));
        // In any order.
        check(entry, &format!("{} {BASE}", entry.example));
    }
    for group in GROUPS.iter().filter(|group| group.flag != "-quick") {
        for entry in group.entries {
            let flag = match group.flag {
                "-sprt" => "-sprt elo0=0 elo1=5",
                "-engine" => "-each",
                flag => flag,
            };
            let base = match entry.name {
                "st" | "tc" => BASE.replace(" -each nodes=5", ""),
                _ => BASE.to_string(),
            };
            check(entry, &format!("{base} {flag} {}", entry.example));
        }
    }
}

/// The flags that the help texts of the programs list.
const FASTCHESS: &str = "-version -help -quick -concurrency -force-concurrency -rounds -games -repeat -sprt -tournament -seeds -variant -noswap -reverse -wait -each -engine -draw -resign -maxmoves -tb -tbpieces -tbignore50 -tbadjudicate -openings -srand -output -pgnout -epdout -event -site -ratinginterval -scoreinterval -report -config -recover -autosaveinterval --compliance -crc32 -check-mate-pvs -show-latency -testEnv -strict -log -use-affinity -startup-ms -ucinewgame-ms -ping-ms";
const CUTECHESS: &str = "-help -version -engines -engine -each -variant -concurrency -draw -resign -maxmoves -tb -tbpieces -tbignore50 -tournament -event -games -rounds -sprt -ratinginterval -outcomeinterval -debug -openings -bookmode -pgnout -epdout -recover -repeat -noswap -reverse -seeds -site -srand -wait -resultformat";
/// The keys of each flag that they list.
const KEYS: &[(&str, &str)] = &[
    (
        "-engine",
        "cmd name args tc timemargin st nodes restart plies depth proto dir option.NAME conf arg initstr stderr trust book bookdepth whitepov ponder tscale debug",
    ),
    ("-openings", "file format order plies start policy"),
    ("-sprt", "elo0 elo1 alpha beta model"),
    ("-draw", "movenumber movecount score"),
    ("-resign", "movecount score twosided"),
    (
        "-pgnout",
        "file append min fi notation nodes seldepth nps hashfull tbhits pv timeleft latency match_line",
    ),
    ("-epdout", "file append"),
    ("-config", "file outname discard stats"),
    ("-log", "file append level compress realtime engine"),
    ("-crc32", "pgn"),
    ("-report", "penta"),
    ("-output", "format"),
    ("-quick", "cmd book"),
];

#[test]
fn the_table_is_complete() {
    for (text, other) in [(FASTCHESS, Of::Cutechess), (CUTECHESS, Of::Fastchess)] {
        for name in text.split(' ') {
            let entry = super::table::flag(name).unwrap_or_else(|| panic!("{name}"));
            assert_ne!(entry.of, other, "{name}");
        }
    }
    let known: Vec<&str> = FASTCHESS.split(' ').chain(CUTECHESS.split(' ')).collect();
    // Also accepted: a short form, and a flag of earlier versions.
    let others = ["-v", "-randomseed"];
    for entry in FLAGS.iter().filter(|entry| !others.contains(&entry.name)) {
        let dashed = format!("-{}", entry.name);
        assert!(
            known.contains(&entry.name) || known.contains(&dashed.as_str()),
            "{} is in no help text",
            entry.name
        );
    }
    assert_eq!(GROUPS.len(), KEYS.len());
    for (flag, keys) in KEYS {
        let mut keys: Vec<&str> = keys.split(' ').collect();
        let entries = super::table::keys(flag).iter();
        let mut have: Vec<&str> = entries.map(|entry| entry.name).collect();
        keys.sort_unstable();
        have.sort_unstable();
        assert_eq!(have, keys, "{flag}");
    }
}

#[test]
fn what_is_not_supported_is_named() {
    let lines = [
        "-engine cmd=a",
        "-engne cmd=a",
        "-engine cmdd=a",
        "-engine cmd=a -engine cmd=b",
        "-engine cmd=a -engine cmd=b -each tc=inf",
        "-engine cmd=a -engine cmd=b -each tc=1+1 st=1",
        "-engine cmd=a -engine cmd=b -each tc=hg1",
        "-engine cmd=a proto=xboard",
        "-variant atomic",
        "-tournament knockout",
        "-log file=l level=loud",
        "-rounds ten",
        "-rounds",
        "-rounds 1 2",
        "-openings file=b order=shuffled",
        "-openings start=0",
        "-sprt elo0=0 elo1=5 model=x",
        "-draw score=-1",
        "-quick cmd=a book=b.epd",
        "stray",
        "-engine cmd=a -engine cmd=b -each tc=0",
    ];
    let mut shown = Vec::from(lines.map(|line| {
        let error = refusal(Program::Fastchess, line);
        (format!("fastchess {line}"), error)
    }));
    // Only their configuration is not valid.
    let settings = [
        "-sprt elo0=5 elo1=0 alpha=0.05 beta=0.05",
        "-sprt elo0=0 elo1=5 alpha=0.7",
        "-rounds 0",
        "-pgnout file=g match_line=[",
    ];
    shown.extend(settings.map(|line| {
        let settings = Settings::of(Program::Fastchess, &format!("{BASE} {line}")).expect(line);
        let error = settings.config(1).expect_err(line);
        let error = hone_base::text::with_causes(&error);
        (format!("fastchess {BASE} {line}"), error)
    }));
    // cutechess has no defaults for rules and tests.
    let incomplete = [
        "-resign score=600",
        "-resign movecount=3 twosided=true",
        "-draw movecount=8 score=20",
        "-draw movenumber=34 score=20",
        "-draw movenumber=34 movecount=8",
        "-sprt elo0=0 elo1=5 beta=0.05",
        "-sprt elo0=0 elo1=5 alpha=0.05",
        "-sprt elo1=5 alpha=0.05 beta=0.05",
        "-sprt elo0=0 alpha=0.05 beta=0.05",
    ];
    shown.extend(incomplete.map(|line| {
        Settings::of(Program::Fastchess, &format!("{BASE} {line}")).expect(line);
        let error = refusal(Program::Cutechess, &format!("{BASE} {line}"));
        (format!("cutechess-cli {BASE} {line}"), error)
    }));
    let whole = "-resign movecount=3 score=600 -draw movenumber=34 movecount=8 score=20 -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05";
    Settings::of(Program::Cutechess, &format!("{BASE} {whole}")).expect(whole);
    for program in [Program::Cutechess, Program::Fastchess] {
        let chess960 = format!("{BASE} -variant fischerandom");
        for line in [
            chess960.clone(),
            format!("{chess960} -openings order=random"),
        ] {
            shown.push((
                format!("{} {line}", program.name()),
                refusal(program, &line),
            ));
        }
        Settings::of(program, &format!("{chess960} -openings file=b.epd")).expect("a book");
    }
    let shown = hone_testing::listed(shown);
    hone_testing::snapshots(&[]).bind(|| insta::assert_snapshot!("refusals", shown));
}

#[test]
fn a_repeated_flag_adds_to_the_one_before() {
    let line = "-pgnout append=false match_line=a -pgnout file=o.pgn match_line=b -epdout append=false -epdout file=o.epd -log append=false -log file=o.log";
    let settings = Settings::of(Program::Fastchess, &format!("{BASE} {line}")).expect(line);
    for (file, name) in [(&settings.pgn, "o.pgn"), (&settings.epd, "o.epd")] {
        let file = file.as_ref().expect("asked for");
        assert_eq!(file.path.as_deref(), Some(std::path::Path::new(name)));
        assert!(!file.append, "{name}");
    }
    assert!(!settings.log.as_ref().expect("asked for").append);
    let text = settings.explanation().expect(line);
    assert!(text.contains(r#"match_line = ["a", "b"]"#), "{text}");
}

#[test]
fn what_makes_a_match_continue_after_a_crash() {
    let recovers = |line: &str| {
        let settings = Settings::of(Program::Fastchess, line).expect(line);
        settings.recover
    };
    assert!(!recovers(BASE));
    assert!(recovers(&format!("{BASE} -recover")));
    assert!(recovers("-quick cmd=./a cmd=./b book=b.epd"));
}

/// `-tbpieces` is an upper limit in both programs; 0 is none in fastchess.
#[test]
fn more_pieces_than_the_tables_have_are_their_number() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("KRvK.rtbw"), [0; 16]).expect("written");
    let tables = dir.path().display();
    for (pieces, used, warning) in [
        (7, "pieces = 3", "`-tbpieces 7`: the tables in "),
        (3, "pieces = 3", ""),
        (0, "", ""),
    ] {
        let line = format!("{BASE} -tb '{tables}' -tbpieces {pieces}");
        let settings = Settings::of(Program::Fastchess, &line).expect("read");
        let warnings = settings.warnings.concat();
        assert!(warnings.starts_with(warning), "{warnings}");
        assert_eq!(warnings.is_empty(), warning.is_empty(), "{warnings}");
        let text = settings.explanation().expect("a configuration");
        assert!(text.contains(used), "{text}");
        assert_eq!(text.contains("pieces"), !used.is_empty(), "{text}");
    }
}

/// As fastchess, which exchanges `-games N` above 2 and the rounds.
#[test]
fn one_game_of_each_opening_has_no_counts_of_pairs() {
    for (line, penta) in [
        ("", true),
        ("-games 1", false),
        ("-report penta=true -games 1", false),
        ("-repeat", true),
        ("-rounds 1 -games 50", false),
        ("-games 50", true),
        ("-rounds 2 -games 50", true),
    ] {
        let settings = Settings::of(Program::Fastchess, &format!("{BASE} {line}")).expect(line);
        assert_eq!(settings.penta, penta, "{line}");
    }
}

#[test]
fn a_clock_of_zero_is_no_clock() {
    let engines = "-engine cmd=a -engine cmd=b -each";
    let line = format!("{engines} tc=0 nodes=500");
    let settings = Settings::of(Program::Fastchess, &line).expect("another limit");
    let text = settings.explanation().expect("a configuration");
    assert!(text.contains("limit = \"nodes=500\""), "{text}");
}

#[test]
fn other_requests() {
    let read = |line: &str| {
        let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        Request::read(Program::Fastchess, &words).expect(line)
    };
    assert!(matches!(read(""), Request::Help));
    assert!(matches!(read("--help"), Request::Help));
    for line in ["-version", "--version", "-v", "--v"] {
        assert!(matches!(read(line), Request::Version), "{line}");
    }
    assert!(matches!(read("-engines"), Request::Engines));
    for (words, expected) in [
        (&["--compliance", "./e"][..], &["./e"][..]),
        (
            &["--compliance", "./my e", "--a 1  --b"],
            &["./my e", "--a", "1", "--b"],
        ),
        (
            &["-compliance", "./e", "--a \"b c\""],
            &["./e", "--a", "b c"],
        ),
        (&["--compliance", "./e", "--a", "b"], &["./e", "--a", "b"]),
    ] {
        let words: Vec<String> = words.iter().map(|word| (*word).to_string()).collect();
        let request = Request::read(Program::Fastchess, &words).expect("read");
        let Request::Compliance(words) = request else {
            panic!("a check");
        };
        assert_eq!(words, expected);
    }
    let alone = Request::read(Program::Fastchess, &["--compliance".to_string()]);
    assert!(alone.is_err());
}
