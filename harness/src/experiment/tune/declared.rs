//! What an engine declares of the option that a parameter is.

use super::param::Kind;
use crate::engine::uci::OptionKind;

/// Decimals of a parameter that the engine takes as text.
const TEXT_DECIMALS: u32 = 4;

/// What an engine declares of an option, in its own units.
pub(super) struct Declared {
    pub(super) kind: Kind,
    pub(super) start: Option<f64>,
    /// The start of a combo that is not one of the choices.
    pub(super) missing: Option<String>,
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
}

impl Declared {
    pub(super) fn nothing() -> Self {
        Self {
            kind: Kind::Int,
            start: None,
            missing: None,
            min: None,
            max: None,
        }
    }

    /// The start is the value `given` in the configuration, or else the
    /// default. `choices` take the place of those of a combo. `None` for a
    /// button.
    pub(super) fn of(
        option: &OptionKind,
        given: Option<&str>,
        choices: Option<&Vec<String>>,
    ) -> Option<Self> {
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
                    kind: Kind::Check,
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
                    kind: Kind::Combo { choices },
                }
            }
            OptionKind::Text { default } => Self {
                kind: Kind::Text {
                    decimals: TEXT_DECIMALS,
                },
                start: given.and_then(number).or_else(|| number(default)),
                ..Self::nothing()
            },
            OptionKind::Button => return None,
        })
    }
}
