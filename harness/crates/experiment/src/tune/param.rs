//! One tunable parameter: its range, its grid of values and its text.

use std::collections::BTreeSet;

use super::SpaceError;
use hone_base::text::unsigned_zero;

/// How a parameter's value reaches the engine.
#[derive(Debug, Clone, PartialEq)]
pub enum ParamKind {
    /// A spin option.
    Int,
    /// A real number that the engine takes as a spin: the option is
    /// `value * factor`, rounded.
    Scaled { factor: f64 },
    /// A real number that the engine takes as text (a string option) with this
    /// number of decimals.
    Text { decimals: u32 },
    /// A check option; 0 is `false`, 1 is `true`.
    Check,
    /// A combo option whose choices have an order: the value is the index.
    Combo { choices: Vec<String> },
}

/// The customary number of steps in a plausible range.
pub const STEPS: f64 = 20.0;

/// A parameter to tune. Values are in the parameter's own units.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    pub name: String,
    pub kind: ParamKind,
    pub start: f64,
    pub min: f64,
    pub max: f64,
    /// The change that the developer expects to be noticeable: the classic methods'
    /// final perturbation. Range / 20 by default; a smaller one means that the range
    /// is wider than plausible.
    pub step: f64,
    /// The classic methods' final gain (`R_end`), if the import gave one.
    pub gain: Option<f64>,
}

impl Param {
    /// An integer parameter with the customary step of a twentieth of its range.
    pub fn int(name: &str, start: f64, min: f64, max: f64) -> Self {
        Self {
            name: name.to_owned(),
            kind: ParamKind::Int,
            start,
            min,
            max,
            step: (max - min) / STEPS,
            gain: None,
        }
    }

    /// `max - min`.
    pub fn range(&self) -> f64 {
        self.max - self.min
    }

    /// The part of the range that is explored at once: twenty steps, or the range if
    /// that is less. All widths are shares of it.
    pub fn span(&self) -> f64 {
        self.range().min(STEPS * self.step)
    }

    /// The distance between two values that the engine can tell apart.
    pub(crate) fn quantum(&self) -> f64 {
        match &self.kind {
            ParamKind::Int | ParamKind::Check | ParamKind::Combo { .. } => 1.0,
            ParamKind::Scaled { factor } => 1.0 / factor,
            ParamKind::Text { decimals } => 0.1f64.powi(*decimals as i32),
        }
    }

    /// Whether this is a check or a combo, whose range cannot be wider.
    pub fn is_choice(&self) -> bool {
        matches!(self.kind, ParamKind::Check | ParamKind::Combo { .. })
    }

    /// Whether a value is at an end of a range that could be wider.
    pub(crate) fn is_at_bound(&self, value: f64) -> bool {
        !self.is_choice() && (value <= self.min || value >= self.max)
    }

    /// Grid points per unit; exact where `1 / quantum` would not be.
    fn resolution(&self) -> f64 {
        match &self.kind {
            ParamKind::Int | ParamKind::Check | ParamKind::Combo { .. } => 1.0,
            ParamKind::Scaled { factor } => *factor,
            ParamKind::Text { decimals } => 10f64.powi(*decimals as i32),
        }
    }

    /// The grid point below or above `value`, chosen by `draw` in `[0, 1)` so
    /// that the expectation over draws is `value`; then kept in the range.
    pub(crate) fn round_by(&self, value: f64, draw: f64) -> f64 {
        let resolution = self.resolution();
        let point = (value * resolution + draw).floor() / resolution;
        point.clamp(self.min, self.max)
    }

    /// The nearest grid point within the range.
    pub fn nearest(&self, value: f64) -> f64 {
        let resolution = self.resolution();
        ((value * resolution).round_ties_even() / resolution).clamp(self.min, self.max)
    }

    /// Whether a value is one that the engine can have, apart from a rounding error: it may
    /// have been divided by a factor.
    pub(super) fn is_on_grid(&self, value: f64) -> bool {
        let points = value * self.resolution();
        (points - points.round_ties_even()).abs() <= 1e-9 * points.abs().max(1.0)
    }

    /// The number that the engine gets; never a negative zero.
    pub fn engine_number(&self, value: f64) -> f64 {
        match self.kind {
            ParamKind::Scaled { factor } => (value * factor).round() + 0.0,
            _ => value + 0.0,
        }
    }

    /// The option's value as text.
    pub fn text(&self, value: f64) -> String {
        match &self.kind {
            ParamKind::Int | ParamKind::Scaled { .. } => {
                unsigned_zero(format!("{:.0}", self.engine_number(value)))
            }
            ParamKind::Text { decimals } => {
                unsigned_zero(format!("{value:.*}", *decimals as usize))
            }
            ParamKind::Check => (value >= 0.5).to_string(),
            ParamKind::Combo { choices } => {
                let index = (value.round().max(0.0) as usize).min(choices.len() - 1);
                choices[index].clone()
            }
        }
    }

    /// Checks that the parameter is possible.
    ///
    /// # Errors
    /// Names what is wrong with the kind, `min`, `start`, `max`, `step` or `gain`.
    pub fn check(&self) -> Result<(), SpaceError> {
        let fail = |reason: String| {
            Err(SpaceError::Param {
                name: self.name.clone(),
                reason,
            })
        };
        // Before the bounds: a wrong factor would make them infinite.
        self.check_kind().or_else(fail)?;
        let finite = [self.start, self.min, self.max, self.step]
            .iter()
            .all(|number| number.is_finite());
        if !finite {
            return fail("start, min, max and step must be finite numbers".to_owned());
        }
        if self.min >= self.max {
            return fail(format!(
                "min {} must be below max {}; give it a range to tune in",
                self.min, self.max
            ));
        }
        if self.start < self.min || self.start > self.max {
            return fail(format!(
                "start {} is outside {} to {}",
                self.start, self.min, self.max
            ));
        }
        if self.step <= 0.0 {
            return fail(format!("step {} must be above 0", self.step));
        }
        if let Some(gain) = self.gain.filter(|gain| !(gain.is_finite() && *gain >= 0.0)) {
            return fail(format!(
                "gain (R_end) {gain} must be a finite number of at least 0"
            ));
        }
        self.check_grid().or_else(fail)
    }

    fn check_kind(&self) -> Result<(), String> {
        match &self.kind {
            ParamKind::Scaled { factor } if !(factor.is_finite() && *factor > 0.0) => {
                Err(format!("factor {factor} must be above 0"))
            }
            ParamKind::Text { decimals } if *decimals > 9 => {
                Err(format!("decimals {decimals} must be at most 9"))
            }
            ParamKind::Check if self.min != 0.0 || self.max != 1.0 => {
                Err("a check option's range is 0 to 1".to_owned())
            }
            ParamKind::Combo { choices } if choices.len() as f64 <= self.max || self.min < 0.0 => {
                Err(format!(
                    "a combo's range is 0 to {}",
                    choices.len().saturating_sub(1)
                ))
            }
            ParamKind::Combo { choices } => match repeated(choices) {
                Some(choice) => Err(format!(
                    "`choices` contain `{choice}` twice (UCI ignores upper and lower case)"
                )),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Values are kept in the range after they are rounded: a bound between two
    /// grid points would be rounded again as text, to beyond the range or to the
    /// value of the other side.
    fn check_grid(&self) -> Result<(), String> {
        let resolution = self.resolution();
        for (what, bound) in [("min", self.min), ("max", self.max)] {
            let points = bound * resolution;
            if !points.is_finite() {
                return Err(format!("{what} {bound} is too large for the engine"));
            }
            if !self.is_on_grid(bound) {
                let nearest = points.round_ties_even();
                let grid = match &self.kind {
                    ParamKind::Text { decimals } => format!("a number with {decimals} decimals"),
                    ParamKind::Scaled { factor } => format!("a whole number divided by {factor}"),
                    _ => "a whole number".to_owned(),
                };
                return Err(format!(
                    "{what} {bound} must be {grid}; the nearest is {}",
                    nearest / resolution + 0.0
                ));
            }
        }
        Ok(())
    }
}

/// The first choice that differs from an earlier one in case at most.
fn repeated(choices: &[String]) -> Option<&str> {
    let mut before = BTreeSet::new();
    let mut choices = choices.iter().map(String::as_str);
    choices.find(|choice| !before.insert(choice.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_by_kind() {
        let mut param = Param::int("A", 5.0, 0.0, 10.0);
        assert_eq!(param.text(7.0), "7");
        assert_eq!(param.text(-0.0), "0");
        param.kind = ParamKind::Scaled { factor: 100.0 };
        assert_eq!(param.text(0.57), "57");
        param.kind = ParamKind::Text { decimals: 3 };
        assert_eq!(param.text(0.57), "0.570");
        assert_eq!(param.text(-0.0), "0.000");
        assert_eq!(param.text(-0.0004), "0.000");
        assert_eq!(param.text(-0.5), "-0.500");
        param.kind = ParamKind::Check;
        assert_eq!(param.text(1.0), "true");
        param.kind = ParamKind::Combo {
            choices: vec!["Small".into(), "Large".into()],
        };
        assert_eq!(param.text(1.0), "Large");
    }

    #[test]
    fn a_small_step_narrows_what_is_explored_at_once() {
        let wide = Param::int("A", 200.0, 0.0, 4000.0);
        assert_eq!(wide.span(), 4000.0);
        assert_eq!(
            Param {
                step: 20.0,
                ..wide.clone()
            }
            .span(),
            400.0
        );
        assert_eq!(
            Param {
                step: 900.0,
                ..wide
            }
            .span(),
            4000.0
        );
    }

    #[test]
    fn rounding_by_draw_is_unbiased_and_stays_inside() {
        let param = Param::int("A", 5.0, 0.0, 10.0);
        let mean = (0..1000)
            .map(|draw| param.round_by(3.3, f64::from(draw) / 1000.0))
            .sum::<f64>()
            / 1000.0;
        assert!((mean - 3.3).abs() < 1e-9, "{mean}");
        assert_eq!(param.round_by(10.4, 0.9), 10.0);
        assert_eq!(param.round_by(-3.0, 0.0), 0.0);
        assert_eq!(param.nearest(3.5), 4.0);
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let good = Param::int("A", 5.0, 0.0, 10.0);
        assert!(good.check().is_ok());
        for bad in [
            Param {
                start: 11.0,
                ..good.clone()
            },
            Param {
                min: 10.0,
                start: 10.0,
                ..good.clone()
            },
            Param {
                step: 0.0,
                ..good.clone()
            },
            Param {
                max: f64::NAN,
                ..good.clone()
            },
            Param {
                kind: ParamKind::Check,
                ..good.clone()
            },
            Param {
                kind: ParamKind::Scaled { factor: 0.0 },
                ..good.clone()
            },
        ] {
            let error = bad.check().unwrap_err().to_string();
            assert!(error.contains("`A`"), "{error}");
        }
    }

    #[test]
    fn a_gain_is_finite_and_not_negative() {
        let with_gain = |gain| Param {
            gain: Some(gain),
            ..Param::int("A", 5.0, 0.0, 10.0)
        };
        assert!(with_gain(0.0).check().is_ok());
        for gain in [-0.002, f64::NAN, f64::INFINITY] {
            let error = with_gain(gain).check().unwrap_err().to_string();
            assert!(error.contains(&format!("gain (R_end) {gain}")), "{error}");
        }
    }

    #[test]
    fn bounds_are_values_that_the_engine_can_have() {
        let check = |kind, min, max| {
            let param = Param {
                kind,
                ..Param::int("A", min, min, max)
            };
            param.check().map_err(|error| error.to_string())
        };
        let text = || ParamKind::Text { decimals: 2 };
        let scaled = |factor| ParamKind::Scaled { factor };
        for (kind, min, max, expected) in [
            (
                ParamKind::Int,
                0.1,
                4.0,
                "min 0.1 must be a whole number; the nearest is 0",
            ),
            (
                ParamKind::Int,
                0.0,
                1.6,
                "max 1.6 must be a whole number; the nearest is 2",
            ),
            (
                text(),
                -0.001,
                1.0,
                "min -0.001 must be a number with 2 decimals; the nearest is 0",
            ),
            (
                scaled(100.0),
                0.0,
                0.337,
                "divided by 100; the nearest is 0.34",
            ),
            (
                scaled(1e308),
                0.0,
                100.0,
                "max 100 is too large for the engine",
            ),
        ] {
            let error = check(kind, min, max).unwrap_err();
            assert!(error.ends_with(expected), "{error}");
        }
        assert_eq!(check(text(), 0.07, 1.13), Ok(()));
        assert_eq!(check(scaled(3.0), -1000.0 / 3.0, 7.0 / 3.0), Ok(()));
    }
}
