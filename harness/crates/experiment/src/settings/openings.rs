//! `openings` of a configuration.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::values::positive;
use hone_uci::openings::Order;

/// The source of openings: `default`, `none`, or a file. A file with one of these names is
/// written with its folder, as in `./none`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum BookSource {
    /// The book that is built in for the variant.
    BuiltIn,
    /// No book: every game starts from the start position.
    StartPosition,
    /// EPD, FEN or PGN, plain, gzip or zip.
    File(PathBuf),
}

const BUILT_IN: &str = "default";
const START_POSITION: &str = "none";

impl BookSource {
    /// A short name: the file name without its folder.
    pub fn name(&self) -> String {
        match self {
            Self::File(file) => file
                .file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            _ => self.to_string(),
        }
    }
}

impl FromStr for BookSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "" => Err("a book is missing: a file, \"default\" or \"none\" is allowed".to_string()),
            BUILT_IN => Ok(Self::BuiltIn),
            START_POSITION => Ok(Self::StartPosition),
            file => Ok(Self::File(file.into())),
        }
    }
}

impl TryFrom<String> for BookSource {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<BookSource> for String {
    fn from(source: BookSource) -> Self {
        source.to_string()
    }
}

impl fmt::Display for BookSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str(BUILT_IN),
            Self::StartPosition => f.write_str(START_POSITION),
            Self::File(file) => file.display().fmt(f),
        }
    }
}

/// The openings of a run.
///
/// Deserialized from a table (by the `remote` derive), or from only the name of a book.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields, default)]
pub struct OpeningsConfig {
    /// `None` in a configuration means the built-in book. `None` in a manifest
    /// written before the built-in book existed means the start position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<BookSource>,
    pub order: Order,
    /// Number of the first opening, from 1.
    #[serde(deserialize_with = "positive")]
    pub start: usize,
    /// Plies taken from each game of a PGN book; all if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<usize>,
}

impl Default for OpeningsConfig {
    fn default() -> Self {
        Self {
            file: None,
            order: Order::Random,
            start: 1,
            plies: None,
        }
    }
}

impl OpeningsConfig {
    /// Sets the built-in book if no other is named.
    pub fn fill_in(&mut self) {
        self.file.get_or_insert(BookSource::BuiltIn);
    }
}

impl Serialize for OpeningsConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for OpeningsConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameOrTable)
    }
}

struct NameOrTable;

impl<'de> Visitor<'de> for NameOrTable {
    type Value = OpeningsConfig;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a file, \"default\", \"none\", or a table as { file = \"book.epd\", order = \"random\" }")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<OpeningsConfig, E> {
        Ok(OpeningsConfig {
            file: Some(name.parse().map_err(E::custom)?),
            ..OpeningsConfig::default()
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OpeningsConfig, A::Error> {
        OpeningsConfig::deserialize(MapAccessDeserializer::new(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize, Serialize)]
    struct Section {
        openings: OpeningsConfig,
    }

    #[test]
    fn a_name_or_a_table() {
        for (text, file) in [
            ("openings = \"none\"", Some(BookSource::StartPosition)),
            ("openings = \"default\"", Some(BookSource::BuiltIn)),
            (
                "openings = \"./none\"",
                Some(BookSource::File("./none".into())),
            ),
            (
                "openings = { file = \"none\" }",
                Some(BookSource::StartPosition),
            ),
            ("openings = { order = \"sequential\" }", None),
        ] {
            let section: Section = toml::from_str(text).expect(text);
            assert_eq!(section.openings.file, file, "{text}");
            let written = toml::to_string(&section).expect(text);
            let again: Section = toml::from_str(&written).expect(&written);
            assert_eq!(again.openings, section.openings, "{text}");
        }
        for text in ["openings = 5", "openings = \"\"", "openings = { fil = 1 }"] {
            assert!(toml::from_str::<Section>(text).is_err(), "{text}");
        }
    }
}
