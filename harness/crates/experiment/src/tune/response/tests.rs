use super::super::budget::Budget;
use super::super::landscape::{Axis, Fall, Landscape};
use super::super::method::{Spsa, SpsaSettings};
use super::super::pair_model::PairModel;
use super::super::param::{Param, ParamKind};
use super::super::tuner::Tuner;
use super::*;

/// A live, a dead and a weak parameter.
fn played_run() -> (Landscape, Response, Vec<f64>) {
    let axis = |name: &str, start: f64, optimum: f64, sensitivity: f64| Axis {
        name: name.to_owned(),
        min: 0.0,
        max: 100.0,
        start,
        optimum,
        sensitivity,
        skew: 0.0,
    };
    let axes = vec![
        axis("Live", 40.0, 60.0, 300.0),
        axis("Dead", 50.0, 70.0, 0.0),
        axis("Weak", 50.0, 45.0, 60.0),
    ];
    let params = axes
        .iter()
        .map(|axis| Param::int(&axis.name, axis.start, axis.min, axis.max));
    let space = Space::new(params.collect()).unwrap();
    let landscape = Landscape::new(axes, Fall::Flattening { scale: 300.0 }, None);
    let budget = Budget {
        pairs: 20_000,
        batch: 8,
        window: 1,
    };
    let method = Spsa::new(SpsaSettings::default(), space.clone(), budget);
    let mut tuner = Tuner::new(space.clone(), budget, 3, Box::new(method)).with_history();
    let mut outcomes = stream(3, Purpose::Outcomes, 0);
    while let Some((_, played)) = tuner.plan() {
        let elo = landscape.elo(&played.plus) - landscape.elo(&played.minus);
        tuner.result(PairModel::BENCHMARK.draw(elo, 8, &mut outcomes));
    }
    tuner.finish();
    let values = tuner.method().values();
    let response = tuner.history().unwrap().response(&space, &values).unwrap();
    (landscape, response, space.nearest(&values))
}

#[test]
fn a_live_parameter_matters_and_the_intervals_contain_the_truth() {
    let (landscape, response, values) = played_run();
    let [live, dead, weak] = &response.params[..] else {
        panic!("three parameters");
    };
    assert_eq!(live.weight, Relevance::Matters);
    assert_ne!(dead.weight, Relevance::Matters, "{dead:?}");
    assert!(
        live.optimum.low <= 60.0 && 60.0 <= live.optimum.high,
        "{live:?}"
    );
    assert!(live.optimum.low > 40.0, "better than the start: {live:?}");
    assert!(
        weak.optimum.low <= 45.0 && 45.0 <= weak.optimum.high,
        "{weak:?}"
    );
    // 300 / 16 Elo a quarter of the span away.
    assert!(
        live.quarter.low < 18.75 && live.quarter.high > 18.75,
        "{live:?}"
    );
    assert!(
        response.interactions.is_empty(),
        "{:?}",
        response.interactions
    );
    let gain = landscape.elo(&values) - landscape.elo(&[40.0, 50.0, 50.0]);
    assert!(
        response.gain.low < gain && gain < response.gain.high,
        "{gain} {response:?}"
    );
    assert!(response.gain.low > 0.0);
    assert_eq!(response.pairs, 20_000);
}

#[test]
fn without_pairs_there_is_no_response() {
    let space = Space::new(vec![Param::int("A", 1.0, 0.0, 2.0)]).unwrap();
    assert!(History::default().response(&space, &[1.0]).is_none());
}

#[test]
fn a_start_outside_the_interval_of_the_optimum_matters() {
    let estimate = |low: f64, high: f64| Estimate {
        estimate: 0.5 * (low + high),
        low,
        high,
    };
    let optimum = [84.0, 121.0];
    let unclear = estimate(-3.0, 28.0);
    assert_eq!(relevance(80.0, optimum, unclear), Relevance::Matters);
    assert_eq!(relevance(130.0, optimum, unclear), Relevance::Matters);
    assert_eq!(relevance(90.0, optimum, unclear), Relevance::Unclear);
    assert_eq!(
        relevance(90.0, optimum, estimate(0.1, 28.0)),
        Relevance::Matters
    );
    assert_eq!(
        relevance(80.0, optimum, estimate(-0.5, 0.5)),
        Relevance::Dead
    );
}

#[test]
fn a_choice_is_never_at_a_bound() {
    let space = |kind: ParamKind| {
        let param = Param {
            kind,
            ..Param::int("A", 0.0, 0.0, 1.0)
        };
        Space::new(vec![param]).unwrap()
    };
    for (kind, at_bound) in [(ParamKind::Int, true), (ParamKind::Check, false)] {
        let space = space(kind);
        let mut history = History::default();
        history.push(&observed([0, 0, 0, 8, 0]), vec![1.0]);
        let response = history.response(&space, &[1.0]).unwrap();
        assert_eq!(response.params[0].at_bound, at_bound);
    }
}

/// Pairs that are all level show nothing.
#[test]
fn level_pairs_have_no_response() {
    let space = Space::new(vec![Param::int("A", 0.0, 0.0, 1.0)]).unwrap();
    let mut history = History::default();
    history.push(&observed([0, 0, 8, 0, 0]), vec![0.0]);
    assert_eq!(history.batches().len(), 1);
    assert!(history.response(&space, &[0.0]).is_none());
}

/// A batch with the two sides one apart.
fn observed(counts: [u64; 5]) -> Observation {
    let sides = SideValues {
        plus: vec![1.0],
        minus: vec![0.0],
    };
    Observation {
        batch: 0,
        signs: vec![1.0],
        played: sides,
        counts,
    }
}
