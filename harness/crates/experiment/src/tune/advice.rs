//! The plan of a run and what its budget can find, before it is played.
//!
//! Theory of SPSA on a quadratic (verified by simulation in `docs/tuning.md`):
//! a pair moves a value by `r c (wins - losses)`, with `r` the gain and `c` the
//! perturbation. A parameter that loses `eps` Elo one mean perturbation `m` away
//! from its optimum then comes nearer to it by `8 r eps (c / m)^2 / C` of the
//! distance in each pair, `C = 800 / ln 10`. Noise moves it by `r c sqrt(0.65)`.

use super::method::{Method, SpsaSettings, USUAL_VARIANCE};
use super::param::{Param, ParamKind};
use super::section::{MethodName, TuneSection};
use super::space::Space;
use hone_stats::elo::NELO_PER_SIGMA;

/// The schedule of one parameter, in its own units.
#[derive(Debug, Clone, PartialEq)]
pub struct ParamPlan {
    pub name: String,
    pub start: f64,
    pub min: f64,
    pub max: f64,
    /// Half the distance of the sides in the first batch.
    pub first: f64,
    /// The same in the last batch; `None` if it depends on the results.
    pub last: Option<f64>,
    /// How far pure noise moves the value over the run (standard deviation); `None` if
    /// that depends on the results.
    pub drift: Option<f64>,
}

/// The plan of a run, with warnings.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    pub params: Vec<ParamPlan>,
    /// A parameter that costs this much Elo at `distance` from its optimum moves about two
    /// thirds of the way to it; a less important one moves less. The greatest of all
    /// parameters; `None` if no parameter moves.
    pub detectable: Option<f64>,
    pub distance: &'static str,
    pub warnings: Vec<String>,
}

/// The plan of a section's run in a space.
pub fn advise(section: &TuneSection, space: &Space) -> Advice {
    let is_scheduled = section.method.is_scheduled();
    let schedules = schedules(section, space);
    let params = space.params().iter().zip(&schedules);
    let params: Vec<ParamPlan> = params
        .map(|(param, schedule)| ParamPlan {
            name: param.name.clone(),
            start: param.start,
            min: param.min,
            max: param.max,
            first: schedule.first,
            last: is_scheduled.then_some(schedule.last),
            drift: is_scheduled.then(|| schedule.variance.sqrt()),
        })
        .collect();
    let mut advice = Advice {
        detectable: schedules
            .iter()
            .filter_map(ParamSchedule::detectable)
            .reduce(f64::max),
        // The adaptive method begins with its greatest.
        distance: if is_scheduled {
            "one mean perturbation"
        } else {
            "the first perturbation"
        },
        params,
        warnings: vec![],
    };
    let mut warnings = budget_warnings(section, &advice);
    warnings.extend(gain_warning(space, &schedules));
    warnings.extend(param_warnings(space, &advice.params));
    warnings.extend(constant_warnings(section, space));
    advice.warnings = warnings;
    advice
}

/// Perturbations and gains of one parameter over the run. The adaptive method is
/// assumed to keep its first perturbation.
#[derive(Debug, Clone, Default)]
struct ParamSchedule {
    first: f64,
    last: f64,
    pairs: f64,
    /// Sum of the perturbations over the pairs.
    widths: f64,
    /// Sum of gain times squared perturbation over the pairs.
    pull: f64,
    /// Variance of the value under pure noise.
    variance: f64,
}

impl ParamSchedule {
    fn add(&mut self, width: f64, gain: f64, pairs: f64) {
        self.pairs += pairs;
        self.widths += width * pairs;
        self.pull += gain * width * width * pairs;
        self.variance += (gain * width).powi(2) * USUAL_VARIANCE * pairs;
    }

    /// Elo lost one mean perturbation away from the optimum by a parameter whose
    /// distance to it falls by the factor e over the run; `None` if it does not move.
    fn detectable(&self) -> Option<f64> {
        let mean = self.widths / self.pairs;
        (self.pull > 0.0).then(|| NELO_PER_SIGMA * mean * mean / (8.0 * self.pull))
    }
}

fn schedules(section: &TuneSection, space: &Space) -> Vec<ParamSchedule> {
    let budget = section.budget();
    let mut method = section.method(space);
    let mut schedules = vec![ParamSchedule::default(); space.dimension()];
    let mut batch = 0;
    while batch < budget.batches() {
        // Schedules are smooth: one batch stands for all within a hundredth of its number.
        let stride = (1 + batch / 100).min(budget.batches() - batch);
        let at = batch + stride / 2;
        let pairs = budget.pairs_before(batch + stride) - budget.pairs_before(batch);
        let widths = perturbations(method.as_mut(), space, at);
        for (index, (schedule, width)) in schedules.iter_mut().zip(widths).enumerate() {
            schedule.add(width, method.gain(index, at), pairs as f64);
        }
        batch += stride;
    }
    let first = perturbations(method.as_mut(), space, 0);
    let last = perturbations(method.as_mut(), space, budget.batches().saturating_sub(1));
    for (schedule, (first, last)) in schedules.iter_mut().zip(first.into_iter().zip(last)) {
        (schedule.first, schedule.last) = (first, last);
    }
    schedules
}

/// The perturbation of each parameter in a batch, before rounding.
fn perturbations(method: &mut dyn Method, space: &Space, batch: u64) -> Vec<f64> {
    let proposal = method.propose(batch, &vec![1.0; space.dimension()]);
    let sides = proposal.plus.iter().zip(&proposal.minus);
    sides.map(|(plus, minus)| 0.5 * (plus - minus)).collect()
}

fn budget_warnings(section: &TuneSection, advice: &Advice) -> Vec<String> {
    let mut warnings = vec![];
    let batches = section.budget().batches();
    if let Some(elo) = advice.detectable.filter(|elo| *elo > 2.0) {
        warnings.push(format!(
            "the budget is small: only parameters that cost at least {elo:.1} Elo at a distance of \
             {} from the optimum move two thirds of the way to it. Raise `pairs`",
            advice.distance
        ));
    }
    if batches < 100 {
        let plural = if batches == 1 { "" } else { "es" };
        warnings.push(format!(
            "only {batches} batch{plural}: lower `batch`, because each batch measures only one direction"
        ));
    }
    if section.window > section.pairs() / 10 {
        warnings.push(format!(
            "window = {} is more than a tenth of the budget: updates use old results. Lower \
             `window` or raise `pairs`",
            section.window
        ));
    }
    warnings
}

/// Names the parameters whose gain is 0.
fn gain_warning(space: &Space, schedules: &[ParamSchedule]) -> Option<String> {
    let params = space.params().iter().zip(schedules);
    let unmoved: Vec<&str> = params
        .filter(|(_, schedule)| schedule.detectable().is_none())
        .map(|(param, _)| param.name.as_str())
        .collect();
    let names = match unmoved.len() {
        0 => return None,
        all if all == space.dimension() => "all parameters".to_owned(),
        _ => unmoved.join(", "),
    };
    Some(format!("the gain of {names} is 0: the values do not move"))
}

fn param_warnings(space: &Space, plans: &[ParamPlan]) -> Vec<String> {
    let mut warnings = vec![];
    // A choice has few values, and its start may be any of them.
    let params = space.params().iter().zip(plans);
    for (param, plan) in params.filter(|(param, _)| !param.is_choice()) {
        let name = &param.name;
        let last = plan.last.unwrap_or(plan.first);
        // Half, with a margin for rounding errors.
        let (least, most) = (0.499_999 * param.quantum(), 0.499_999 * param.range());
        if param.range() < 4.0 * param.quantum() {
            let values = param.range() / param.quantum() + 1.0;
            warnings.push(format!(
                "{name} has only {values:.0} possible values, too few for a gradient"
            ));
        } else if plan.first.max(last) > most {
            warnings.push(format!(
                "{name}: the perturbation is at least half of the range, so one side always plays \
                 at a bound: reduce the perturbation or widen the range"
            ));
        }
        if plan.first.min(last) < least {
            warnings.push(format!(
                "{name}: the perturbation is less than half of the distance of two values that \
                 the engine can have: many pairs do not change it. Take a larger `step`"
            ));
        }
        if param.is_at_bound(param.start) {
            warnings.push(format!("{name} starts at an end of its range"));
        }
        warnings.extend(start_warning(param));
    }
    warnings
}

/// A start between two values that the engine can have.
fn start_warning(param: &Param) -> Option<String> {
    if param.is_on_grid(param.start) {
        return None;
    }
    let Param { name, start, .. } = param;
    let played = param.text(*start);
    Some(match &param.kind {
        ParamKind::Text { .. } => {
            format!("{name}: start {start} is played as {played}: raise `decimals`")
        }
        ParamKind::Scaled { factor } => format!(
            "{name}: start {start} times `factor` {factor} is played as {played}: the engine \
             takes whole numbers"
        ),
        ParamKind::Int | ParamKind::Check | ParamKind::Combo { .. } => {
            format!("{name}: start {start} is played as {played}: the engine takes whole numbers")
        }
    })
}

fn constant_warnings(section: &TuneSection, space: &Space) -> Vec<String> {
    let mut warnings = vec![];
    if let (MethodName::Spsa, SpsaSettings { width_start, .. }) = (section.method, &section.spsa)
        && *width_start < 0.1
    {
        warnings.push(format!(
            "width_start = {width_start} is narrow: the information of a pair grows with the square \
             of the perturbation. Set it to at least 0.1"
        ));
    }
    let method = section.method.name();
    warnings.extend(
        section
            .unused_constants()
            .map(|table| format!("[tune.{table}] has no effect: the method is `{method}`")),
    );
    let has_own_gain = space.params().iter().all(|param| param.gain.is_some());
    if matches!(section.method, MethodName::Openbench | MethodName::Fishtest)
        && section.sets_classic_gain()
        && has_own_gain
    {
        warnings.push(
            "`gain` in [tune.classic] has no effect: every parameter has its own `gain`"
                .to_string(),
        );
    }
    warnings
}

#[cfg(test)]
mod tests {
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
        let plan = &advice.params[0];
        assert!((plan.first - 30.0).abs() < 1e-9, "{plan:?}");
        assert!((plan.last.unwrap() - 10.0).abs() < 0.2, "{plan:?}");
        assert!(advice.warnings.is_empty(), "{:?}", advice.warnings);
    }

    /// The sums over all 250 batches. Over 25 runs with parameters without
    /// effect the values had standard deviations of 206, 10.8, 10.8 and 81.
    #[test]
    fn noise_drifts_as_far_as_all_batches_together() {
        let space = Space::new(vec![Param::int("A", 1000.0, 0.0, 2000.0)]).unwrap();
        let plan = |method: &str| {
            let text = format!("pairs = 2000\nmethod = \"{method}\"\n");
            advise(&section(&text), &space).params.remove(0)
        };
        for (method, expected) in [
            ("spsa", 212.86),
            ("openbench", 11.13),
            ("fishtest", 11.15),
            ("weather-factory", 83.58),
        ] {
            let drift = plan(method).drift.unwrap();
            assert!((drift / expected - 1.0).abs() < 0.01, "{method}: {drift}");
        }
        let adaptive = plan("adaptive");
        assert_eq!((adaptive.last, adaptive.drift), (None, None));
    }

    #[test]
    fn a_larger_budget_finds_smaller_effects() {
        let detectable = |text: &str| advise(&section(text), &space()).detectable.unwrap();
        let small = detectable("pairs = 3200\n");
        let large = detectable("pairs = 51200\n");
        assert!((small / large - 4.0).abs() < 0.05, "{small} {large}");
        // A gain that falls from 0.9 and a perturbation that falls to a third:
        // C / (8 * 0.9 * 0.7083 * sqrt(pairs)).
        assert!((small - 1.204).abs() < 0.02, "{small}");
        let classic = detectable("method = \"openbench\"\npairs = 3200\n");
        assert!(classic > 2.0 * small, "{classic}");
    }

    /// A batch that is larger than the budget is one batch of the whole budget.
    #[test]
    fn pairs_that_are_not_a_multiple_of_the_batch_are_counted_as_they_are() {
        for method in [
            "spsa",
            "adaptive",
            "openbench",
            "fishtest",
            "weather-factory",
        ] {
            let planned = |batch: u64| {
                let text = format!("method = \"{method}\"\npairs = 120\nbatch = {batch}\n");
                let advice = advise(&section(&text), &space());
                let [plan] = &advice.params[..] else {
                    panic!("one parameter");
                };
                (advice.detectable.unwrap(), plan.drift, plan.first)
            };
            assert_eq!(planned(1000), planned(120), "{method}");
        }
        let detectable = |batch: u64| {
            let text = format!("pairs = 120\nbatch = {batch}\n");
            advise(&section(&text), &space()).detectable.unwrap()
        };
        // 119 pairs and one pair are almost one batch of 120.
        let (one, two) = (detectable(120), detectable(119));
        assert!((two / one - 1.0).abs() < 0.02, "{one} {two}");
    }

    #[test]
    fn an_endless_budget_is_described() {
        let advice = advise(&section("pairs = 1000000000000\nbatch = 1\n"), &space());
        let drift = advice.params[0].drift.unwrap();
        assert!((drift - 10.6).abs() < 0.1, "{drift}");
    }

    #[test]
    fn warns_where_the_budget_cannot_find_anything() {
        warns("pairs = 200\n", "budget is small");
        warns("pairs = 200\n", "batches");
        warns("pairs = 1\n", "only 1 batch: ");
        warns("pairs = 200\n", "window");
        warns("[spsa]\nwidth_start = 0.05\n", "narrow");
        warns("method = \"openbench\"\npairs = 2000\n", "budget is small");
    }

    fn warns(text: &str, what: &str) {
        let warnings = advise(&section(text), &space()).warnings;
        assert!(
            warnings.iter().any(|warning| warning.contains(what)),
            "{what}: {warnings:?}"
        );
    }

    #[test]
    fn a_gain_of_0_is_warned_of() {
        for text in [
            "[spsa]\ngain = 0\n",
            "method = \"adaptive\"\n[adaptive]\ngain = 0\n",
            "method = \"fishtest\"\n[classic]\ngain = 0\n",
        ] {
            warns(text, "the gain of all parameters is 0");
            assert_eq!(advise(&section(text), &space()).detectable, None);
        }
        let still = Param {
            gain: Some(0.0),
            ..Param::int("B", 50.0, 0.0, 100.0)
        };
        let both = Space::new(vec![Param::int("A", 50.0, 0.0, 100.0), still]).unwrap();
        let advice = advise(&section("method = \"fishtest\"\n"), &both);
        assert!(advice.detectable.is_some_and(f64::is_finite));
        let warning = "the gain of B is 0: the values do not move";
        assert!(advice.warnings.contains(&warning.to_owned()));
    }

    #[test]
    fn warns_of_extreme_perturbations() {
        let large = "at least half of the range";
        warns("[spsa]\nwidth_start = 0.6\n", large);
        warns("method = \"fishtest\"\n[classic]\nwidth = 9\n", large);
        let small = "method = \"weather-factory\"\n[classic]\nwidth = 0.05\n";
        warns(small, "less than half of the distance");
    }

    #[test]
    fn warns_of_a_start_that_the_engine_cannot_have() {
        let warned = |kind: ParamKind, start: f64| {
            let param = Param {
                kind,
                ..Param::int("A", start, -100.0, 100.0)
            };
            let space = Space::new(vec![param]).unwrap();
            advise(&section("pairs = 10000\n"), &space).warnings
        };
        let text = |decimals| ParamKind::Text { decimals };
        let scaled = ParamKind::Scaled { factor: 3.0 };
        for (kind, start, expected) in [
            (
                text(1),
                0.755,
                "A: start 0.755 is played as 0.8: raise `decimals`",
            ),
            (
                ParamKind::Int,
                7.6,
                "A: start 7.6 is played as 8: the engine takes whole numbers",
            ),
            (
                scaled.clone(),
                0.5,
                "A: start 0.5 times `factor` 3 is played as 2: the engine takes whole numbers",
            ),
        ] {
            assert_eq!(warned(kind, start), [expected]);
        }
        for (kind, start) in [(text(3), 0.755), (ParamKind::Int, 7.0), (scaled, 7.0 / 3.0)] {
            assert!(warned(kind, start).is_empty(), "{start}");
        }
    }

    #[test]
    fn choices_may_start_at_a_bound() {
        let check = Param {
            kind: ParamKind::Check,
            ..Param::int("A", 1.0, 0.0, 1.0)
        };
        let advice = advise(
            &section("pairs = 10000\n"),
            &Space::new(vec![check]).unwrap(),
        );
        assert!(advice.warnings.is_empty(), "{:?}", advice.warnings);
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

    #[test]
    fn warns_of_a_gain_that_no_parameter_uses() {
        let warned = |method: &str, gain: Option<f64>| {
            let section = section(&format!(
                "pairs = 10000\nmethod = \"{method}\"\n[classic]\ngain = 0.02\n"
            ));
            let param = Param {
                gain,
                ..Param::int("A", 50.0, 0.0, 100.0)
            };
            let warnings = advise(&section, &Space::new(vec![param]).unwrap()).warnings;
            warnings
                .iter()
                .any(|text| text.contains("has no effect: every parameter"))
        };
        assert!(warned("openbench", Some(0.002)));
        assert!(!warned("openbench", None));
        assert!(!warned("weather-factory", Some(0.002)));
    }
}
