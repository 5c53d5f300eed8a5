//! Tables of a configuration that are written as lists. The parser would read the elements of a
//! list as the keys of the table in their order.

use std::ops::Range;

use toml_edit::{Document, Item, Key, TableLike, Value};

/// Tables by path, each with an example of its keys. `*` is any name, `[]` any
/// entry of a list.
const TABLES: [(&str, &str); 27] = [
    ("engine.[]", "cmd = \"./engine\""),
    ("engine.[].options", "Hash = 64"),
    ("engine.[].env", "LEVEL = \"3\""),
    ("match", "limit = \"8+0.08\""),
    ("match.openings", "file = \"book.epd\""),
    ("adjudication", "max_moves = 200"),
    ("adjudication.draw", "move = 34, count = 8, score = 20"),
    ("adjudication.resign", "count = 3, score = 600"),
    ("adjudication.syzygy", "path = \"syzygy\""),
    ("pgn", "minimal = true"),
    ("sprt", "elo0 = 0.0, elo1 = 5.0"),
    ("stage.[]", "limit = \"8+0.08\""),
    ("stage.[].openings", "file = \"book.epd\""),
    ("stage.[].options", "Hash = 64"),
    ("stage.[].sprt", "elo0 = 0.0, elo1 = 5.0"),
    ("tune", "pairs = 10000"),
    ("tune.spsa", "gain = 0.9"),
    ("tune.adaptive", "gain = 0.9"),
    ("tune.classic", "alpha = 0.602"),
    ("tune.params", "NAME = { min = 0, max = 100 }"),
    ("tune.params.*", "min = 0, max = 100"),
    ("tune.verify", "limit = \"8+0.08\""),
    ("tune.verify.openings", "file = \"book.epd\""),
    ("tune.verify.sprt", "elo0 = 0.0, elo1 = 5.0"),
    ("bisect", "good = \"v1.0\""),
    ("fleet", "exclude = [\"anna/*\"]"),
    ("track", "anchor = \"v1.0\""),
];

/// Stands for an entry of a list in a path.
const ENTRY: &str = "[]";

/// The first table of a text that is written as a list: its place, and an error message.
pub(super) fn list_for_table(text: &str) -> Option<(Range<usize>, String)> {
    let document = Document::parse(text).ok()?;
    in_table(document.as_table(), &mut Vec::new())
}

/// Searches a table with these keys above it; `[]` is an entry of a list.
fn in_table(table: &dyn TableLike, path: &mut Vec<String>) -> Option<(Range<usize>, String)> {
    table.iter().find_map(|(name, item)| {
        path.push(name.to_string());
        let found = in_item(item, path);
        path.pop();
        found
    })
}

fn in_item(item: &Item, path: &mut Vec<String>) -> Option<(Range<usize>, String)> {
    if let Some(table) = item.as_table_like() {
        return in_table(table, path);
    }
    let example = example_of(path);
    if let Some(tables) = item.as_array_of_tables() {
        if example.is_some() {
            let first = tables.iter().next().and_then(toml_edit::Table::span);
            return Some((first.unwrap_or_default(), double_brackets(path)));
        }
        path.push(ENTRY.to_string());
        let found = tables.iter().find_map(|table| in_table(table, path));
        path.pop();
        return found;
    }
    let list = item.as_array()?;
    if let Some(example) = example {
        return Some((item.span().unwrap_or_default(), brackets(path, example)));
    }
    path.push(ENTRY.to_string());
    let found = list.iter().find_map(|value| in_entry(value, path));
    path.pop();
    found
}

/// Searches an entry of a list.
fn in_entry(value: &Value, path: &mut Vec<String>) -> Option<(Range<usize>, String)> {
    match value {
        Value::InlineTable(table) => in_table(table, path),
        Value::Array(_) => {
            let message = brackets(path, example_of(path)?);
            Some((value.span().unwrap_or_default(), message))
        }
        _ => None,
    }
}

/// The example of a table.
fn example_of(path: &[String]) -> Option<&'static str> {
    let is_path = |pattern: &str| {
        let names: Vec<&str> = pattern.split('.').collect();
        let mut pairs = names.iter().zip(path);
        names.len() == path.len()
            && pairs.all(|(name, key)| name == key || *name == "*" && key != ENTRY)
    };
    let found = TABLES.iter().find(|(pattern, _)| is_path(pattern));
    found.map(|(_, example)| *example)
}

/// The message about a list in brackets.
fn brackets(path: &[String], example: &str) -> String {
    let names: Vec<String> = names(path);
    let name = names.last().map_or("", String::as_str);
    match path {
        [.., entry] if entry == ENTRY => {
            format!("an entry of `{name}` is a table: write `{{ {example} }}`")
        }
        _ => format!("`{name}` is a table: write `{name} = {{ {example} }}`"),
    }
}

/// The message about a header in double brackets.
fn double_brackets(path: &[String]) -> String {
    let name = names(path).join(".");
    format!("`{name}` is a table, not a list: write `[{name}]`, not `[[{name}]]`")
}

/// The keys of a path as TOML writes them.
fn names(path: &[String]) -> Vec<String> {
    let keys = path.iter().filter(|key| *key != ENTRY);
    keys.map(|key| Key::new(key.as_str()).to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    /// A table that is not in the list would be read from a list.
    #[test]
    fn every_table_is_known() {
        let text = "[[engine]]\nname = \"a\"\ncmd = \"a\"\noptions = { Hash = 1 }\n\
            env = { A = \"1\" }\n[match]\n[adjudication]\n\
            draw = { move = 1, count = 1, score = 1 }\nresign = { count = 1, score = 1 }\n\
            syzygy = { path = \"x\" }\n[pgn]\n[sprt]\n[[stage]]\nopenings = \"x\"\n\
            options = { Hash = 1 }\nsprt = {}\n[tune.params.X]\nmin = 1\n\
            choices = [\"a\"]\n[tune.verify]\nopenings = \"x\"\n\
            [bisect]\n[fleet]\n[track]\nanchor = \"x\"\npaths = [\"x\"]\n";
        assert_eq!(list_for_table(text), None);
        let config: Config = toml::from_str(text).expect("valid");
        // A new section does not compile until it is here; it must be in the text too.
        let Config {
            engine,
            r#match: _,
            adjudication: _,
            pgn: _,
            sprt: Some(_),
            stage,
            tune: Some(_),
            bisect: Some(_),
            fleet: Some(_),
            track: Some(_),
            assigned: _,
        } = &config
        else {
            panic!("a section is missing in the text")
        };
        assert!(!engine.is_empty() && !stage.is_empty());
        let written = toml::Value::try_from(&config).expect("writes");
        let mut count = 0;
        check(&written, &mut Vec::new(), &mut count);
        assert_eq!(count, TABLES.len());
    }

    fn check(value: &toml::Value, path: &mut Vec<String>, count: &mut usize) {
        match value {
            toml::Value::Table(table) => {
                if !path.is_empty() {
                    assert!(example_of(path).is_some(), "{path:?}");
                    *count += 1;
                }
                for (name, value) in table {
                    path.push(name.clone());
                    check(value, path, count);
                    path.pop();
                }
            }
            toml::Value::Array(list) => {
                path.push(ENTRY.to_string());
                list.iter().for_each(|value| check(value, path, count));
                path.pop();
            }
            _ => {}
        }
    }
}
