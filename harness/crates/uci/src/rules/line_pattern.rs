//! Patterns of the engine lines that the record keeps.

use std::fmt;

use regex_lite::Regex;
use serde::{Deserialize, Serialize};

/// A regular expression that matches anywhere in a line of an engine.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LinePattern(Regex);

impl LinePattern {
    pub fn is_match(&self, line: &str) -> bool {
        self.0.is_match(line)
    }
}

impl TryFrom<String> for LinePattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Regex::new(&text)
            .map(Self)
            .map_err(|error| format!("`{text}` is not a valid regular expression: {error}"))
    }
}

impl From<LinePattern> for String {
    fn from(pattern: LinePattern) -> Self {
        pattern.0.as_str().to_string()
    }
}

impl fmt::Debug for LinePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_str().fmt(f)
    }
}

impl PartialEq for LinePattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for LinePattern {}
