//! The options an engine declares, and whether a value fits them.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::fmt;

use crate::openings::Variant;
use crate::text::nearest;

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
    /// What is missing in the declaration or cannot be read; `kind` then has a default for
    /// it.
    pub fault: Option<String>,
}

/// The `option` lines that do not declare an option.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct UnreadableOptions {
    pub(crate) count: usize,
    /// The beginning of the first one.
    pub(crate) first: String,
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
pub(crate) enum OptionError {
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
    pub(crate) fn option(&self) -> &str {
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
            fault: fault_of(&type_name, field),
        })
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

    /// What `setoption` has after `value`, empty if it has no value; `None` if no command is
    /// sent. `true` or an empty value presses a button.
    pub(super) fn argument<'a>(&self, value: &'a str) -> Option<&'a str> {
        match (&self.kind, value) {
            (OptionKind::Button, "false") => None,
            (OptionKind::Button, _) => Some(""),
            (_, value) => Some(value),
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
        match is_key {
            true => fields.push((word, Vec::new())),
            false => fields.last_mut()?.1.push(word),
        }
    }
    Some(fields)
}

/// The first field of a `check`, `spin` or `combo` that is missing or cannot be read.
fn fault_of(type_name: &str, field: impl Fn(&str) -> Option<String>) -> Option<String> {
    let is_readable = |value: &str| match type_name {
        "check" => matches!(value, "true" | "false"),
        "combo" => true,
        _ => value.parse::<i64>().is_ok(),
    };
    let (keys, allowed): (&[&str], _) = match type_name {
        "check" => (&["default"], "true or false"),
        "spin" => (
            &["default", "min", "max"],
            "a whole number (signed, 64 bits)",
        ),
        "combo" => (&["var"], "a text"),
        _ => return None,
    };
    keys.iter().find_map(|key| match field(key) {
        Some(value) if is_readable(&value) => None,
        Some(value) => Some(format!("`{key} {value}` is not {allowed}")),
        None => Some(format!("it declares no `{key}`")),
    })
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
pub(crate) fn check_options<'a>(
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
pub(crate) fn options_for(
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
pub(crate) fn supports(declared: &[EngineOption], variant: Variant) -> bool {
    let is_chess960 = |option: &EngineOption| option.name.eq_ignore_ascii_case(CHESS960);
    variant == Variant::Standard || declared.iter().any(is_chess960)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(line: &str) -> EngineOption {
        EngineOption::parse(line).expect(line)
    }

    #[test]
    fn reads_every_kind() {
        assert_eq!(
            option("option name Hash type spin default 16 min 1 max 1024").kind,
            OptionKind::Spin {
                default: 16,
                min: 1,
                max: 1024
            }
        );
        assert_eq!(
            option("option name Style type combo default Solid var Solid var Very Risky").kind,
            OptionKind::Combo {
                default: "Solid".into(),
                values: vec!["Solid".into(), "Very Risky".into()]
            }
        );
        assert_eq!(
            option("option name Clear Hash type button"),
            EngineOption {
                name: "Clear Hash".into(),
                kind: OptionKind::Button,
                fault: None
            }
        );
        assert_eq!(
            option("option name Debug Log File type string default <empty>").kind,
            OptionKind::Text {
                default: String::new()
            }
        );
        assert_eq!(
            option("option name max min default type check default true").name,
            "max min default"
        );
        assert_eq!(
            option("option name Speed type combo default max var min var max").kind,
            OptionKind::Combo {
                default: "max".into(),
                values: vec!["min".into(), "max".into()]
            }
        );
        assert_eq!(
            option("option name Book type string default my default type").kind,
            OptionKind::Text {
                default: "my default type".into()
            }
        );
        assert_eq!(EngineOption::parse("option"), None);
        assert_eq!(EngineOption::parse("option name x type"), None);
        assert_eq!(EngineOption::parse("id name x"), None);
    }

    #[test]
    fn a_field_that_cannot_be_read_is_a_fault_and_gets_a_default() {
        let spin = |default, min, max| OptionKind::Spin { default, min, max };
        let check = |default| OptionKind::Check { default };
        for (line, kind, fault) in [
            ("spin default 1 min 0 max 10", spin(1, 0, 10), None),
            (
                "spin default abc min 0 max 10",
                spin(0, 0, 10),
                Some("`default abc` is not a whole number (signed, 64 bits)"),
            ),
            (
                "spin default 1 min -5.5 max 1",
                spin(1, i64::MIN, 1),
                Some("`min -5.5` is not a whole number (signed, 64 bits)"),
            ),
            (
                "spin default 10",
                spin(10, i64::MIN, i64::MAX),
                Some("it declares no `min`"),
            ),
            (
                "check default maybe",
                check(false),
                Some("`default maybe` is not true or false"),
            ),
            ("check", check(false), Some("it declares no `default`")),
            ("check default true", check(true), None),
            (
                "combo default Solid",
                OptionKind::Combo {
                    default: "Solid".into(),
                    values: Vec::new(),
                },
                Some("it declares no `var`"),
            ),
        ] {
            let option = option(&format!("option name x type {line}"));
            assert_eq!(option.kind, kind, "{line}");
            assert_eq!(option.fault.as_deref(), fault, "{line}");
        }
    }

    #[test]
    fn names_the_nearest_option_and_the_range() {
        let declared = [
            option("option name QsDeltaMargin type spin default 200 min 0 max 1000"),
            option("option name Ponder type check default false"),
        ];
        let error = check_options(&declared, [("QsDeltaMargn", "1")]).unwrap_err();
        assert!(
            error.to_string().contains("did you mean `QsDeltaMargin`"),
            "{error}"
        );
        let mut lines = UnreadableOptions::default();
        for line in ["option name Hash type int default 16", "option name x type"] {
            lines.add(line);
        }
        let error = error.with_unreadable(&lines).to_string();
        let words = "the engine has no option `QsDeltaMargn` (2 of its `option` lines cannot be \
            read; the first is `option name Hash type int default 16`); did you mean";
        assert!(error.starts_with(words), "{error}");
        let error = check_options(&declared, [("QsDeltaMargin", "1001")]).unwrap_err();
        assert!(error.to_string().contains("from 0 to 1000"), "{error}");
        let error = check_options(&declared, [("Ponder", "yes")]).unwrap_err();
        assert!(error.to_string().contains("true or false"), "{error}");
        // As of `--option QsDeltaMargin`.
        let error = check_options(&declared, [("QsDeltaMargin", "")]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "option `QsDeltaMargin` needs a value, as in `QsDeltaMargin=VALUE`; allowed: whole \
             numbers from 0 to 1000"
        );
        check_options(&declared, [("qsdeltamargin", "1000"), ("Ponder", "true")]).expect("fits");
    }

    #[test]
    fn a_button_takes_true_false_or_no_value() {
        let declared = [option("option name Clear Hash type button")];
        for value in ["", "true", "false"] {
            check_options(&declared, [("clear hash", value)]).expect(value);
        }
        let error = check_options(&declared, [("Clear Hash", "1")]).unwrap_err();
        let allowed = "allowed: true, false or no value (it is a button)";
        assert!(error.to_string().ends_with(allowed), "{error}");
    }

    #[test]
    fn options_for_variant_and_pondering_come_before_the_engines_own() {
        let own = [("Hash".to_string(), "8".to_string())];
        let names = |variant, ponder| {
            let options = options_for(variant, ponder, &own);
            let texts = options
                .iter()
                .map(|(name, value)| format!("{name}={value}"));
            texts.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(Variant::Standard, false), "Hash=8");
        assert_eq!(names(Variant::Standard, true), "Ponder=true Hash=8");
        assert_eq!(
            names(Variant::Chess960, true),
            "UCI_Chess960=true Ponder=true Hash=8"
        );
    }
}
