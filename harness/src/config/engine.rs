//! `[[engine]]`: a player.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::game::Limit;

/// An engine and how to start it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineConfig {
    /// What it is called in results; by default the program's file name.
    #[serde(default)]
    pub name: String,
    /// The program: a path, relative to `dir` or to where `hone` was started,
    /// or a bare name to be found on the `PATH`. May hold arguments.
    pub cmd: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Working directory of `build` and of the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// A shell command that is run before the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    #[serde(default, skip_serializing_if = "EngineOptions::is_empty")]
    pub options: EngineOptions,
    /// Overrides the limit of `[match]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// Whether it thinks in its opponent's time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ponder: bool,
    /// Whether it is started anew for each game.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restart: bool,
    /// Environment variables to add.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
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
                    if [&name, &value.0]
                        .iter()
                        .any(|text| text.contains(['\n', '\r']))
                    {
                        return Err(de::Error::custom(format!(
                            "option `{name}`: a line end would break the protocol"
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

/// A number, a truth value or a text, as `setoption` writes it.
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
