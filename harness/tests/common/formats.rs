//! The tables of keys in the documentation, compared with real JSON.

use std::fs;

use serde_json::Value;

use super::workspace;

/// A row of a table: the names in its first column, and its whole text.
pub(crate) struct Row {
    pub(crate) names: Vec<String>,
    pub(crate) text: String,
}

/// The words in backticks.
fn code(text: &str) -> Vec<String> {
    let parts = text.split('`').skip(1).step_by(2);
    parts.map(str::to_string).collect()
}

/// The rows of the table of `docs/formats.md` below a heading whose first column has the title
/// `column`.
pub(crate) fn table(heading: &str, column: &str) -> Vec<Row> {
    let head = format!("| {column} | meaning |\n");
    table_of("docs/formats.md", heading, &head)
}

/// The rows of the table with this head below a heading of a page.
pub(crate) fn table_of(page: &str, heading: &str, head: &str) -> Vec<Row> {
    let page = fs::read_to_string(workspace().join(page)).expect("a page");
    let (_, section) = page.split_once(heading).expect("the heading");
    let (_, rows) = section.split_once(head).expect("the table");
    let rows = rows
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with('|'));
    rows.map(|row| Row {
        names: code(row.split('|').nth(1).expect("a cell")),
        text: row.to_string(),
    })
    .collect()
}

/// Checks that a table has every key of an object, and the object every key that is not
/// optional ("only"). The table also names the keys of the objects in it, except for those
/// in `own`, which have a table of their own or names that the user chooses.
pub(crate) fn check(object: &Value, rows: &[Row], own: &[&str]) {
    let keys = object.as_object().expect("an object");
    for (key, value) in keys {
        let row = rows.iter().find(|row| row.names.contains(key));
        let row = row.unwrap_or_else(|| panic!("`{key}` is not documented"));
        if !own.contains(&key.as_str()) {
            let list = value
                .as_array()
                .map_or(std::slice::from_ref(value), Vec::as_slice);
            let inner = list.iter().filter_map(Value::as_object);
            for name in inner.flat_map(|object| object.keys()) {
                let is_interval = ["estimate", "low", "high"].contains(&name.as_str());
                let is_named = is_interval || code(&row.text).contains(name);
                assert!(is_named, "`{name}` of `{key}` is not documented");
            }
        }
    }
    for row in rows.iter().filter(|row| !row.text.contains("only ")) {
        for name in &row.names {
            assert!(keys.contains_key(name), "`{name}` is missing: {object}");
        }
    }
}

pub(crate) fn check_all(list: &Value, rows: &[Row], own: &[&str]) {
    let list = list.as_array().expect("a list");
    assert!(!list.is_empty());
    for object in list {
        check(object, rows, own);
    }
}
