//! Error rates and costs of the sequential tests: simulations of the code that runs in a
//! test, compared with the plan, and the estimate after a test.
//!
//! Larger simulations: `hone calc simulate --runs 20000 …`.

use std::num::NonZeroUsize;

use hone_stats::distribution::PairDistribution;
use hone_stats::plan;
use hone_stats::simulate::{Simulation, SimulationResult};
use hone_stats::{Model, SprtConfig};

const RUNS: u64 = 800;

fn base() -> PairDistribution {
    PairDistribution::new([0.025, 0.225, 0.5, 0.225, 0.025]).unwrap()
}

/// Bounds at which a test takes a few hundred pairs.
fn config(model: Model, overshoot: bool) -> SprtConfig {
    SprtConfig {
        model,
        elo0: 0.0,
        elo1: match model {
            Model::Normalized => 20.0,
            Model::Logistic | Model::Betting => 12.0,
            Model::Bayesian => 20.0,
        },
        overshoot,
        ..SprtConfig::default()
    }
}

fn simulation(config: SprtConfig, elo: f64) -> Simulation {
    Simulation {
        config,
        truth: base().tilted_to(config.model, elo).unwrap(),
        runs: RUNS,
        seed: 2026,
        max_pairs: 1_000_000,
        threads: NonZeroUsize::new(2).unwrap(),
    }
}

/// Simulations of a betting test at both bounds, with pairs distributed like `base`.
fn betting_at_its_bounds(config: SprtConfig, base: [f64; 5]) -> [SimulationResult; 2] {
    let base = PairDistribution::new(base).unwrap();
    let config = SprtConfig {
        model: Model::Betting,
        ..config
    };
    [config.elo0, config.elo1].map(|elo| {
        let truth = base.tilted_to(config.model, elo).unwrap();
        let simulation = Simulation {
            truth,
            ..simulation(config, elo)
        };
        let result = simulation.run().unwrap();
        assert_eq!(result.undecided, 0.0);
        result
    })
}

/// Five true strengths: both bounds, the middle, and beyond either bound.
fn strengths(config: &SprtConfig) -> [f64; 5] {
    [-1.0, 0.0, 0.5, 1.0, 2.0].map(|x| config.elo0 + x * (config.elo1 - config.elo0))
}

fn check(config: SprtConfig) -> Vec<SimulationResult> {
    strengths(&config)
        .into_iter()
        .map(|elo| {
            let result = simulation(config, elo).run().unwrap();
            let point = plan::point(&config, &base(), elo).unwrap();
            let context = format!("{config:?} at {elo}: {result:?} {point:?}");
            let pass_error = 3.0 * result.pass_se;
            assert!((result.pass - point.pass).abs() <= pass_error, "{context}");
            let pairs_error = 3.0 * result.pairs_se;
            assert!(
                (result.pairs_mean - point.pairs).abs() <= pairs_error,
                "{context}"
            );
            assert_eq!(result.undecided, 0.0);
            result
        })
        .collect()
}

/// Error rates at both bounds are at most 5 %, within three standard errors.
fn assert_error_rates(results: &[SimulationResult]) {
    let (at_elo0, at_elo1) = (results[1], results[3]);
    assert!(at_elo0.pass <= 0.05 + 3.0 * at_elo0.pass_se, "{at_elo0:?}");
    assert!(
        1.0 - at_elo1.pass <= 0.05 + 3.0 * at_elo1.pass_se,
        "{at_elo1:?}"
    );
}

#[test]
fn normalized_test_is_as_planned() {
    assert_error_rates(&check(config(Model::Normalized, false)));
}

/// The largest bound that is allowed: from 231 nElo on, most tests at `elo1` fail.
#[test]
fn normalized_test_keeps_its_rates_up_to_its_largest_bound() {
    let config = SprtConfig {
        elo0: 150.0,
        elo1: 230.0,
        ..SprtConfig::default()
    };
    let [at_elo0, at_elo1] =
        [config.elo0, config.elo1].map(|elo| simulation(config, elo).run().unwrap());
    assert!(at_elo0.pass <= 0.05 + 3.0 * at_elo0.pass_se, "{at_elo0:?}");
    assert!(at_elo1.pass >= 0.95 - 3.0 * at_elo1.pass_se, "{at_elo1:?}");
}

#[test]
fn logistic_test_is_as_planned() {
    assert_error_rates(&check(config(Model::Logistic, false)));
}

#[test]
fn bayesian_test_is_as_planned() {
    assert_error_rates(&check(config(Model::Bayesian, false)));
}

#[test]
fn betting_test_is_as_planned() {
    assert_error_rates(&check(config(Model::Betting, false)));
}

/// Such pairs are far from the distribution that the first stakes assume, so that both
/// gamblers lose at first, which is evidence for neither hypothesis.
#[test]
fn betting_keeps_its_rates_for_pairs_that_are_always_decided() {
    let config = SprtConfig {
        elo1: 100.0,
        ..SprtConfig::default()
    };
    let [at_elo0, at_elo1] = betting_at_its_bounds(config, [0.5, 0.0, 0.0, 0.0, 0.5]);
    assert!(at_elo0.pass <= 0.05 + 3.0 * at_elo0.pass_se, "{at_elo0:?}");
    assert!(at_elo1.pass >= 0.95 - 3.0 * at_elo1.pass_se, "{at_elo1:?}");
}

#[test]
fn betting_keeps_error_rates_that_differ() {
    let base = [0.2, 0.15, 0.3, 0.15, 0.2];
    for (alpha, beta) in [(0.4, 0.05), (0.05, 0.4)] {
        let config = SprtConfig {
            elo1: 50.0,
            alpha,
            beta,
            ..SprtConfig::default()
        };
        let [at_elo0, at_elo1] = betting_at_its_bounds(config, base);
        assert!(at_elo0.pass <= alpha + 3.0 * at_elo0.pass_se, "{at_elo0:?}");
        let missed = 1.0 - at_elo1.pass;
        assert!(missed <= beta + 3.0 * at_elo1.pass_se, "{at_elo1:?}");
    }
}

#[test]
fn the_worst_case_is_the_most_expensive_strength() {
    for (alpha, beta) in [(0.05, 0.05), (0.01, 0.3), (0.3, 0.01)] {
        let config = SprtConfig {
            alpha,
            beta,
            ..config(Model::Logistic, false)
        };
        let worst = plan::worst_case(&config, &base()).unwrap();
        let strengths = (0..=48).map(|i| 0.25 * f64::from(i));
        let most = strengths
            .map(|elo| plan::point(&config, &base(), elo).unwrap())
            .max_by(|a, b| a.pairs.total_cmp(&b.pairs))
            .unwrap();
        assert!((worst.elo - most.elo).abs() <= 0.25, "{worst:?} {most:?}");
        assert!(
            worst.pairs * (1.0 + 1e-6) >= most.pairs,
            "{worst:?} {most:?}"
        );
        let is_middle = (worst.elo - 6.0).abs() < 0.01;
        assert_eq!(is_middle, alpha == beta, "{worst:?}");
        // The narrowest bound at this cost is that of the test.
        let elo1 = plan::affordable_elo1(&config, &base(), worst.pairs).unwrap();
        assert!((elo1.unwrap() - config.elo1).abs() < 1e-3, "{elo1:?}");
    }
}

#[test]
fn overshoot_correction_saves_pairs_and_keeps_the_rates() {
    let plain = check(config(Model::Logistic, false));
    let corrected = check(config(Model::Logistic, true));
    assert_error_rates(&corrected);
    for (plain, corrected) in plain.iter().zip(&corrected) {
        // With the same pairs, the corrected test stops earlier or at the same pair.
        assert!(corrected.pairs_mean < plain.pairs_mean);
    }
}

#[test]
fn estimate_after_the_test_is_unbiased_and_covers() {
    let config = config(Model::Logistic, false);
    for elo in [0.0, 12.0] {
        let outcomes = simulation(config, elo)
            .tests(|test| {
                let estimate = test.estimate().unwrap().elo;
                let naive = hone_stats::elo::elo(test.counts()).unwrap().estimate;
                (estimate, naive)
            })
            .unwrap();
        let n = outcomes.len() as f64;
        let share = |is: &dyn Fn(&(hone_stats::Estimate, f64)) -> bool| {
            outcomes.iter().filter(|outcome| is(outcome)).count() as f64 / n
        };
        let covered = share(&|(estimate, _)| estimate.low <= elo && elo <= estimate.high);
        assert!(
            (covered - 0.95).abs() <= 4.0 * (0.05 * 0.95 / n).sqrt(),
            "{covered}"
        );
        let above = share(&|(estimate, _)| estimate.estimate > elo);
        assert!((above - 0.5).abs() <= 4.0 * (0.25 / n).sqrt(), "{above}");
        // The usual estimate, which ignores the stopping rule, is biased away from the middle.
        let naive: f64 = outcomes.iter().map(|(_, naive)| naive).sum::<f64>() / n;
        let outwards = if elo > 6.0 { naive - elo } else { elo - naive };
        assert!(outwards > 1.0, "{naive}");
    }
}
