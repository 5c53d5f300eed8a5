//! `[[stage]]`: the stages of a test, and the configuration of each; a stage is played if the
//! previous one accepts H1.

use serde::{Deserialize, Serialize};

use super::Config;
use super::engine::EngineOptions;
use hone_experiment::SprtSection;
use hone_experiment::settings::OpeningsConfig;
use hone_uci::rules::Limit;

/// A stage of a test: the differences from the previous stage, or for the first one from
/// `[match]` and `[sprt]`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StageSection {
    /// Its name in results, such as `STC`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openings: Option<OpeningsConfig>,
    /// By default one more than that of the previous stage, for other openings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// UCI options of all engines, such as a larger `Hash`.
    #[serde(skip_serializing_if = "EngineOptions::is_empty")]
    pub options: EngineOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtSection>,
}

/// Applies a stage to the configuration of the previous one.
fn apply(stage: &StageSection, config: &mut Config) {
    if let Some(limit) = &stage.limit {
        config.set_limit(limit.clone());
    }
    if let Some(openings) = &stage.openings {
        config.r#match.openings = openings.clone();
    }
    if let Some(seed) = stage.seed {
        config.r#match.seed = seed;
    }
    if stage.sprt.is_some() {
        config.sprt = stage.sprt;
    }
    for engine in &mut config.engine {
        for (name, value) in &stage.options.0 {
            let all = &mut engine.options.0;
            all.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
            all.push((name.clone(), value.clone()));
        }
    }
}

impl Config {
    /// Turns it into the configuration of its first stage, which still lists all stages;
    /// without stages it is unchanged.
    pub fn enter_first_stage(&mut self) {
        if let Some(first) = self.stage.first().cloned() {
            apply(&first, self);
        }
    }

    /// The configurations of the later stages, derived from that of the first. They do not
    /// list stages.
    pub fn later_stages(&self) -> Vec<Self> {
        let mut config = self.clone();
        let stages = std::mem::take(&mut config.stage);
        let mut later = Vec::new();
        for stage in stages.iter().skip(1) {
            // In sequential order, after the openings that the previous stages may use. In random
            // order, a stage continues after those that they have used.
            let pairs = config.sprt.map_or(0, |sprt| sprt.max_pairs);
            config.r#match.skip_openings(pairs);
            apply(stage, &mut config);
            later.push(config.clone());
        }
        later
    }

    /// Description of stage `index` (from 0): `stage 2 of 3 (LTC)`.
    pub fn stage_words(&self, index: usize) -> String {
        let words = format!("stage {} of {}", index.saturating_add(1), self.stage.len());
        match self.stage.get(index).map(|stage| stage.name.as_str()) {
            None | Some("") => words,
            Some(name) => format!("{words} ({name})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_uci::openings::Order;

    const STAGES: &str = "[[engine]]\nname = \"a\"\ncmd = \"a\"\noptions = { Hash = 8 }\nlimit = \"nodes=5\"\n\
        [[engine]]\nname = \"b\"\ncmd = \"b\"\n[match]\nseed = 5\n\
        [[stage]]\nname = \"STC\"\nsprt = { elo1 = 4.0 }\n\
        [[stage]]\nlimit = \"40+0.4\"\noptions = { hash = 64 }\n\
        [[stage]]\nname = \"VLTC\"\nseed = 1\nsprt = { elo0 = 0.5, elo1 = 2.5 }\n";

    #[test]
    fn a_stage_has_what_it_sets_and_else_what_the_stage_before_has() {
        let mut config: Config = toml::from_str(STAGES).expect("valid");
        config.enter_first_stage();
        assert_eq!(config.sprt.map(|sprt| sprt.elo1), Some(4.0));
        assert_eq!(config.r#match.seed, 5);
        assert!(config.engine[0].limit.is_some());
        assert_eq!(config.stage.len(), 3);
        let [ltc, vltc] = &config.later_stages()[..] else {
            panic!("two stages follow");
        };
        assert_eq!(ltc.r#match.limit.to_string(), "40+0.4");
        assert_eq!(ltc.engine[0].limit, None);
        assert_eq!(ltc.engine[0].options.0, [("hash".into(), "64".into())]);
        assert_eq!(ltc.engine[1].options.get("Hash"), Some("64"));
        assert_eq!(ltc.sprt.map(|sprt| sprt.elo1), Some(4.0));
        assert_eq!(ltc.r#match.seed, 5);
        assert_eq!(vltc.r#match.limit.to_string(), "40+0.4");
        assert_eq!(vltc.r#match.seed, 1);
        assert_eq!(vltc.sprt.map(|sprt| sprt.elo0), Some(0.5));
        assert!(vltc.stage.is_empty());
        assert_eq!(config.stage_words(0), "stage 1 of 3 (STC)");
        assert_eq!(config.stage_words(1), "stage 2 of 3");
    }

    #[test]
    fn stages_in_the_order_of_the_book_have_openings_of_their_own() {
        let mut config: Config = toml::from_str(STAGES).expect("valid");
        config.r#match.openings.order = Order::Sequential;
        config.enter_first_stage();
        let pairs = config.sprt.expect("a test").max_pairs as usize;
        let first = config.r#match.openings.start;
        let starts = config.later_stages();
        let starts: Vec<usize> = starts
            .iter()
            .map(|one| one.r#match.openings.start)
            .collect();
        assert_eq!(starts, [first + pairs, first + 2 * pairs]);
    }

    #[test]
    fn entering_the_first_stage_again_changes_nothing() {
        let mut config: Config = toml::from_str(STAGES).expect("valid");
        config.enter_first_stage();
        let mut again = config.clone();
        again.enter_first_stage();
        assert_eq!(again, config);
    }
}
