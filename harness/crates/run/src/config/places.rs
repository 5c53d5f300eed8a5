//! Positions of keys in a TOML text.

use std::cmp::Reverse;
use std::fs;
use std::ops::Range;
use std::path::Path;

use toml_edit::{Document, Item, TableLike, Value};

use super::Config;
use hone_base::diagnostic::Place;
use hone_experiment::settings::TimeSpan;
use hone_uci::rules::Limit;

/// Path of a key: names of tables and indices in lists, from the top.
pub(super) type KeyPath = Vec<String>;

/// The place where the file at `file` sets `keys` to the value in `config`, as text: a line
/// with the place, then the line of the file. `None` if the file does not set it, but an option:
/// this key, or the table that contains it.
pub fn place_of(file: &Path, keys: &[String], config: &Config) -> Option<Place> {
    if config.assigned.contain(keys) {
        return None;
    }
    let text = fs::read_to_string(file).ok()?;
    let in_file = toml::Value::Table(text.parse().ok()?);
    let in_config = toml::Value::try_from(config).ok()?;
    let value = value_at(&in_config, keys)?;
    // `openings = "book.epd"` is short for the key `file` of a table.
    let (_, above) = keys.split_last()?;
    let is_set = |keys: &&[String]| value_at(&in_file, keys).is_some_and(|it| is_equal(it, value));
    let set = [keys, above].into_iter().find(is_set)?;
    let at = Places::of(&text).of_key(&set.to_vec()).last()?;
    Some(Place::of(file.display(), &text, Some(at)))
}

fn value_at<'a>(value: &'a toml::Value, keys: &[String]) -> Option<&'a toml::Value> {
    keys.iter().try_fold(value, |value, key| match value {
        toml::Value::Array(list) => list.get(key.parse::<usize>().ok()?),
        value => value.get(key),
    })
}

/// Whether two values are the same in a configuration, where options are text: `8` is `"8"`.
fn is_equal(one: &toml::Value, other: &toml::Value) -> bool {
    let text = |value: &toml::Value| match value.as_str() {
        Some(text) => text.to_string(),
        None => value.to_string(),
    };
    match (one, other) {
        (toml::Value::Table(one), toml::Value::Table(other)) => {
            let is_in_other = |(key, value): (&String, &toml::Value)| {
                other.get(key).is_some_and(|other| is_equal(value, other))
            };
            one.len() == other.len() && one.iter().all(is_in_other)
        }
        (toml::Value::Array(one), toml::Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| is_equal(a, b))
        }
        _ => is_same(&text(one), &text(other)),
    }
}

/// Whether two texts are the same value: literally, or as numbers, limits or durations.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    fn as_both<T: std::str::FromStr + PartialEq>(one: &str, other: &str) -> bool {
        matches!((one.parse::<T>(), other.parse::<T>()), (Ok(one), Ok(other)) if one == other)
    }
    let is_nan = |text: &str| text.parse::<f64>().is_ok_and(f64::is_nan);
    one == other
        || as_both::<f64>(one, other)
        || (is_nan(one) && is_nan(other))
        || as_both::<Limit>(one, other)
        || as_both::<TimeSpan>(one, other)
}

/// The keys and values of a text with their positions.
pub(super) struct Places {
    found: Vec<(KeyPath, Range<usize>)>,
}

impl Places {
    /// Parses a text; an invalid one has no positions.
    pub(super) fn of(text: &str) -> Self {
        let mut places = Self { found: Vec::new() };
        if let Ok(document) = Document::parse(text) {
            places.table(&mut Vec::new(), document.as_table());
        }
        places
    }

    /// The innermost key whose name or value contains byte `at`, and the start of that name or
    /// value.
    pub(super) fn at(&self, at: usize) -> Option<(&KeyPath, usize)> {
        self.found
            .iter()
            .filter(|(_, range)| range.contains(&at))
            .min_by_key(|(path, range)| (range.len(), Reverse(path.len())))
            .map(|(path, range)| (path, range.start))
    }

    /// The positions of a key's name (first) and value.
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
        options = { Hash = 0 }\n[match]\nopenings = \"x.epd\"\n\
        [tune]\ngroup = [\"A\", \"B\"]\n[tune.params]\nC = { max = 7 }\n\
        [[stage]]\n[[stage]]\nlimit = \"nodes=5\"\n";

    #[test]
    fn a_value_has_its_place_unless_the_file_has_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("c.toml");
        fs::write(&file, TEXT).expect("written");
        // `value` replaces that of the file, as an option does.
        let place = |keys: &str, from: &str, value: &str| {
            let config = toml::from_str(&TEXT.replacen(from, value, 1)).expect(value);
            let keys: Vec<_> = keys.split('.').map(str::to_string).collect();
            let place = place_of(&file, &keys, &config)?.to_string();
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
            ("tune.group.1", "B", "9:15\n  9 | group = [\"A\", \"B\"]"),
            ("tune.params.C.max", "7", "11:13\n  11 | C = { max = 7 }"),
            ("tune.params.C", "max = 7", "11:5\n  11 | C = { max = 7 }"),
            (
                "stage.1.limit",
                "nodes=5",
                "14:9\n  14 | limit = \"nodes=5\"",
            ),
        ] {
            assert_eq!(
                place(keys, value, value).as_deref(),
                Some(expected),
                "{keys}"
            );
            let other = match keys {
                "tune.params.C" => "max = 8, step = 1",
                "stage.1.limit" => "nodes=6",
                _ if value.parse::<u32>().is_ok() => "5",
                _ => "other",
            };
            assert_eq!(place(keys, value, other), None, "{keys}");
        }
        // `nan` becomes the text `NaN`.
        let nan = TEXT.replace("Hash = 0", "Hash = nan");
        fs::write(&file, &nan).expect("written");
        let config = toml::from_str(&nan).expect("valid");
        let keys = ["engine", "1", "options", "Hash"].map(str::to_string);
        let found = place_of(&file, &keys, &config)
            .expect("a place")
            .to_string();
        assert!(found.contains(":5:20\n"), "{found}");
        fs::write(&file, TEXT).expect("written");
        let with_option = "cmd = \"a\"\noptions = { Hash = 0 }";
        let place = place("engine.0.options.Hash", "cmd = \"a\"", with_option);
        assert_eq!(place, None);
    }
}
