//! Checks that two runs are parts of the same run: everything that affects the games must
//! be equal. Paths may differ.

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use toml::{Table, Value};

use crate::Manifest;
use hone_base::diagnostic::Diagnostic;
use hone_uci::engine::uci::split_command;

/// Keys of a manifest that may differ, and those of the tables in it.
const FREE: [&str; 7] = [
    "hone",
    "created",
    "base",
    "concurrency",
    "placement",
    "isolation",
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

/// Most differences in an error.
const NAMED: usize = 3;

/// Checks that two runs, each with its name, are parts of the same run.
///
/// # Errors
/// If they are not: the differences, with both values.
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
    let mut fault = Diagnostic::new(text);
    if is_engine {
        fault = fault.help("build each engine once, and copy the program to every machine");
    }
    if is_number {
        fault = fault
            .help("give each run the same `hone resume --pairs`, and pool them into a new folder");
    }
    bail!(fault)
}

/// The keys and values that must be equal, as text.
fn essentials(manifest: &Manifest) -> anyhow::Result<BTreeMap<String, String>> {
    let mut table = Table::try_from(manifest).context("the manifest cannot be put into TOML")?;
    remove_all(&mut table, &FREE);
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
        remove_all(&mut config, &UNUSED);
        for (name, mut engine) in names.iter().zip(tables(config.remove("engine"))) {
            let cmd = engine.remove("cmd");
            let cmd = cmd.as_ref().and_then(Value::as_str).unwrap_or_default();
            // The arguments must be equal; the path of the program may differ.
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
        // Machines that do not play do not affect the games.
        if let Some(fleet) = config.get_mut("fleet").and_then(Value::as_table_mut) {
            fleet.remove("exclude");
        }
        config.retain(|_, value| !value.as_table().is_some_and(Table::is_empty));
        add(&mut found, "", config, &[]);
    }
    add(&mut found, "", table, &[]);
    Ok(found)
}

/// Removes the keys `free`.
fn remove_all(table: &mut Table, free: &[&str]) {
    table.retain(|key, _| !free.contains(&key));
}

/// The tables in an array.
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

/// Adds the values of a table without the keys `free`. Keys of inner tables are paths.
fn add(found: &mut BTreeMap<String, String>, path: &str, mut table: Table, free: &[&str]) {
    remove_all(&mut table, free);
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
