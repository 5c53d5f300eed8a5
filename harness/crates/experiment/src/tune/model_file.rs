//! `--simulate MODEL.toml`: a landscape and a distribution of pairs.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::collections::BTreeSet;

use serde::Deserialize;

use super::landscape::{Axis, Fall, Landscape};
use super::pair_model::PairModel;
use super::space::Space;

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error(transparent)]
    Toml(#[from] Box<toml::de::Error>),
    #[error("{0}")]
    Content(String),
    #[error("the model has no parameter `{name}`; it has {known}")]
    Unknown { name: String, known: String },
}

/// A model of an engine's strength.
#[derive(Debug, Clone)]
pub struct Model {
    pub landscape: Landscape,
    pub pairs: PairModel,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default = "scale")]
    scale: f64,
    pair: Option<[f64; 5]>,
    param: Vec<Axis>,
    coupling: Option<Vec<Vec<f64>>>,
}

fn scale() -> f64 {
    300.0
}

impl Model {
    /// Reads the text of a model.
    ///
    /// # Errors
    /// [`ModelError`]: what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let file: File = toml::from_str(text).map_err(Box::new)?;
        Self::from_file(file).map_err(ModelError::Content)
    }

    fn from_file(file: File) -> Result<Self, String> {
        if file.scale.is_nan() || file.scale <= 0.0 {
            return Err(format!("scale = {} must be above 0", file.scale));
        }
        if file.param.is_empty() {
            return Err("[[param]] is missing".to_owned());
        }
        let mut names = BTreeSet::new();
        for param in &file.param {
            check(param)?;
            if !names.insert(param.name.to_ascii_lowercase()) {
                return Err(format!(
                    "param `{}` is named twice (UCI ignores upper and lower case in names)",
                    param.name
                ));
            }
        }
        if let Some(coupling) = &file.coupling {
            check_coupling(coupling, file.param.len())?;
        }
        let fall = Fall::Flattening { scale: file.scale };
        Ok(Self {
            landscape: Landscape::new(file.param, fall, file.coupling.as_deref()),
            pairs: match file.pair {
                Some(pair) => PairModel::new(pair).map_err(|error| format!("pair: {error}"))?,
                None => PairModel::BENCHMARK,
            },
        })
    }

    /// Strength at a space's values as the engine would get them; parameters that are not
    /// tuned stay at the model's start.
    ///
    /// # Errors
    /// If the space has a parameter that the model does not have.
    pub fn strength(&self, space: &Space) -> Result<Strength<'_>, ModelError> {
        let axes = self.landscape.axes();
        let places = space.params().iter().map(|param| {
            let same = |axis: &Axis| axis.name.eq_ignore_ascii_case(&param.name);
            axes.iter()
                .position(same)
                .ok_or_else(|| ModelError::Unknown {
                    name: param.name.clone(),
                    known: axes
                        .iter()
                        .map(|axis| axis.name.as_str())
                        .collect::<Vec<_>>()
                        .join(", "),
                })
        });
        Ok(Strength {
            landscape: &self.landscape,
            space: space.clone(),
            places: places.collect::<Result<_, _>>()?,
            values: axes.iter().map(|axis| axis.start).collect(),
        })
    }
}

fn check(param: &Axis) -> Result<(), String> {
    let name = &param.name;
    let numbers = [
        param.min,
        param.max,
        param.start,
        param.optimum,
        param.sensitivity,
        param.skew,
    ];
    if numbers.iter().any(|number| !number.is_finite()) {
        return Err(format!("param `{name}`: all numbers must be finite"));
    }
    if param.min >= param.max {
        return Err(format!("param `{name}`: min must be below max"));
    }
    if !(param.min..=param.max).contains(&param.start) {
        return Err(format!(
            "param `{name}`: start {} is outside {} to {}",
            param.start, param.min, param.max
        ));
    }
    if param.sensitivity < 0.0 {
        return Err(format!("param `{name}`: sensitivity must not be negative"));
    }
    Ok(())
}

fn check_coupling(coupling: &[Vec<f64>], parameters: usize) -> Result<(), String> {
    if coupling.len() != parameters || coupling.iter().any(|row| row.len() != parameters) {
        return Err(format!(
            "coupling must have {parameters} rows of {parameters} numbers, one for each param"
        ));
    }
    for (i, row) in coupling.iter().enumerate() {
        for (j, value) in row.iter().enumerate() {
            let mirrored = coupling.get(j).and_then(|row| row.get(i));
            let is_same = mirrored.is_some_and(|other| (value - other).abs() <= 1e-6);
            if !value.is_finite() || !is_same {
                return Err(format!(
                    "coupling must be symmetric and finite: see row {}, column {}",
                    i.saturating_add(1),
                    j.saturating_add(1)
                ));
            }
        }
    }
    Ok(())
}

/// A model's strength as a function of a space's values.
#[derive(Debug, Clone)]
pub struct Strength<'a> {
    landscape: &'a Landscape,
    space: Space,
    /// For each of the space's parameters its axis.
    places: Vec<usize>,
    values: Vec<f64>,
}

impl Strength<'_> {
    /// Elo at `values`.
    pub fn elo(&mut self, values: &[f64]) -> f64 {
        let params = self.space.params().iter().zip(&self.places);
        for ((param, place), value) in params.zip(values) {
            if let Some(known) = self.values.get_mut(*place) {
                *known = param.engine_number(param.nearest(*value));
            }
        }
        self.landscape.elo(&self.values)
    }
}

#[cfg(test)]
mod tests {
    use super::super::param::{Param, ParamKind};
    use super::*;

    const TWO: &str = "scale = 300.0\npair = [0.025, 0.225, 0.5, 0.225, 0.025]\n\
        [[param]]\nname = \"A\"\nmin = 0\nmax = 100\nstart = 40\noptimum = 60\nsensitivity = 200\nskew = 0.5\n\
        [[param]]\nname = \"B\"\nmin = 0\nmax = 10\nstart = 5\noptimum = 5\nsensitivity = 50\n";

    #[test]
    fn follows_the_formula() {
        let coupled = format!("coupling = [[1.0, 0.5], [0.5, 1.0]]\n{TWO}");
        let space = Space::new(vec![
            Param::int("B", 5.0, 0.0, 10.0),
            Param::int("A", 40.0, 0.0, 100.0),
        ])
        .unwrap();
        // u = (-0.2, 0.2), z = (-0.18, 0.2).
        let plain: f64 = 200.0 * 0.18 * 0.18 + 50.0 * 0.2 * 0.2;
        let cross: f64 = 2.0 * 0.5 * (200.0f64 * 50.0).sqrt() * -0.18 * 0.2;
        for (text, q) in [(TWO, plain), (&coupled, plain + cross)] {
            let model = Model::parse(text).unwrap();
            let elo = model.strength(&space).unwrap().elo(&[7.0, 40.0]);
            let expected = -300.0 * (1.0 + q / 300.0).ln();
            assert!((elo - expected).abs() < 1e-9, "{elo} {expected}");
        }
    }

    #[test]
    fn a_real_parameter_is_not_rounded_to_a_whole_number() {
        let text = "[[param]]\nname = \"A\"\nmin = 0.2\nmax = 2\nstart = 0.75\n\
            optimum = 1.2\nsensitivity = 200\n\
            [[param]]\nname = \"B\"\nmin = 0\nmax = 1\nstart = 0.25\n\
            optimum = 0.25\nsensitivity = 200\n";
        let model = Model::parse(text).unwrap();
        let strength = |kind: ParamKind, value: f64| {
            let param = Param {
                kind,
                ..Param::int("A", value, 0.0, 2.0)
            };
            let space = Space::new(vec![param]).unwrap();
            model.strength(&space).unwrap().elo(&[value])
        };
        let below = |distance: f64| -300.0 * (200.0 * (distance / 1.8).powi(2) / 300.0).ln_1p();
        for (kind, value, played) in [
            (ParamKind::Text { decimals: 3 }, 0.75, 0.75),
            // The value that the engine gets.
            (ParamKind::Text { decimals: 1 }, 0.74, 0.7),
            (ParamKind::Int, 1.7, 2.0),
        ] {
            let elo = strength(kind, value);
            assert!((elo - below(played - 1.2)).abs() < 1e-9, "{value}: {elo}");
        }
    }

    #[test]
    fn parameters_that_are_not_tuned_stay() {
        let model = Model::parse(TWO).unwrap();
        let space = Space::new(vec![Param::int("b", 5.0, 0.0, 10.0)]).unwrap();
        let at_start = model.strength(&space).unwrap().elo(&[5.0]);
        assert_eq!(at_start, model.landscape.elo(&[40.0, 5.0]));
        let other = Space::new(vec![Param::int("C", 5.0, 0.0, 10.0)]).unwrap();
        let error = model.strength(&other).unwrap_err().to_string();
        assert!(error.contains("`C`") && error.contains("A, B"), "{error}");
    }

    #[test]
    fn impossible_models_are_refused() {
        for (text, expected) in [
            (TWO.replace("300.0", "-1.0"), "scale"),
            (TWO.replace("max = 100", "max = 0"), "`A`"),
            (
                TWO.replace("start = 40", "start = 101"),
                "`A`: start 101 is outside 0 to 100",
            ),
            (TWO.replace("\"B\"", "\"a\""), "`a` is named twice"),
            (TWO.replace("sensitivity = 50", "sensitivity = -1"), "`B`"),
            (TWO.replace("0.5, 0.225", "0.9, 0.225"), "sum to 1"),
            (format!("coupling = [[1.0]]\n{TWO}"), "2 rows"),
            (
                format!("coupling = [[1.0, 0.1], [0.2, 1.0]]\n{TWO}"),
                "symmetric",
            ),
            (format!("scales = 1\n{TWO}"), "scales"),
        ] {
            let error = Model::parse(&text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
