//! The readers of outside data, one function each, for the fuzzer in `fuzz/` and for
//! `fuzzing.rs`. Any input may be refused; accepted data must be consistent. A panic
//! is a fault.

use std::cell::OnceCell;
use std::fs;
use std::path::Path;
use std::str;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use hone_books::book::polyglot::Polyglot;
use hone_books::suite::problem::{Problem, Suite};
use hone_builds::{Forge, Spec, parse_commits};
use hone_experiment::settings::{Shard, TimeSpan};
use hone_experiment::tune::model_file::Model;
use hone_experiment::tune::resolve::resolve_model;
use hone_experiment::tune::{Space, TuneSection, import};
use hone_kinds::track;
use hone_run::config::{self, Config, Draft};
use hone_run::executor::Situation;
use hone_run::ledger::Pairs;
use hone_run::{MANIFEST, Manifest};
use hone_uci::engine::uci::{EngineOption, LineReader, check_options, parse_option, split_command};
use hone_uci::openings::epd::PositionLine;
use hone_uci::openings::games::Games;
use hone_uci::openings::unreadable::first_fault;
use hone_uci::openings::{Book, BookOptions, Opening, Variant};
use hone_uci::rules::{Limit, SearchInfo, illegal_move};

/// Reads any bytes, and returns whether they are accepted.
///
/// # Panics
/// If accepted data are inconsistent.
pub(crate) type Reader = fn(&[u8]) -> bool;

/// The readers, by the names of their folders in `fuzz/seeds`.
pub(crate) const READERS: [(&str, Reader); READER_COUNT] = [
    ("config", config),
    ("set", set),
    ("arguments", arguments),
    ("epd", epd),
    ("pgn", pgn),
    ("polyglot", polyglot),
    ("book", book),
    ("suite", suite),
    ("uci", uci),
    ("ledger", ledger),
    ("manifest", manifest),
    ("nights", nights),
    ("tuning", tuning),
    ("git", git),
    ("replay", replay),
    #[cfg(feature = "fleet")]
    ("message", message),
];

const READER_COUNT: usize = if cfg!(feature = "fleet") { 16 } else { 15 };

const VARIANTS: [Variant; 2] = [Variant::Standard, Variant::Chess960];

thread_local! {
    /// The folder of [`with_file`].
    static FOLDER: OnceCell<TempDir> = const { OnceCell::new() };
    static RUNTIME: OnceCell<Runtime> = const { OnceCell::new() };
}

/// Writes `data` to a file in a temporary folder and calls `read` with the folder.
fn with_file(name: &str, data: &[u8], read: impl FnOnce(&Path) -> bool) -> bool {
    FOLDER.with(|folder| {
        let folder = folder.get_or_init(|| tempfile::tempdir().expect("a temporary folder"));
        fs::write(folder.path().join(name), data).expect("written");
        read(folder.path())
    })
}

/// Checks that a configuration can be written to a manifest and read again.
fn round_trips(config: &Config) {
    let text = toml::to_string(config).expect("a configuration is TOML");
    let again: Config = toml::from_str(&text)
        .unwrap_or_else(|error| panic!("the manifest cannot be read again: {error}\n{text}"));
    assert_eq!(again, *config, "{text}");
}

/// A configuration.
fn config(data: &[u8]) -> bool {
    with_file("config.toml", data, |folder| {
        let config = config::load(&folder.join("config.toml"), &[]);
        config.is_ok_and(|config| {
            round_trips(&config);
            true
        })
    })
}

/// Values of `--set`, one a line, over a small configuration.
fn set(data: &[u8]) -> bool {
    const PLAYERS: &[u8] = b"[[engine]]\nname = \"a\"\ncmd = \"a\"\noptions = { Hash = 8 }\n\
        [[engine]]\nname = \"b\"\ncmd = \"b\"\n[match]\nlimit = \"8+0.08\"\n";
    let Ok(text) = str::from_utf8(data) else {
        return false;
    };
    with_file("set.toml", PLAYERS, |folder| {
        let mut draft = Draft::read(Some(&folder.join("set.toml"))).expect("it is TOML");
        if text.lines().all(|line| draft.set_text(line).is_ok())
            && let Ok(config) = draft.finish()
        {
            round_trips(&config);
            return true;
        }
        false
    })
}

/// Arguments: options, commands, limits, times, engines.
fn arguments(data: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(data) else {
        return false;
    };
    let option = parse_option(text);
    if let Ok((name, _)) = &option {
        assert!(!name.is_empty());
    }
    let words = split_command(text);
    assert!(words.as_ref().is_none_or(|words| !words.is_empty()));
    let limit = text.parse::<Limit>();
    if let Ok(limit) = &limit {
        let shown = limit.to_string();
        assert_eq!(shown.parse::<Limit>().as_ref().ok(), Some(limit), "{shown}");
    }
    let time = text.parse::<TimeSpan>();
    if let Ok(time) = &time {
        let shown = time.to_string();
        assert_eq!(
            shown.parse::<TimeSpan>().as_ref().ok(),
            Some(time),
            "{shown}"
        );
    }
    let spec = text.parse::<Spec>();
    option.is_ok() || words.is_some() || limit.is_ok() || time.is_ok() || spec.is_ok()
}

/// A line of EPD or FEN, as an opening and as a test position.
fn epd(data: &[u8]) -> bool {
    let mut accepted = false;
    for variant in VARIANTS {
        if let Ok(line) = PositionLine::parse(data)
            && let Ok(position) = line.position(variant)
        {
            // An accepted position is read back from the text that is written.
            let again = Opening::from_position(&position).position(variant);
            assert_eq!(again.expect("a position that was just written"), position);
            accepted = true;
        }
        if let Ok((problem, _)) = Problem::parse(data, variant) {
            assert!(!problem.wanted().is_empty());
        }
    }
    accepted
}

/// A PGN text.
fn pgn(data: &[u8]) -> bool {
    let mut accepted = first_fault(data, None).is_none();
    for variant in VARIANTS {
        for plies in [None, Some(3)] {
            let mut lines = 1;
            for game in Games::new(data, plies, variant) {
                match game {
                    Ok(game) => {
                        assert!(!game.end.legal_moves().is_empty());
                        accepted = true;
                    }
                    Err(bad) => {
                        assert!(bad.line >= lines);
                        lines = bad.line;
                    }
                }
            }
        }
    }
    accepted
}

/// A Polyglot table.
fn polyglot(data: &[u8]) -> bool {
    let Ok(book) = Polyglot::parse(data) else {
        return false;
    };
    for entry in book.lines(8).entries {
        assert!(entry.moves.len() <= 8);
    }
    true
}

/// A file of openings, plain or in gzip or zip.
fn book(data: &[u8]) -> bool {
    with_file("book", data, |folder| {
        let options = BookOptions::default();
        let Ok(book) = Book::open(&folder.join("book"), options) else {
            return false;
        };
        for opening in book.iter().take(100) {
            opening
                .position(Variant::Standard)
                .expect("it was checked when the book was opened");
        }
        true
    })
}

/// A file of test positions, plain or compressed.
fn suite(data: &[u8]) -> bool {
    with_file("suite", data, |folder| {
        let suite = Suite::open(&folder.join("suite"), Variant::Standard);
        suite.is_ok_and(|suite| {
            assert!(!suite.problems.is_empty());
            true
        })
    })
}

/// The output of an engine.
fn uci(data: &[u8]) -> bool {
    let new = || Builder::new_current_thread().build().expect("a runtime");
    RUNTIME.with(|runtime| {
        runtime.get_or_init(new).block_on(async {
            let mut lines = LineReader::new(data);
            let mut info = SearchInfo::default();
            while lines.fill().await.expect("memory can be read") {
                while let Some(line) = lines.buffered() {
                    assert!(!line.contains(&b'\n'));
                    uci_line(line, &mut info);
                }
            }
        });
    });
    // No output of an engine is refused.
    true
}

fn uci_line(line: &[u8], info: &mut SearchInfo) {
    info.update(line);
    if let Some(score) = info.score {
        score.write_pgn(&mut String::new());
    }
    let start = Chess::default();
    for played in start.legal_moves() {
        let uci = played.to_uci(shakmaty::CastlingMode::Standard).to_string();
        let after = start.clone().play(played).expect("it is legal");
        let _ = illegal_move(&start, uci.as_bytes(), &after, &info.pv);
    }
    let _ = UciMove::from_ascii(line);
    if let Some(option) = EngineOption::parse(&String::from_utf8_lossy(line)) {
        assert!(!option.name.is_empty());
        let value = option.default_value().unwrap_or_default();
        let name = option.name.clone();
        let _ = check_options(&[option], [(name.as_str(), value.as_str())]);
    }
}

/// The rows of `games.csv`.
fn ledger(data: &[u8]) -> bool {
    let names = ["one", "two"].map(String::from);
    with_file("games.csv", data, |folder| {
        let pairs = Pairs::open(folder, &names).expect("the file is there");
        let Ok(arrivals) = pairs.by_arrival() else {
            return false;
        };
        let mut arrived = 0_usize;
        for entry in arrivals {
            // After an error the iterator is not used again.
            let Ok(entry) = entry else { return false };
            assert_ne!(entry.result.engines[0], entry.result.engines[1]);
            arrived += 1;
        }
        let ordered = pairs
            .in_order(Shard::WHOLE, u64::MAX)
            .expect("it was read before");
        let mut last = None;
        let mut count = 0;
        for entry in ordered {
            let pair = entry.expect("it was read before").result.pair;
            assert!(last < Some(pair));
            last = Some(pair);
            count += 1;
        }
        assert!(count <= arrived);
        true
    })
}

/// `run.toml`.
fn manifest(data: &[u8]) -> bool {
    with_file(MANIFEST, data, |folder| {
        let Ok(manifest) = Manifest::read(folder) else {
            return false;
        };
        let _ = manifest.names();
        manifest.write(folder).expect("it is TOML");
        let again = Manifest::read(folder).expect("it was just written");
        // Compared as text, because NaN is not equal to itself.
        assert_eq!(format!("{again:?}"), format!("{manifest:?}"));
        true
    })
}

/// `elo.csv`.
fn nights(data: &[u8]) -> bool {
    with_file("elo.csv", data, |folder| {
        let Ok(nights) = track::read(&folder.join("elo.csv")) else {
            return false;
        };
        for night in nights {
            let _ = night.short();
        }
        true
    })
}

/// Parameters in the formats of other tuners, and the model of a simulated tuning.
fn tuning(data: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(data) else {
        return false;
    };
    let params = import::parse(text);
    let model = Model::parse(text);
    let accepted = params.is_ok() || model.is_ok();
    if let Ok(params) = params {
        let space = Space::new(params).expect("it was checked");
        let start = space.start();
        assert_eq!(space.options(&start).len(), space.dimension());
    }
    if let Ok(model) = model {
        let all = resolve_model(&TuneSection::default(), vec![], model.landscape.axes());
        if let Ok(space) = all {
            let mut strength = model.strength(&space).expect("its own parameters");
            let _ = strength.elo(&space.start());
        }
    }
    accepted
}

/// The output of git: commits, the address of a remote.
fn git(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    let commits = parse_commits(&text);
    for commit in commits.iter().flatten() {
        let _ = commit.describe();
    }
    let forge = Forge::of(&text);
    if let Some(forge) = &forge {
        assert!(!forge.commit("abc").contains(char::is_whitespace));
    }
    commits.is_ok() || forge.is_some()
}

/// `replay.toml` of a failure.
fn replay(data: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(data) else {
        return false;
    };
    if let Ok(situation) = toml::from_str::<Situation>(text)
        && let Ok(referee) = situation.referee()
    {
        assert!(!referee.position().legal_moves().is_empty());
        assert!(!situation.go.contains('\n'));
        return true;
    }
    false
}

/// A message of a fleet.
#[cfg(feature = "fleet")]
fn message(data: &[u8]) -> bool {
    hone_fleet::read_any_message(data)
}
