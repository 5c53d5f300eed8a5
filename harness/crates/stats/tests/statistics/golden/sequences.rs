//! Tests that are checked after each batch, with fishtest's correction for overshoot.

use hone_stats::sprt::Overshoot;
use hone_stats::{Counts, Pentanomial, SprtConfig, Wdl, llr};
use serde_json::Value;

use super::report::{Case, LLR, Report, Tolerance, number};

pub(crate) fn overshoot(case: &Case, report: &mut Report) {
    let config = SprtConfig {
        overshoot: true,
        ..case.config(match case.model.as_str() {
            "BayesElo" => "bayesian",
            name => name,
        })
    };
    let sequence = case.inputs["sequence"].as_str().expect("a sequence");
    let batch = case.inputs["batch_size"].as_u64().expect("a size") as usize;
    let snapshots = case.outputs["snapshots"].as_array().expect("snapshots");
    let mut test = Batches::new(config, case.kind.starts_with("tri"));
    let mut checked = 0;
    for (i, result) in sequence.bytes().enumerate() {
        test.add(usize::from(result - b'0'));
        if (i + 1) % batch == 0 {
            test.check();
        }
        let here = |snapshot: &&Value| snapshot["n"].as_u64() == Some(i as u64 + 1);
        for snapshot in snapshots.iter().filter(here) {
            test.compare(case, snapshot, report);
            checked += 1;
        }
    }
    assert_eq!(checked, snapshots.len(), "{}", case.id);
}

struct Batches {
    config: SprtConfig,
    counts: Counts,
    llr: f64,
    overshoot: Overshoot,
    state: &'static str,
}

impl Batches {
    fn new(config: SprtConfig, single_games: bool) -> Self {
        Self {
            config,
            counts: if single_games {
                Wdl::default().into()
            } else {
                Pentanomial::default().into()
            },
            llr: 0.0,
            overshoot: Overshoot::default(),
            state: "",
        }
    }

    fn add(&mut self, half_points: usize) {
        match &mut self.counts {
            Counts::Pentanomial(pairs) => pairs.add(half_points),
            Counts::Wdl(games) => games.add(half_points),
        }
    }

    fn check(&mut self) {
        let SprtConfig {
            model, elo0, elo1, ..
        } = self.config;
        self.llr = llr::llr(model, self.counts, elo0, elo1);
        self.overshoot.update(self.llr);
        let (lower, upper) = self.config.bounds();
        if self.llr < lower + self.overshoot.lower() {
            self.state = "rejected";
        } else if self.llr > upper - self.overshoot.upper() {
            self.state = "accepted";
        }
    }

    fn compare(&self, case: &Case, snapshot: &Value, report: &mut Report) {
        // The corrections accumulate the differences of LLRs.
        let corrections = Tolerance {
            relative: 1e-7,
            absolute: 1e-9,
        };
        for (key, value, tolerance) in [
            ("llr", self.llr, LLR),
            ("o0", self.overshoot.lower(), corrections),
            ("o1", self.overshoot.upper(), corrections),
        ] {
            let expected = number(&snapshot[key]).expect(key);
            report.compare(case, key, value, expected, tolerance);
        }
        assert_eq!(self.state, snapshot["state"], "{}", case.id);
    }
}
