//! The options an engine declares, and whether a value fits them.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::fmt;

use crate::openings::Variant;
use hone_base::text::nearest;

/// The kind of a UCI option with the values it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionKind {
    Check {
        default: bool,
    },
    Spin {
        default: i64,
        min: i64,
        max: i64,
    },
    Combo {
        default: String,
        values: Vec<String>,
    },
    Button,
    Text {
        default: String,
    },
}

/// An option as the engine declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineOption {
    pub name: String,
    pub kind: OptionKind,
    /// What is missing in the declaration or cannot be read; `kind` then has defaults for
    /// it.
    pub faults: Vec<OptionFault>,
}

/// A field that an `option` line lacks, or that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OptionFault {
    #[error("it declares no `{key}`")]
    Missing { key: &'static str },
    #[error("`{key} {value}` is not {allowed}")]
    Unreadable {
        key: &'static str,
        value: String,
        allowed: &'static str,
    },
}

impl OptionFault {
    /// `default`, `min`, `max` or `var`.
    fn key(&self) -> &'static str {
        let (Self::Missing { key } | Self::Unreadable { key, .. }) = self;
        key
    }
}

/// The `option` lines that do not declare an option.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnreadableOptions {
    pub count: usize,
    /// The beginning of the first one.
    pub first: String,
}

impl UnreadableOptions {
    /// Characters kept of the first line.
    const MAX_KEPT: usize = 200;

    pub(super) fn add(&mut self, line: &str) {
        if self.count == 0 {
            self.first = line.chars().take(Self::MAX_KEPT).collect();
        }
        self.count = self.count.saturating_add(1);
    }
}

/// The UCI option for Chess960.
const CHESS960: &str = "UCI_Chess960";

/// Why an option of the configuration does not fit the engine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    #[error(
        "the engine has no option `{name}`{}{}",
        of_unreadable(unreadable),
        nearest.as_ref().map(|n| format!("; did you mean `{n}`?")).unwrap_or_default()
    )]
    Unknown {
        name: String,
        nearest: Option<String>,
        unreadable: UnreadableOptions,
    },
    #[error("option `{name}` needs a value, as in `{name}=VALUE`; allowed: {allowed}")]
    NoValue { name: String, allowed: String },
    #[error("`{value}` is not a valid value of option `{name}`; allowed: {allowed}")]
    Value {
        name: String,
        value: String,
        allowed: String,
    },
}

impl OptionError {
    /// The error of an engine with these `option` lines besides its options.
    pub(super) fn with_unreadable(mut self, lines: &UnreadableOptions) -> Self {
        if let Self::Unknown { unreadable, .. } = &mut self {
            unreadable.clone_from(lines);
        }
        self
    }

    /// The option's name in the configuration.
    pub fn option(&self) -> &str {
        let (Self::Unknown { name, .. } | Self::NoValue { name, .. } | Self::Value { name, .. }) =
            self;
        name
    }
}

fn of_unreadable(unreadable: &UnreadableOptions) -> String {
    match unreadable.count {
        0 => String::new(),
        count => format!(
            " ({count} of its `option` lines cannot be read; the first is `{}`)",
            unreadable.first
        ),
    }
}

impl EngineOption {
    /// Reads an `option name … type …` line; `None` for other lines.
    pub fn parse(line: &str) -> Option<Self> {
        let fields = fields_of(line.trim().strip_prefix("option")?)?;
        let field = |key: &str| {
            fields
                .iter()
                .find(|(name, _)| *name == key)
                .map(|(_, words)| words.join(" "))
        };
        let number = |key: &str| field(key)?.parse::<i64>().ok();
        let type_name = field("type")?;
        let kind = match type_name.as_str() {
            "check" => OptionKind::Check {
                default: field("default").is_some_and(|value| value == "true"),
            },
            "spin" => OptionKind::Spin {
                default: number("default").unwrap_or(0),
                min: number("min").unwrap_or(i64::MIN),
                max: number("max").unwrap_or(i64::MAX),
            },
            "combo" => OptionKind::Combo {
                default: field("default").unwrap_or_default(),
                values: fields
                    .iter()
                    .filter(|(key, _)| *key == "var")
                    .map(|(_, words)| words.join(" "))
                    .collect(),
            },
            "button" => OptionKind::Button,
            "string" => OptionKind::Text {
                default: field("default")
                    .filter(|value| value != "<empty>")
                    .unwrap_or_default(),
            },
            _ => return None,
        };
        Some(Self {
            name: field("name").filter(|name| !name.is_empty())?,
            kind,
            faults: faults_of(&type_name, field),
        })
    }

    /// What is wrong with the field `key` of the declaration.
    pub fn fault(&self, key: &str) -> Option<&OptionFault> {
        self.faults.iter().find(|fault| fault.key() == key)
    }

    /// The default value as `setoption` takes it; `None` for a button.
    pub fn default_value(&self) -> Option<String> {
        match &self.kind {
            OptionKind::Check { default } => Some(default.to_string()),
            OptionKind::Spin { default, .. } => Some(default.to_string()),
            OptionKind::Combo { default, .. } => Some(default.clone()),
            OptionKind::Text { default } if default.is_empty() => Some("<empty>".to_string()),
            OptionKind::Text { default } => Some(default.clone()),
            OptionKind::Button => None,
        }
    }

    /// What `setoption` has after `value`, if it has a value; `None` if no command is sent.
    /// `true` or an empty value presses a button.
    pub(super) fn argument<'a>(&self, value: &'a str) -> Option<Option<&'a str>> {
        match (&self.kind, value) {
            (OptionKind::Button, "false") => None,
            (OptionKind::Button, _) => Some(None),
            (_, value) => Some(Some(value)),
        }
    }

    fn accepts(&self, value: &str) -> bool {
        match &self.kind {
            OptionKind::Check { .. } => value == "true" || value == "false",
            OptionKind::Spin { min, max, .. } => value
                .parse::<i64>()
                .is_ok_and(|number| (*min..=*max).contains(&number)),
            OptionKind::Combo { values, .. } => {
                values.iter().any(|known| known.eq_ignore_ascii_case(value))
            }
            OptionKind::Button => matches!(value, "" | "true" | "false"),
            OptionKind::Text { .. } => true,
        }
    }
}

/// The keys and words of an option's fields; `None` if the first key is not `name`.
fn fields_of(text: &str) -> Option<Vec<(&str, Vec<&str>)>> {
    let mut fields: Vec<(&str, Vec<&str>)> = Vec::new();
    for word in text.split_whitespace() {
        let words = |key| fields.iter().find(|(name, _)| *name == key);
        let is_key = match words("type") {
            _ if fields.is_empty() => word == "name",
            // A name may contain words such as `min`; only `type` ends it.
            None => word == "type",
            // So may the values of these types.
            Some((_, kind)) if *kind == ["string"] => {
                word == "default" && words("default").is_none()
            }
            Some((_, kind)) if *kind == ["combo"] => matches!(word, "default" | "var"),
            Some(_) => ["type", "default", "min", "max", "var"].contains(&word),
        };
        if is_key {
            fields.push((word, Vec::new()));
        } else {
            fields.last_mut()?.1.push(word);
        }
    }
    Some(fields)
}

/// The fields of a `check`, `spin` or `combo` that are missing or cannot be read.
fn faults_of(type_name: &str, field: impl Fn(&str) -> Option<String>) -> Vec<OptionFault> {
    let is_readable = |value: &str| match type_name {
        "check" => matches!(value, "true" | "false"),
        "combo" => true,
        _ => value.parse::<i64>().is_ok(),
    };
    let (keys, allowed): (&[&'static str], _) = match type_name {
        "check" => (&["default"], "true or false"),
        "spin" => (
            &["default", "min", "max"],
            "a whole number (signed, 64 bits)",
        ),
        "combo" => (&["var"], "a text"),
        _ => return Vec::new(),
    };
    let faults = keys.iter().filter_map(|&key| match field(key) {
        Some(value) if is_readable(&value) => None,
        Some(value) => Some(OptionFault::Unreadable {
            key,
            value,
            allowed,
        }),
        None => Some(OptionFault::Missing { key }),
    });
    faults.collect()
}

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check { .. } => write!(f, "true or false"),
            Self::Spin { min, max, .. } => write!(f, "whole numbers from {min} to {max}"),
            Self::Combo { values, .. } if values.is_empty() => {
                write!(f, "no value (the engine declares no `var`)")
            }
            Self::Combo { values, .. } => write!(f, "one of: {}", values.join(", ")),
            Self::Button => write!(f, "true, false or no value (it is a button)"),
            Self::Text { .. } => write!(f, "any text"),
        }
    }
}

/// The declared option with this name, preferably in the same letter case: UCI does not
/// distinguish case.
pub(super) fn find_option<'a>(
    declared: &'a [EngineOption],
    name: &str,
) -> Option<&'a EngineOption> {
    let same = declared.iter().find(|option| option.name == name);
    same.or_else(|| {
        let mut options = declared.iter();
        options.find(|option| option.name.eq_ignore_ascii_case(name))
    })
}

/// Checks that the engine declares each `(name, value)` of `wanted`. Names are compared
/// without case, as UCI requires.
///
/// # Errors
/// [`OptionError`], with the nearest name or the allowed values.
pub fn check_options<'a>(
    declared: &[EngineOption],
    wanted: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<(), OptionError> {
    for (name, value) in wanted {
        let Some(option) = find_option(declared, name) else {
            return Err(OptionError::Unknown {
                name: name.to_string(),
                nearest: nearest(name, declared.iter().map(|option| option.name.as_str()))
                    .map(str::to_string),
                unreadable: UnreadableOptions::default(),
            });
        };
        if !option.accepts(value) {
            let (name, allowed) = (option.name.clone(), option.kind.to_string());
            return Err(match value {
                "" => OptionError::NoValue { name, allowed },
                value => OptionError::Value {
                    name,
                    value: value.to_string(),
                    allowed,
                },
            });
        }
    }
    Ok(())
}

/// All options that an engine is sent before a game, in order: those for the variant and
/// for pondering, then its own.
pub fn options_for(
    variant: Variant,
    ponder: bool,
    own: &[(String, String)],
) -> Vec<(String, String)> {
    let needed = [(variant == Variant::Chess960, CHESS960), (ponder, "Ponder")];
    needed
        .into_iter()
        .filter(|(is_needed, _)| *is_needed)
        .map(|(_, name)| (name.to_string(), "true".to_string()))
        .chain(own.iter().cloned())
        .collect()
}

/// Whether an engine with these options supports the variant.
pub fn supports(declared: &[EngineOption], variant: Variant) -> bool {
    let is_chess960 = |option: &EngineOption| option.name.eq_ignore_ascii_case(CHESS960);
    variant == Variant::Standard || declared.iter().any(is_chess960)
}

#[cfg(test)]
mod tests;
