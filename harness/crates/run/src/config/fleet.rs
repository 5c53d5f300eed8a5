//! `[fleet]`: how a run is played on the workers of a fleet.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use hone_experiment::settings::positive_option;

/// How a run is played on the workers of a fleet. It has no effect on a run on one machine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FleetSection {
    /// Workers that do not play pairs of the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<WorkerPattern>,
    /// Whether time controls depend on a machine's speed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    /// Nodes per second of the second engine at which time controls are not scaled; by default,
    /// those on the machine where the run is started.
    #[serde(deserialize_with = "positive_option", skip_serializing_if = "Option::is_none")]
    pub reference: Option<u64>,
}

/// The quantity by which time controls are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// The speed of the second engine's `bench`.
    Bench,
}

/// Whether a text is a valid name of a credential, a machine or a run on a fleet: 1 to 32 of
/// `a-z`, `0-9` and `-`.
pub fn is_fleet_name(text: &str) -> bool {
    let is_valid = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    (1..=32).contains(&text.len()) && text.bytes().all(is_valid)
}

/// A selection of workers: a machine (`box`), a machine of a credential (`anna/box`) or all
/// machines of a credential (`anna/*`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct WorkerPattern(String);

impl WorkerPattern {
    /// Whether it selects the worker with this name, such as `anna/box`.
    pub fn matches(&self, worker: &str) -> bool {
        match (self.0.split_once('/'), worker.split_once('/')) {
            (None, Some((_, machine))) => self.0 == machine,
            (Some((credential, "*")), Some((of, _))) => credential == of,
            _ => self.0 == worker,
        }
    }
}

impl std::fmt::Display for WorkerPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for WorkerPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let is_valid = match text.split_once('/') {
            None => is_fleet_name(&text),
            Some((credential, machine)) => {
                is_fleet_name(credential) && (machine == "*" || is_fleet_name(machine))
            }
        };
        if is_valid {
            Ok(Self(text))
        } else {
            Err(D::Error::custom(format!(
                "`{text}` is not the name of a worker: write it as in `hone fleet status`, \
             \"anna/box\", or \"box\", or \"anna/*\" for all machines of a credential"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_are_named_by_machine_and_credential() {
        let pattern = |text: &str| {
            let value = toml::Value::String(text.to_string());
            value.try_into::<WorkerPattern>()
        };
        for (text, of_anna, of_ben) in [
            ("box", true, true),
            ("anna/box", true, false),
            ("anna/*", true, false),
            ("anna", false, false),
        ] {
            let pattern = pattern(text).unwrap();
            assert_eq!(pattern.matches("anna/box"), of_anna, "{text}");
            assert_eq!(pattern.matches("ben/box"), of_ben, "{text}");
        }
        for text in ["", "Box", "anna/", "*/box", "a/b/c", "anna/b*"] {
            let error = pattern(text).unwrap_err().to_string();
            assert!(error.contains("fleet status"), "{error}");
        }
    }
}
