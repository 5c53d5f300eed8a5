//! Warnings of runs whose pairs would repeat games or show no difference, and of slips in their
//! clocks.

use std::collections::BTreeSet;

use crate::config::{Config, EngineConfig, MatchConfig, Tournament};
use crate::files::kind::Kind;
use crate::files::manifest::EngineIdentity;
use crate::play::repeats::RepeatRule;
use hone_base::diagnostic::Setting;
use hone_base::output::Announce;
use hone_experiment::settings::BookSource;
use hone_uci::engine::uci::split_command;
use hone_uci::openings::Format;
use hone_uci::rules::Limit;

const BOOK: Setting = Setting {
    key: "match.openings.file",
    words: "`openings = \"default\"` is the built-in one",
};

/// Warns of a run that plans more pairs of a pairing than its book has `distinct`
/// openings (`None`: no book), where repeated games do not count as evidence.
pub fn warn_of_repeats(
    kind: Kind,
    planned: Option<u64>,
    distinct: Option<usize>,
    rule: RepeatRule,
    announce: Announce<'_>,
) {
    let all = distinct.unwrap_or(1) as u64;
    let Some(planned) = planned.filter(|planned| *planned > all && rule == RepeatRule::Drop) else {
        return;
    };
    let openings = match distinct {
        None => "every game begins at the start position".to_string(),
        Some(1) => "the book has 1 distinct opening".to_string(),
        Some(distinct) => format!("the book has {distinct} distinct openings"),
    };
    // Other kinds have one pairing, or many that share the pairs.
    let of = match kind {
        Kind::Match => " of two engines",
        _ => "",
    };
    let help = match distinct {
        None => format!("use a book ({BOOK})"),
        Some(_) => "use a larger book".to_string(),
    };
    announce(&format!(
        "warning: up to {planned} pairs{of} are planned, but {openings}: with a limit of \
         nodes or depth, later pairs repeat earlier games and do not count, and a run that only \
         repeats games ends early\n\
         help: {help} or a time control"
    ));
}

/// Warns of a run that plans more `pairs` together with its follow-up runs than its book has
/// `distinct` openings (`None`: no book).
pub fn warn_of_shared_openings(
    kind: Kind,
    pairs: u64,
    distinct: Option<usize>,
    announce: Announce<'_>,
) {
    let openings = distinct.unwrap_or(1) as u64;
    if pairs <= openings {
        return;
    }
    let (together, later) = if kind.has_tuned_values() {
        ("the tuning and the test of its values", "the test plays")
    } else {
        ("all stages", "later stages play")
    };
    let there = match openings {
        1 => "is 1 opening".to_string(),
        _ => format!("are {openings} distinct openings"),
    };
    announce(&format!(
        "warning: up to {pairs} pairs are planned in {together} together, but there {there}: \
         {later} openings of earlier games again, and with a limit of nodes or depth repeated \
         games do not count\n\
         help: use a larger book, another book for the later games, or a smaller `max_pairs`"
    ));
}

/// Warns of keys that have another value than by default, but no effect.
pub fn warn_of_unused_keys(kind: Kind, config: &Config, announce: Announce<'_>) {
    for (keys, why, help) in unused_keys(kind, config) {
        let shown: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
        let (keys, verb) = (
            shown.join(", "),
            if shown.len() == 1 { "has" } else { "have" },
        );
        announce(&format!(
            "warning: {keys} {verb} no effect {why}\nhelp: {help}"
        ));
    }
}

/// Keys without effect, why, and what to do.
type Unused = (Vec<&'static str>, String, &'static str);

fn unused_keys(kind: Kind, config: &Config) -> Vec<Unused> {
    let (play, pgn) = (&config.r#match, &config.pgn);
    let usual = MatchConfig::default();
    let is_match = kind == Kind::Match;
    let is_round_robin = play.tournament == Tournament::RoundRobin;
    let chosen = |keys: &[(&'static str, bool)]| -> Vec<&'static str> {
        let set = keys.iter().filter(|(_, is_set)| *is_set);
        set.map(|(key, _)| *key).collect()
    };
    let of_match = chosen(&[
        ("match.pairs", !is_match && play.pairs != usual.pairs),
        ("match.stop", !is_match && play.stop.is_some()),
        ("match.tournament", !is_match && !is_round_robin),
        ("match.seeds", !is_match && play.seeds != usual.seeds),
    ]);
    let of_round_robin = chosen(&[(
        "match.seeds",
        is_match && is_round_robin && play.seeds != usual.seeds,
    )]);
    let book = play.openings.file.as_ref();
    let has_games = match book {
        Some(BookSource::File(file)) => Format::of_packed_name(file) != Some(Format::Epd),
        Some(BookSource::BuiltIn | BookSource::StartPosition) | None => false,
    };
    let of_positions = chosen(&[(
        "match.openings.plies",
        !has_games && play.openings.plies.is_some(),
    )]);
    let is_without_book = book == Some(&BookSource::StartPosition);
    let of_start = chosen(&[(
        "match.openings.start",
        is_without_book && play.openings.start != usual.openings.start,
    )]);
    let of_comments = chosen(&[
        ("pgn.seldepth", pgn.minimal && pgn.seldepth),
        ("pgn.nodes", pgn.minimal && pgn.nodes),
        ("pgn.nps", pgn.minimal && pgn.nps),
        ("pgn.hashfull", pgn.minimal && pgn.hashfull),
        ("pgn.tbhits", pgn.minimal && pgn.tbhits),
        ("pgn.timeleft", pgn.minimal && pgn.timeleft),
        ("pgn.latency", pgn.minimal && pgn.latency),
        ("pgn.pv", pgn.minimal && pgn.pv),
        ("pgn.match_line", pgn.minimal && !pgn.match_line.is_empty()),
    ]);
    let why = |text: &str| text.to_owned();
    let mut unused = vec![
        (of_match, format!("in a {}", kind.noun()), limit_help(kind)),
        (
            of_round_robin,
            why("in a round robin"),
            "`match.tournament = \"gauntlet\"` uses it",
        ),
        (
            of_positions,
            why("without a book of games"),
            "remove it, or use a PGN book",
        ),
        (of_start, why("without a book"), "remove it, or use a book"),
        (
            of_comments,
            why("with `pgn.minimal`"),
            "remove `pgn.minimal`, or these keys",
        ),
    ];
    unused.retain(|(keys, ..)| !keys.is_empty());
    unused
}

/// How to limit a run that is not a match.
fn limit_help(kind: Kind) -> &'static str {
    match kind {
        Kind::Sprt => "remove it; `sprt.max_pairs` limits a test",
        Kind::Tune => "remove it; `tune.pairs` limits a tuning",
        Kind::Bisect => "remove it; `bisect.max_pairs` limits a bisection",
        Kind::Match => "remove it",
    }
}

/// Warns of clocks that are most likely written wrong.
pub fn warn_of_clocks(config: &Config, announce: Announce<'_>) {
    let own = config
        .engine
        .iter()
        .filter_map(|engine| engine.limit.as_ref());
    let stages = config.stage.iter().filter_map(|stage| stage.limit.as_ref());
    let limits = [&config.r#match.limit].into_iter().chain(own).chain(stages);
    let mut known = BTreeSet::new();
    for limit in limits {
        if let Some(meant) = limit.likely_meant()
            && known.insert(limit.to_string())
        {
            announce(&format!(
                "warning: the limit `{limit}` is unusual{}\nhelp: did you mean `{meant}`?",
                in_words(limit)
            ));
        }
    }
}

/// What the only stage of a clock gives.
fn in_words(limit: &Limit) -> String {
    let [stage] = limit.stages() else {
        return String::new();
    };
    let seconds = |ms: u64| ms as f64 / 1000.0;
    let base = seconds(stage.base);
    let increment = match stage.increment {
        0 => String::new(),
        ms => format!(" and {} s for each move", seconds(ms)),
    };
    match stage.moves {
        Some(moves) => format!(": {base} s for each {moves} moves{increment}"),
        None => format!(": {base} s for the game{increment}"),
    }
}

/// Warns of two engines that do not differ if games do not depend on speed. The sides of a
/// tuning differ in the tuned parameters.
pub fn warn_of_same_engines(
    kind: Kind,
    config: &Config,
    engines: &[EngineIdentity],
    announce: Announce<'_>,
) {
    // A nightly may be the same program as an opponent: a commit need not change the games.
    if kind.has_one_engine() || config.is_timed() || config.track.is_some() {
        return;
    }
    let all: Vec<_> = config.engine.iter().zip(engines).collect();
    // In a gauntlet only the first engines meet the others.
    let first = match config.r#match.tournament {
        Tournament::Gauntlet => config.r#match.seeds.min(all.len()),
        _ => all.len(),
    };
    let mut pairs = (0..first).flat_map(|at| all[at + 1..].iter().map(move |two| (at, two)));
    let same = pairs.find(|(at, (other, identity))| {
        let (one, known) = all[*at];
        // Commits that are not built yet have none.
        let is_same_program = known.sha256 == identity.sha256 && !known.sha256.is_empty();
        is_same_program && plays_like(one, other)
    });
    if let Some((at, (other, _))) = same {
        announce(&format!(
            "warning: `{}` and `{}` are the same program with the same options: with a limit of \
             nodes or depth a deterministic engine plays the same moves in both games of every pair\n\
             help: check that the change is saved, committed and built; if both are meant to be \
             the same program, stop the run, because its games show no difference",
            all[at].0.name, other.name
        ));
    }
}

/// Warns of adjudication that ends games whose result is open.
pub fn warn_of_rules(config: &Config, announce: Announce<'_>) {
    let rules = &config.adjudication;
    let draw = rules.draw.map(|rule| {
        [
            ("draw.move", rule.from_move, rule.from_move < 10, 34),
            ("draw.count", rule.count, rule.count < 3, 8),
            ("draw.score", rule.score, rule.score > 100, 20),
        ]
    });
    let resign = rules.resign.map(|rule| {
        [
            ("resign.count", rule.count, rule.count < 2, 3),
            ("resign.score", rule.score, rule.score < 200, 600),
        ]
    });
    let draw = draw.iter().flatten();
    for (key, value, _, usual) in draw.chain(resign.iter().flatten()).filter(|rule| rule.2) {
        announce(&format!(
            "warning: `{key} = {value}` in [adjudication] ends games whose result is open\n\
             help: a usual value is {usual}"
        ));
    }
}

/// Whether two engines with the same program play alike.
fn plays_like(one: &EngineConfig, other: &EngineConfig) -> bool {
    let arguments = |engine: &EngineConfig| {
        let words = split_command(&engine.cmd).unwrap_or_default();
        let words: Vec<String> = words.into_iter().skip(1).collect();
        [words, engine.args.clone()].concat()
    };
    arguments(one) == arguments(other)
        && one.options == other.options
        && one.limit == other.limit
        && one.ponder == other.ponder
        && one.dir == other.dir
        && one.env == other.env
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Draft;

    fn config(text: &str) -> Config {
        const PLAYERS: &str = "[[engine]]\nname = \"a\"\ncmd = \"a\"\n\
            [[engine]]\nname = \"b\"\ncmd = \"b\"\n";
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("c.toml");
        std::fs::write(&path, PLAYERS).expect("written");
        let mut draft = Draft::read(Some(&path)).expect("TOML");
        for line in text.lines() {
            draft.set_text(line).expect("a key");
        }
        draft.finish().expect("valid")
    }

    fn keys(kind: Kind, text: &str) -> Vec<&'static str> {
        let unused = unused_keys(kind, &config(text));
        unused.into_iter().flat_map(|(keys, ..)| keys).collect()
    }

    #[test]
    fn keys_without_effect_are_named() {
        let all =
            "match.pairs=7\nmatch.stop={ width = 5.0 }\nmatch.tournament=gauntlet\nmatch.seeds=2";
        let names = [
            "match.pairs",
            "match.stop",
            "match.tournament",
            "match.seeds",
        ];
        assert_eq!(keys(Kind::Sprt, all), names);
        assert_eq!(keys(Kind::Tune, "match.pairs=7"), names[..1]);
        assert_eq!(keys(Kind::Match, all), [""; 0]);
        assert_eq!(keys(Kind::Match, "match.seeds=2"), ["match.seeds"]);
        for (text, unused) in [
            (
                "match.openings={ file = \"a.epd\", plies = 8 }",
                &["match.openings.plies"][..],
            ),
            (
                "match.openings={ file = \"a.epd.gz\", plies = 8 }",
                &["match.openings.plies"],
            ),
            (
                "match.openings={ file = \"default\", plies = 8 }",
                &["match.openings.plies"],
            ),
            ("match.openings={ file = \"a.pgn\", plies = 8 }", &[]),
            ("match.openings={ file = \"a.pgn.zip\", plies = 8 }", &[]),
            (
                "match.openings={ file = \"none\", start = 3 }",
                &["match.openings.start"],
            ),
            ("match.openings={ file = \"a.epd\", start = 3 }", &[]),
            (
                "pgn.minimal=true\npgn.nodes=true\npgn.pv=true",
                &["pgn.nodes", "pgn.pv"],
            ),
            ("pgn.minimal=true\npgn.epd=true", &[]),
            ("pgn.nodes=true", &[]),
        ] {
            assert_eq!(keys(Kind::Sprt, text), unused, "{text}");
        }
    }

    #[test]
    fn a_warning_names_the_keys_and_what_to_do() {
        let mut said = Vec::new();
        let config = config("match.pairs=7");
        warn_of_unused_keys(Kind::Sprt, &config, &mut |text: &str| {
            said.push(text.to_owned());
        });
        assert_eq!(
            said,
            ["warning: `match.pairs` has no effect in a test\n\
              help: remove it; `sprt.max_pairs` limits a test"]
        );
    }

    #[test]
    fn a_slip_in_a_clock_is_named_once_with_what_was_meant() {
        let text = "[[engine]]\ncmd = \"a\"\nlimit = \"8/0.08\"\n[[engine]]\ncmd = \"b\"\n\
                    limit = \"8/0.08\"\n[match]\nlimit = \"8+0.08\"\n";
        let config: Config = toml::from_str(text).expect("valid");
        let mut warnings = Vec::new();
        warn_of_clocks(&config, &mut |warning| warnings.push(warning.to_string()));
        let expected = "warning: the limit `8/0.08` is unusual: 0.08 s for each 8 moves\n\
                        help: did you mean `8+0.08`?";
        assert_eq!(warnings, [expected]);
    }

    #[test]
    fn a_book_must_have_openings_for_all_stages_and_for_the_test_of_a_tuning() {
        let warned = |kind, pairs, distinct| {
            let mut lines = Vec::new();
            warn_of_shared_openings(kind, pairs, distinct, &mut |line: &str| {
                lines.push(line.to_string());
            });
            lines
        };
        assert_eq!(warned(Kind::Sprt, 40, Some(40)), [""; 0]);
        assert_eq!(
            warned(Kind::Sprt, 40, Some(30)),
            [
                "warning: up to 40 pairs are planned in all stages together, but there are 30 \
              distinct openings: later stages play openings of earlier games again, and with a \
              limit of nodes or depth repeated games do not count\n\
              help: use a larger book, another book for the later games, or a smaller `max_pairs`"
            ]
        );
        let [of_tuning] = &warned(Kind::Tune, 2, None)[..] else {
            panic!("one warning");
        };
        let words = "in the tuning and the test of its values together, but there is 1 opening: ";
        assert!(of_tuning.contains(words), "{of_tuning}");
    }

    fn warned(rules: &str) -> Vec<String> {
        let config = config(rules);
        let mut lines = Vec::new();
        warn_of_rules(&config, &mut |line| lines.push(line.to_string()));
        lines
    }

    #[test]
    fn absurd_rules_are_warned_of_with_a_usual_value() {
        let usual = "adjudication.draw={ move = 34, count = 8, score = 20 }\nadjudication.resign={ count = 3, score = 600 }";
        assert!(warned(usual).is_empty());
        assert!(warned("adjudication.max_moves=200").is_empty());
        let absurd = "adjudication.draw={ move = 0, count = 1, score = 30000 }\nadjudication.resign={ count = 1, score = 6 }";
        let warnings = warned(absurd);
        assert_eq!(warnings.len(), 5, "{warnings:?}");
        assert_eq!(
            warnings[4],
            "warning: `resign.score = 6` in [adjudication] ends games whose result is open\n\
             help: a usual value is 600"
        );
    }
}
