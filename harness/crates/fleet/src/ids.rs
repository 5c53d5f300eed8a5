//! Names that are safe as parts of NATS subjects.

use std::fmt;

use serde::{Deserialize, Serialize};

use hone_run::config::is_fleet_name;

/// A text that is not a valid name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a valid name: use 1 to 32 of a-z, 0-9 and -")]
pub struct NameError(String);

/// A name of a credential, a machine or a run: 1 to 32 of `a-z`, `0-9` and
/// `-`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

impl Name {
    pub fn new(text: &str) -> Result<Self, NameError> {
        if is_fleet_name(text) {
            Ok(Self(text.to_string()))
        } else {
            Err(NameError(text.chars().take(40).collect()))
        }
    }

    /// The nearest valid name, for example of a host name; `None` if no character of it is
    /// valid.
    pub fn nearest(text: &str) -> Option<Self> {
        let valid = |c: char| match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9') => c,
            _ => '-',
        };
        let text: String = text.chars().take(32).map(valid).collect();
        Self::new(text.trim_matches('-')).ok()
    }

    /// A random name of 16 hexadecimal digits.
    pub fn random() -> Self {
        Self(format!("{:016x}", rand::random::<u64>()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Name {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        Self::new(&text)
    }
}

impl std::str::FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        Self::new(text)
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A worker: its credential, which the server checks, and the machine's name, unique for
/// that credential.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct WorkerId {
    pub credential: Name,
    pub machine: Name,
}

impl WorkerId {
    /// Reads what [`fmt::Display`] writes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (credential, machine) = text.split_once('/')?;
        Some(Self {
            credential: Name::new(credential).ok()?,
            machine: Name::new(machine).ok()?,
        })
    }
}

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.credential, self.machine)
    }
}

/// A process of a run. Processes are in the order of their starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ProcessId {
    /// When it started, in milliseconds since 1970.
    started_ms: i64,
    random: u64,
}

impl ProcessId {
    /// This process.
    pub(crate) fn new() -> Self {
        Self {
            started_ms: jiff::Timestamp::now().as_millisecond(),
            random: rand::random(),
        }
    }

    /// Reads what [`fmt::Display`] writes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (started, random) = text.split_once('.')?;
        Some(Self {
            started_ms: started.parse().ok()?,
            random: u64::from_str_radix(random, 16).ok()?,
        })
    }
}

impl fmt::Display for ProcessId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:016x}", self.started_ms, self.random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_with_a_meaning_in_a_subject_are_not_valid_in_a_name() {
        for text in ["", "a.b", "*", ">", "A", "a b", "é", &"a".repeat(33)] {
            assert!(Name::new(text).is_err(), "{text}");
        }
        assert!(Name::new("box-14").is_ok());
        assert!(serde_json::from_str::<Name>("\"a.>\"").is_err());
        assert_eq!(
            Name::nearest("My.Box_7.").map(String::from),
            Some("my-box-7".into())
        );
        assert_eq!(Name::nearest("..."), None);
    }

    #[test]
    fn an_id_is_read_as_it_is_written() {
        for id in [
            ProcessId::new(),
            ProcessId {
                started_ms: 5,
                random: 0xab,
            },
        ] {
            assert_eq!(ProcessId::parse(&id.to_string()), Some(id));
        }
        for text in ["", "5", "5.", ".5", "5.x"] {
            assert_eq!(ProcessId::parse(text), None, "{text}");
        }
    }
}
