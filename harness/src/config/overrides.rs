//! `--set key.path=value`: lays values over a configuration, leaving its lines
//! where they are so that mistakes still name the right one.

use toml_edit::{DocumentMut, Item, TableLike, Value};

pub(super) enum Error {
    Document(toml_edit::TomlError),
    Override { text: String, reason: String },
}

/// Applies overrides in order.
pub(super) fn apply(document: &str, overrides: &[String]) -> Result<String, Error> {
    let mut document: DocumentMut = document.parse().map_err(Error::Document)?;
    for text in overrides {
        apply_one(&mut document, text).map_err(|reason| Error::Override {
            text: text.clone(),
            reason,
        })?;
    }
    Ok(document.to_string())
}

fn apply_one(document: &mut DocumentMut, text: &str) -> Result<(), String> {
    let (path, value) = text
        .split_once('=')
        .ok_or("write key.path=value, for example match.limit=nodes=5000")?;
    let keys: Vec<&str> = path.split('.').map(str::trim).collect();
    if keys.iter().any(|key| key.is_empty()) {
        return Err("a key is empty".to_string());
    }
    let (last, parents) = keys.split_last().expect("split gives at least one");
    let mut table: &mut dyn TableLike = document.as_table_mut();
    let mut parents = parents.iter();
    while let Some(key) = parents.next() {
        let item = table.entry(key).or_insert_with(|| Item::Table(implicit()));
        table = match item {
            Item::ArrayOfTables(tables) => {
                let which = parents
                    .next()
                    .ok_or_else(|| format!("`{key}` is a list: name one by number or name"))?;
                let index = which
                    .parse::<usize>()
                    .ok()
                    .filter(|index| *index < tables.len())
                    .or_else(|| {
                        tables.iter().position(|table| {
                            table.get("name").and_then(Item::as_str) == Some(which)
                        })
                    })
                    .ok_or_else(|| format!("no `{which}` in `{key}`"))?;
                tables.get_mut(index).expect("the index is within bounds")
            }
            other => other
                .as_table_like_mut()
                .ok_or_else(|| format!("`{key}` is not a table"))?,
        };
    }
    table.insert(last, Item::Value(parse_value(value.trim())));
    Ok(())
}

fn implicit() -> toml_edit::Table {
    let mut table = toml_edit::Table::new();
    table.set_implicit(true);
    table
}

/// A TOML value, or else the text itself, so that no quotes are needed.
fn parse_value(text: &str) -> Value {
    text.parse().unwrap_or_else(|_| Value::from(text))
}
