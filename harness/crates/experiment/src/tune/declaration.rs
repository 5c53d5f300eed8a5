//! What an engine or a model declares about a parameter.

use super::engine_settings::is_setting;
use super::landscape::Axis;
use super::param::ParamKind;
use hone_uci::engine::uci::{EngineOption, OptionFault, OptionKind};

/// Decimals of a real number, unless the configuration sets them.
const DECIMALS: u32 = 4;

/// The declaration of a parameter.
#[derive(Debug, Clone, Copy)]
pub(super) enum Declaration<'a> {
    /// An option of the engine.
    Engine(&'a EngineOption),
    /// A parameter of the model that `--simulate` tunes.
    Model(&'a Axis),
}

impl<'a> Declaration<'a> {
    pub(super) fn name(self) -> &'a str {
        match self {
            Self::Engine(option) => &option.name,
            Self::Model(axis) => &axis.name,
        }
    }

    /// Whether `group` can select it: a spin with more than one value that does not set how
    /// the engine runs, or any parameter of a model.
    pub(super) fn is_selectable(self) -> bool {
        match self {
            Self::Engine(option) => {
                matches!(option.kind, OptionKind::Spin { min, max, .. } if min < max)
                    && !is_setting(&option.name)
            }
            Self::Model(_) => true,
        }
    }

    /// Its kind, start and range. The start is the value `given` in the engine's configured
    /// options, or else the default. `choices` take the place of those of a combo.
    ///
    /// # Errors
    /// If it has no value, or a combo no choice.
    pub(super) fn declared(
        self,
        given: Option<&str>,
        choices: Option<&Vec<String>>,
    ) -> Result<Declared, String> {
        match self {
            Self::Engine(option) => Declared::of_option(option, given, choices),
            Self::Model(axis) => Ok(Declared::of_axis(axis)),
        }
    }

    /// Why it does not declare `key` (`start`, `min` or `max`).
    pub(super) fn reason(self, key: &str) -> Option<String> {
        let Self::Engine(option) = self else {
            return None;
        };
        match option.fault(if key == "start" { "default" } else { key }) {
            Some(fault @ OptionFault::Unreadable { .. }) => Some(format!("the engine's {fault}")),
            Some(OptionFault::Missing { .. }) | None => None,
        }
    }

    /// The start that it declares, in words.
    pub(super) fn start_in_words(self) -> &'static str {
        match self {
            Self::Engine(_) => "the engine's default",
            Self::Model(_) => "the model's start",
        }
    }
}

/// A declaration, in the engine's units.
pub(super) struct Declared {
    pub(super) kind: ParamKind,
    pub(super) start: Option<f64>,
    /// The start of a combo that is not one of the choices.
    pub(super) missing: Option<String>,
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
}

impl Declared {
    /// Without a declaration.
    pub(super) fn nothing() -> Self {
        Self {
            kind: ParamKind::Int,
            start: None,
            missing: None,
            min: None,
            max: None,
        }
    }

    /// What is missing in the engine's line or cannot be read stays undeclared.
    fn of_option(
        option: &EngineOption,
        given: Option<&str>,
        choices: Option<&Vec<String>>,
    ) -> Result<Self, String> {
        let number = |text: &str| text.parse::<f64>().ok();
        let known = |key: &str, value: f64| option.fault(key).is_none().then_some(value);
        Ok(match &option.kind {
            OptionKind::Spin { default, min, max } => Self {
                start: (given.and_then(number)).or_else(|| known("default", *default as f64)),
                min: known("min", *min as f64),
                max: known("max", *max as f64),
                ..Self::nothing()
            },
            OptionKind::Check { default } => {
                let on = |on: bool| f64::from(u8::from(on));
                let given = given.map(|text| on(text == "true"));
                Self {
                    kind: ParamKind::Check,
                    start: given.or_else(|| known("default", on(*default))),
                    min: Some(0.0),
                    max: Some(1.0),
                    ..Self::nothing()
                }
            }
            OptionKind::Combo { values, .. } if choices.is_none() && values.is_empty() => {
                return Err(
                    "`choices` are missing, and the engine does not declare any: set `choices`"
                        .to_owned(),
                );
            }
            OptionKind::Combo { default, values } => {
                Self::of_choices(choices.unwrap_or(values), given.unwrap_or(default))
            }
            OptionKind::Text { default } => Self {
                kind: ParamKind::Text { decimals: DECIMALS },
                start: given.and_then(number).or_else(|| number(default)),
                ..Self::nothing()
            },
            OptionKind::Button => return Err("a button has no value to tune".to_owned()),
        })
    }

    fn of_choices(choices: &[String], wanted: &str) -> Self {
        // UCI ignores upper and lower case.
        let is_wanted = |choice: &String| choice.eq_ignore_ascii_case(wanted);
        let index = choices.iter().position(is_wanted);
        Self {
            start: index.map(|index| index as f64),
            missing: index.is_none().then(|| wanted.to_owned()),
            min: Some(0.0),
            max: Some(choices.len().saturating_sub(1) as f64),
            kind: ParamKind::Combo {
                choices: choices.to_vec(),
            },
        }
    }

    /// A real number, unless start and range are whole numbers.
    fn of_axis(axis: &Axis) -> Self {
        let numbers = [axis.start, axis.min, axis.max];
        let is_whole = numbers.iter().all(|number| number.fract() == 0.0);
        Self {
            kind: if is_whole {
                ParamKind::Int
            } else {
                ParamKind::Text { decimals: DECIMALS }
            },
            start: Some(axis.start),
            missing: None,
            min: Some(axis.min),
            max: Some(axis.max),
        }
    }
}
