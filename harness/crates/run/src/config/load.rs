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

    /// Each line of a mistake, its place and what is allowed.
    #[test]
    fn mistakes_in_a_file() {
        let texts = [
            "[match]\nlimt = \"8+0.08\"\n",
            "[match]\nconcurrency = 65536\n",
            "[match]\nmax_time = \"18446744073709551615s\"\n",
            "[match]\nlimit = \"307445734561826:0\"\n",
            "[adjudication]\nmax_moves = 0\n",
            "[adjudication]\nresign = { count = 0, score = 600 }\n",
            "[adjudication]\ndraw = { move = 0, count = 0, score = 20 }\n",
            "[match]\nlimit = 5\n",
            "[match]\nlimit = \"soon\"\n",
            "[match]\nopenings = { order = \"rand\" }\n",
            "[match]\nstop = { widht = 5.0 }\n",
            "[match]\npairs = 0\n",
            "[fleet]\nreference = 0\n",
            "[match]\npairs = 99999999999999999999\n",
            "[adjudication]\ndraw = 5\n",
            "[match]\nstop = 5\n",
            "[[engine]]\ncmd = \"a\"\nenv = { \"A=B\" = \"1\" }\n",
            "[[engine]]\ncmd = \"a\"\nenv = { \"\" = \"1\" }\n",
            "[[engine]]\ncmd = \"a\"\nenv = { A = \"\\u0000\" }\n",
            "[sprt]\nalpha = 0.5\n",
            "[sprt]\nelo0 = 5.0\nelo1 = 5.0\n",
            "[sprt]\nmodel = \"x\"\n",
            "[adjudication]\ndraw = { move = 1, count = 2 }\n",
            "x = \n",
            "[[engine]]\nname = new\n",
            "[[engine]]\ncmd = \"C:\\Users\\me\"\n",
            "[engine]\ncmd = \"a\"\n",
            "[engine]\ncmd = \"a\"\n[engine]\ncmd = \"b\"\n",
            "[match]\nbook = \"x.epd\"\n",
            // One table in place of a list: not the list that is missing below it.
            "[engine]\ncmd = \"a\"\nargs = [\"-x\"]\n",
            "[stage]\nopenings = [\"a.epd\"]\n",
        ];
        let mut shown = Vec::from(texts.map(|text| {
            let error = load_text(text, &[]).expect_err(text);
            (text.to_string(), error)
        }));
        // A list in place of a table; an option does not hide it.
        let lists = [
            "[adjudication]\ndraw = [8, 34, 20]\n",
            "adjudication.resign = [3, 600]\n",
            "match = [\"nodes=5\", \"none\", \"standard\"]\n",
            "[match]\n[[sprt]]\nelo1 = 3.0\n",
            "[[adjudication.resign]]\ncount = 3\n",
            "[[tune.params.\"A.B\"]]\nmin = 3\n",
            "[[engine]]\ncmd = \"a\"\n[[engine.options]]\nHash = 3\n",
            "stage = [[\"STC\"]]\n",
            "stage = [{ sprt = [0.0, 5.0] }]\n",
        ];
        shown.extend(lists.map(|text| {
            let error = load_text(text, &[]).expect_err(text);
            let with_options = load_text(text, &["match.pairs=3", "sprt.elo1=4.0"]);
            assert_eq!(
                without_folder(&with_options.expect_err(text)),
                without_folder(&error)
            );
            (text.to_string(), error)
        }));
        // The place is not that of the first engine.
        for wrong in ["bench = 5", "rev = \"v1\"", "git = \".\"\nworktree = \".\""] {
            let text = format!("{TWO}[[engine]]\ncmd = \"c\"\n{wrong}\n");
            let error = load_text(&text, &[]).expect_err(wrong);
            shown.push((text, error));
        }
        let duplicate = TWO.replace("base", "dev");
        let error = load_text(&duplicate, &[]).expect_err("a duplicate");
        shown.push((duplicate, error));
        let shown = hone_testing::listed(shown);
        hone_testing::snapshots(&[]).bind(|| insta::assert_snapshot!("load", shown));
    }

    /// An error without the name of the temporary file.
    fn without_folder(error: &str) -> String {
        let lines = error.lines().filter(|line| !line.starts_with("  --> "));
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn an_engine_in_a_list_has_its_own_place() {
        let inline = "engine = [{ cmd = \"a\" },\n { cmd = \"b\", bench = 5 }]\n";
        for sets in [&[][..], &["match.pairs=3"]] {
            let error = load_text(inline, sets).expect_err("a bench");
            assert!(error.contains(":2:2\n"), "{error}");
        }
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
    fn mistakes_in_overrides() {
        let overrides = [
            "match.limit",
            "engine.nobody.cmd=x",
            "engine.7.cmd=x",
            "=3",
            "match..x=1",
            "match.seed=18446744073709551615",
            "match.limt=5",
            "sprt=[0.0,5.0]",
            "tune.spsa=[0.3]",
            "tune.params.X=[1,0,200]",
            "adjudication.syzygy=[\"/tb\"]",
        ];
        let shown = overrides.map(|set| (set, load_text(TWO, &[set]).expect_err(set)));
        let shown = hone_testing::listed(shown);
        hone_testing::snapshots(&[]).bind(|| insta::assert_snapshot!("overrides", shown));
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
}
