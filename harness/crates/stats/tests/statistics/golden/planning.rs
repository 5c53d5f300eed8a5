//! Pass rates and lengths of sequential tests, by calculators and by simulation.

use hone_stats::SprtConfig;
use hone_stats::distribution::PairDistribution;
use hone_stats::plan::{self, Walk};

use super::report::{Case, DISPLAY, Report, Tolerance, number};

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
        &case.config(&case.model),
        case.input("draw_ratio"),
        case.input("rms_bias"),
        case.input("true_elo_logistic"),
    )
    .expect("a possible match");
    // At the middle of the bounds the calculator divides two small differences, so that the
    // number of games has fewer significant digits.
    let games_tolerance = Tolerance {
        relative: 1e-7,
        absolute: 0.0,
    };
    for (key, value, tolerance) in [("pass", pass, DISPLAY), ("games", games, games_tolerance)] {
        let expected = number(&case.outputs[key]).expect(key);
        report.compare(case, key, value, expected, tolerance);
    }
}

/// A random walk with the exact distribution of its steps.
pub(crate) fn random_walk(case: &Case, report: &mut Report) {
    let walk = Walk::new(&case.config(&case.model), &truth(case));
    let (drift, variance) = walk.drift_and_variance();
    let (pass, pairs) = walk.pass_and_pairs();
    // The reference loses digits where the drift is near zero.
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

/// The plan against simulations of whole tests by another program.
pub(crate) fn simulated(case: &Case, report: &mut Report) {
    for (variant, overshoot) in [("wald_exact", false), ("fishtest_overshoot", true)] {
        let simulated = &case.outputs["simulated"][variant];
        let value = |key: &str| number(&simulated[key]).expect(key);
        let config = SprtConfig {
            overshoot,
            ..case.config(&case.model)
        };
        let elo = case.input("true_elo");
        let strength = truth(case).strength(config.model);
        let strength = strength.expect("a finite strength");
        let exact = Tolerance::absolute(1e-6);
        report.compare(case, "strength of the distribution", strength, elo, exact);
        let point = plan::point(&config, &truth(case), elo).expect("a reachable strength");
        let n = value("n");
        // Four standard errors. That of a rate of zero is not zero.
        let pass_error = (point.pass * (1.0 - point.pass) / n).sqrt() + 1.0 / n;
        let allowed = Tolerance::absolute(4.0 * pass_error);
        report.compare(case, "pass", point.pass, value("pass"), allowed);
        let allowed = Tolerance::absolute(4.0 * value("mean_pairs_se"));
        report.compare(case, "pairs", point.pairs, value("mean_pairs"), allowed);
    }
}
