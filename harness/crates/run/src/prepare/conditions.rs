//! The digest of the conditions under which a run is played. Each row of the
//! ledger has it, so that an edited `run.toml` is noticed.
//!
//! It is computed from the text of the manifest, not from the parsed configuration: a new key
//! with a default must not change it.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::path::Path;

use anyhow::Context;
use sha2::{Digest, Sha256};
use toml::{Table, Value};

use crate::files::manifest::MANIFEST;
use crate::ledger::RecordedPair;
use hone_base::platform::read_text;

/// Keys of the manifest that may change between two starts of a run.
const FREE: [&str; 7] = [
    "hone",
    "base",
    "concurrency",
    "pairs",
    "placement",
    "isolation",
    "pooled",
];
/// Keys in sections of `[config]` that may change too: `hone resume --verify` adds the test
/// after a tuning.
const FREE_IN_SECTIONS: [(&str, &[&str]); 3] = [
    (
        "match",
        &["concurrency", "max_failures", "max_time", "on_finding"],
    ),
    ("tune", &["verify"]),
    ("fleet", &["exclude"]),
];
/// A section of `[config]` that is left out if no keys are left in it.
const OPTIONAL: &str = "fleet";

/// Whether `value` is a default that earlier versions left out of `[config.match]` or
/// `[[config.engine]]`, and which must not change the digest.
fn was_left_out(section: &str, key: &str, value: &Value) -> bool {
    match (section, key) {
        ("match", "seeds") => value.as_integer() == Some(1),
        ("match", "on_machine_fault") => value.as_str() == Some("keep"),
        ("match", "sandbox") | ("engine", "ponder" | "restart" | "trusted") => {
            value.as_bool() == Some(false)
        }
        ("engine", "bench") => value.as_str() == Some("check"),
        _ => false,
    }
}

/// Removes those defaults from a section.
fn leave_out(name: &str, section: &mut Value) {
    match section {
        Value::Table(table) => table.retain(|key, value| !was_left_out(name, key, value)),
        Value::Array(sections) => sections.iter_mut().for_each(|one| leave_out(name, one)),
        _ => {}
    }
}

/// The conditions of the run in a folder.
///
/// # Errors
/// If its manifest cannot be read.
pub fn read(dir: &Path) -> anyhow::Result<u64> {
    let path = dir.join(MANIFEST);
    let text = read_text(&path).with_context(|| format!("cannot read {}", path.display()))?;
    of(&text).with_context(|| format!("{} is damaged", path.display()))
}

/// Compares the pairs of a run with its manifest.
pub struct Comparison {
    /// Of the manifest.
    conditions: u64,
    pairs: u64,
    under_others: u64,
}

impl Comparison {
    /// A comparison with the manifest of the run in a folder.
    ///
    /// # Errors
    /// As [`read`].
    pub fn new(dir: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            conditions: read(dir)?,
            pairs: 0,
            under_others: 0,
        })
    }

    /// Takes a pair of the ledger.
    pub fn add(&mut self, pair: &RecordedPair) {
        let is_other = !pair.is_under(self.conditions);
        self.pairs = self.pairs.saturating_add(1);
        self.under_others = self.under_others.saturating_add(is_other.into());
    }

    /// How many pairs were played under other conditions, in words; `None` if none were.
    pub fn fault(&self) -> Option<String> {
        let Self {
            pairs,
            under_others,
            ..
        } = self;
        (*under_others > 0).then(|| {
            format!(
                "{MANIFEST} has changed: {under_others} of {pairs} pairs were played under other conditions"
            )
        })
    }
}

/// The conditions that a manifest describes.
fn of(manifest: &str) -> anyhow::Result<u64> {
    let mut manifest: Table = toml::from_str(manifest)?;
    manifest.retain(|key, _| !FREE.contains(&key));
    for (name, free) in FREE_IN_SECTIONS {
        if let Some(section) = manifest
            .get_mut("config")
            .and_then(|config| config.get_mut(name))
            .and_then(Value::as_table_mut)
        {
            section.retain(|key, _| !free.contains(&key));
        }
    }
    if let Some(config) = manifest.get_mut("config").and_then(Value::as_table_mut) {
        let is_empty = |value: &Value| value.as_table().is_some_and(Table::is_empty);
        config
            .iter_mut()
            .for_each(|(name, section)| leave_out(name, section));
        config.retain(|key, value| key != OPTIONAL || !is_empty(value));
    }
    let mut hasher = Sha256::new();
    hash_table(&manifest, &mut hasher);
    let [a, b, c, d, e, f, g, h, ..] = hasher.finalize().0;
    Ok(u64::from_be_bytes([a, b, c, d, e, f, g, h]))
}

/// Hashes the entries in the order of their keys: order and layout of the text do not change
/// the digest.
fn hash_table(table: &Table, hasher: &mut Sha256) {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    hasher.update(format!("{{{}", entries.len()));
    for (key, value) in entries {
        hasher.update(format!("{key:?}="));
        hash_value(value, hasher);
    }
}

fn hash_value(value: &Value, hasher: &mut Sha256) {
    match value {
        Value::Table(table) => hash_table(table, hasher),
        Value::Array(values) => {
            hasher.update(format!("[{}", values.len()));
            for value in values {
                hash_value(value, hasher);
            }
        }
        // Different values have different texts.
        Value::String(text) => hasher.update(format!("{text:?};")),
        Value::Integer(number) => hasher.update(format!("{number};")),
        Value::Float(number) => hasher.update(format!("{number:?};")),
        Value::Boolean(set) => hasher.update(format!("{set};")),
        Value::Datetime(time) => hasher.update(format!("{time};")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "hone = \"0.1.0\"\nconcurrency = 2\n\
        [[engines]]\nname = \"a\"\nsha256 = \"12\"\n\
        [config.match]\nlimit = \"8+0.08\"\nmargin_ms = 5\nmax_time = \"2h\"\nmax_failures = 0.1\n\
        [config.adjudication.draw]\nmove = 34\ncount = 8\n";

    #[test]
    fn what_changes_games_changes_the_digest_and_nothing_else_does() {
        let before = of(MANIFEST).unwrap();
        for (from, to) in [
            ("0.1.0", "0.2.0"),
            ("concurrency = 2", "concurrency = 7"),
            ("\"2h\"", "\"3h\""),
            ("max_failures = 0.1", "max_failures = 1.0"),
            ("margin_ms = 5", "margin_ms=5 # unchanged"),
            ("move = 34\ncount = 8", "count = 8\nmove = 34"),
            (
                "[config.adj",
                "[config.fleet]\nexclude = [\"box\"]\n[config.adj",
            ),
        ] {
            assert!(MANIFEST.contains(from), "{from}");
            assert_eq!(of(&MANIFEST.replace(from, to)).unwrap(), before, "{to}");
        }
        for (from, to) in [
            ("8+0.08", "8+0.09"),
            ("margin_ms = 5", "margin_ms = 50"),
            ("margin_ms = 5\n", ""),
            ("count = 8", "count = 9"),
            ("draw", "resign"),
            ("\"12\"", "\"13\""),
        ] {
            assert_ne!(of(&MANIFEST.replace(from, to)).unwrap(), before, "{to}");
        }
    }

    #[test]
    fn a_default_that_earlier_versions_left_out_changes_nothing() {
        let [play, engine] = ["margin_ms = 5\n", "[[config.engine]]\nname = \"a\"\n"];
        let with = |of_match: &str, of_engine: &str| {
            let text = MANIFEST.replace(play, &format!("{play}{of_match}"));
            of(&format!("{text}{engine}{of_engine}")).unwrap()
        };
        let before = with("", "");
        let of_match = "seeds = 1\nsandbox = false\non_machine_fault = \"keep\"\n";
        let of_engine = "bench = \"check\"\nponder = false\nrestart = false\ntrusted = false\n";
        assert_eq!(with(of_match, of_engine), before);
        for other in [
            "seeds = 2\n",
            "sandbox = true\n",
            "on_machine_fault = \"replay\"\n",
        ] {
            assert_ne!(with(other, ""), before, "{other}");
        }
        for other in ["bench = 7\n", "ponder = true\n", "restart = true\n"] {
            assert_ne!(with("", other), before, "{other}");
        }
    }

    /// Ledgers contain the digest, so it must never change.
    #[test]
    fn the_digest_is_the_same_in_every_version() {
        assert_eq!(
            format!("{:016x}", of(MANIFEST).unwrap()),
            "14ad8b2ea630070e"
        );
        assert!(of("no = toml = here").is_err());
    }
}
