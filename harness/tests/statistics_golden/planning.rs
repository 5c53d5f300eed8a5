//! What sequential tests cost, by calculators and by simulation.

use harness::stats::distribution::PairDistribution;
use harness::stats::plan::{self, Walk};
use harness::stats::{Model, SprtConfig};

use super::report::{Case, DISPLAY, Report, Tolerance, number};

fn config(case: &Case) -> SprtConfig {
    SprtConfig {
        model: case.model.parse().expect("a model"),
        elo0: case.input("elo0"),
        elo1: case.input("elo1"),
        alpha: case.input("alpha"),
        beta: case.input("beta"),
        overshoot: false,
    }
}

fn truth(case: &Case) -> PairDistribution {
    let values = case.inputs["true_pair_distribution"]
        .as_array()
        .expect("five probabilities");
    let probabilities = std::array::from_fn(|i| values[i].as_f64().expect("a probability"));
    PairDistribution::new(probabilities).expect("a distribution")
}

/// fishtest's calculator.
pub(crate) fn calculator(case: &Case, report: &mut Report) {
    let (pass, games) = plan::fishtest_characteristics(
        &config(case),
        case.input("draw_ratio"),
        case.input("rms_bias"),
        case.input("true_elo_logistic"),
    )
    .expect("a possible match");
    // At the middle of the bounds the calculator divides two small differences
    // and loses some digits of the number of games.
    let games_tolerance = Tolerance {
        relative: 1e-7,
        absolute: 0.0,
    };
    for (key, value, tolerance) in [("pass", pass, DISPLAY), ("games", games, games_tolerance)] {
        let expected = number(&case.outputs[key]).expect(key);
        report.compare(case, key, value, expected, tolerance);
    }
}

/// A random walk of the exact jumps.
pub(crate) fn random_walk(case: &Case, report: &mut Report) {
    let walk = Walk::new(&config(case), &truth(case));
    let (drift, variance) = walk.drift_and_variance();
    let (pass, pairs) = walk.pass_and_pairs();
    // The reference drops digits where the drift is near zero.
    let tolerance = Tolerance {
        relative: 1e-6,
        absolute: 1e-9,
    };
    for (key, value) in [
        ("pass_probability", pass),
        ("expected_pairs", pairs),
        ("llr_drift_per_pair", drift),
        ("llr_variance_per_pair", variance),
    ] {
        let expected = number(&case.outputs[key]).expect(key);
        report.compare(case, key, value, expected, tolerance);
    }
}

/// The plan against other people's simulations of the whole test.
pub(crate) fn simulated(case: &Case, report: &mut Report) {
    for (variant, overshoot) in [("wald_exact", false), ("fishtest_overshoot", true)] {
        let simulated = &case.outputs["simulated"][variant];
        let value = |key: &str| number(&simulated[key]).expect(key);
        let config = SprtConfig {
            overshoot,
            ..config(case)
        };
        let elo = case.input("true_elo");
        let model: Model = config.model;
        let strength = truth(case).strength(model).expect("a finite strength");
        report.compare(
            case,
            "strength of the distribution",
            strength,
            elo,
            Tolerance {
                relative: 0.0,
                absolute: 1e-6,
            },
        );
        let point = plan::point(&config, &truth(case), elo).expect("a reachable strength");
        let four_errors = |absolute: f64| Tolerance {
            relative: 0.0,
            absolute,
        };
        let n = value("n");
        // The error of a rate of zero is not zero.
        let pass_error = (point.pass * (1.0 - point.pass) / n).sqrt() + 1.0 / n;
        report.compare(
            case,
            "pass",
            point.pass,
            value("pass"),
            four_errors(4.0 * pass_error),
        );
        let pairs_error = 4.0 * value("mean_pairs_se");
        report.compare(
            case,
            "pairs",
            point.pairs,
            value("mean_pairs"),
            four_errors(pairs_error),
        );
    }
}
