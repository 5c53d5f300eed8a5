//! Cases of the golden file, and the results of the comparisons.

use std::collections::BTreeMap;

use hone_stats::SprtConfig;
use serde_json::Value;

/// The inputs of a program, and what it computed from them.
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) model: String,
    pub(crate) kind: String,
    pub(crate) inputs: Value,
    pub(crate) outputs: Value,
}

impl Case {
    pub(crate) fn new(value: Value) -> Self {
        let text = |key: &str| value[key].as_str().expect("a text").to_owned();
        Self {
            id: text("id"),
            model: text("model"),
            kind: text("kind"),
            inputs: value["inputs"].clone(),
            outputs: value["outputs"].clone(),
        }
    }

    pub(crate) fn input(&self, key: &str) -> f64 {
        number(&self.inputs[key]).unwrap_or_else(|| panic!("{}: no number {key}", self.id))
    }

    /// The test of the inputs, in a model.
    pub(crate) fn config(&self, model: &str) -> SprtConfig {
        SprtConfig {
            model: model.parse().expect("a model"),
            elo0: self.input("elo0"),
            elo1: self.input("elo1"),
            alpha: self.input("alpha"),
            beta: self.input("beta"),
            overshoot: false,
        }
    }

    pub(crate) fn counts(&self) -> [u64; 5] {
        let counts = self.inputs["counts_LL_LD_DDWL_WD_WW"]
            .as_array()
            .expect("five counts");
        std::array::from_fn(|i| counts[i].as_u64().expect("a count"))
    }

    pub(crate) fn wins_draws_losses(&self) -> [u64; 3] {
        ["W", "D", "L"].map(|key| self.inputs[key].as_u64().expect("a count"))
    }
}

/// A number; the file writes those that are not finite as text.
pub(crate) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => match text.as_str() {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

/// The allowed difference: the sum of both.
#[derive(Clone, Copy)]
pub(crate) struct Tolerance {
    pub(crate) relative: f64,
    pub(crate) absolute: f64,
}

impl Tolerance {
    pub(crate) fn absolute(absolute: f64) -> Self {
        Self {
            relative: 0.0,
            absolute,
        }
    }
}

pub(crate) const LLR: Tolerance = Tolerance {
    relative: 1e-8,
    absolute: 1e-9,
};
pub(crate) const LLR_ONE_CATEGORY: Tolerance = Tolerance {
    relative: 1e-5,
    absolute: 1e-9,
};
pub(crate) const DISPLAY: Tolerance = Tolerance {
    relative: 1e-9,
    absolute: 1e-9,
};

pub(crate) const SPRT_ESTIMATE: Tolerance = Tolerance {
    relative: 0.0,
    absolute: 1e-6,
};

/// Compares the bounds of the LLR, which are Wald's in every program.
pub(crate) fn compare_bounds(case: &Case, config: &SprtConfig, report: &mut Report) {
    let (lower, upper) = config.bounds();
    for (key, value) in [("lower", lower), ("upper", upper)] {
        let expected = number(&case.outputs[key]).expect(key);
        report.compare(case, key, value, expected, DISPLAY);
    }
}

/// Comparisons by group, and those that failed.
#[derive(Default)]
pub(crate) struct Report {
    passed: BTreeMap<String, usize>,
    excepted: BTreeMap<String, usize>,
    failed: Vec<String>,
}

impl Report {
    /// Compares one number of a case. `None` stands for "not defined", which
    /// agrees with what the reference prints as NaN or infinite; a number does not.
    pub(crate) fn compare(
        &mut self,
        case: &Case,
        what: &str,
        actual: impl Into<Option<f64>>,
        expected: f64,
        tolerance: Tolerance,
    ) {
        let actual = actual.into();
        let agrees = match actual {
            None => !expected.is_finite(),
            Some(actual) => {
                let allowed = tolerance.relative * expected.abs() + tolerance.absolute;
                expected.is_finite() && (actual - expected).abs() <= allowed
            }
        };
        if agrees {
            let group = format!("{} {} {what}", case.kind, case.model);
            *self.passed.entry(group).or_default() += 1;
        } else {
            let inputs = &case.inputs;
            self.failed.push(format!(
                "{} {what}: {actual:?} not {expected} {inputs}",
                case.id
            ));
        }
    }

    /// Counts a number that deliberately differs.
    pub(crate) fn except(&mut self, why: &str) {
        *self.excepted.entry(why.to_owned()).or_default() += 1;
    }

    /// The number of values that deliberately differ.
    pub(crate) fn exceptions(&self) -> usize {
        self.excepted.values().sum()
    }

    /// Prints the counts; panics if a comparison failed.
    pub(crate) fn finish(self) {
        for (what, count) in &self.passed {
            println!("{count:5} {what}");
        }
        for (why, count) in &self.excepted {
            println!("{count:5} exceptions: {why}");
        }
        assert!(!self.passed.is_empty(), "nothing was compared");
        assert!(
            self.failed.is_empty(),
            "{} numbers differ:\n{}",
            self.failed.len(),
            self.failed.join("\n")
        );
    }
}
