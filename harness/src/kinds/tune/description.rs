//! The plan of a tuning, and what its budget can find.

use std::fmt::Write;

use serde_json::{Value, json};

use super::units::factor;
use crate::experiment::tune::advice::{Advice, advise};
use crate::experiment::tune::{Space, TuneSection};

/// Describes the run, as text for people.
pub(crate) fn describe(section: &TuneSection, space: &Space) -> String {
    let advice = advise(section, space);
    let mut text = format!(
        "{} of {} parameters: {} pairs ({} games) in {} batches of {}, window {} pairs\n\n",
        section.method.name(),
        space.dimension(),
        section.pairs(),
        2 * section.pairs(),
        section.budget().batches,
        section.batch,
        section.window,
    );
    table(&advice, space, &mut text);
    if let Some(elo) = advice.detectable {
        let _ = writeln!(
            text,
            "\nA parameter that loses {elo:.2} Elo one perturbation away from its optimum moves \
             about two thirds of the way to it. A less sensitive parameter moves less."
        );
    }
    for warning in &advice.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    text
}

/// The same for programs, in the units of `[tune.params]`. Null is what the method
/// does not say.
pub(crate) fn description_json(section: &TuneSection, space: &Space) -> Value {
    let advice = advise(section, space);
    let finite = |value: f64| value.is_finite().then_some(value);
    let params = advice.params.iter().map(|plan| {
        let [first, last] = plan.perturbation;
        json!({
            "name": plan.name,
            "start": plan.start,
            "min": plan.min,
            "max": plan.max,
            "first_perturbation": first,
            "last_perturbation": last,
            "noise_drift": finite(plan.drift),
        })
    });
    json!({
        "method": section.method.name(),
        "pairs": section.pairs(),
        "games": 2 * section.pairs(),
        "batches": section.budget().batches,
        "batch": section.batch,
        "window": section.window,
        "params": params.collect::<Vec<_>>(),
        "detectable": advice.detectable,
        "warnings": advice.warnings,
    })
}

/// In the engine's units.
fn table(advice: &Advice, space: &Space, text: &mut String) {
    let names = advice.params.iter().map(|param| param.name.len());
    let width = names.max().unwrap_or(0).max(9);
    let _ = writeln!(
        text,
        "{:width$} {:>10} {:>10} {:>10} {:>12} {:>12} {:>12}",
        "parameter", "start", "min", "max", "first +-", "last +-", "noise drift"
    );
    for (plan, param) in advice.params.iter().zip(space.params()) {
        let [start, min, max] =
            [param.start, param.min, param.max].map(|value| param.engine_number(value));
        let [first, last] = plan.perturbation.map(|value| value * factor(param));
        let drift = if plan.drift.is_nan() {
            "-".to_owned()
        } else {
            format!("{:.2}", plan.drift * factor(param))
        };
        let _ = writeln!(
            text,
            "{:width$} {start:>10} {min:>10} {max:>10} {first:>12.2} {last:>12.2} {drift:>12}",
            param.name
        );
    }
}
