//! The effect of builds on a bisection.

use super::{BisectExperiment, BisectSection, BuildOutcome, Fingerprint};
use crate::{Experiment, PairResult, Verdict};
use hone_uci::rules::{GameResult, Outcome, Termination};

fn experiment(last: usize) -> BisectExperiment {
    BisectExperiment::new(BisectSection::default(), last, Vec::new())
}

#[test]
fn between_two_of_the_same_engine_there_is_no_culprit() {
    let engine = |sha256: &str, bench| {
        BuildOutcome::Built(Fingerprint {
            sha256: sha256.to_string(),
            bench,
        })
    };
    let mut bisect = experiment(8);
    bisect.add_build(0, engine("a", Some(1)));
    bisect.add_build(5, engine("b", Some(1)));
    assert_eq!(bisect.posterior().commit(5), 0.0);
    assert!(bisect.posterior().commit(6) > 0.2);
    bisect.add_build(6, engine("c", None));
    bisect.add_build(7, engine("c", None));
    assert_eq!(bisect.posterior().commit(7), 0.0);
    assert!(bisect.posterior().commit(8) > 0.4);
    bisect.add_build(8, engine("c", None));
    assert!((bisect.probability(&(6..=6)) - 0.9).abs() < 1e-9);
    assert_eq!(bisect.verdict(), None);
    assert!(bisect.has_build(7) && !bisect.has_build(4));
}

/// The build of a commit.
fn with_bench(program: &str, bench: u64) -> BuildOutcome {
    BuildOutcome::Built(Fingerprint {
        sha256: program.to_string(),
        bench: Some(bench),
    })
}

#[test]
fn an_equal_bench_decides_nothing_without_a_game() {
    // Of the ends, and of two spans that cover all commits.
    let ends = vec![(0, "a", 1), (8, "b", 1)];
    let spans = vec![(0, "a", 1), (5, "b", 1), (4, "c", 2), (8, "d", 2)];
    for builds in [ends, spans] {
        let mut bisect = experiment(8);
        for (commit, program, bench) in builds {
            bisect.add_build(commit, with_bench(program, bench));
        }
        assert_eq!(bisect.verdict(), None);
        assert!((bisect.probability(&(1..=8)) - 0.9).abs() < 1e-9);
        assert!(bisect.cleared_by_bench().is_empty());
        // Everything from commit 3 on lost.
        while let Some((earlier, later)) = bisect.next_match() {
            let across = earlier < 3 && 3 <= later;
            bisect.take((earlier, later), if across { 0 } else { 2 });
        }
        assert_eq!(bisect.found().commits, 3..=3);
    }
    // With a suspect left, the others are cleared, and named.
    let mut bisect = experiment(8);
    bisect.add_build(0, with_bench("a", 1));
    bisect.add_build(7, with_bench("b", 1));
    assert_eq!(bisect.cleared_by_bench(), (1..=7).collect());
    assert_eq!(bisect.posterior().commit(4), 0.0);
}

#[test]
fn commits_of_one_bench_that_play_the_same_moves_are_the_same_engine() {
    let game = |digest| GameResult {
        outcome: Outcome::White,
        termination: Termination::Checkmate,
        plies: 40,
        ms: [10, 10],
        nodes: [400, 400],
        effort: Default::default(),
        digest,
        line: None,
    };
    for (last_digest, verdict) in [(15, Some(Verdict::Inconclusive)), (99, None)] {
        let mut bisect = experiment(2);
        bisect.add_build(0, with_bench("a", 1));
        bisect.add_build(2, with_bench("b", 1));
        for number in 0..16 {
            assert_eq!(bisect.verdict(), None);
            let second = if number == 15 { last_digest } else { number };
            bisect.absorb(&PairResult {
                pair: number,
                engines: [2, 0],
                games: [game(number), game(second)],
            });
        }
        assert_eq!(bisect.verdict(), verdict);
    }
}
