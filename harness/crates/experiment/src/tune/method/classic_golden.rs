//! The classic rules against traces of the original programs.

use serde_json::Value;

use super::*;
use crate::tune::param::{Param, ParamKind};

fn traces() -> Vec<Value> {
    let text = include_str!("../../../../stats/tests/data/statistics.json");
    let data: Value = serde_json::from_str(text).unwrap();
    let cases = data["cases"].as_array().unwrap().iter();
    let traces = cases.filter(|case| case["kind"] == "spsa_trace");
    traces.cloned().collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap().iter();
    list.map(|number| number.as_f64().unwrap()).collect()
}

fn integers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap().iter();
    list.map(|text| {
        let text = text.as_str().unwrap();
        text.split('=').nth(1).unwrap().parse().unwrap()
    })
    .collect()
}

fn space(list: &Value, kind: &ParamKind) -> Space {
    let params = list.as_array().unwrap().iter().map(|row| Param {
        kind: kind.clone(),
        step: row[4].as_f64().unwrap(),
        ..Param::int(
            row[0].as_str().unwrap(),
            row[1].as_f64().unwrap(),
            row[2].as_f64().unwrap(),
            row[3].as_f64().unwrap(),
        )
    });
    Space::new(params.collect()).unwrap()
}

fn settings(inputs: &Value, stability: &str, gain: &str) -> ClassicSettings {
    let number = |key: &str| inputs[key].as_f64().unwrap();
    ClassicSettings {
        alpha: number("alpha"),
        gamma: number("gamma"),
        stability: number(stability),
        gain: number(gain),
        width: 1.0,
    }
}

/// A budget of `batches` batches of `batch` pairs each.
fn budget(batches: u64, batch: u64) -> Budget {
    Budget {
        pairs: batches * batch,
        batch,
        window: 1,
    }
}

fn clipped(space: &Space, mut values: Vec<f64>) -> Vec<f64> {
    space.clip(&mut values);
    values
}

#[test]
fn openbench_to_the_last_digit() {
    let traces = traces();
    let mut steps = 0;
    for case in traces {
        let id = case["id"].as_str().unwrap();
        if !id.starts_with("spsa-openbench") {
            continue;
        }
        let inputs = &case["inputs"];
        let kind = match inputs["type"].as_str().unwrap() {
            "int" => ParamKind::Int,
            _ => ParamKind::Text { decimals: 9 },
        };
        let space = space(&inputs["params_name_value_min_max_cend"], &kind);
        let pairs = inputs["pairs_per"].as_u64().unwrap();
        let batches = inputs["iterations"].as_u64().unwrap();
        let settings = settings(inputs, "a_ratio", "r_end");
        let mut rule = Classic::new(
            ClassicRule::OpenBench,
            settings,
            space.clone(),
            budget(batches, pairs),
        );
        for (batch, step) in case["outputs"]["steps"]
            .as_array()
            .unwrap()
            .iter()
            .enumerate()
        {
            let signs = numbers(&step["flips"]);
            let k = rule.counter(batch as u64);
            for (index, c) in numbers(&step["c"]).into_iter().enumerate() {
                assert_eq!(rule.schedule(index, k).0, c, "{id} step {batch}");
                assert_eq!(
                    rule.schedule(index, k).1,
                    step["r"][index].as_f64().unwrap()
                );
            }
            let proposal = rule.propose(batch as u64, &signs);
            if kind == ParamKind::Int {
                let played = space.realise(&proposal, rule.rounding(), &numbers(&step["u"]));
                assert_eq!(played.plus, numbers(&step["dev"]), "{id} step {batch}");
                assert_eq!(played.minus, numbers(&step["base"]), "{id} step {batch}");
            } else {
                assert_eq!(clipped(&space, proposal.plus), numbers(&step["dev"]));
                assert_eq!(clipped(&space, proposal.minus), numbers(&step["base"]));
            }
            rule.update_at(k, &signs, step["result_w_minus_l"].as_f64().unwrap());
            assert_eq!(
                rule.values(),
                numbers(&step["values_after"]),
                "{id} {batch}"
            );
            steps += 1;
        }
    }
    assert_eq!(steps, 50);
}

#[test]
fn fishtest_to_the_last_digit() {
    let traces = traces();
    let case = traces
        .into_iter()
        .find(|case| case["id"] == "spsa-fishtest")
        .unwrap();
    let inputs = &case["inputs"];
    let space = space(&inputs["params_name_start_min_max_cend"], &ParamKind::Int);
    let pairs = inputs["num_games"].as_u64().unwrap() / 2;
    let settings = settings(inputs, "A_ratio", "r_end");
    let mut rule = Classic::new(
        ClassicRule::Fishtest,
        settings,
        space.clone(),
        budget(pairs, 1),
    );
    for step in case["outputs"]["steps"].as_array().unwrap() {
        let signs = numbers(&step["flips"]);
        let k = step["iter_at_dispatch"].as_f64().unwrap() + 1.0;
        assert_eq!(rule.counter(k as u64 - 1), k);
        for index in 0..signs.len() {
            let (c, r) = rule.schedule(index, k);
            assert_eq!(c, step["c"][index].as_f64().unwrap());
            assert_eq!(r, step["R"][index].as_f64().unwrap());
        }
        let proposal = rule.propose_at(k, &signs);
        assert_eq!(clipped(&space, proposal.plus), numbers(&step["w_values"]));
        assert_eq!(clipped(&space, proposal.minus), numbers(&step["b_values"]));
        rule.update_at(k, &signs, step["result_w_minus_l"].as_f64().unwrap());
        assert_eq!(rule.values(), numbers(&step["theta_after"]));
    }
}

#[test]
fn weather_factory_to_the_last_digit() {
    let traces = traces();
    let mut steps = 0;
    for case in traces {
        if case["inputs"].get("games_per_iteration").is_none() {
            continue;
        }
        let inputs = &case["inputs"];
        let space = space(&inputs["params_name_value_min_max_step"], &ParamKind::Int);
        let pairs = inputs["games_per_iteration"].as_u64().unwrap() / 2;
        let settings = settings(inputs, "A", "a");
        let mut rule = Classic::new(
            ClassicRule::WeatherFactory,
            settings,
            space.clone(),
            budget(100, pairs),
        );
        for (batch, step) in case["outputs"]["steps"]
            .as_array()
            .unwrap()
            .iter()
            .enumerate()
        {
            let signs = numbers(&step["flips"]);
            let k = rule.counter(batch as u64);
            let proposal = rule.propose(batch as u64, &signs);
            let played = space.realise(&proposal, rule.rounding(), &[0.0; 4]);
            assert_eq!(played.plus, integers(&step["engine_a"]), "step {batch}");
            assert_eq!(played.minus, integers(&step["engine_b"]), "step {batch}");
            rule.update_at(k, &signs, step["result_w_minus_l"].as_f64().unwrap());
            assert_eq!(
                rule.values(),
                numbers(&step["values_after"]),
                "step {batch}"
            );
            steps += 1;
        }
    }
    assert_eq!(steps, 50);
}

/// Its perturbation is `step c / k^gamma`, its update
/// `step a / (A + k)^alpha / (c / k^gamma)`.
#[test]
fn width_and_gain_stand_for_weather_factorys_a_and_c() {
    let (a, c, stability) = (3.0, 2.0, 100.0);
    let customary = ClassicSettings::customary(ClassicRule::WeatherFactory, 0);
    let settings = ClassicSettings {
        stability,
        width: c,
        gain: a / (c * c),
        ..customary
    };
    let space = Space::new(vec![Param::int("A", 500.0, 0.0, 1000.0)]).unwrap();
    let mut rule = Classic::new(ClassicRule::WeatherFactory, settings, space, budget(100, 8));
    let step = 50.0;
    for batch in [0, 9] {
        let k = rule.counter(batch);
        let c_k = c / k.powf(0.102);
        let a_k = a / (stability + k).powf(0.601);
        let plus = rule.propose(batch, &[1.0]).plus[0];
        let before = rule.values()[0];
        assert!((plus - before - step * c_k).abs() < 1e-9, "{plus}");
        rule.update_at(k, &[1.0], 2.0);
        let moved = rule.values()[0] - before;
        assert!((moved - 2.0 * step * a_k / c_k).abs() < 1e-9, "{moved}");
        // In perturbations, as the plan of a run counts it.
        let gain = rule.gain(0, batch);
        assert!(
            (gain * step * c_k - step * a_k / c_k).abs() < 1e-9,
            "{gain}"
        );
    }
}

#[test]
fn observations_drive_the_rule() {
    let space = Space::new(vec![Param::int("A", 50.0, 0.0, 100.0)]).unwrap();
    let settings = ClassicSettings::customary(ClassicRule::OpenBench, 0);
    let mut rule = Classic::new(
        ClassicRule::OpenBench,
        settings,
        space.clone(),
        budget(10, 8),
    );
    let proposal = rule.propose(0, &[-1.0]);
    let played = space.realise(&proposal, rule.rounding(), &[0.5]);
    rule.absorb(&Observation {
        batch: 0,
        signs: vec![-1.0],
        played,
        counts: [1, 3, 2, 2, 0],
    });
    // The plus side, below the start, lost 3 more than it won.
    let (c, r) = rule.schedule(0, 1.0);
    assert_eq!(rule.values(), [50.0 + 3.0 * r * c]);
}
