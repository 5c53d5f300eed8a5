//! Whether two runs are parts of the same run: everything that has a bearing
//! on the games must be equal. Where things are on a machine has none.

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use toml::{Table, Value};

use crate::engine::uci::split_command;
use crate::run::Manifest;

/// Keys of a manifest, and of tables in it, that may differ.
const FREE: [&str; 6] = [
    "hone",
    "created",
    "base",
    "concurrency",
    "placement",
    "pooled",
];
const FREE_OF_IDENTITY: [&str; 9] = [
    "id",
    "author",
    "program",
    "commit",
    "subject",
    "commit_author",
    "committed",
    "tree",
    "bench",
];
const FREE_OF_ENGINE: [&str; 7] = ["git", "rev", "worktree", "tree", "bench", "dir", "build"];
const FREE_OF_MATCH: [&str; 6] = [
    "affinity",
    "sandbox",
    "concurrency",
    "max_failures",
    "max_time",
    "shard",
];
/// Sections of the configuration that a match or a test does not use.
const UNUSED: [&str; 3] = ["tune", "bisect", "track"];

/// Differences named in an error.
const NAMED: usize = 3;

/// Refuses two runs, each with its name, that are not parts of the same run.
///
/// # Errors
/// What differs, with both values.
pub(super) fn check(
    (first_name, first): (&str, &Manifest),
    (name, run): (&str, &Manifest),
) -> anyhow::Result<()> {
    let (mut first, mut run) = (essentials(first)?, essentials(run)?);
    let keys: Vec<String> = first.keys().chain(run.keys()).cloned().collect();
    let mut differences = Vec::new();
    let (mut is_engine, mut is_number) = (false, false);
    for key in keys {
        let (one, other) = (first.remove(&key), run.remove(&key));
        if one == other {
            continue;
        }
        is_engine |= key.starts_with("engine ") && key.ends_with("sha256");
        is_number |= key == "pairs";
        let [one, other] = [one, other].map(|value| value.unwrap_or("absent".to_string()));
        differences.push(format!(
            "`{key}` is {other} there and {one} in {first_name}"
        ));
    }
    if differences.is_empty() {
        return Ok(());
    }
    let is_number = is_number && differences.len() == 1;
    let more = differences.len().saturating_sub(NAMED);
    differences.truncate(NAMED);
    let mut text = format!(
        "{name} is not a part of the same run: {}",
        differences.join("; ")
    );
    if more > 0 {
        text += &format!("; and {more} more");
    }
    if is_engine {
        text += "\nhelp: build each engine once, and copy the program to every machine";
    }
    if is_number {
        text +=
            "\nhelp: give each run the same `hone resume --pairs`, and pool them into a new folder";
    }
    bail!(text)
}

/// What must be equal: keys and values, in words.
fn essentials(manifest: &Manifest) -> anyhow::Result<BTreeMap<String, String>> {
    let mut table = Table::try_from(manifest).context("the manifest cannot be put into TOML")?;
    retain(&mut table, &FREE);
    let names = manifest.names();
    let mut found = BTreeMap::new();
    let identities = table.remove("engines");
    for (name, identity) in names.iter().zip(tables(identities)) {
        add(
            &mut found,
            &format!("engine {name}: "),
            identity,
            &FREE_OF_IDENTITY,
        );
    }
    if let Some(Value::Table(book)) = table.remove("book") {
        add(&mut found, "book ", book, &["file", "distinct"]);
    }
    if let Some(Value::Table(mut config)) = table.remove("config") {
        retain(&mut config, &UNUSED);
        for (name, mut engine) in names.iter().zip(tables(config.remove("engine"))) {
            let cmd = engine.remove("cmd");
            let cmd = cmd.as_ref().and_then(Value::as_str).unwrap_or_default();
            // Its arguments, without the program.
            let words = split_command(cmd).unwrap_or_default();
            engine.insert(
                "cmd".into(),
                words.into_iter().skip(1).collect::<Vec<_>>().into(),
            );
            add(
                &mut found,
                &format!("engine {name}: "),
                engine,
                &FREE_OF_ENGINE,
            );
        }
        if let Some(Value::Table(mut play)) = config.remove("match") {
            if let Some(Value::Table(openings)) = play.get_mut("openings") {
                openings.remove("file");
            }
            add(&mut found, "match.", play, &FREE_OF_MATCH);
        }
        if let Some(syzygy) = config
            .get_mut("adjudication")
            .and_then(|rules| rules.get_mut("syzygy"))
            .and_then(Value::as_table_mut)
        {
            syzygy.remove("path");
        }
        // Who plays has no bearing on what is played.
        if let Some(fleet) = config.get_mut("fleet").and_then(Value::as_table_mut) {
            fleet.remove("exclude");
        }
        config.retain(|_, value| !value.as_table().is_some_and(Table::is_empty));
        add(&mut found, "", config, &[]);
    }
    add(&mut found, "", table, &[]);
    Ok(found)
}

fn retain(table: &mut Table, free: &[&str]) {
    table.retain(|key, _| !free.contains(&key));
}

fn tables(list: Option<Value>) -> impl Iterator<Item = Table> {
    let list = match list {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    };
    list.into_iter().filter_map(|value| match value {
        Value::Table(table) => Some(table),
        _ => None,
    })
}

/// Adds the values of a table, those of inner tables by their paths.
fn add(found: &mut BTreeMap<String, String>, path: &str, mut table: Table, free: &[&str]) {
    retain(&mut table, free);
    for (key, value) in table {
        let key = format!("{path}{key}");
        match value {
            Value::Table(inner) => add(found, &format!("{key}."), inner, &[]),
            value => {
                found.insert(key, value.to_string());
            }
        }
    }
}
