//! Reads weather-factory's parameters: `config.json`, which a user writes, and `state.json`,
//! in which it saves the values of a tuning.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::param::Param;

/// Why a JSON file has no parameters.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    #[error("not weather-factory's JSON (name: {{value, min_value, max_value, step}}): {0}")]
    Syntax(#[from] serde_json::Error),
    #[error("parameter `{param}` of weather-factory's JSON has no `{key}`")]
    Missing { param: String, key: &'static str },
    #[error("parameter `{param}` of weather-factory's JSON: `{key}` is {value}, not a number")]
    Number {
        param: String,
        key: &'static str,
        value: Value,
    },
    #[error(
        "parameter `{param}` of weather-factory's JSON: unknown key `{key}`; allowed are \
         `value`, `min_value`, `max_value` and `step`"
    )]
    Unknown { param: String, key: String },
    #[error("entry {number} of `uci_params` has no `name`")]
    Name { number: usize },
}

/// The key by which a `state.json` is recognised.
const STATE: &str = "uci_params";
const KEYS: [&str; 4] = ["value", "min_value", "max_value", "step"];

/// The parameters of either file, sorted by name.
pub(super) fn weather_factory(text: &str) -> Result<Vec<Param>, JsonError> {
    let all: Members<IgnoredAny> = serde_json::from_str(text)?;
    let mut params = if all.0.iter().any(|(key, _)| key == STATE) {
        of_state(text)?
    } else {
        of_config(text)?
    };
    params.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(params)
}

fn of_config(text: &str) -> Result<Vec<Param>, JsonError> {
    let list: Members<Members<Value>> = serde_json::from_str(text)?;
    let params = list.0.into_iter().map(|(name, members)| {
        // As in weather-factory itself, a misspelt key is an error.
        let unknown = members.0.iter().find(|(key, _)| !KEYS.contains(&&**key));
        if let Some((key, _)) = unknown {
            let (param, key) = (name, key.clone());
            return Err(JsonError::Unknown { param, key });
        }
        param(&name, &members)
    });
    params.collect()
}

/// `state.json` also has the state of the rule, which `hone` keeps itself.
fn of_state(text: &str) -> Result<Vec<Param>, JsonError> {
    #[derive(serde::Deserialize)]
    struct State {
        uci_params: Vec<Members<Value>>,
    }
    let state: State = serde_json::from_str(text)?;
    let params = (1..)
        .zip(&state.uci_params)
        .map(|(number, members)| match members.get("name") {
            Some(Value::String(name)) => param(name, members),
            _ => Err(JsonError::Name { number }),
        });
    params.collect()
}

fn param(name: &str, members: &Members<Value>) -> Result<Param, JsonError> {
    let number = |key: &'static str| {
        let param = || name.to_owned();
        let Some(value) = members.get(key) else {
            return Err(JsonError::Missing {
                param: param(),
                key,
            });
        };
        value.as_f64().ok_or_else(|| JsonError::Number {
            param: param(),
            key,
            value: value.clone(),
        })
    };
    let [value, min, max, step] = KEYS;
    Ok(Param {
        step: number(step)?,
        ..Param::int(name, number(value)?, number(min)?, number(max)?)
    })
}

/// The members of a JSON object, in which no key is given twice.
struct Members<T>(Vec<(String, T)>);

impl<T> Members<T> {
    fn get(&self, key: &str) -> Option<&T> {
        let member = self.0.iter().find(|(name, _)| name == key);
        member.map(|(_, value)| value)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Members<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor(PhantomData))
    }
}

struct MembersVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for MembersVisitor<T> {
    type Value = Members<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        let mut names = std::collections::HashSet::new();
        while let Some((key, value)) = map.next_entry::<String, T>()? {
            if !names.insert(key.clone()) {
                return Err(A::Error::custom(format_args!("`{key}` is given twice")));
            }
            members.push((key, value));
        }
        Ok(Members(members))
    }
}

#[cfg(test)]
mod tests {
    use super::super::import::parse;

    const STATE: &str = r#"{"t": 3200, "spsa_params": {"a": 1.0, "c": 1.0, "A": 5000,
        "alpha": 0.601, "gamma": 0.102}, "uci_params": [
        {"name": "B", "value": 5.25, "min_value": 0, "max_value": 10, "step": 2},
        {"name": "A", "value": 70, "min_value": 50, "max_value": 150, "step": 10, "elo": 3}]}"#;

    #[test]
    fn reads_config_and_state() {
        let config = r#"{"A": {"value": 70, "min_value": 50, "max_value": 150, "step": 10},
            "B": {"step": 2, "value": 5.25, "min_value": 0, "max_value": 10}}"#;
        let marked = format!("\u{feff}{}", config.replace('\n', "\r\n"));
        for text in [config, STATE, &*marked] {
            let list = parse(text).unwrap();
            let found: Vec<_> = list
                .iter()
                .map(|p| (&*p.name, p.start, p.min, p.max, p.step, p.gain))
                .collect();
            assert_eq!(
                found,
                [
                    ("A", 70.0, 50.0, 150.0, 10.0, None),
                    ("B", 5.25, 0.0, 10.0, 2.0, None)
                ]
            );
        }
    }

    #[test]
    fn refusals_name_the_parameter_and_the_key() {
        let one = |members: &str| format!(r#"{{"A": {members}}}"#);
        let good = r#""value": 5, "min_value": 0, "max_value": 10, "step": 2"#;
        for (text, part) in [
            (
                one("[5, 0, 10, 2]"),
                "invalid type: sequence, expected an object",
            ),
            (one("3"), "expected an object"),
            (
                one(r#"{"value": 5}"#),
                "parameter `A` of weather-factory's JSON has no `step`",
            ),
            (
                one(&format!("{{{good}, \"value\": 6}}")),
                "`value` is given twice",
            ),
            (one(&format!("{{{good}, \"max\": 6}}")), "unknown key `max`"),
            (
                one(&format!("{{{}}}", good.replace("10", "\"ten\""))),
                "`max_value` is \"ten\", not a number",
            ),
            (
                format!(r#"{{"A": {{{good}}}, "A": {{{good}}}}}"#),
                "`A` is given twice",
            ),
            (
                STATE.replace("\"name\": \"B\", ", ""),
                "entry 1 of `uci_params` has no `name`",
            ),
            (STATE.replace("\"B\"", "\"A\""), "`A`"),
            (
                STATE.replace("\"step\": 2", "\"step\": null"),
                "`step` is null, not a number",
            ),
            (
                r#"{"uci_params": [["A", 5, 0, 10, 2]]}"#.to_owned(),
                "expected an object",
            ),
            (
                STATE.replace("\"elo\": 3", "\"step\": 3"),
                "`step` is given twice",
            ),
            (
                one(&format!("{{{}}}", good.replace("5", "true"))),
                "`value` is true, not a number",
            ),
            (
                format!(r#"{{"uci_params": {{"A": {{{good}}}}}}}"#),
                "expected a sequence",
            ),
        ] {
            let error = parse(&text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
            assert!(!error.contains("struct"), "{error}");
        }
    }
}
