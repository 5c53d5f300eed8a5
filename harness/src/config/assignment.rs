//! A value that the command line, a profile or `hone` itself sets in a
//! configuration.

use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::places::{KeyPath, content};
use crate::rules::Limit;
use crate::settings::TimeSpan;

/// How specific a value is: a later level wins over an earlier one, and all
/// win over the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Inferred, as the build of a repository.
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
    /// As the user wrote it, as in `--limit 8+0.08`.
    pub(super) source: String,
}

impl Assignment {
    /// Whether it and a later one can both hold.
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

    /// Puts it into a document.
    ///
    /// # Errors
    /// In words, if the document has no place for it.
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

/// Which numbers the tables of a list have.
fn range_of(list: &str, len: usize) -> String {
    match len.checked_sub(1) {
        None => format!("`{list}` is an empty list"),
        Some(0) => format!("`{list}` is a list of 1: give the number 0, then a key"),
        Some(last) => {
            format!("`{list}` is a list of {len}: give a number from 0 to {last}, then a key")
        }
    }
}

/// Whether two texts are the same value: word for word, as numbers, limits or
/// times.
fn is_same(one: &str, other: &str) -> bool {
    fn as_both<T: std::str::FromStr + PartialEq>(one: &str, other: &str) -> bool {
        matches!((one.parse::<T>(), other.parse::<T>()), (Ok(one), Ok(other)) if one == other)
    }
    one == other
        || as_both::<f64>(one, other)
        || as_both::<Limit>(one, other)
        || as_both::<TimeSpan>(one, other)
}

/// The table that a short form stands for: of `openings` its file, of any
/// other key none, because the more specific value takes its place.
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
