//! `[tune]` of a configuration.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::SpaceError;
use super::budget::Budget;
use super::method::{
    Adaptive, AdaptiveSettings, Classic, ClassicRule, ClassicSettings, Method, Spsa, SpsaSettings,
};
use super::param::{Param, ParamKind};
use super::space::Space;
use crate::SprtSection;
use crate::settings::{
    OpeningsConfig, TimeSpan, amount_option, number_in, positive, positive_option,
};
use hone_uci::rules::Limit;

/// The largest `alpha` and `gamma`; customary are 0.602 and 0.101.
const MAX_EXPONENT: f64 = 10.0;

/// The name of an update rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MethodName {
    /// SPSA that sets itself up from ranges and budget.
    #[default]
    Spsa,
    /// The same with perturbations from a posterior of each parameter.
    Adaptive,
    /// OpenBench's rule.
    Openbench,
    /// fishtest's rule.
    Fishtest,
    /// weather-factory's rule.
    WeatherFactory,
}

impl MethodName {
    /// The name in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spsa => "spsa",
            Self::Adaptive => "adaptive",
            Self::Openbench => "openbench",
            Self::Fishtest => "fishtest",
            Self::WeatherFactory => "weather-factory",
        }
    }

    fn rule(self) -> UpdateRule {
        match self {
            Self::Spsa => UpdateRule::Spsa,
            Self::Adaptive => UpdateRule::Adaptive,
            Self::Openbench => UpdateRule::Classic(ClassicRule::OpenBench),
            Self::Fishtest => UpdateRule::Classic(ClassicRule::Fishtest),
            Self::WeatherFactory => UpdateRule::Classic(ClassicRule::WeatherFactory),
        }
    }

    /// Whether the perturbations and gains of all batches are known before the run.
    pub(super) fn is_scheduled(self) -> bool {
        match self.rule() {
            UpdateRule::Spsa | UpdateRule::Classic(_) => true,
            UpdateRule::Adaptive => false,
        }
    }
}

/// The update rule of a method.
enum UpdateRule {
    Spsa,
    Adaptive,
    Classic(ClassicRule),
}

/// What is tuned, how, and for how long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TuneSection {
    pub method: MethodName,
    /// The budget; see [`TuneSection::pairs`].
    #[serde(deserialize_with = "positive_option", skip_serializing_if = "Option::is_none")]
    pub pairs: Option<u64>,
    /// Without `pairs`, the budget is what can be played in this time. In any
    /// case tuning ends after this time: the values are then those of an
    /// unfinished run, which can be resumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_time: Option<TimeSpan>,
    /// Pairs played with the same perturbation.
    #[serde(deserialize_with = "positive")]
    pub batch: u64,
    /// A batch is planned from pairs that lie at least this far before its
    /// first one, which limits the pairs in flight; see
    /// [`Budget::most_in_flight`]. It does not depend on the concurrency, so the
    /// tuned values do not either.
    #[serde(deserialize_with = "positive")]
    pub window: u64,
    /// Seed of perturbations and rounding; by default that of `[match]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// A list of parameters of OpenBench, fishtest or weather-factory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub import: Option<PathBuf>,
    /// Patterns of names to tune (`Qs*`): of the import, or of the engine's
    /// own spin options.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub group: Vec<String>,
    /// Patterns of names not to tune.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    pub spsa: SpsaSettings,
    #[serde(deserialize_with = "adaptive")]
    pub adaptive: AdaptiveSettings,
    pub classic: ClassicSection,
    /// Parameters by name.
    pub params: BTreeMap<String, ParamSection>,
    /// A sequential test of the tuned values against the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify: Option<VerifySection>,
}

impl Default for TuneSection {
    fn default() -> Self {
        Self {
            method: MethodName::default(),
            pairs: None,
            max_time: None,
            batch: 8,
            window: 32,
            seed: None,
            import: None,
            group: vec![],
            exclude: vec![],
            spsa: SpsaSettings::default(),
            adaptive: AdaptiveSettings::default(),
            classic: ClassicSection::default(),
            params: BTreeMap::new(),
            verify: None,
        }
    }
}

fn adaptive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<AdaptiveSettings, D::Error> {
    let settings = AdaptiveSettings::deserialize(deserializer)?;
    let (least, greatest) = (settings.width_min, settings.width_max);
    if least > greatest {
        return Err(D::Error::custom(format!(
            "width_min {least} must not be above width_max {greatest}"
        )));
    }
    Ok(settings)
}

/// An exponent from 0 to [`MAX_EXPONENT`]: powers of larger ones overflow, and all values would
/// be NaN.
fn exponent<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let is_allowed = |exponent: f64| (0.0..=MAX_EXPONENT).contains(&exponent);
    let allowed = format!("a number from 0 to {MAX_EXPONENT}");
    number_in(deserializer, is_allowed, &allowed).map(Some)
}

/// Constants of the classic rules that differ from the customary ones.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClassicSection {
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "exponent")]
    pub alpha: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "exponent")]
    pub gamma: Option<f64>,
    /// `A_ratio` (OpenBench, fishtest) or `A` in games (weather-factory).
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount_option")]
    pub stability: Option<f64>,
    /// `R_end` (OpenBench, fishtest) or `a` (weather-factory).
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount_option")]
    pub gain: Option<f64>,
    /// Factor on the parameters' steps.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount_option")]
    pub width: Option<f64>,
}

impl ClassicSection {
    fn over(&self, customary: ClassicSettings) -> ClassicSettings {
        ClassicSettings {
            alpha: self.alpha.unwrap_or(customary.alpha),
            gamma: self.gamma.unwrap_or(customary.gamma),
            stability: self.stability.unwrap_or(customary.stability),
            gain: self.gain.unwrap_or(customary.gain),
            width: self.width.unwrap_or(customary.width),
        }
    }
}

impl From<ClassicSettings> for ClassicSection {
    fn from(settings: ClassicSettings) -> Self {
        let ClassicSettings {
            alpha,
            gamma,
            stability,
            gain,
            width,
        } = settings;
        Self {
            alpha: Some(alpha),
            gamma: Some(gamma),
            stability: Some(stability),
            gain: Some(gain),
            width: Some(width),
        }
    }
}

/// What a configuration sets for one parameter; the engine declares the rest.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ParamSection {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Final perturbation of the classic rules; a twentieth of the range by
    /// default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// Final gain of the classic rules.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount_option")]
    pub gain: Option<f64>,
    /// The engine takes `value * factor`, rounded, as a spin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factor: Option<f64>,
    /// The engine takes the value as text with this number of decimals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decimals: Option<u32>,
    /// Choices of a combo in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<String>>,
    /// The option is a check: 0 is false, 1 is true. A configuration sets it to true or not
    /// at all.
    #[serde(skip_serializing_if = "std::ops::Not::not", deserialize_with = "only_true")]
    pub check: bool,
}

/// `true`. The other value would have no effect on an option that is a check.
fn only_true<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    if bool::deserialize(deserializer)? {
        Ok(true)
    } else {
        Err(D::Error::custom(
            "only `true` is allowed: leave out `check`, or set `start` to 0 or 1",
        ))
    }
}

impl ParamSection {
    /// The first word of a text that is a key which it sets.
    pub(super) fn key_in<'a>(&self, text: &'a str) -> Option<&'a str> {
        let set = toml::Table::try_from(self).ok()?;
        text.split(|c: char| !c.is_ascii_alphanumeric())
            .find(|word| set.contains_key(*word))
    }

    /// The complete description of a parameter.
    pub fn of(param: &Param) -> Self {
        let mut section = Self {
            start: Some(param.start),
            min: Some(param.min),
            max: Some(param.max),
            step: Some(param.step),
            gain: param.gain,
            ..Self::default()
        };
        match &param.kind {
            ParamKind::Int => {}
            ParamKind::Scaled { factor } => section.factor = Some(*factor),
            ParamKind::Text { decimals } => section.decimals = Some(*decimals),
            ParamKind::Check => section.check = true,
            ParamKind::Combo { choices } => section.choices = Some(choices.clone()),
        }
        section
    }
}

/// `[tune.verify]`: the test, and its differences from `[match]`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VerifySection {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openings: Option<OpeningsConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Bounds, error rates, model and budget, as in `[sprt]`.
    pub sprt: SprtSection,
}

impl TuneSection {
    /// The budget: what is configured, or 10,000 pairs.
    pub fn pairs(&self) -> u64 {
        self.pairs.unwrap_or(10_000)
    }

    /// The size of the run.
    pub fn budget(&self) -> Budget {
        Budget {
            pairs: self.pairs(),
            batch: self.batch,
            window: self.window,
        }
    }

    /// The tables of constants that differ from the defaults and belong to other methods.
    pub(super) fn unused_constants(&self) -> impl Iterator<Item = &'static str> {
        let used = match self.method.rule() {
            UpdateRule::Spsa => "spsa",
            UpdateRule::Adaptive => "adaptive",
            UpdateRule::Classic(_) => "classic",
        };
        let tables = [
            ("spsa", self.spsa != SpsaSettings::default()),
            ("adaptive", self.adaptive != AdaptiveSettings::default()),
            ("classic", self.classic != ClassicSection::default()),
        ];
        let unused = move |&(table, given): &(&str, bool)| given && table != used;
        tables.into_iter().filter(unused).map(|(table, _)| table)
    }

    /// The update rule, set up for `space`.
    pub fn method(&self, space: &Space) -> Box<dyn Method> {
        let (budget, space) = (self.budget(), space.clone());
        match self.method.rule() {
            UpdateRule::Spsa => Box::new(Spsa::new(self.spsa.clone(), space, budget)),
            UpdateRule::Adaptive => Box::new(Adaptive::new(self.adaptive.clone(), space, budget)),
            UpdateRule::Classic(rule) => Box::new(self.classic_method(rule, space)),
        }
    }

    fn classic_method(&self, rule: ClassicRule, space: Space) -> Classic {
        let settings = self.classic.over(self.customary(rule));
        Classic::new(rule, settings, space, self.budget())
    }

    fn customary(&self, rule: ClassicRule) -> ClassicSettings {
        ClassicSettings::customary(rule, 2 * self.pairs())
    }

    /// Sets the budget and all constants of the method that are not set, so that the section
    /// describes the run without defaults.
    pub fn complete(&mut self) {
        self.pairs = Some(self.pairs());
        if let UpdateRule::Classic(rule) = self.method.rule() {
            self.classic = self.classic.over(self.customary(rule)).into();
        }
    }

    /// Of `openbench` and `fishtest`: the factor on the steps, and the final gain (`R_end`) of
    /// a parameter that does not have its own. Of other methods the customary ones.
    pub fn final_constants(&self) -> (f64, f64) {
        let settings = match self.method.rule() {
            UpdateRule::Classic(rule @ (ClassicRule::OpenBench | ClassicRule::Fishtest)) => {
                self.classic.over(self.customary(rule))
            }
            UpdateRule::Spsa
            | UpdateRule::Adaptive
            | UpdateRule::Classic(ClassicRule::WeatherFactory) => {
                self.customary(ClassicRule::OpenBench)
            }
        };
        (settings.width, settings.gain)
    }

    /// Whether the gain of a classic rule is set, and not to the customary one.
    pub(super) fn sets_classic_gain(&self) -> bool {
        let UpdateRule::Classic(rule) = self.method.rule() else {
            return false;
        };
        let is_other = |gain| gain != self.customary(rule).gain;
        self.classic.gain.is_some_and(is_other)
    }

    /// # Errors
    /// If the constants of a classic rule overflow: all values would be NaN.
    pub(super) fn check_steps(&self, space: &Space) -> Result<(), SpaceError> {
        let UpdateRule::Classic(rule) = self.method.rule() else {
            return Ok(());
        };
        match self.classic_method(rule, space.clone()).overflowing() {
            Some(name) => Err(SpaceError::Steps(name.to_owned())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Later versions may have other defaults.
    #[test]
    fn a_complete_section_leaves_no_constant_of_its_method_to_defaults() {
        let space = Space::new(vec![Param::int("A", 50.0, 0.0, 100.0)]).unwrap();
        for (method, stability) in [
            ("openbench", 0.1),
            ("fishtest", 0.1),
            ("weather-factory", 800.0),
        ] {
            let text = format!("method = \"{method}\"\npairs = 4000\n[classic]\nalpha = 0.5\n");
            let section: TuneSection = toml::from_str(&text).unwrap();
            let mut complete = section.clone();
            complete.complete();
            let classic = toml::Table::try_from(complete.classic).unwrap();
            assert_eq!(classic.len(), 5, "{classic}");
            assert_eq!(classic["alpha"].as_float(), Some(0.5));
            assert_eq!(classic["stability"].as_float(), Some(stability));
            for batch in [0, 100, 499] {
                let [before, after] =
                    [&section, &complete].map(|section| section.method(&space).gain(0, batch));
                assert_eq!(before, after, "{method}");
            }
            assert!(!complete.sets_classic_gain());
        }
        let mut spsa = TuneSection::default();
        spsa.complete();
        assert_eq!(
            (spsa.pairs, spsa.classic),
            (Some(10_000), ClassicSection::default())
        );
    }

    #[test]
    fn the_final_constants_are_those_of_the_run() {
        for (method, expected) in [
            ("openbench", (2.0, 0.05)),
            ("fishtest", (2.0, 0.05)),
            ("weather-factory", (1.0, 0.002)),
            ("spsa", (1.0, 0.002)),
        ] {
            let text = format!("method = \"{method}\"\n[classic]\ngain = 0.05\nwidth = 2\n");
            let section: TuneSection = toml::from_str(&text).unwrap();
            assert_eq!(section.final_constants(), expected, "{method}");
        }
        let customary: TuneSection = toml::from_str("method = \"fishtest\"\n").unwrap();
        assert_eq!(customary.final_constants(), (1.0, 0.002));
    }

    #[test]
    fn a_check_is_true_or_left_out() {
        let read = |text: &str| toml::from_str::<ParamSection>(text);
        assert!(read("check = true").unwrap().check);
        assert!(!read("").unwrap().check);
        let error = read("check = false").unwrap_err().to_string();
        assert!(error.contains("only `true` is allowed"), "{error}");
    }

    #[test]
    fn the_gain_starts_from_the_root_of_the_pairs() {
        let space = Space::new(vec![Param::int("A", 50.0, 0.0, 100.0)]).unwrap();
        for (method, gain) in [("spsa", 0.9), ("adaptive", 1.0)] {
            for (pairs, batch) in [(16, 8), (10, 8), (10, 100)] {
                let text = format!("method = \"{method}\"\npairs = {pairs}\nbatch = {batch}\n");
                let section: TuneSection = toml::from_str(&text).unwrap();
                let first = section.method(&space).gain(0, 0);
                let expected = gain / f64::from(pairs).sqrt();
                assert!((first / expected - 1.0).abs() < 1e-12, "{text}: {first}");
            }
        }
    }
}
