//! The parameters of a tuning, and the values of the two sides of a pair.

use super::param::Param;

/// Why a set of parameters cannot be tuned.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum SpaceError {
    #[error("parameter `{name}`: {reason}")]
    Param { name: String, reason: String },
    #[error(
        "no parameters to tune: [tune.params] names none, or `group` and `exclude` select none"
    )]
    Empty,
    #[error(
        "parameter `{0}`: its steps would be too large or too small for a number: check \
         `step`, `gain` and [tune.classic]"
    )]
    Steps(String),
    #[error("parameter `{0}` is named twice (UCI ignores upper and lower case in names)")]
    Duplicate(String),
}

/// How values between two grid points are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// To one of the two neighbours at random, both sides by the same draw:
    /// the expectation is exact and the difference of the sides is kept.
    Shared,
    /// To the nearest, ties to even (weather-factory).
    Nearest,
}

/// Values that a method proposes for the two sides, before clipping and rounding.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    pub plus: Vec<f64>,
    pub minus: Vec<f64>,
}

impl Proposal {
    /// The two sides at `centre` plus and minus the `offset` of each parameter, by index.
    pub(super) fn around(centre: &[f64], offset: impl Fn(usize) -> f64) -> Self {
        let sides = centre.iter().enumerate().map(|(index, value)| {
            let offset = offset(index);
            (value + offset, value - offset)
        });
        let (plus, minus) = sides.unzip();
        Self { plus, minus }
    }
}

/// Values that the two sides play with.
#[derive(Debug, Clone, PartialEq)]
pub struct SideValues {
    pub plus: Vec<f64>,
    pub minus: Vec<f64>,
}

/// A checked, non-empty set of parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    params: Vec<Param>,
}

impl Space {
    /// # Errors
    /// If the list is empty, a parameter is impossible, or a name is used twice.
    pub fn new(params: Vec<Param>) -> Result<Self, SpaceError> {
        if params.is_empty() {
            return Err(SpaceError::Empty);
        }
        for (index, param) in params.iter().enumerate() {
            param.check()?;
            let is_same = |other: &Param| other.name.eq_ignore_ascii_case(&param.name);
            if params[..index].iter().any(is_same) {
                return Err(SpaceError::Duplicate(param.name.clone()));
            }
        }
        Ok(Self { params })
    }

    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// Number of parameters.
    pub fn dimension(&self) -> usize {
        self.params.len()
    }

    /// The values that the run starts from.
    pub fn start(&self) -> Vec<f64> {
        self.params.iter().map(|param| param.start).collect()
    }

    /// The nearest values that the engine can have.
    pub fn nearest(&self, values: &[f64]) -> Vec<f64> {
        let pairs = self.params.iter().zip(values);
        pairs.map(|(param, &value)| param.nearest(value)).collect()
    }

    /// Keeps every value in its range.
    pub fn clip(&self, values: &mut [f64]) {
        for (param, value) in self.params.iter().zip(values) {
            *value = value.clamp(param.min, param.max);
        }
    }

    /// The options of an engine with these values.
    pub fn options(&self, values: &[f64]) -> Vec<(String, String)> {
        let pairs = self.params.iter().zip(values);
        pairs
            .map(|(param, &value)| (param.name.clone(), param.text(value)))
            .collect()
    }

    /// The values that the two sides play with: clipped to the ranges and rounded to
    /// values that the engine can have. `draws` has one number in `[0, 1)` for each
    /// parameter. The sides are never equal: if rounding or clipping made them equal,
    /// the parameter with the largest proposed difference, in grid points, is moved by
    /// one.
    pub(crate) fn realise(
        &self,
        proposal: &Proposal,
        rounding: Rounding,
        draws: &[f64],
    ) -> SideValues {
        let side = |values: &[f64]| -> Vec<f64> {
            let values = self.params.iter().zip(values).zip(draws);
            values
                .map(|((param, &value), &draw)| {
                    let value = value.clamp(param.min, param.max);
                    match rounding {
                        Rounding::Shared => param.round_by(value, draw),
                        Rounding::Nearest => param.nearest(value),
                    }
                })
                .collect()
        };
        let mut played = SideValues {
            plus: side(&proposal.plus),
            minus: side(&proposal.minus),
        };
        if played.plus == played.minus {
            self.separate(proposal, &mut played);
        }
        played
    }

    fn separate(&self, proposal: &Proposal, played: &mut SideValues) {
        let points = |index: usize| {
            let difference = proposal.plus[index] - proposal.minus[index];
            difference / self.params[index].quantum()
        };
        let widest = (0..self.dimension())
            .max_by(|&a, &b| points(a).abs().total_cmp(&points(b).abs()))
            .unwrap_or(0);
        let param = &self.params[widest];
        let step = param.quantum().copysign(points(widest));
        let moved = param.nearest(played.plus[widest] + step);
        if moved == played.plus[widest] {
            played.minus[widest] = param.nearest(played.minus[widest] - step);
        } else {
            played.plus[widest] = moved;
        }
    }

    /// Names of the parameters whose value has reached the end of its range.
    pub fn at_bound(&self, values: &[f64]) -> Vec<&str> {
        let pairs = self.params.iter().zip(self.nearest(values));
        pairs
            .filter(|(param, value)| param.is_at_bound(*value))
            .map(|(param, _)| param.name.as_str())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::param::ParamKind;
    use super::*;

    fn params() -> impl Strategy<Value = Param> {
        (-500i32..500, 1i32..2000, 0.0..=1.0f64, 0u8..3).prop_map(|(min, range, at, kind)| {
            let (min, range) = (f64::from(min), f64::from(range));
            let kind = match kind {
                0 => ParamKind::Int,
                1 => ParamKind::Scaled { factor: 10.0 },
                _ => ParamKind::Text { decimals: 2 },
            };
            let mut param = Param::int("", min, min, min + range);
            param.kind = kind;
            param.start = param.nearest(min + at * range);
            param
        })
    }

    proptest! {
        #[test]
        fn sides_are_inside_on_the_grid_and_never_equal(
            list in prop::collection::vec((params(), 0.0..0.3f64, any::<bool>(), 0.0..1.0f64), 1..8),
        ) {
            let named: Vec<Param> = list.iter().enumerate().map(|(index, (param, ..))| {
                Param { name: format!("P{index}"), ..param.clone() }
            }).collect();
            let space = Space::new(named).unwrap();
            let offset = |sign: f64| list.iter().map(|(param, width, flip, _)| {
                let width = if *flip { *width } else { -*width };
                param.start + sign * width * param.range()
            }).collect::<Vec<_>>();
            let draws: Vec<f64> = list.iter().map(|(.., draw)| *draw).collect();
            let proposal = Proposal { plus: offset(1.0), minus: offset(-1.0) };
            for rounding in [Rounding::Shared, Rounding::Nearest] {
                let played = space.realise(&proposal, rounding, &draws);
                prop_assert_ne!(&played.plus, &played.minus);
                for side in [&played.plus, &played.minus] {
                    for (param, &value) in space.params().iter().zip(side) {
                        prop_assert!(value >= param.min && value <= param.max);
                        let points = value / param.quantum();
                        prop_assert!((points - points.round()).abs() < 1e-6);
                    }
                }
            }
        }
    }

    #[test]
    fn the_shared_draw_keeps_the_difference_of_the_sides() {
        let space = Space::new(vec![Param::int("A", 50.0, 0.0, 100.0)]).unwrap();
        for draw in 0..100 {
            let proposal = Proposal {
                plus: vec![52.7],
                minus: vec![47.7],
            };
            let draws = [f64::from(draw) / 100.0];
            let played = space.realise(&proposal, Rounding::Shared, &draws);
            assert_eq!(played.plus[0] - played.minus[0], 5.0);
        }
    }

    #[test]
    fn names_the_parameters_at_a_bound() {
        let space = Space::new(vec![
            Param::int("A", 50.0, 0.0, 100.0),
            Param::int("B", 50.0, 0.0, 100.0),
        ])
        .unwrap();
        assert_eq!(space.at_bound(&[99.7, 50.0]), ["A"]);
        let check = Param {
            kind: ParamKind::Check,
            ..Param::int("C", 0.0, 0.0, 1.0)
        };
        let space = Space::new(vec![check]).unwrap();
        assert!(space.at_bound(&[1.0]).is_empty());
    }

    #[test]
    fn duplicate_names_are_refused() {
        for name in ["A", "a"] {
            let twice = vec![
                Param::int("A", 1.0, 0.0, 2.0),
                Param::int(name, 1.0, 0.0, 2.0),
            ];
            assert_eq!(
                Space::new(twice),
                Err(SpaceError::Duplicate(name.to_owned()))
            );
        }
        assert_eq!(Space::new(vec![]), Err(SpaceError::Empty));
    }
}
