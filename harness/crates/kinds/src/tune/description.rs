//! The plan of a tuning, and what its budget can find.

use std::fmt::Write;

use serde_json::{Value, json};

use super::units::{decimals, factor};
use hone_experiment::tune::advice::{Advice, advise};
use hone_experiment::tune::{Space, TuneSection};
use hone_report::counted;

/// Describes the run, as text for people.
pub fn describe(section: &TuneSection, space: &Space) -> String {
    let advice = advise(section, space);
    let batches = section.budget().batches();
    let mut text = format!(
        "{} of {}: {} ({} games) in {batches} batch{} of {}, window {}\n\n",
        section.method.name(),
        counted(space.dimension() as u64, "parameter"),
        counted(section.pairs(), "pair"),
        2 * section.pairs(),
        if batches == 1 { "" } else { "es" },
        section.batch,
        counted(section.window, "pair"),
    );
    table(&advice, space, &mut text);
    if let Some(elo) = advice.detectable {
        let _ = writeln!(
            text,
            "\nA parameter that costs {elo:.2} Elo at a distance of {} from its optimum moves about \
             two thirds of the way to it; a less important one moves less.",
            advice.distance
        );
    }
    for warning in &advice.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    text
}

/// The same as JSON, in the units of `[tune.params]`. Numbers that depend on the results are
/// null.
pub fn description_json(section: &TuneSection, space: &Space) -> Value {
    let advice = advise(section, space);
    let params = advice.params.iter().map(|plan| {
        json!({
            "name": plan.name,
            "start": plan.start,
            "min": plan.min,
            "max": plan.max,
            "first_perturbation": plan.first,
            "last_perturbation": plan.last,
            "noise_drift": plan.drift,
        })
    });
    json!({
        "method": section.method.name(),
        "pairs": section.pairs(),
        "games": 2 * section.pairs(),
        "batches": section.budget().batches(),
        "batch": section.batch,
        "window": section.window,
        "params": params.collect::<Vec<_>>(),
        "detectable": advice.detectable,
        "warnings": advice.warnings,
    })
}

/// Adds the table of the parameters, in the engine's units.
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
        // One digit more than values have, because these lie between values.
        let digits = (decimals(param) + 1).max(2);
        let [first, last, drift] = [Some(plan.first), plan.last, plan.drift].map(|known| {
            known.map_or("-".to_owned(), |value| {
                format!("{:.digits$}", value * factor(param))
            })
        });
        let _ = writeln!(
            text,
            "{:width$} {start:>10} {min:>10} {max:>10} {first:>12} {last:>12} {drift:>12}",
            param.name
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_experiment::tune::param::{Param, ParamKind};

    fn described(tune: &str, param: Param) -> (String, Value) {
        let section: TuneSection = toml::from_str(tune).unwrap();
        let space = Space::new(vec![param]).unwrap();
        (
            describe(&section, &space),
            description_json(&section, &space),
        )
    }

    #[test]
    fn one_pair_of_one_parameter_is_described_in_the_singular() {
        let (text, _) = described("pairs = 1\nwindow = 1\n", Param::int("A", 5.0, 0.0, 90.0));
        let first = "spsa of 1 parameter: 1 pair (2 games) in 1 batch of 8, window 1 pair\n";
        assert!(text.starts_with(first), "{text}");
        assert!(!text.contains("10 Elo"), "{text}");
    }

    #[test]
    fn small_numbers_have_their_digits() {
        let param = Param {
            kind: ParamKind::Text { decimals: 4 },
            ..Param::int("LmrF", 0.01, 0.001, 0.03)
        };
        let (text, _) = described("", param);
        let row = text.lines().find(|line| line.starts_with("LmrF"));
        let numbers: Vec<&str> = row.unwrap().split_whitespace().collect();
        // 0.3 and 0.1 of 0.029, and 0.106 of it as drift.
        assert_eq!(numbers[4..6], ["0.00870", "0.00290"], "{text}");
        assert!(numbers[6].starts_with("0.0030"), "{text}");
    }

    #[test]
    fn what_depends_on_the_results_is_not_shown() {
        let param = Param::int("A", 5.0, 0.0, 90.0);
        let (text, json) = described("method = \"adaptive\"\n", param);
        let row = text.lines().find(|line| line.starts_with("A "));
        let shown: Vec<&str> = row.unwrap().split_whitespace().collect();
        assert_eq!(shown[5..], ["-", "-"], "{text}");
        let plan = &json["params"][0];
        assert!(plan["first_perturbation"].is_number(), "{json}");
        assert!(plan["last_perturbation"].is_null() && plan["noise_drift"].is_null());
    }

    #[test]
    fn without_a_gain_nothing_is_found() {
        let param = Param::int("A", 5.0, 0.0, 90.0);
        let (text, json) = described("[spsa]\ngain = 0\n", param);
        assert!(!text.contains("inf") && text.contains("is 0: "), "{text}");
        assert!(json["detectable"].is_null(), "{json}");
    }
}
