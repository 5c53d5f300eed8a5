//! `engines.json`: the engine list of cutechess.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use serde::Deserialize;

use super::engine::Engine;
use hone_base::diagnostic::Diagnostic;
use hone_base::platform::{UserFolder, read_text, user_folder};
use hone_base::text::nearest;
use hone_uci::engine::uci::split_command;

/// File name.
const FILE: &str = "engines.json";

/// An engine of the file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedEngine {
    name: String,
    command: String,
    #[serde(default)]
    working_directory: String,
    #[serde(default)]
    protocol: String,
    #[serde(default)]
    restart: String,
    #[serde(default)]
    ponder: bool,
    #[serde(default)]
    whitepov: bool,
    #[serde(default)]
    init_strings: Vec<String>,
    #[serde(default)]
    options: Vec<KnownOption>,
}

#[derive(Debug, Deserialize)]
struct KnownOption {
    name: String,
    #[serde(default)]
    value: serde_json::Value,
}

/// The engines of `engines.json`, read on first use.
#[derive(Debug)]
pub struct KnownEngines<'a> {
    /// Possible paths of the file, in order.
    places: &'a [PathBuf],
    read: Option<Vec<ListedEngine>>,
}

impl<'a> KnownEngines<'a> {
    /// The engines of the first existing file.
    pub fn in_first_of(places: &'a [PathBuf]) -> Self {
        Self { places, read: None }
    }

    /// The paths that cutechess uses: in the working directory, then in the user's
    /// configuration.
    pub fn usual_places() -> Vec<PathBuf> {
        let configuration = user_folder(UserFolder::Config);
        let kept = configuration.map(|folder| folder.join("cutechess").join(FILE));
        [Some(PathBuf::from(FILE)), kept]
            .into_iter()
            .flatten()
            .collect()
    }

    fn all(&mut self) -> anyhow::Result<&[ListedEngine]> {
        if self.read.is_none() {
            let path = self
                .places
                .iter()
                .find(|path| path.is_file())
                .ok_or_else(|| {
                    anyhow!("{FILE} is missing, here and in the user's configuration")
                })?;
            let text =
                read_text(path).with_context(|| format!("cannot read {}", path.display()))?;
            let engines = serde_json::from_str(&text)
                .with_context(|| format!("{} is not a list of engines", path.display()))?;
            self.read = Some(engines);
        }
        Ok(self.read.as_deref().unwrap_or_default())
    }

    /// The names of all engines.
    ///
    /// # Errors
    /// If the file is missing or cannot be read.
    pub fn names(&mut self) -> anyhow::Result<Vec<String>> {
        let all = self.all()?;
        Ok(all.iter().map(|engine| engine.name.clone()).collect())
    }

    /// The engine of this name.
    ///
    /// # Errors
    /// If it does not exist or cannot be played.
    pub(super) fn get(&mut self, name: &str) -> anyhow::Result<Engine> {
        let all = self.all()?;
        let known = all.iter().find(|engine| engine.name == name);
        let known = known.ok_or_else(|| {
            let nearest = nearest(name, all.iter().map(|engine| engine.name.as_str()));
            let help = nearest.map(|name| format!("did you mean `{name}`?"));
            let none = format!("`conf={name}`: {FILE} has no engine of this name");
            help.into_iter()
                .fold(Diagnostic::new(none), Diagnostic::help)
        })?;
        known.engine()
    }
}

impl ListedEngine {
    fn engine(&self) -> anyhow::Result<Engine> {
        let refuse = |what: &str| {
            Err(anyhow!(
                "engine `{}` of {FILE} is not supported: {what}",
                self.name
            ))
        };
        if !matches!(self.protocol.as_str(), "" | "uci") {
            return refuse("only the protocol uci is");
        }
        if self.whitepov {
            return refuse("its scores are from White's side");
        }
        if !self.init_strings.is_empty() {
            return refuse("it has `initStrings`");
        }
        let words = self.words();
        let Some((program, args)) = words.split_first() else {
            bail!("engine `{}` of {FILE} has no command", self.name);
        };
        let mut engine = Engine {
            name: Some(self.name.clone()),
            cmd: program.clone(),
            args: args.to_vec(),
            dir: Some(self.working_directory.clone()).filter(|dir| !dir.is_empty()),
            restart: self.restart == "on",
            ponder: self.ponder,
            ..Engine::default()
        };
        for option in &self.options {
            match &option.value {
                // A button without a value.
                serde_json::Value::Null => {}
                serde_json::Value::String(text) => engine.set_option(&option.name, text),
                other => engine.set_option(&option.name, &other.to_string()),
            }
        }
        Ok(engine)
    }

    /// The program and its arguments. The name of a file may have spaces.
    fn words(&self) -> Vec<String> {
        let command = self.command.trim();
        if Path::new(&self.working_directory).join(command).is_file() {
            vec![command.to_string()]
        } else {
            split_command(command).unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use hone_base::diagnostic::with_causes;

    #[test]
    fn an_engine_of_the_file() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join(FILE);
        let text = r#"[
            {"name": "A", "command": "./a --x", "workingDirectory": "/e", "protocol": "uci",
             "restart": "on", "ponder": true,
             "options": [{"name": "Hash", "value": 16, "type": "spin"},
                         {"name": "Clear", "value": null}, {"name": "P", "value": "q"}]},
            {"name": "B", "command": "b", "protocol": "xboard"}
        ]"#;
        fs::write(&path, text).expect("written");
        let places = [dir.path().join("absent"), path];
        let mut known = KnownEngines::in_first_of(&places);
        let engine = known.get("A").expect("known");
        assert_eq!(engine.cmd, "./a");
        assert_eq!(engine.args, ["--x"]);
        assert_eq!(engine.dir.as_deref(), Some("/e"));
        assert!(engine.restart && engine.ponder);
        let option = |name: &str, value: &str| (name.to_string(), value.to_string());
        assert_eq!(engine.options, [option("Hash", "16"), option("P", "q")]);
        assert!(known.get("B").is_err());
        let error = with_causes(&known.get("AA").expect_err("absent"));
        assert!(error.contains("did you mean"), "{error}");
        assert_eq!(known.names().expect("read"), ["A", "B"]);
        let mut none = KnownEngines::in_first_of(&places[..1]);
        assert!(none.names().is_err());
    }

    #[test]
    fn a_command_that_is_a_file_is_not_split() {
        let dir = tempfile::tempdir().expect("a folder");
        fs::write(dir.path().join("my engine"), "").expect("written");
        let words = |command: &str, working_directory: &Path| {
            let text = serde_json::json!({"name": "A", "command": command,
                "workingDirectory": working_directory});
            let known: ListedEngine = serde_json::from_value(text).expect("an engine");
            let engine = known.engine().expect("known");
            (engine.cmd, engine.args.join("|"))
        };
        let whole = dir.path().join("my engine").display().to_string();
        assert_eq!(words(&whole, Path::new("")), (whole.clone(), String::new()));
        let bare = words("./my engine", dir.path());
        assert_eq!(bare, ("./my engine".to_string(), String::new()));
        let (cmd, args) = words("./my engine --x", dir.path());
        assert_eq!((cmd.as_str(), args.as_str()), ("./my", "engine|--x"));
    }
}
