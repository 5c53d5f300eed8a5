//! A value that the command line, a profile or `hone` itself sets in a
//! configuration.

use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::places::{KeyPath, content, is_same};

/// How specific a value is: a later level wins over an earlier one, and all
/// win over the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Inferred, such as the build command of a repository.
    Guess,
    /// From `--profile`.
    Profile,
    /// Set once for all engines, as by `--option`.
    AllEngines,
    /// Set for exactly this key.
    Key,
}

/// A value that is set for a key.
#[derive(Debug, Clone)]
pub(super) struct Assignment {
    pub(super) level: Level,
    pub(super) path: KeyPath,
    pub(super) value: Value,
    /// The user's text, for example `--limit 8+0.08`.
    pub(super) source: String,
}

impl Assignment {
    /// Whether it is compatible with a later assignment.
    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        let Some(inside) = other.path.strip_prefix(&self.path[..]) else {
            return true;
        };
        let mut value = &self.value;
        for key in inside {
            let Some(table) = value.as_inline_table() else {
                return false;
            };
            match table.get(key) {
                Some(inner) => value = inner,
                None => return true,
            }
        }
        is_same(&content(value), &content(&other.value))
    }

    /// Inserts the value into a document.
    ///
    /// # Errors
    /// A message, if the document cannot hold such a key.
    pub(super) fn insert_into(&self, document: &mut DocumentMut) -> Result<(), String> {
        let Some((last, parents)) = self.path.split_last() else {
            return Err("a key is empty".to_string());
        };
        let mut table: &mut dyn TableLike = document.as_table_mut();
        let mut parents = parents.iter();
        while let Some(key) = parents.next() {
            let item = table.entry(key).or_insert_with(|| Item::Table(implicit()));
            table = match item {
                Item::ArrayOfTables(tables) => {
                    let range = range_of(key, tables.len());
                    let number = parents.next().and_then(|number| number.parse().ok());
                    let table = number.and_then(|number: usize| tables.get_mut(number));
                    table.ok_or(range)?
                }
                other => {
                    if !other.is_table_like() {
                        *other = Item::Value(Value::InlineTable(long_form(key, other)));
                    }
                    other
                        .as_table_like_mut()
                        .ok_or_else(|| format!("`{key}` is not a table"))?
                }
            };
        }
        table.insert(last, Item::Value(self.value.clone()));
        Ok(())
    }
}

/// The valid indices of a list of tables, as text.
fn range_of(list: &str, len: usize) -> String {
    match len.checked_sub(1) {
        None => format!("`{list}` is an empty list"),
        Some(0) => format!("`{list}` is a list of 1: give the number 0, then a key"),
        Some(last) => {
            format!("`{list}` is a list of {len}: give a number from 0 to {last}, then a key")
        }
    }
}

/// The table that a short form abbreviates: `openings = "FILE"` is a table with its file. For
/// any other key it is empty, because a more specific value replaces it.
fn long_form(key: &str, short: &Item) -> InlineTable {
    let mut table = InlineTable::new();
    if let ("openings", Some(file)) = (key, short.as_str()) {
        table.insert("file", file.into());
    }
    table
}

fn implicit() -> Table {
    let mut table = Table::new();
    table.set_implicit(true);
    table
}
