//! Where the keys of a TOML text are.

use std::cmp::Reverse;
use std::ops::Range;

use toml_edit::{Document, Item, TableLike};

/// Names of tables and numbers in lists, from the top down to a key.
pub(super) type KeyPath = Vec<String>;

/// The keys and values of a text with their places.
pub(super) struct Places {
    found: Vec<(KeyPath, Range<usize>)>,
}

impl Places {
    /// Of a text that may be invalid: then it has none.
    pub(super) fn of(text: &str) -> Self {
        let mut places = Self { found: Vec::new() };
        if let Ok(document) = Document::parse(text) {
            places.table(&mut Vec::new(), document.as_table());
        }
        places
    }

    /// The innermost key whose name or value is at byte `at`, and where that
    /// name or value starts.
    pub(super) fn at(&self, at: usize) -> Option<(&KeyPath, usize)> {
        self.found
            .iter()
            .filter(|(_, range)| range.contains(&at))
            .min_by_key(|(path, range)| (range.len(), Reverse(path.len())))
            .map(|(path, range)| (path, range.start))
    }

    /// The name (the first place) and the value of a key.
    pub(super) fn of_key(&self, path: &KeyPath) -> impl Iterator<Item = Range<usize>> {
        self.found
            .iter()
            .filter(move |(found, _)| found == path)
            .map(|(_, range)| range.clone())
    }

    fn table(&mut self, above: &mut KeyPath, table: &dyn TableLike) {
        for (name, item) in table.iter() {
            above.push(name.to_string());
            let key = table.get_key_value(name).and_then(|(key, _)| key.span());
            self.add(above, key);
            self.add(above, item.span());
            self.item(above, item);
            above.pop();
        }
    }

    fn item(&mut self, path: &mut KeyPath, item: &Item) {
        if let Some(table) = item.as_table_like() {
            self.table(path, table);
        } else if let Some(tables) = item.as_array_of_tables() {
            for (number, table) in tables.iter().enumerate() {
                path.push(number.to_string());
                self.add(path, table.span());
                self.table(path, table);
                path.pop();
            }
        } else if let Some(values) = item.as_array() {
            for (number, value) in values.iter().enumerate() {
                path.push(number.to_string());
                self.add(path, value.span());
                if let Some(table) = value.as_inline_table() {
                    self.table(path, table);
                }
                path.pop();
            }
        }
    }

    fn add(&mut self, path: &KeyPath, range: Option<Range<usize>>) {
        self.found.extend(range.map(|range| (path.clone(), range)));
    }
}
