//! The plan of a tuning, and what its budget can find.

use std::fmt::Write;

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
    table(&advice, &mut text);
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

fn table(advice: &Advice, text: &mut String) {
    let names = advice.params.iter().map(|param| param.name.len());
    let width = names.max().unwrap_or(0).max(9);
    let _ = writeln!(
        text,
        "{:width$} {:>10} {:>10} {:>10} {:>12} {:>12} {:>12}",
        "parameter", "start", "min", "max", "first +-", "last +-", "noise drift"
    );
    for param in &advice.params {
        let [first, last] = param.perturbation;
        let drift = if param.drift.is_nan() {
            "-".to_owned()
        } else {
            format!("{:.2}", param.drift)
        };
        let _ = writeln!(
            text,
            "{:width$} {:>10} {:>10} {:>10} {first:>12.2} {last:>12.2} {drift:>12}",
            param.name, param.start, param.min, param.max
        );
    }
}
