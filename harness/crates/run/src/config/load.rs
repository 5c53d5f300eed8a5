//! Reads a configuration file.

use std::path::Path;

use super::{Config, Draft};
use hone_base::diagnostic::Diagnostic;

/// Reads the configuration at `path` and applies `overrides` of the form `key.path=value`.
///
/// # Errors
/// With file, line and what is allowed.
pub fn load(path: &Path, overrides: &[String]) -> Result<Config, Diagnostic> {
    let mut draft = Draft::read(Some(path))?;
    for text in overrides {
        draft.set_text(text)?;
    }
    draft.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::names::MAX_ENGINES;
    use hone_base::diagnostic::shown;
    use hone_experiment::settings::BookSource;
    use std::io::Write;

    fn load_text(text: &str, overrides: &[&str]) -> Result<Config, String> {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(text.as_bytes()).expect("written");
        let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_string()).collect();
        load(file.path(), &overrides).map_err(|error| shown(&error))
    }

    const TWO: &str = "[[engine]]\nname = \"dev\"\ncmd = \"a\"\noptions = { Hash = 8, X = true }\n[[engine]]\nname = \"base\"\ncmd = \"b\"\n";

    #[test]
    fn fills_in_the_defaults() {
        let config = load_text(
            "[[engine]]\ncmd = \"dir/a.exe\"\n[[engine]]\ncmd = \"a\"\n",
            &[],
        )
        .expect("valid");
        assert_eq!(config.engine[0].name, "dir/a");
        assert_eq!(config.engine[1].name, "a");
        assert_eq!(config.r#match.limit.to_string(), "8+0.08");
        assert_eq!(config.r#match.stall_ms, 10_000);
        assert_eq!(config.adjudication.draw, None);
        assert_eq!(config.r#match.openings.file, Some(BookSource::BuiltIn));
    }

    #[test]
    fn a_thousand_engines_are_enough() {
        let engines = |count: usize| {
            let tables = (0..count).map(|n| format!("[[engine]]\nname = \"{n}\"\ncmd = \"a\"\n"));
            load_text(&tables.collect::<String>(), &[])
        };
        assert!(engines(MAX_ENGINES).is_ok());
        let error = engines(MAX_ENGINES + 1).expect_err("too many");
        assert!(error.contains("at most 1000"), "{error}");
    }

    #[test]
    fn keeps_options_in_order_and_as_text() {
        let text =
            "[[engine]]\ncmd = \"a\"\noptions = { Threads = 2, Hash = 8, A = 1.5, B = \"x\" }\n";
        let config = load_text(text, &[]).expect("valid");
        let options: Vec<_> = config.engine[0]
            .options
            .0
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        assert_eq!(options, ["Threads=2", "Hash=8", "A=1.5", "B=x"]);
    }

    #[test]
    fn names_line_and_what_is_allowed() {
        let cases = [
            (
                "[match]\nlimt = \"8+0.08\"\n",
                "2:1",
                "did you mean `limit`?",
            ),
            ("[match]\nconcurrency = 65536\n", "2:15", "1 to 1024 pairs"),
            (
                "[match]\nmax_time = \"18446744073709551615s\"\n",
                "2:12",
                "at most 36500d",
            ),
            (
                "[match]\nlimit = \"307445734561826:0\"\n",
                "2:9",
                "between 0 and 1e9 seconds",
            ),
            (
                "[adjudication]\nmax_moves = 0\n",
                "2:13",
                "at least 1 is allowed",
            ),
            (
                "[adjudication]\nresign = { count = 0, score = 600 }\n",
                "2:20",
                "at least 1 is allowed",
            ),
            (
                "[adjudication]\ndraw = { move = 0, count = 0, score = 20 }\n",
                "2:28",
                "at least 1 is allowed",
            ),
            ("[match]\nlimit = 5\n", "2:9", "invalid type"),
            ("[match]\nlimit = \"soon\"\n", "2:9", "movetime=100"),
            (
                "[match]\nopenings = { order = \"rand\" }\n",
                "2:22",
                "`rand` is not a valid `order`: expected `sequential` or `random`; did you mean `random`?",
            ),
            (
                "[match]\nstop = { widht = 5.0 }\n",
                "2:10",
                "`widht` is not a valid `stop`",
            ),
            ("[match]\npairs = 0\n", "2:9", "at least 1"),
            ("[fleet]\nreference = 0\n", "2:13", "at least 1"),
            (
                "[match]\npairs = 99999999999999999999\n",
                "2:9",
                "at most 9223372036854775807",
            ),
            (
                "[adjudication]\ndraw = 5\n",
                "2:8",
                "expected a table, as in { move = 34, count = 8, score = 20 }",
            ),
            (
                "[match]\nstop = 5\n",
                "2:8",
                "`stop`: expected \"zero_outside\"",
            ),
            (
                "[[engine]]\ncmd = \"a\"\nenv = { \"A=B\" = \"1\" }\n",
                "3:7",
                "\"A=B\" is not a valid environment variable",
            ),
            (
                "[[engine]]\ncmd = \"a\"\nenv = { \"\" = \"1\" }\n",
                "3:7",
                "must not be empty",
            ),
            (
                "[[engine]]\ncmd = \"a\"\nenv = { A = \"\\u0000\" }\n",
                "3:7",
                "contain a NUL",
            ),
            ("[sprt]\nalpha = 0.5\n", "2:9", "below 0.5"),
            ("[sprt]\nelo0 = 5.0\nelo1 = 5.0\n", "1:1", "elo0"),
            ("[sprt]\nmodel = \"x\"\n", "2:9", "normalized"),
            (
                "[adjudication]\ndraw = { move = 1, count = 2 }\n",
                "2:8",
                "score",
            ),
            ("x = \n", "1:5", ""),
            (
                "[[engine]]\nname = new\n",
                "2:8",
                "help: text needs quotes: `name = \"new\"`",
            ),
            (
                "[[engine]]\ncmd = \"C:\\Users\\me\"\n",
                "2:12",
                "\nhelp: `\\` begins an escape",
            ),
            ("[engine]\ncmd = \"a\"\n", "1:1", "help: write `[[engine]]`"),
            (
                "[engine]\ncmd = \"a\"\n[engine]\ncmd = \"b\"\n",
                "3:2",
                "help: write `[[engine]]`",
            ),
            (
                "[match]\nbook = \"x.epd\"\n",
                "2:1",
                "did you mean `openings`?",
            ),
        ];
        for (text, place, allowed) in cases {
            let error = load_text(text, &[]).expect_err(text);
            assert!(error.contains(&format!(":{place}\n")), "{text}: {error}");
            assert!(error.contains(allowed), "{text}: {error}");
        }
    }

    /// The place is not that of the first engine.
    #[test]
    fn keys_that_do_not_go_together_have_the_place_of_their_engine() {
        for wrong in ["bench = 5", "rev = \"v1\"", "git = \".\"\nworktree = \".\""] {
            let text = format!("{TWO}[[engine]]\ncmd = \"c\"\n{wrong}\n");
            let error = load_text(&text, &[]).expect_err(wrong);
            assert!(error.contains(":8:1\n  8 | [[engine]]"), "{error}");
        }
        let inline = "engine = [{ cmd = \"a\" },\n { cmd = \"b\", bench = 5 }]\n";
        for sets in [&[][..], &["match.pairs=3"]] {
            let error = load_text(inline, sets).expect_err("a bench");
            assert!(error.contains(":2:2\n"), "{error}");
        }
    }

    #[test]
    fn refuses_two_engines_of_one_name() {
        let text = TWO.replace("base", "dev");
        let error = load_text(&text, &[]).expect_err("a duplicate");
        assert!(error.contains("two engines are called `dev`"), "{error}");
    }

    #[test]
    fn overrides_reach_everything() {
        let config = load_text(
            TWO,
            &[
                "match.limit=nodes=5000",
                "match.openings.file=books/quick.epd",
                "engine.0.options.Hash=32",
                "engine.base.options.Y=abc",
                "sprt.elo1=7.5",
                "match.concurrency=2",
            ],
        )
        .expect("valid");
        assert_eq!(config.r#match.limit.to_string(), "nodes=5000");
        assert_eq!(config.r#match.concurrency, Some(2));
        assert_eq!(config.engine[0].options.get("hash"), Some("32"));
        assert_eq!(config.engine[1].options.get("Y"), Some("abc"));
        assert_eq!(config.sprt.expect("set").elo1, 7.5);
    }

    #[test]
    fn bad_overrides_are_named() {
        for bad in [
            "match.limit",
            "engine.nobody.cmd=x",
            "engine.7.cmd=x",
            "=3",
            "match..x=1",
        ] {
            let error = load_text(TWO, &[bad]).expect_err(bad);
            assert!(error.contains("--set"), "{error}");
        }
        let error = load_text(TWO, &["match.seed=18446744073709551615"]).expect_err("large");
        assert_eq!(
            error,
            "`--set match.seed=18446744073709551615`: the number is out of range: at most 9223372036854775807 is allowed"
        );
        let error = load_text(TWO, &["match.limt=5"]).expect_err("unknown");
        assert!(error.contains("limt"), "{error}");
    }

    /// A default that a manifest left out would change with later versions.
    #[test]
    fn defaults_are_written() {
        let config = load_text(TWO, &[]).expect("valid");
        let written = toml::to_string(&config).expect("writes");
        let lines: Vec<&str> = written.lines().collect();
        for (line, times) in [
            ("seeds = 1", 1),
            ("sandbox = false", 1),
            ("on_machine_fault = \"keep\"", 1),
            ("on_finding = \"report\"", 1),
            ("bench = \"check\"", 2),
            ("ponder = false", 2),
            ("restart = false", 2),
            ("trusted = false", 2),
        ] {
            let found = lines.iter().filter(|written| **written == line).count();
            assert_eq!(found, times, "{line}: {written}");
        }
        // A manifest without these keys.
        let rest = lines.iter().filter(|line| {
            let keys = [
                "seeds",
                "sandbox",
                "on_machine_fault",
                "on_finding",
                "bench",
                "ponder",
                "restart",
                "trusted",
            ];
            !keys.iter().any(|key| line.starts_with(key))
        });
        let rest: Vec<&str> = rest.copied().collect();
        assert_eq!(load_text(&rest.join("\n"), &[]).expect("reads"), config);
    }

    #[test]
    fn reads_what_it_writes() {
        let text = format!(
            "{TWO}[match]\nlimit = \"nodes=5\"\nopenings = {{ file = \"x\", order = \"sequential\" }}\n[adjudication]\nresign = {{ count = 3, score = 600 }}\n[sprt]\nelo1 = 3.0\n"
        );
        let config = load_text(&text, &[]).expect("valid");
        let written = toml::to_string(&config).expect("writes");
        let again = load_text(&written, &[]).expect("reads");
        assert_eq!(again, config);
    }

    #[test]
    fn a_list_is_not_a_table() {
        for (text, place, message) in [
            (
                "[adjudication]\ndraw = [8, 34, 20]\n",
                "2:8",
                "`draw` is a table: write `draw = { move = 34, count = 8, score = 20 }`",
            ),
            (
                "adjudication.resign = [3, 600]\n",
                "1:23",
                "`resign` is a table: write `resign = { count = 3, score = 600 }`",
            ),
            (
                "match = [\"nodes=5\", \"none\", \"standard\"]\n",
                "1:9",
                "`match` is a table: write `match = { limit = \"8+0.08\" }`",
            ),
            (
                "[match]\n[[sprt]]\nelo1 = 3.0\n",
                "2:1",
                "`sprt` is a table, not a list: write `[sprt]`, not `[[sprt]]`",
            ),
            (
                "[[adjudication.resign]]\ncount = 3\n",
                "1:1",
                "write `[adjudication.resign]`, not `[[adjudication.resign]]`",
            ),
            (
                "[[tune.params.\"A.B\"]]\nmin = 3\n",
                "1:1",
                "write `[tune.params.\"A.B\"]`, not `[[tune.params.\"A.B\"]]`",
            ),
            (
                "[[engine]]\ncmd = \"a\"\n[[engine.options]]\nHash = 3\n",
                "3:1",
                "write `[engine.options]`, not `[[engine.options]]`",
            ),
            (
                "stage = [[\"STC\"]]\n",
                "1:10",
                "an entry of `stage` is a table: write `{ limit = \"8+0.08\" }`",
            ),
            (
                "stage = [{ sprt = [0.0, 5.0] }]\n",
                "1:19",
                "`sprt` is a table: write `sprt = { elo0 = 0.0, elo1 = 5.0 }`",
            ),
        ] {
            // An option does not hide it.
            for overrides in [&[][..], &["match.pairs=3", "sprt.elo1=4.0"]] {
                let error = load_text(text, overrides).expect_err(text);
                assert!(error.contains(message), "{text}: {error}");
                assert!(error.contains(&format!(":{place}\n")), "{text}: {error}");
            }
        }
    }

    /// The error is that of the parser: the list that is missing, not the one below it.
    #[test]
    fn one_table_in_place_of_a_list_is_named() {
        for (text, help) in [
            (
                "[engine]\ncmd = \"a\"\nargs = [\"-x\"]\n",
                "write `[[engine]]`",
            ),
            ("[stage]\nopenings = [\"a.epd\"]\n", "write `[[stage]]`"),
        ] {
            let error = load_text(text, &[]).expect_err(text);
            assert!(error.contains(help), "{error}");
        }
    }

    #[test]
    fn an_option_that_sets_a_list_is_named() {
        for set in [
            "sprt=[0.0,5.0]",
            "tune.spsa=[0.3]",
            "tune.params.X=[1,0,200]",
            "adjudication.syzygy=[\"/tb\"]",
        ] {
            let error = load_text("", &[set]).expect_err(set);
            let start = format!("`--set {set}`: `");
            assert!(error.starts_with(&start), "{error}");
            assert!(error.contains("is a table: write `"), "{error}");
        }
    }
}
