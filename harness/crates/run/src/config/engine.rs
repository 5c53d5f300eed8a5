//! `[[engine]]`: a player.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use hone_builds::{BenchCheck, Recipe, Revision, Spec};
use hone_uci::engine::uci::{MemorySize, is_one_line};
use hone_uci::rules::Limit;

/// An engine and how to start it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineConfig {
    /// Its name in results; by default the program's file name.
    #[serde(default)]
    pub name: String,
    /// The program with optional arguments: a path, relative to `dir` or to the folder in which
    /// `hone` was started, or a bare name on the `PATH`. For an engine built from a
    /// repository: a path in its work tree, or `{out}`.
    #[serde(default)]
    pub cmd: String,
    /// A repository from whose commit `rev` the engine is built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<PathBuf>,
    /// A commit, tag or branch; `HEAD` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rev: Option<String>,
    /// A repository from whose uncommitted changes the engine is built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<PathBuf>,
    /// The tree of those changes: a run is resumed only with the same one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// The node count that its `bench` must have.
    #[serde(default)]
    pub bench: BenchCheck,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Working directory of `build` and of the engine; by default that in which the run was
    /// started. The build of a commit always runs in the root of a work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// A shell command that runs before the start; for a commit, only once, with `{out}`
    /// replaced by the path of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    #[serde(default, skip_serializing_if = "EngineOptions::is_empty")]
    pub options: EngineOptions,
    /// Overrides the limit of `[match]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// Whether it ponders.
    #[serde(default)]
    pub ponder: bool,
    /// Whether it is restarted for each game.
    #[serde(default)]
    pub restart: bool,
    /// Whether it may read and signal other processes.
    #[serde(default)]
    pub trusted: bool,
    /// Memory limit of its process, as in `2G`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_memory: Option<MemorySize>,
    /// Environment variables to add.
    #[serde(default, deserialize_with = "environment", skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
}

/// Environment variables that a process can have.
fn environment<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    let variables = BTreeMap::<String, String>::deserialize(deserializer)?;
    let is_wrong = |(name, value): &(&String, &String)| {
        name.is_empty() || name.contains(['=', '\0']) || value.contains('\0')
    };
    match variables.iter().find(is_wrong) {
        None => Ok(variables),
        Some((name, _)) => Err(de::Error::custom(format!(
            "{name:?} is not a valid environment variable: a name must not be empty or contain `=`, and neither name nor value may contain a NUL"
        ))),
    }
}

impl EngineConfig {
    /// The recipe of an engine that is built from a repository. Relative paths start from
    /// `base`.
    pub fn recipe(&self, base: &Path) -> Option<Recipe> {
        let (repository, revision) = match (&self.git, &self.worktree) {
            (Some(git), _) => {
                let rev = self.rev.clone().unwrap_or_else(|| "HEAD".to_string());
                (git, Revision::Commit(rev))
            }
            (None, Some(worktree)) => {
                let tree = self.tree.clone();
                (worktree, Revision::WorkTree { tree })
            }
            (None, None) => return None,
        };
        Some(Recipe {
            repository: base.join(repository),
            revision,
            build: self.build.clone(),
            cmd: self.cmd.clone(),
        })
    }

    /// The engine as the command line writes it, and the folder that its paths start from.
    pub(super) fn spec(&self) -> (Spec, &Path) {
        let spec = match (&self.git, &self.worktree) {
            (Some(git), _) => Spec::Commit {
                repository: git.clone(),
                rev: self.rev.clone().unwrap_or_else(|| "HEAD".to_string()),
            },
            (None, Some(worktree)) => Spec::WorkTree {
                repository: worktree.clone(),
            },
            (None, None) => Spec::Program(self.cmd.clone()),
        };
        (spec, self.dir.as_deref().unwrap_or(Path::new("")))
    }

    /// Refuses keys that exclude each other.
    pub(super) fn check(&self) -> Result<(), String> {
        let refuse = |reason: &str| Err(reason.to_string());
        if self.git.is_some() && self.worktree.is_some() {
            return refuse(
                "`git` (a commit) and `worktree` (uncommitted changes) cannot be combined",
            );
        }
        if self.rev.is_some() && self.git.is_none() {
            return refuse("`rev` needs `git`: the repository it is in");
        }
        if self.tree.is_some() && self.worktree.is_none() {
            return refuse("`tree` needs `worktree`");
        }
        let Some(recipe) = self.recipe(Path::new("")) else {
            return if self.cmd.is_empty() {
                refuse("missing field `cmd`: the engine's program")
            } else if !self.bench.is_default() {
                refuse("`bench` needs `git` or `worktree`")
            } else {
                Ok(())
            };
        };
        recipe.check().map_err(|error| error.to_string())?;
        if !recipe.has_program() {
            return refuse(
                "the path of the built program is missing: set `cmd` to its path in the work tree, as in `target/release/engine`, or use {out} in `build`, as in `make EXE={out}`; on the command line, use --cmd or --build",
            );
        }
        Ok(())
    }
}

/// Deserializes the engines and checks each one, so that errors have its place.
pub(super) fn checked<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<EngineConfig>, D::Error> {
    struct Checked(EngineConfig);
    impl<'de> Deserialize<'de> for Checked {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_map(EngineVisitor)
        }
    }
    struct EngineVisitor;
    impl<'de> Visitor<'de> for EngineVisitor {
        type Value = Checked;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table of an engine")
        }

        // The parser adds the place of the table to errors of this function.
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Checked, A::Error> {
            let engine = EngineConfig::deserialize(MapAccessDeserializer::new(map))?;
            engine.check().map_err(de::Error::custom)?;
            Ok(Checked(engine))
        }
    }
    let engines = Vec::<Checked>::deserialize(deserializer)?;
    Ok(engines.into_iter().map(|checked| checked.0).collect())
}

/// UCI options in the order in which they are sent, values as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineOptions(pub Vec<(String, String)>);

impl EngineOptions {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of an option, names compared without case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

impl Serialize for EngineOptions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for EngineOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OptionsVisitor;
        impl<'de> Visitor<'de> for OptionsVisitor {
            type Value = EngineOptions;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of option names and values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<EngineOptions, A::Error> {
                let mut options: Vec<(String, String)> = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    let value: OptionText = map.next_value()?;
                    if options
                        .iter()
                        .any(|(known, _)| known.eq_ignore_ascii_case(&name))
                    {
                        return Err(de::Error::custom(format!("option `{name}` is set twice")));
                    }
                    if ![&name, &value.0].iter().all(|text| is_one_line(text)) {
                        return Err(de::Error::custom(format!(
                            "option {name:?}: a line end or another control character would break the protocol"
                        )));
                    }
                    options.push((name, value.0));
                }
                Ok(EngineOptions(options))
            }
        }
        deserializer.deserialize_map(OptionsVisitor)
    }
}

/// A number, a boolean or a string, as text for `setoption`.
struct OptionText(String);

impl<'de> Deserialize<'de> for OptionText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl Visitor<'_> for TextVisitor {
            type Value = OptionText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, true, false or a text")
            }

            fn visit_bool<E>(self, value: bool) -> Result<OptionText, E> {
                Ok(OptionText(value.to_string()))
            }

            fn visit_i64<E>(self, value: i64) -> Result<OptionText, E> {
                Ok(OptionText(value.to_string()))
            }

            fn visit_f64<E>(self, value: f64) -> Result<OptionText, E> {
                Ok(OptionText(value.to_string()))
            }

            fn visit_str<E>(self, value: &str) -> Result<OptionText, E> {
                Ok(OptionText(value.to_string()))
            }
        }
        deserializer.deserialize_any(TextVisitor)
    }
}
