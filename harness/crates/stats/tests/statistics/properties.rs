//! Properties of the statistics that hold for all counts.

use hone_stats::sprt::stopped;
use hone_stats::{Counts, Model, Pentanomial, Sprt, SprtConfig, Summary, Wdl, elo, llr};
use proptest::prelude::*;

/// Counts: often zero, sometimes up to 10^9.
fn count() -> impl Strategy<Value = u64> {
    prop_oneof![
        2 => Just(0u64),
        3 => 1..50u64,
        3 => 50..100_000u64,
        1 => 100_000..=1_000_000_000u64,
    ]
}

fn pairs() -> impl Strategy<Value = Pentanomial> {
    prop::array::uniform5(count()).prop_map(Pentanomial)
}

fn games() -> impl Strategy<Value = Wdl> {
    prop::array::uniform3(count()).prop_map(Wdl::from)
}

fn counts() -> impl Strategy<Value = Counts> {
    prop_oneof![
        pairs().prop_map(Counts::from),
        games().prop_map(Counts::from)
    ]
}

fn bounds() -> impl Strategy<Value = (f64, f64)> {
    let usual = (-20.0..20.0, 0.1..20.0);
    let extreme = (-1500.0..1400.0, 0.5..100.0);
    prop_oneof![4 => usual, 1 => extreme].prop_map(|(elo0, width)| (elo0, elo0 + width))
}

fn model() -> impl Strategy<Value = Model> {
    prop::sample::select(Model::ALL.to_vec())
}

/// Panics if a number is not finite: JSON has `null` in its place.
fn assert_finite(value: &serde_json::Value) {
    match value {
        serde_json::Value::Object(fields) => fields.values().for_each(assert_finite),
        serde_json::Value::Null => panic!("a number is missing"),
        _ => {}
    }
}

/// Asserts that the engines can be swapped.
fn assert_antisymmetric((elo0, elo1): (f64, f64), counts: Counts, model: Model) {
    let value = llr::llr(model, counts, elo0, elo1);
    let swapped = llr::llr(model, counts.swapped(), -elo1, -elo0);
    // With 10^9 draws and few other results, the rounding error of the bounds' scores is
    // almost as large as the standard deviation.
    let rounding = 1e-9 * value.abs() + 1e-5;
    assert!((value + swapped).abs() <= rounding, "{value} {swapped}");
    let of = |counts| Summary::new(counts).elo;
    if let (Some(elo), Some(other)) = (of(counts), of(counts.swapped())) {
        assert!((elo.estimate + other.estimate).abs() < 1e-9);
        assert!((elo.low + other.high).abs() < 1e-6);
    }
}

#[test]
fn extreme_counts_swap_like_others() {
    for (bounds, counts, model) in [
        ((0.0, 6.769), [0, 195_187_992, 4], Model::Bayesian),
        ((-1475.936, -1475.436), [12, 0, 51_808], Model::Logistic),
    ] {
        assert_antisymmetric(bounds, Counts::from(Wdl::from(counts)), model);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_ever_infinite((elo0, elo1) in bounds(), counts in counts(), model in model()) {
        let value = llr::llr(model, counts, elo0, elo1);
        prop_assert!(value.is_finite(), "{value}");
        let summary = Summary::new(counts);
        if counts.units() > 0 {
            assert_finite(&serde_json::to_value(summary.elo).unwrap());
            assert_finite(&serde_json::to_value(elo::elo(counts)).unwrap());
            assert_finite(&serde_json::to_value(elo::nelo(counts)).unwrap());
            assert_finite(&serde_json::to_value(elo::los(counts)).unwrap());
        }
        let config = SprtConfig { model, elo0, elo1, ..SprtConfig::default() };
        let estimate = stopped::estimate(&config, counts, None);
        prop_assert_eq!(estimate.is_some(), counts.units() > 0);
        if let Some(estimate) = estimate {
            assert_finite(&serde_json::to_value(estimate).unwrap());
            prop_assert!(estimate.elo.low <= estimate.elo.high);
            prop_assert!((0.0..=1.0).contains(&estimate.los));
        }
    }

    #[test]
    fn swapping_the_engines_changes_the_sign(
        (elo0, elo1) in bounds(),
        counts in counts(),
        model in model(),
    ) {
        assert_antisymmetric((elo0, elo1), counts, model);
    }

    #[test]
    fn exchanging_the_hypotheses_changes_the_sign(
        (elo0, elo1) in bounds(),
        counts in counts(),
        model in prop::sample::select(vec![Model::Normalized, Model::Logistic, Model::Bayesian]),
    ) {
        let value = llr::llr(model, counts, elo0, elo1);
        let exchanged = llr::llr(model, counts, elo1, elo0);
        prop_assert!((value + exchanged).abs() <= 1e-9 * value.abs() + 1e-9);
    }

    #[test]
    fn a_better_result_never_lowers_the_llr(
        (elo0, elo1) in (-20.0..20.0, 0.1..20.0).prop_map(|(elo0, width)| (elo0, elo0 + width)),
        counts in prop::array::uniform5(2..10_000u64),
        class in 0..4usize,
        model in prop::sample::select(vec![Model::Logistic, Model::Betting]),
    ) {
        let mut better = counts;
        better[class] -= 1;
        better[class + 1] += 1;
        let [before, after] = [counts, better].map(|c| llr::llr(model, Pentanomial(c), elo0, elo1));
        prop_assert!(after > before, "{before} {after}");
    }

    /// A better result of one pair also increases the variance, so normalized Elo rises
    /// only if the score is within a few standard deviations of 1/2.
    #[test]
    fn a_better_result_never_lowers_the_normalized_llr_of_balanced_matches(
        elo0 in -5.0..5.0,
        width in 0.1..5.0,
        sides in prop::array::uniform2(200..10_000u64),
        middle in 200..10_000u64,
        class in 0..4usize,
    ) {
        let [outer, inner] = sides;
        let counts = [outer, inner, middle, inner, outer];
        let mut better = counts;
        better[class] -= 1;
        better[class + 1] += 1;
        let value = |c| llr::llr(Model::Normalized, Pentanomial(c), elo0, elo0 + width);
        prop_assert!(value(better) > value(counts));
    }

    #[test]
    fn two_runs_merge_into_one(
        first in prop::collection::vec(0..5usize, 0..150),
        second in prop::collection::vec(0..5usize, 1..150),
    ) {
        for model in [Model::Normalized, Model::Logistic, Model::Bayesian] {
            let config = SprtConfig { model, ..SprtConfig::default() };
            let run = |results: &[usize]| {
                let mut test = Sprt::new(config).unwrap();
                results.iter().for_each(|&result| test.absorb(result));
                test
            };
            let whole = run(&[first.clone(), second.clone()].concat());
            let merged = run(&first).counts() + run(&second).counts();
            prop_assert_eq!(whole.counts(), merged);
            let value = llr::llr(model, merged, config.elo0, config.elo1);
            prop_assert!((whole.llr() - value).abs() < 1e-9);
        }
    }

    #[test]
    fn the_order_inside_a_pair_does_not_matter(
        results in prop::collection::vec(prop::array::uniform2(0..3usize), 1..200),
        model in model(),
    ) {
        let config = SprtConfig { model, ..SprtConfig::default() };
        let run = |reversed: bool| {
            let mut test = Sprt::new(config).unwrap();
            for &[one, two] in &results {
                test.absorb_games(if reversed { [two, one] } else { [one, two] });
            }
            (test.llr(), test.counts(), test.games(), test.decision(), test.bounds())
        };
        prop_assert_eq!(run(false), run(true));
    }
}
