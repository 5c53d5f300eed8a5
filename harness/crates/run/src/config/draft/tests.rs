use std::fs;

use super::*;
use crate::config::Profile;
use crate::config::places::place_of;
use clap::ValueEnum;
use hone_base::diagnostic::shown;
use hone_experiment::settings::BookSource;

pub(super) const FILE: &str = "\
# An engine list.
[[engine]]
name = \"dev\"
cmd = \"a\"
options = { Hash = 8 }
[[engine]]
name = \"base\"
cmd = \"b\"

[match]
limit = \"nodes=10\"

[sprt]
elo1 = 3.0
";

pub(super) fn draft(text: &str) -> Draft {
    let folder = tempfile::tempdir().expect("made");
    let path = folder.path().join("c.toml");
    fs::write(&path, text).expect("written");
    Draft::read(Some(&path)).expect("TOML")
}

pub(super) fn error(draft: Draft) -> String {
    shown(&draft.finish().expect_err("a mistake"))
}

#[test]
fn a_mistake_in_the_file_keeps_its_line() {
    for (from, to, place) in [
        ("limit = \"nodes=10\"", "limt = \"nodes=10\"", ":11:1\n"),
        ("limit = \"nodes=10\"", "limit = \"soon\"", ":11:9\n"),
        ("elo1 = 3.0", "elo1 = \"x\"", ":14:8\n"),
    ] {
        let mut draft = draft(&FILE.replace(from, to));
        // New lines before it, and a shorter one.
        for set in [
            "engine.dev.args=[\"x\"]",
            "engine.base.env.A=x",
            "engine.dev.options={}",
            "match.pairs=5",
            "sprt.alpha=0.1",
            "adjudication.max_moves=80",
        ] {
            draft.set_text(set).expect("valid");
        }
        let error = error(draft);
        assert!(error.contains(place), "{error}");
        assert!(!error.contains("--set"), "{error}");
    }
}

/// The error names what set the value; in conflict with the file, also its place.
#[test]
fn mistakes_of_options_and_files() {
    let with = |file: &str, sets: &[&str]| {
        let mut draft = draft(file);
        for set in sets {
            draft.set_text(set).expect("its form is valid");
        }
        draft
    };
    let wrong = FILE.replace("elo1 = 3.0", "elo0 = 5.0\nelo1 = 0.0");
    let variant = "match.variant=chess960";
    let chess960 = |option: &str| {
        let options = format!("options = {{ Hash = 8, {option} }}");
        FILE.replace("options = { Hash = 8 }", &options)
    };
    let stage = "[[stage]]\nname = \"LTC\"\noptions = { UCI_Chess960 = true }\n";
    let table = "match.openings={file=\"a\",order=\"sequential\"}";
    let mut shown = Vec::new();
    for (what, draft) in [
        ("unknown key", with(FILE, &["match.limt=5"])),
        ("against the file", with(FILE, &["sprt.elo0=7"])),
        ("file alone", with(&wrong, &["match.pairs=5"])),
        ("option for a wrong file", with(&wrong, &["sprt.elo1=-3"])),
        (
            "option against the variant",
            with(&chess960("uci_chess960 = false"), &[variant]),
        ),
        (
            "option without the variant",
            with(&chess960("UCI_Chess960 = true"), &[]),
        ),
        (
            "both by --set",
            with(FILE, &[variant, "engine.base.options.UCI_Chess960=false"]),
        ),
        ("stage", with(&format!("{FILE}{stage}"), &[])),
        (
            "a table and a key in it",
            with(FILE, &[table, "match.openings.file=b"]),
        ),
        ("a limit", with(FILE, &["match.limit=inf"])),
        ("a list for a text", with(FILE, &["engine.base.rev=[1]"])),
        (
            "a stage by its name",
            with(&format!("{FILE}{stage}"), &["stage.LTC.limit=nodes=7"]),
        ),
    ] {
        shown.push((what, error(draft)));
    }
    let mut impossible = with(FILE, &["sprt.elo0=7"]);
    Profile::Gain.apply(&mut impossible);
    shown.push(("against a profile", error(impossible)));
    let shown = hone_testing::listed(shown);
    hone_testing::snapshots(&[]).bind(|| insta::assert_snapshot!("draft", shown));
    for (option, variant) in [
        ("UCI_Chess960 = true", "match.variant=chess960"),
        ("UCI_Chess960 = false", "match.variant=standard"),
    ] {
        let draft = with(&chess960(option), &[variant]);
        draft.finish().expect("no contradiction");
    }
}

/// A budget below the mean length would leave most tests undecided.
#[test]
fn a_profile_has_a_budget_unless_the_file_has_its_own() {
    let budget = |file: &str, profile: Profile| {
        let mut draft = draft(file);
        profile.apply(&mut draft);
        let sprt = draft.finish().expect("valid").sprt;
        sprt.expect("a test").max_pairs
    };
    let engines = "engine = [{ name = \"a\", cmd = \"a\" }, { name = \"b\", cmd = \"b\" }]\n";
    assert_eq!(budget(engines, Profile::Gain), 60_000);
    assert_eq!(budget(engines, Profile::NonRegression), 60_000);
    assert_eq!(budget(engines, Profile::Simplification), 400_000);
    assert_eq!(budget(engines, Profile::Quick), 5_000);
    for (own, simplification, quick) in [(900, 900, 900), (70_000, 70_000, 5_000)] {
        let file = format!("{engines}[sprt]\nmax_pairs = {own}\n");
        assert_eq!(budget(&file, Profile::Simplification), simplification);
        assert_eq!(budget(&file, Profile::Quick), quick);
    }
}

#[test]
fn engines_can_be_an_inline_list() {
    let mut draft = draft("engine = [{ name = \"x\", cmd = \"a\" }, { cmd = \"b\" }]\n");
    let spec: Spec = "git:main".parse().expect("a commit");
    draft.take_engine(1, &spec, "--base git:main");
    draft.set_text("engine.x.cmd=c").expect("x is there");
    draft.set_text("engine.1.cmd=d").expect("it is there");
    let config = draft.finish().expect("valid");
    assert_eq!(config.engine[0].cmd, "c");
    assert_eq!(config.engine[1].rev.as_deref(), Some("main"));
}

#[test]
fn one_engine_is_more_specific_than_all() {
    let mut draft = draft(FILE);
    for index in 0..2 {
        let keys = ["options", "hash"];
        draft.set_engine(Level::AllEngines, index, &keys, "16", "--option hash=16");
    }
    draft
        .set_text("engine.base.options.HASH=32")
        .expect("valid");
    let config = draft.finish().expect("no contradiction");
    assert_eq!(config.engine[0].options.get("Hash"), Some("16"));
    assert_eq!(config.engine[1].options.get("Hash"), Some("32"));
}

#[test]
fn a_table_and_a_key_in_it_may_agree_or_not() {
    let set = |texts: &[&str]| {
        let mut draft = draft(FILE);
        for text in texts {
            draft.set_text(text).expect("valid");
        }
        draft.finish()
    };
    let table = "match.openings={file=\"a\",order=\"sequential\"}";
    // Either way round.
    for texts in [
        [table, "match.openings.start=3"],
        ["match.openings.start=3", table],
    ] {
        let openings = set(&texts).expect("they agree").r#match.openings;
        assert_eq!(openings.start, 3);
        assert_eq!(openings.file, Some(BookSource::File("a".into())));
    }
    assert!(set(&[table, "match.openings.file=a"]).is_ok());
}

/// Ways to set a key, from the least specific one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    File,
    Profile,
    Flag,
    Set,
}

const WAYS: [Way; 4] = [Way::File, Way::Profile, Way::Flag, Way::Set];

/// A key that can be set in several ways.
struct Key {
    path: &'static [&'static str],
    /// Two values as TOML, and what `--profile quick` sets.
    values: [&'static str; 2],
    profile: Option<&'static str>,
    read: fn(&Config) -> String,
}

fn keys() -> Vec<Key> {
    vec![
        Key {
            path: &["match", "limit"],
            values: ["\"nodes=77\"", "\"8+0.08\""],
            profile: Some("\"nodes=10000\""),
            read: |config| format!("\"{}\"", config.r#match.limit),
        },
        Key {
            path: &["match", "openings", "file"],
            values: ["\"a.epd\"", "\"b.epd\""],
            profile: None,
            read: |config| {
                let file = config.r#match.openings.file.as_ref().expect("set");
                format!("\"{}\"", file)
            },
        },
        Key {
            path: &["match", "concurrency"],
            values: ["3", "4"],
            profile: None,
            read: |config| config.r#match.concurrency.expect("set").to_string(),
        },
        Key {
            path: &["match", "max_time"],
            values: ["\"30m\"", "\"1h\""],
            profile: None,
            read: |config| format!("\"{}\"", config.r#match.max_time.expect("set")),
        },
        Key {
            path: &["match", "pairs"],
            values: ["7", "9"],
            profile: None,
            read: |config| config.r#match.pairs.to_string(),
        },
        Key {
            path: &["sprt", "max_pairs"],
            values: ["7000", "9000"],
            profile: Some("5000"),
            read: |config| config.sprt.expect("set").max_pairs.to_string(),
        },
        Key {
            path: &["sprt", "elo0"],
            values: ["-30.0", "-20.0"],
            profile: Some("0.0"),
            read: |config| format!("{:?}", config.sprt.expect("set").elo0),
        },
        Key {
            path: &["sprt", "elo1"],
            values: ["30.0", "20.0"],
            profile: Some("10.0"),
            read: |config| format!("{:?}", config.sprt.expect("set").elo1),
        },
        Key {
            path: &["engine", "0", "options", "Hash"],
            values: ["64", "128"],
            profile: None,
            read: |config| {
                config.engine[0]
                    .options
                    .get("hash")
                    .expect("set")
                    .to_string()
            },
        },
    ]
}

/// A draft in which `key` is set in two ways.
fn said(key: &Key, ways: [(Way, &str); 2]) -> Draft {
    let mut document: DocumentMut = FILE.parse().expect("TOML");
    for (way, value) in ways {
        if way == Way::File {
            let set = Assignment {
                level: Level::Key,
                path: key.path.iter().map(|key| (*key).to_string()).collect(),
                value: value.parse().expect("a value"),
                source: String::new(),
            };
            set.insert_into(&mut document).expect("valid");
        }
    }
    let mut draft = draft(&document.to_string());
    for (number, (way, value)) in ways.into_iter().enumerate() {
        let text: Value = value.parse().expect("a value");
        match way {
            Way::File => {}
            Way::Profile => Profile::Quick.apply(&mut draft),
            Way::Flag => {
                let source = format!("--flag{number} {value}");
                draft.set(Level::Key, key.path, text, &source);
            }
            Way::Set => {
                let path = key.path.join(".");
                draft.set_text(&format!("{path}={value}")).expect("valid");
            }
        }
    }
    draft
}

#[test]
fn the_more_specific_way_wins_and_contradictions_are_refused() {
    let mut checked = 0;
    for key in keys() {
        for (first, second) in WAYS.iter().flat_map(|a| WAYS.map(|b| (*a, b))) {
            for same in [false, true] {
                let value = |way: Way, own: &'static str| match way {
                    Way::Profile => key.profile,
                    _ => Some(own),
                };
                let second_own = key.values[usize::from(!same)];
                let (Some(one), Some(other)) =
                    (value(first, key.values[0]), value(second, second_own))
                else {
                    continue;
                };
                // A file has one value for a key, a command line one profile.
                if first == second && first < Way::Flag {
                    continue;
                }
                checked += 1;
                let what = format!("{:?}: {first:?} {one}, {second:?} {other}", key.path);
                let finished = said(&key, [(first, one), (second, other)]).finish();
                if first.min(second) >= Way::Flag && one != other {
                    let error = shown(&finished.expect_err(&what));
                    let names = |value: &str| error.contains(value);
                    assert!(names(one) && names(other), "{what}: {error}");
                    continue;
                }
                let config = finished.unwrap_or_else(|error| panic!("{what}: {error}"));
                let wins = if first >= second { one } else { other };
                assert_eq!((key.read)(&config), wins, "{what}");
            }
        }
    }
    assert!(checked > 150, "{checked}");
}

#[test]
fn every_profile_is_read_whatever_the_file_sets() {
    for profile in Profile::value_variants() {
        let mut draft = draft(&FILE.replace("elo1 = 3.0", "model = \"logistic\""));
        profile.apply(&mut draft);
        let sprt = draft.finish().expect("valid").sprt.expect("set");
        assert_eq!(sprt.model, hone_stats::Model::Normalized);
        assert!(sprt.elo0 < sprt.elo1);
    }
}

#[test]
fn a_key_of_openings_keeps_the_book_of_the_short_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run.toml");
    std::fs::write(&file, "[match]\nopenings = \"none\"\n").expect("written");
    let mut draft = Draft::read(Some(&file)).expect("read");
    draft
        .set_text("match.openings.order=sequential")
        .expect("set");
    let openings = draft.finish().expect("finished").r#match.openings;
    assert_eq!(openings.file, Some(BookSource::StartPosition));
    assert_eq!(openings.order, hone_uci::openings::Order::Sequential);
}

/// The table has the same maximum as the file, whose line would otherwise be named.
#[test]
fn a_table_that_an_option_sets_has_no_place_in_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("c.toml");
    let tuning = "[tune]\ngroup = [\"A\", \"B\"]\n[tune.params]\nC = { max = 7 }\n";
    fs::write(&file, format!("{FILE}{tuning}")).expect("written");
    let mut draft = Draft::read(Some(&file)).expect("TOML");
    draft
        .set_text("tune.params.C={min=9,max=7}")
        .expect("valid");
    let config = draft.finish().expect("valid");
    for (keys, is_of_file) in [
        ("tune.params.C.max", false),
        ("tune.params.C", false),
        ("tune.group.1", true),
    ] {
        let keys: Vec<_> = keys.split('.').map(str::to_string).collect();
        let found = place_of(&file, &keys, &config);
        assert_eq!(found.is_some(), is_of_file, "{keys:?}: {found:?}");
    }
}
