//! The result of a tuning run, in all its forms.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::units;
use crate::experiment::tune::param::{Param, ParamKind};
use crate::experiment::tune::response::{ParamResponse, Relevance, Response};
use crate::experiment::tune::{Space, TuneExperiment, TuneSection};
use crate::report::{signed, signed_ends, signed_with};
use crate::stats::Estimate;

/// The caveat of every predicted gain.
pub(super) const TOO_HIGH: &str = "too high where many parameters do not matter";

/// The result of a run, finished or not.
#[derive(Debug, Clone)]
pub(crate) struct TuneFacts {
    space: Space,
    method: &'static str,
    pub(super) planned: u64,
    pub(crate) pairs: u64,
    /// Pairs left out because an engine failed.
    pub(super) failed: u64,
    /// The final values, rounded to values that the engine can have.
    pub(crate) final_values: Vec<f64>,
    average: Vec<f64>,
    response: Option<Response>,
    true_gain: Option<f64>,
}

impl TuneFacts {
    /// The experiment must have been concluded.
    pub(crate) fn of(experiment: &TuneExperiment, section: &TuneSection) -> Self {
        let tuner = experiment.tuner();
        let space = tuner.space().clone();
        let values = tuner.method().values();
        Self {
            method: section.method.name(),
            planned: section.pairs(),
            pairs: experiment.absorbed(),
            failed: experiment.failed(),
            final_values: space.nearest(&values),
            average: space.nearest(&tuner.method().average()),
            response: tuner
                .history()
                .and_then(|history| history.response(&space, &values)),
            true_gain: None,
            space,
        }
    }

    /// Whether all pairs are played, so that the values are final.
    pub(super) fn is_finished(&self) -> bool {
        self.pairs >= self.planned
    }

    /// Names of the parameters whose final value is a bound of their range.
    pub(super) fn at_bound(&self) -> Vec<&str> {
        match self.pairs {
            0 => Vec::new(),
            _ => self.space.at_bound(&self.final_values),
        }
    }

    /// Adds the true gain in Elo, which is known in simulations.
    pub(crate) fn with_true_gain(self, elo: f64) -> Self {
        Self {
            true_gain: Some(elo),
            ..self
        }
    }

    /// The estimated response, if any pair shows a difference of the sides.
    pub(crate) fn response(&self) -> Option<&Response> {
        self.response.as_ref()
    }

    /// Number of parameters that are shown to matter.
    pub(super) fn matter(&self) -> usize {
        let params = self.response.iter().flat_map(|response| &response.params);
        params
            .filter(|param| param.weight == Relevance::Matters)
            .count()
    }

    /// The predicted gain, if a parameter is shown to matter. Values that follow noise also
    /// seem to gain Elo, and more of it with more parameters.
    pub(super) fn gain(&self) -> Option<Estimate> {
        let gain = self.response.as_ref().map(|response| response.gain);
        gain.filter(|_| self.matter() > 0)
    }

    /// The predicted gain in words, or that it is uncertain.
    pub(super) fn gain_in_words(&self, gain: Estimate) -> String {
        match self.gain() {
            Some(gain) => format!(
                "{} Elo, roughly {} ({TOO_HIGH})",
                signed(gain.estimate),
                signed_ends(gain)
            ),
            None => format!(
                "uncertain, because no parameter is shown to matter (estimate {} Elo)",
                signed(gain.estimate)
            ),
        }
    }

    /// Why the response is missing, if it is.
    pub(super) fn no_response(&self) -> &'static str {
        match self.pairs - self.failed {
            0 => "no pair has counted yet",
            _ => "the pairs show no difference of the sides",
        }
    }

    /// Whether the engine would get other values than at the start.
    pub(super) fn is_changed(&self) -> bool {
        self.options() != self.start_options()
    }

    /// The parameters, in the order of all lists.
    pub(crate) fn params(&self) -> &[Param] {
        self.space.params()
    }

    /// The response of each parameter, in the engine's units; none if no pair
    /// shows a difference of the sides.
    pub(super) fn responses(&self) -> Vec<ParamResponse> {
        let known = self.response.iter().flat_map(|response| &response.params);
        let both = self.params().iter().zip(known);
        both.map(|(param, known)| units::response(param, known))
            .collect()
    }

    /// The tuned values as UCI options.
    pub(crate) fn options(&self) -> Vec<(String, String)> {
        self.space.options(&self.final_values)
    }

    /// The values that the run started from, as UCI options.
    pub(crate) fn start_options(&self) -> Vec<(String, String)> {
        self.space.options(&self.space.start())
    }

    /// The part of the JSON that real and simulated runs share.
    pub(crate) fn json(&self) -> Map<String, Value> {
        let values = |values: &[f64]| -> Value {
            let params = self.space.params().iter().zip(values);
            params
                .map(|(param, value)| (param.name.clone(), json!(value)))
                .collect::<Map<_, _>>()
                .into()
        };
        let mut object = Map::new();
        object.insert("method".into(), json!(self.method));
        object.insert("values".into(), values(&self.final_values));
        object.insert("average".into(), values(&self.average));
        object.insert("start".into(), values(&self.space.start()));
        object.insert("pairs".into(), json!(self.pairs));
        object.insert("max_pairs".into(), json!(self.planned));
        object.insert("failed_pairs".into(), json!(self.failed));
        let bound = self.space.at_bound(&self.final_values);
        object.insert("at_bound".into(), json!(bound));
        if let Some(gain) = self.true_gain {
            object.insert("elo_gain_true".into(), json!(gain));
        }
        object.insert("response".into(), to_value(&self.response));
        object
    }

    /// The result as text.
    pub(crate) fn text(&self) -> String {
        let mut text = format!(
            "{}: {} of {} pairs\n\n",
            self.method, self.pairs, self.planned
        );
        self.table(&mut text);
        if self.failed > 0 {
            let _ = writeln!(
                text,
                "\n{} pairs were left out: an engine failed in them",
                self.failed
            );
        }
        if self.response.is_none() {
            let _ = writeln!(text, "\npredicted gain: none, {}", self.no_response());
        }
        if let Some(response) = &self.response {
            let _ = writeln!(
                text,
                "\npredicted gain: {}; only a test (--verify) measures the gain",
                self.gain_in_words(response.gain)
            );
            for interaction in response.interactions.iter().take(10) {
                let _ = writeln!(
                    text,
                    "{} and {} interact: raising both by a quarter of the span costs {} Elo \
                     more than raising each alone",
                    interaction.first,
                    interaction.second,
                    signed(interaction.elo.estimate)
                );
            }
        }
        if let Some(gain) = self.true_gain {
            let _ = writeln!(text, "true gain {} Elo", signed_with(gain, 2));
        }
        for name in self.at_bound() {
            let _ = writeln!(
                text,
                "warning: {name} ends at a bound of its range: if the engine allows more, widen the range and tune again"
            );
        }
        text
    }

    fn table(&self, text: &mut String) {
        let names = self.space.params().iter().map(|param| param.name.len());
        let width = names.max().unwrap_or(0).max(9);
        let _ = writeln!(
            text,
            "{:width$} {:>9} {:>9} {:>9}   {:<27} {:>22}  class",
            "parameter", "start", "final", "average", "optimum, 95 %", "span/4 away (Elo)"
        );
        let responses = self.responses();
        for (index, param) in self.space.params().iter().enumerate() {
            let shown = |value: f64| param.text(value);
            let _ = write!(
                text,
                "{:width$} {:>9} {:>9} {:>9}",
                param.name,
                shown(param.start),
                shown(self.final_values[index]),
                shown(self.average[index]),
            );
            if let Some(known) = responses.get(index) {
                let [estimate, low, high] = units::places(param, &known.optimum);
                let optimum = format!("{estimate} [{low}, {high}]");
                let quarter = format!(
                    "{:.1} [{:.1}, {:.1}]",
                    known.quarter.estimate, known.quarter.low, known.quarter.high
                );
                let class = known.weight.word();
                let _ = write!(text, "   {optimum:<27} {quarter:>22}  {class}");
            }
            text.push('\n');
        }
    }

    /// The values to copy, each form under its name.
    pub(super) fn exports(&self) -> [(&'static str, String); 3] {
        let options = self.options();
        let entries: Vec<String> = options
            .iter()
            .map(|(name, value)| format!("{name:?} = {}", toml_value(value)))
            .collect();
        let uci = options
            .iter()
            .map(|(name, value)| format!("setoption name {name} value {value}\n"));
        [
            (
                "options of an [[engine]]",
                format!("options = {{ {} }}\n", entries.join(", ")),
            ),
            (
                "OpenBench: name, type, value, min, max, C_end, R_end",
                self.openbench(),
            ),
            ("UCI", uci.collect()),
        ]
    }

    /// In the engine's own units. OpenBench has no type for checks and combos.
    fn openbench(&self) -> String {
        let mut text = String::new();
        for (param, value) in self.space.params().iter().zip(&self.final_values) {
            let kind = match param.kind {
                ParamKind::Int | ParamKind::Scaled { .. } => "int",
                ParamKind::Text { .. } => "float",
                ParamKind::Check | ParamKind::Combo { .. } => continue,
            };
            let [value, min, max] = [*value, param.min, param.max].map(|x| param.engine_number(x));
            let gain = param.gain.unwrap_or(0.002);
            let _ = writeln!(
                text,
                "{}, {kind}, {value}, {min}, {max}, {}, {gain}",
                param.name,
                // Rounded, because 0.07 * 100 is a little more than 7 in `f64`.
                (param.step * units::factor(param) * 1e9).round() / 1e9
            );
        }
        text
    }

    /// All of [`Self::exports`] as one file.
    pub(crate) fn exports_file(&self) -> String {
        self.exports()
            .map(|(name, text)| format!("# {name}\n{text}"))
            .join("\n")
    }
}

fn toml_value(text: &str) -> String {
    // `01` is not valid TOML, and `+1` is read as 1.
    let is_number = text
        .parse::<i64>()
        .is_ok_and(|number| number.to_string() == text);
    let is_plain = is_number || text == "true" || text == "false";
    if is_plain {
        text.to_owned()
    } else {
        format!("{text:?}")
    }
}

fn to_value(value: &impl Serialize) -> Value {
    match serde_json::to_value(value) {
        Ok(value) => value,
        Err(error) => unreachable!("numbers and names go into JSON: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::toml_value;

    #[test]
    fn only_what_toml_reads_as_the_same_text_is_plain() {
        for plain in ["1", "-7", "0", "true"] {
            assert_eq!(toml_value(plain), plain);
        }
        for quoted in ["01", "+1", "-0", "0.50", "Large"] {
            assert_eq!(toml_value(quoted), format!("{quoted:?}"));
        }
    }
}
