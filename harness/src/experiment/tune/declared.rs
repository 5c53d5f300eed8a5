//! One parameter, from its entry in the configuration and from the engine's option
//! or an import.

use super::param::{Param, ParamKind, STEPS};
use super::section::ParamSection;
use crate::engine::uci::{EngineOption, OptionKind};

/// Decimals of a parameter that the engine takes as text.
const TEXT_DECIMALS: u32 = 4;

/// Overrides an imported parameter by its entry in the configuration.
pub(super) fn apply_entry(param: &mut Param, entry: &ParamSection) {
    param.start = entry.start.unwrap_or(param.start);
    param.min = entry.min.unwrap_or(param.min);
    param.max = entry.max.unwrap_or(param.max);
    param.step = entry.step.unwrap_or(param.step);
    param.gain = entry.gain.or(param.gain);
    if let Some(kind) = configured_kind(entry) {
        param.kind = kind;
    }
}

/// A parameter from its entry in the configuration; what the entry leaves out comes
/// from the engine's option. `configured` are the engine's configured options.
///
/// # Errors
/// What is missing or impossible.
pub(super) fn from_entry(
    name: &str,
    entry: &ParamSection,
    option: Option<&EngineOption>,
    configured: &[(String, String)],
) -> Result<Param, String> {
    let given = configured
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str());
    let declared = match option {
        Some(option) => Declared::of(&option.kind, given, entry.choices.as_ref())
            .ok_or("a button has no value to tune")?,
        None => Declared::nothing(),
    };
    let kind = configured_kind(entry).unwrap_or(declared.kind);
    let scale = match kind {
        ParamKind::Scaled { factor } => factor,
        _ => 1.0,
    };
    let value = |own: Option<f64>, engine: Option<f64>, what: &str| {
        own.or(engine.map(|engine| engine / scale))
            .ok_or_else(|| format!("`{what}` is missing, and the engine does not declare it"))
    };
    let min = value(entry.min, declared.min, "min")?;
    let max = value(entry.max, declared.max, "max")?;
    let start = match (entry.start, declared.missing) {
        (None, Some(choice)) => {
            return Err(format!(
                "`choices` do not contain `{choice}`, from which it would start; add it, or set \
                 `start` to the number of a choice (the first is 0)"
            ));
        }
        (own, _) => value(own, declared.start, "start")?,
    };
    Ok(Param {
        name: option.map_or(name, |option| &option.name).to_owned(),
        kind,
        start,
        min,
        max,
        step: entry.step.unwrap_or((max - min) / STEPS),
        gain: entry.gain,
    })
}

/// The kind that the configuration sets, if it sets one.
fn configured_kind(entry: &ParamSection) -> Option<ParamKind> {
    if entry.check {
        return Some(ParamKind::Check);
    }
    let choices = entry.choices.clone();
    choices
        .map(|choices| ParamKind::Combo { choices })
        .or(entry.factor.map(|factor| ParamKind::Scaled { factor }))
        .or(entry.decimals.map(|decimals| ParamKind::Text { decimals }))
}

/// The engine's declaration of an option, in its own units.
struct Declared {
    kind: ParamKind,
    start: Option<f64>,
    /// The start of a combo that is not one of the choices.
    missing: Option<String>,
    min: Option<f64>,
    max: Option<f64>,
}

impl Declared {
    fn nothing() -> Self {
        Self {
            kind: ParamKind::Int,
            start: None,
            missing: None,
            min: None,
            max: None,
        }
    }

    /// The start is the value `given` in the configuration, or else the
    /// default. `choices` take the place of those of a combo. `None` for a
    /// button.
    fn of(option: &OptionKind, given: Option<&str>, choices: Option<&Vec<String>>) -> Option<Self> {
        let number = |text: &str| text.parse::<f64>().ok();
        Some(match option {
            OptionKind::Spin { default, min, max } => Self {
                start: given.and_then(number).or(Some(*default as f64)),
                min: Some(*min as f64),
                max: Some(*max as f64),
                ..Self::nothing()
            },
            OptionKind::Check { default } => {
                let on = given.map_or(*default, |text| text == "true");
                Self {
                    kind: ParamKind::Check,
                    start: Some(f64::from(u8::from(on))),
                    min: Some(0.0),
                    max: Some(1.0),
                    ..Self::nothing()
                }
            }
            OptionKind::Combo { default, values } => {
                let choices = choices.unwrap_or(values).clone();
                let wanted = given.unwrap_or(default);
                // UCI ignores upper and lower case.
                let is_wanted = |choice: &String| choice.eq_ignore_ascii_case(wanted);
                let index = choices.iter().position(is_wanted);
                Self {
                    start: index.map(|index| index as f64),
                    missing: index.is_none().then(|| wanted.to_owned()),
                    min: Some(0.0),
                    max: Some(choices.len().saturating_sub(1) as f64),
                    kind: ParamKind::Combo { choices },
                }
            }
            OptionKind::Text { default } => Self {
                kind: ParamKind::Text {
                    decimals: TEXT_DECIMALS,
                },
                start: given.and_then(number).or_else(|| number(default)),
                ..Self::nothing()
            },
            OptionKind::Button => return None,
        })
    }
}
