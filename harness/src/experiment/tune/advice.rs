//! What a run would do and what its budget can find, before it is played.
//!
//! Theory of SPSA on a quadratic (constant gain, verified by simulation in
//! `docs/tuning.md`): with gain `r`, a parameter that loses `eps` Elo one
//! perturbation away from its optimum approaches it with an e-folding of
//! `C / (8 r eps)` pairs, `C = 800 / ln 10`.

use super::method::SpsaSettings;
use super::section::{MethodName, TuneSection};
use super::space::Space;

/// Wins minus losses of a pair have this variance (the benchmark's pairs).
const PAIR_VARIANCE: f64 = 0.65;
/// `800 / ln 10`.
const C: f64 = 347.435_585_522_601_46;

/// The schedule of one parameter, in its own units.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ParamPlan {
    pub name: String,
    pub start: f64,
    pub min: f64,
    pub max: f64,
    /// Half the distance of the sides in the first and in the last batch.
    pub perturbation: [f64; 2],
    /// How far pure noise carries the value over the run (standard deviation).
    pub drift: f64,
}

/// What a run would do.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Advice {
    pub params: Vec<ParamPlan>,
    /// A parameter that loses less Elo than this one mean perturbation away
    /// from its optimum comes less than two thirds of the way to it. Known for
    /// the self-configuring methods.
    pub detectable: Option<f64>,
    pub warnings: Vec<String>,
}

/// Works out what the section would do in a space.
pub(crate) fn advise(section: &TuneSection, space: &Space) -> Advice {
    let budget = section.budget();
    let played = budget.batches * budget.pairs;
    let perturbation = perturbations(section, space);
    let gain = match section.method {
        MethodName::Spsa => Some((section.spsa.gain, section.spsa.gain_end)),
        MethodName::Adaptive => Some((section.adaptive.gain, 0.0)),
        _ => None,
    };
    let params = space.params().iter().zip(&perturbation);
    let params = params
        .map(|(param, &perturbation)| {
            let width = 0.5 * (perturbation[0] + perturbation[1]);
            // The sum of r^2 over a gain that falls linearly from g to e over
            // sqrt(pairs) is (g^2 + g e + e^2) / 3.
            let drift = match gain {
                Some((g, e)) => width * (PAIR_VARIANCE * (g * g + g * e + e * e) / 3.0).sqrt(),
                None => classic_drift(section, param.gain, perturbation[1], played),
            };
            ParamPlan {
                name: param.name.clone(),
                start: param.start,
                min: param.min,
                max: param.max,
                perturbation,
                drift,
            }
        })
        .collect();
    let detectable = gain.map(|(g, e)| C / (8.0 * 0.5 * (g + e) * (played as f64).sqrt()));
    Advice {
        warnings: warnings(section, space, detectable),
        params,
        detectable,
    }
}

/// First and last perturbation of each parameter, as the method asks for them.
fn perturbations(section: &TuneSection, space: &Space) -> Vec<[f64; 2]> {
    let signs = vec![1.0; space.dimension()];
    let last = section.budget().batches.saturating_sub(1);
    let mut method = section.method(space);
    let mut at = |batch| {
        let proposal = method.propose(batch, &signs);
        let sides = proposal.plus.iter().zip(&proposal.minus);
        sides
            .map(|(plus, minus)| 0.5 * (plus - minus))
            .collect::<Vec<f64>>()
    };
    let first = at(0);
    let last = at(last);
    first.into_iter().zip(last).map(|(a, b)| [a, b]).collect()
}

/// A classic rule's gain ends at `R_end` and was larger before by at most a
/// factor of two over most of the run: the drift under the final gain.
fn classic_drift(section: &TuneSection, own: Option<f64>, width: f64, pairs: u64) -> f64 {
    let customary = if section.method == MethodName::WeatherFactory {
        return f64::NAN;
    } else {
        0.002
    };
    let gain = own.or(section.classic.gain).unwrap_or(customary);
    gain * width * (PAIR_VARIANCE * pairs as f64).sqrt()
}

fn warnings(section: &TuneSection, space: &Space, detectable: Option<f64>) -> Vec<String> {
    let mut warnings = vec![];
    let budget = section.budget();
    if let Some(elo) = detectable
        && elo > 2.0
    {
        warnings.push(format!(
            "the budget is small: {} games find about 10 Elo in few parameters; a parameter that \
             loses less than {elo:.1} Elo one perturbation away hardly moves. Give it more pairs \
             or fewer parameters",
            2 * section.pairs()
        ));
    }
    if budget.batches < 100 {
        warnings.push(format!(
            "only {} batches: take a smaller `batch`, each teaches one direction",
            budget.batches
        ));
    }
    if section.window > section.pairs() / 10 {
        warnings.push(format!(
            "window = {} is more than a tenth of the budget: values follow results late",
            section.window
        ));
    }
    for param in space.params() {
        if param.range() < 4.0 * param.quantum() {
            warnings.push(format!(
                "{} has {:.0} values only: its perturbation is the whole range",
                param.name,
                param.range() / param.quantum() + 1.0
            ));
        }
        if param.start <= param.min || param.start >= param.max {
            warnings.push(format!("{} starts at an end of its range", param.name));
        }
    }
    if let (MethodName::Spsa, SpsaSettings { width_start, .. }) = (section.method, &section.spsa)
        && *width_start < 0.1
    {
        warnings.push(format!(
            "width_start = {width_start} is narrow: what a pair teaches grows with its square"
        ));
    }
    let method = section.method.name();
    warnings.extend(
        section
            .unused_constants()
            .map(|table| format!("[tune.{table}] has no effect: the method is `{method}`")),
    );
    warnings
}

#[cfg(test)]
mod tests {
    use super::super::param::Param;
    use super::*;

    fn section(text: &str) -> TuneSection {
        toml::from_str(text).unwrap()
    }

    fn space() -> Space {
        Space::new(vec![Param::int("A", 50.0, 0.0, 100.0)]).unwrap()
    }

    #[test]
    fn the_schedule_is_the_methods() {
        let advice = advise(&section("pairs = 10000\n"), &space());
        let [first, last] = advice.params[0].perturbation;
        assert!((first - 30.0).abs() < 1e-9, "{first}");
        assert!((last - 10.0).abs() < 0.2, "{last}");
        // 0.9 * sqrt(0.65 / 3) * 20
        let drift = advice.params[0].drift;
        assert!((drift - 8.38).abs() < 0.1, "{drift}");
        assert!(advice.warnings.is_empty(), "{:?}", advice.warnings);
    }

    #[test]
    fn a_larger_budget_finds_less() {
        let detectable = |text: &str| advise(&section(text), &space()).detectable.unwrap();
        let small = detectable("pairs = 3200\n");
        let large = detectable("pairs = 51200\n");
        assert!((small / large - 4.0).abs() < 1e-9);
        assert!(
            advise(&section("method = \"openbench\"\n"), &space())
                .detectable
                .is_none()
        );
    }

    #[test]
    fn warns_where_the_budget_cannot_find_anything() {
        let says = |text: &str, what: &str| {
            let warnings = advise(&section(text), &space()).warnings;
            assert!(
                warnings.iter().any(|warning| warning.contains(what)),
                "{warnings:?}"
            );
        };
        says("pairs = 200\n", "budget is small");
        says("pairs = 200\n", "batches");
        says("pairs = 200\n", "window");
        says("[spsa]\nwidth_start = 0.05\n", "narrow");
    }

    #[test]
    fn warns_of_constants_of_another_method() {
        let tables = "[spsa]\ngain = 0.8\n[adaptive]\nreach = 0.7\n[classic]\nalpha = 0.6\n";
        for (method, unused) in [
            ("spsa", ["adaptive", "classic"].as_slice()),
            ("adaptive", &["spsa", "classic"]),
            ("fishtest", &["spsa", "adaptive"]),
        ] {
            let section = section(&format!("pairs = 10000\nmethod = \"{method}\"\n{tables}"));
            let warnings = advise(&section, &space()).warnings;
            let expected = unused
                .iter()
                .map(|table| format!("[tune.{table}] has no effect: the method is `{method}`"));
            assert_eq!(warnings, expected.collect::<Vec<_>>());
        }
    }
}
