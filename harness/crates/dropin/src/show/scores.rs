//! The counts of the output.

use std::collections::BTreeMap;

use hone_experiment::PairResult;
use hone_run::{PairingTally, Tally};
use hone_stats::{Decision, Model, SprtState, llr};

/// The totals of each engine over all its pairings.
pub(super) fn by_engine(
    pairings: &BTreeMap<[usize; 2], PairingTally>,
    engines: usize,
) -> Vec<PairingTally> {
    let mut all = vec![PairingTally::default(); engines];
    for ([first, second], pairing) in pairings {
        all[*first] += *pairing;
        all[*second] += pairing.swapped();
    }
    all
}

/// The totals with the first game of a pair too, in the counts of single games.
pub(super) fn with_first_game(tally: &Tally, pair: &PairResult) -> Tally {
    let mut tally = tally.clone();
    let half_points = pair.first_half_points(0);
    let pairing = tally.pairings.entry(pair.engines).or_default();
    pairing.wdl.add(half_points);
    tally
}

/// The single games in the totals.
pub(super) fn games(tally: &Tally) -> u64 {
    let pairings = tally.pairings.values();
    pairings.map(|pairing| pairing.wdl.games()).sum()
}

/// The same test for other pairs, without a decision.
pub(super) fn test_after(test: &SprtState, pairs: &PairingTally) -> SprtState {
    let (elo0, elo1) = (test.elo0, test.elo1);
    let llr = match test.model {
        Model::Bayesian => llr::bayesian_of_pairs(&pairs.pentanomial, &pairs.wdl, elo0, elo1),
        model => llr::llr(model, pairs.pentanomial, elo0, elo1),
    };
    SprtState {
        llr,
        decision: None,
        ..*test
    }
}

/// The hypothesis that was accepted.
pub(super) fn accepted(test: &SprtState) -> Option<&'static str> {
    test.decision.map(|decision| match decision {
        Decision::AcceptH0 => "H0",
        Decision::AcceptH1 => "H1",
    })
}
