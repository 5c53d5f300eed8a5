//! The counts of the output.

use std::collections::BTreeMap;

use crate::run::PairingTally;
use crate::stats::{Decision, Model, SprtState, llr};

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
