//! Where the keys of a TOML text are.

use std::cmp::Reverse;
use std::fs;
use std::ops::Range;
use std::path::Path;

use toml_edit::{Document, Item, TableLike, Value};

use super::error::SourcePosition;

/// Names of tables and numbers in lists, from the top down to a key.
pub(super) type KeyPath = Vec<String>;

/// Where the file at `file` sets `keys` to `value`: a line with the place, then
/// the line of the file. `None` if the file does not, because an option has set it.
pub(crate) fn place_of(file: &Path, keys: &[String], value: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let places = Places::of(&text);
    let is_value = |range: &Range<usize>| {
        let there = text.get(range.clone()).and_then(|text| text.parse().ok());
        there.is_some_and(|there: Value| content(&there) == value)
    };
    // `openings = "book.epd"` is short for the key `file` of a table.
    let (_, above) = keys.split_last()?;
    let at = [keys, above]
        .into_iter()
        .find_map(|keys| places.of_key(&keys.to_vec()).find(is_value))?;
    let place = SourcePosition::new(&text, Some(at), "");
    Some(format!("  --> {}:{place}", file.display()))
}

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

/// The text of a value without quotes.
pub(super) fn content(value: &Value) -> String {
    match value.as_str() {
        Some(text) => text.to_string(),
        None => value.to_string().trim().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[[engine]]\ncmd = \"a\"\n[[engine]]\ncmd = 'b c'\n\
        options = { Hash = 0 }\n[match]\nopenings = \"x.epd\"\n";

    #[test]
    fn a_value_has_its_place_unless_the_file_has_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("c.toml");
        fs::write(&file, TEXT).expect("written");
        let place = |keys: &str, value: &str| {
            let keys: Vec<_> = keys.split('.').map(str::to_string).collect();
            let place = place_of(&file, &keys, value)?;
            let (_, place) = place.split_once("c.toml:")?;
            Some(place.to_string())
        };
        for (keys, value, expected) in [
            ("engine.1.cmd", "b c", "4:7\n  4 | cmd = 'b c'"),
            (
                "engine.1.options.Hash",
                "0",
                "5:20\n  5 | options = { Hash = 0 }",
            ),
            (
                "match.openings.file",
                "x.epd",
                "7:12\n  7 | openings = \"x.epd\"",
            ),
        ] {
            assert_eq!(place(keys, value).as_deref(), Some(expected), "{keys}");
            assert_eq!(place(keys, "other"), None, "{keys}");
        }
        assert_eq!(place("engine.0.options.Hash", "0"), None);
    }
}
