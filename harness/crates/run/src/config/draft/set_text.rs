//! `--set key.path=value`.

use std::path::PathBuf;

use toml_edit::{Item, Key, Value};

use super::super::EngineConfig;
use super::super::names::fill_in;
use super::{Draft, KeyPath, Level, content};
use hone_base::diagnostic::Diagnostic;

impl Draft {
    /// Applies `--set key.path=value`.
    ///
    /// # Errors
    /// If the text has another form or names an engine that does not
    /// exist.
    pub fn set_text(&mut self, text: &str) -> Result<(), Diagnostic> {
        let source = format!("--set {text}");
        let refused = |reason: Diagnostic| reason.within(&format!("`{source}`"));
        let (path, value) = text.split_once('=').ok_or_else(|| {
            refused(Diagnostic::new(
                "write key.path=value, for example match.limit=nodes=5000",
            ))
        })?;
        let mut keys = keys_of(path);
        if keys.iter().any(String::is_empty) {
            return Err(refused(Diagnostic::new("a key is empty")));
        }
        self.find_in_list(&mut keys).map_err(refused)?;
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        // A TOML value, or else the text itself, so that quotes are optional.
        let value = value.trim();
        let value = value.parse().unwrap_or_else(|_| Value::from(value));
        self.set(Level::Key, &keys, value, &source);
        Ok(())
    }

    /// Replaces the name of an engine in the path of a key by its index.
    ///
    /// # Errors
    /// A message, if the engine does not exist.
    fn find_in_list(&self, keys: &mut Vec<String>) -> Result<(), Diagnostic> {
        match &keys[..] {
            [list] if list == "engine" => Err(Diagnostic::new(
                "`engine` is a list: name one by number or name",
            )),
            [list, which, ..] if list == "engine" => {
                // Without quotes, a name with dots is several keys. The longest name is meant.
                let longer = (2..keys.len()).rev().find_map(|last| {
                    let name = keys.get(1..=last)?.join(".");
                    Some((last, self.engine_index(&name).ok()?))
                });
                let (last, index) = match longer {
                    Some(found) => found,
                    None => (1, self.engine_index(which)?),
                };
                keys.splice(1..=last, [index.to_string()]);
                Ok(())
            }
            [list, _, ..] if list == "stage" && self.document.get("stage").is_none() => {
                Err(Diagnostic::new("the configuration has no [[stage]]"))
            }
            _ => Ok(()),
        }
    }

    /// Index of an engine by number or name: its name in the file, or with the assignments so
    /// far.
    fn engine_index(&self, which: &str) -> Result<usize, Diagnostic> {
        let in_file = self.names(|index, key| self.text_in_file(index, key));
        let now = self.names(|index, key| self.engine_text(index, key));
        let Some(last) = now.len().checked_sub(1) else {
            return Err(Diagnostic::new("the configuration has no [[engine]]"));
        };
        let number = which.parse().ok().filter(|index| *index <= last);
        let named = |names: &[String]| names.iter().position(|name| name == which);
        number
            .or_else(|| named(&in_file))
            .or_else(|| named(&now))
            .or_else(|| {
                let alias = self.aliases.iter().find(|(name, _)| name == which);
                alias.map(|(_, index)| *index)
            })
            .ok_or_else(|| {
                Diagnostic::new(format!("no `{which}` in `engine`")).help(format!(
                    "give a number from 0 to {last}, or a name: {}",
                    now.join(", ")
                ))
            })
    }

    /// Names of UCI options are case-insensitive: uses the spelling of the file, or of an
    /// earlier assignment.
    pub(super) fn use_known_spelling(&self, path: &mut KeyPath) {
        let [engine, index, options, name] = &mut path[..] else {
            return;
        };
        if engine != "engine" || options != "options" {
            return;
        }
        let in_file = self
            .engines()
            .and_then(|engines| engines.get(index.parse().ok()?)?.get("options"))
            .and_then(Item::as_table_like)
            .into_iter()
            .flat_map(|table| table.iter().map(|(name, _)| name.to_string()));
        let said = self
            .assignments
            .iter()
            .filter_map(|set| match &set.path[..] {
                [_, of, _, name] if of == index => Some(name.clone()),
                _ => None,
            });
        if let Some(known) = in_file
            .chain(said)
            .find(|known| known.eq_ignore_ascii_case(name))
        {
            *name = known;
        }
    }

    /// The text value of an engine's key in the file alone.
    pub(super) fn text_in_file(&self, index: usize, key: &str) -> Option<String> {
        let value = self.engines()?.get(index)?.get(key)?.as_value()?;
        Some(content(value))
    }

    /// The names of the engines; `text` returns the text value of an engine's key.
    fn names(&self, text: impl Fn(usize, &str) -> Option<String>) -> Vec<String> {
        let engine = |index| EngineConfig {
            name: text(index, "name").unwrap_or_default(),
            cmd: text(index, "cmd").unwrap_or_default(),
            git: text(index, "git").map(PathBuf::from),
            rev: text(index, "rev"),
            worktree: text(index, "worktree").map(PathBuf::from),
            ..EngineConfig::default()
        };
        let mut engines: Vec<_> = (0..self.engine_count()).map(engine).collect();
        fill_in(&mut engines, &self.aliases);
        engines.into_iter().map(|engine| engine.name).collect()
    }
}

/// The keys of a path: TOML, or else text between dots, so that spaces need no quotes.
fn keys_of(path: &str) -> Vec<String> {
    match Key::parse(path) {
        Ok(keys) => keys.iter().map(|key| key.get().to_string()).collect(),
        Err(_) => path.split('.').map(|key| key.trim().to_string()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::tests::{FILE, draft, error};

    /// The id of a commit may consist of digits only.
    #[test]
    fn a_key_that_takes_a_text_needs_no_quotes() {
        let file = FILE.replace("cmd = \"b\"", "git = \".\"\nbuild = \"make EXE={out}\"");
        for rev in ["1234567", "0123456", "12345e6", "1_0", "true", "2024-01-01"] {
            let mut draft = draft(&file);
            for text in [
                format!("engine.base.rev={rev}"),
                "engine.base.git=7".to_string(),
                "engine.base.env.LEVEL=3".to_string(),
                "bisect.good=1234567".to_string(),
            ] {
                draft.set_text(&text).expect("valid");
            }
            let config = draft.finish().expect(rev);
            assert_eq!(config.engine[1].rev.as_deref(), Some(rev));
            assert_eq!(config.engine[1].git.as_deref(), Some(Path::new("7")));
            assert_eq!(config.engine[1].env["LEVEL"], "3");
            assert_eq!(config.bisect.expect("set").good, "1234567");
        }
        // A value of the file does not become a text.
        let mut in_file = draft(&FILE.replace("\"nodes=10\"", "5"));
        in_file.set_text("match.pairs=5").expect("valid");
        let text = error(in_file);
        assert!(
            text.contains(":11:9\n") && text.contains("expected a string"),
            "{text}"
        );
    }

    #[test]
    fn an_engine_without_a_name_has_that_of_its_program_or_revision() {
        let file = "[[engine]]\ncmd = \"bin/a\"\n[[engine]]\ncmd = \"a\"\n\
            [[engine]]\ngit = \".\"\nrev = \"v1\"\nbuild = \"make EXE={out}\"\n";
        let mut named = draft(file);
        for text in [
            "engine.bin/a.cmd=c",
            "engine.bin/a.options.Hash=1",
            "engine.a.options.Hash=2",
            "engine.v1.options.Hash=3",
            "engine.c.args=[\"x\"]",
        ] {
            named.set_text(text).expect(text);
        }
        let config = named.finish().expect("valid");
        let hash = |index: usize| config.engine[index].options.get("Hash").map(str::to_string);
        assert_eq!(
            [0, 1, 2].map(hash),
            ["1", "2", "3"].map(|hash| Some(hash.to_string()))
        );
        assert_eq!(config.engine[0].args, ["x"]);
        let refused = draft(file).set_text("engine.b.cmd=c");
        let text = hone_base::diagnostic::shown(&refused.expect_err("no b"));
        assert_eq!(
            text,
            "`--set engine.b.cmd=c`: no `b` in `engine`\nhelp: give a number from 0 to 2, or a name: bin/a, a, v1"
        );
        let text = draft("")
            .set_text("engine.0.cmd=c")
            .expect_err("none")
            .to_string();
        assert!(
            text.ends_with("the configuration has no [[engine]]"),
            "{text}"
        );
    }

    #[test]
    fn a_name_with_dots_may_have_quotes() {
        let file = FILE.replace("dev", "v1.2").replace("base", "v1");
        let mut named = draft(&file);
        for text in [
            "engine.v1.2.options.Hash=2",
            "engine.\"v1.2\".args=[\"x\"]",
            "engine.v1.options.Move Overhead=3",
            "engine.v1.options.\"A.B\"=4",
            "tune.params.'X.Y'.start=5",
        ] {
            named.set_text(text).expect(text);
        }
        let config = named.finish().expect("valid");
        assert_eq!(config.engine[0].options.get("Hash"), Some("2"));
        assert_eq!(config.engine[0].args, ["x"]);
        assert_eq!(config.engine[1].options.get("Move Overhead"), Some("3"));
        assert_eq!(config.engine[1].options.get("A.B"), Some("4"));
        assert_eq!(config.tune.expect("set").params["X.Y"].start, Some(5.0));
        let text = draft(&file)
            .set_text("engine.v2.0.cmd=c")
            .expect_err("no v2.0")
            .to_string();
        assert!(text.contains("no `v2` in `engine`"), "{text}");
    }

    #[test]
    fn a_stage_has_a_number() {
        let stages = "[[stage]]\nname = \"STC\"\n[[stage]]\nname = \"LTC\"\n";
        let inline = "stage = [{ name = \"STC\" }, { name = \"LTC\" }]\n";
        for file in [format!("{FILE}{stages}"), format!("{inline}{FILE}")] {
            let mut valid = draft(&file);
            valid.set_text("stage.1.limit=nodes=7").expect("valid");
            let config = valid.finish().expect("valid");
            let limit = config.stage[1].limit.as_ref().expect("set");
            assert_eq!(limit.to_string(), "nodes=7");
            for wrong in [
                "stage.STC.limit=nodes=7",
                "stage.2.limit=nodes=7",
                "stage.0=x",
            ] {
                let mut draft = draft(&file);
                draft.set_text(wrong).expect("its form is valid");
                let text = error(draft);
                let reason = "`stage` is a list of 2: give a number from 0 to 1, then a key";
                assert_eq!(text, format!("`--set {wrong}`: {reason}"));
            }
        }
        let text = draft(FILE)
            .set_text("stage.0.limit=nodes=7")
            .expect_err("none")
            .to_string();
        assert!(
            text.ends_with("the configuration has no [[stage]]"),
            "{text}"
        );
    }
}
