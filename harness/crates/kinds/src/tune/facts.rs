//! The result of a tuning run, in all its forms.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::units;
use hone_experiment::tune::param::{Param, ParamKind};
use hone_experiment::tune::response::{ParamResponse, Relevance, Response};
use hone_experiment::tune::{Space, TuneExperiment, TuneSection};
use hone_report::{counted, signed, signed_ends, signed_with};
use hone_stats::Estimate;

/// The columns of the table of the parameters.
const HEADER: [&str; 7] = [
    "parameter",
    "start",
    "final",
    "average",
    "optimum, 95 %",
    "span/4 away (Elo)",
    "class",
];
/// Their least widths, in characters.
const LEAST_WIDTHS: [usize; 7] = [9, 9, 9, 9, 27, 22, 0];

/// The caveat of every predicted gain.
pub(super) const TOO_HIGH: &str = "too high where many parameters do not matter";

/// The result of a run, finished or not.
#[derive(Debug, Clone)]
pub struct TuneFacts {
    space: Space,
    method: &'static str,
    pub(super) planned: u64,
    pub pairs: u64,
    /// Pairs left out because an engine failed.
    pub(super) failed: u64,
    /// The final values, rounded to values that the engine can have.
    pub final_values: Vec<f64>,
    average: Vec<f64>,
    response: Option<Response>,
    /// For OpenBench: the factor on the steps, and the final gain of parameters without
    /// their own.
    step_factor: f64,
    final_gain: f64,
    true_gain: Option<f64>,
}

impl TuneFacts {
    /// The experiment must have been concluded.
    pub fn of(experiment: &TuneExperiment, section: &TuneSection) -> Self {
        let tuner = experiment.tuner();
        let space = tuner.space().clone();
        let values = tuner.method().values();
        let (step_factor, final_gain) = section.final_constants();
        Self {
            step_factor,
            final_gain,
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
    pub fn with_true_gain(self, elo: f64) -> Self {
        Self {
            true_gain: Some(elo),
            ..self
        }
    }

    /// The estimated response, if any pair shows a difference of the sides.
    pub fn response(&self) -> Option<&Response> {
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
    pub fn params(&self) -> &[Param] {
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
    pub fn options(&self) -> Vec<(String, String)> {
        self.space.options(&self.final_values)
    }

    /// The values that the run started from, as UCI options.
    pub(crate) fn start_options(&self) -> Vec<(String, String)> {
        self.space.options(&self.space.start())
    }

    /// The part of the JSON that real and simulated runs share.
    pub fn json(&self) -> Map<String, Value> {
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
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}: {} of {} pairs\n\n",
            self.method, self.pairs, self.planned
        );
        self.table(&mut text);
        if self.failed > 0 {
            let _ = writeln!(text, "\n{}", self.left_out());
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

    /// The number of pairs that were left out, in words.
    pub(super) fn left_out(&self) -> String {
        let was = if self.failed == 1 { "was" } else { "were" };
        let pairs = counted(self.failed, "pair");
        format!("{pairs} {was} left out because an engine failed")
    }

    fn table(&self, text: &mut String) {
        let mut rows = vec![HEADER.map(str::to_owned)];
        if !self.is_finished() {
            rows[0][2] = "now".to_owned();
        }
        let responses = self.responses();
        for (index, param) in self.params().iter().enumerate() {
            rows.push(self.row(index, param, responses.get(index)));
        }
        let widths: [usize; 7] = std::array::from_fn(|column| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.fold(LEAST_WIDTHS[column], usize::max)
        });
        let [name, start, last, average, optimum, quarter, _] = widths;
        for row in &rows {
            let _ = write!(
                text,
                "{:name$} {:>start$} {:>last$} {:>average$}",
                row[0], row[1], row[2], row[3]
            );
            if !row[6].is_empty() {
                let _ = write!(
                    text,
                    "   {:<optimum$} {:>quarter$}  {}",
                    row[4], row[5], row[6]
                );
            }
            text.push('\n');
        }
    }

    /// The cells of a parameter; the last three are empty without a response.
    fn row(&self, index: usize, param: &Param, known: Option<&ParamResponse>) -> [String; 7] {
        let values = [param.start, self.final_values[index], self.average[index]];
        let [start, last, average] = values.map(|value| param.text(value));
        let [optimum, quarter, class] = match known {
            Some(known) => {
                let [estimate, low, high] = units::places(param, &known.optimum);
                let quarter = known.quarter;
                [
                    format!("{estimate} [{low}, {high}]"),
                    format!(
                        "{:.1} [{:.1}, {:.1}]",
                        quarter.estimate, quarter.low, quarter.high
                    ),
                    known.weight.word().to_owned(),
                ]
            }
            None => Default::default(),
        };
        let name = param.name.clone();
        [name, start, last, average, optimum, quarter, class]
    }

    /// The values to copy, each form under its name.
    pub(super) fn exports(&self) -> [(&'static str, String); 3] {
        let options = self.options();
        let uci = options
            .iter()
            .map(|(name, value)| format!("setoption name {name} value {value}\n"));
        [
            (
                "options of an [[engine]]",
                format!("options = {}\n", toml_table(&options)),
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
            let step = param.step * self.step_factor * units::factor(param);
            let gain = param.gain.unwrap_or(self.final_gain);
            let _ = writeln!(
                text,
                "{}, {kind}, {value}, {min}, {max}, {}, {gain}",
                param.name,
                // Rounded, because 0.07 * 100 is a little more than 7 in `f64`.
                (step * 1e9).round() / 1e9
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

/// Options as an inline table of TOML.
fn toml_table(options: &[(String, String)]) -> String {
    let entries = options.iter();
    let table = entries.map(|(name, value)| (name.clone(), toml_value(value)));
    toml::Value::Table(table.collect()).to_string()
}

fn toml_value(text: &str) -> toml::Value {
    match (text.parse::<i64>(), text) {
        // `01` is not valid TOML, and `+1` is read as 1.
        (Ok(number), _) if number.to_string() == text => toml::Value::Integer(number),
        (_, "true") => toml::Value::Boolean(true),
        (_, "false") => toml::Value::Boolean(false),
        _ => toml::Value::String(text.to_owned()),
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
    use super::*;

    /// The result of a tuning of these parameters whose first pair failed and whose second
    /// was won.
    fn facts(tune: &str, params: Vec<Param>) -> TuneFacts {
        let text = format!("pairs = 2\nbatch = 1\nwindow = 1\n{tune}");
        let section: TuneSection = toml::from_str(&text).unwrap();
        let space = Space::new(params).unwrap();
        let mut experiment = TuneExperiment::new(&section, space, 1);
        experiment.take(None);
        experiment.take(Some(4));
        experiment.conclude();
        TuneFacts::of(&experiment, &section)
    }

    #[test]
    fn only_what_toml_reads_as_the_same_text_is_plain() {
        for plain in ["1", "-7", "0", "true"] {
            assert_eq!(toml_value(plain).to_string(), plain);
        }
        for quoted in ["01", "+1", "-0", "0.50", "Large"] {
            assert_eq!(toml_value(quoted).to_string(), format!("{quoted:?}"));
        }
    }

    #[test]
    fn names_and_values_of_any_characters_are_valid_toml() {
        let texts = [
            "cafe\u{301}",
            "Move Overhead",
            "a\"b'c",
            "\u{200b}\u{7f}",
            "B\\",
        ];
        let options: Vec<(String, String)> = texts
            .iter()
            .map(|text| ((*text).to_owned(), (*text).to_owned()))
            .collect();
        let read: toml::Table = format!("options = {}", toml_table(&options))
            .parse()
            .unwrap();
        for text in texts {
            assert_eq!(read["options"][text].as_str(), Some(text));
        }
    }

    #[test]
    fn openbench_lines_have_the_constants_of_the_run() {
        let constants = "[classic]\ngain = 0.05\nwidth = 2\n";
        let own = Param {
            gain: Some(0.01),
            ..Param::int("B", 50.0, 0.0, 100.0)
        };
        let params = || vec![Param::int("A", 50.0, 0.0, 100.0), own.clone()];
        for (method, a, b) in [
            ("openbench", "10, 0.05", "10, 0.01"),
            ("fishtest", "10, 0.05", "10, 0.01"),
            ("spsa", "5, 0.002", "5, 0.01"),
        ] {
            let text = facts(&format!("method = \"{method}\"\n{constants}"), params()).openbench();
            let ends: Vec<_> = text
                .lines()
                .filter_map(|line| line.split_once("100, "))
                .collect();
            assert_eq!(
                ends.iter().map(|(_, end)| *end).collect::<Vec<_>>(),
                [a, b],
                "{text}"
            );
        }
    }

    #[test]
    fn long_choices_stay_in_their_columns() {
        let choices = ["best-capture-of-all", "off"].map(str::to_owned).to_vec();
        let combo = Param {
            kind: ParamKind::Combo { choices },
            ..Param::int("Style", 0.0, 0.0, 1.0)
        };
        let text = facts("", vec![combo, Param::int("A", 50.0, 0.0, 100.0)]).text();
        let lines: Vec<&str> = text.lines().collect();
        let classes = lines[2..5].iter().map(|line| line.rfind(' '));
        let mut ends = classes.collect::<Vec<_>>();
        ends.dedup();
        assert_eq!(ends.len(), 1, "{text}");
        assert!(
            text.contains("\n1 pair was left out because an engine failed\n"),
            "{text}"
        );
    }
}
