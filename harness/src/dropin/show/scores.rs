//! The counts behind the lines.

use std::collections::BTreeMap;

use crate::run::PairingTally;
use crate::stats::{Decision, Model, Pentanomial, Sprt, Wdl, llr};

/// Counts of one engine, or of one engine against another, from its side.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub wdl: Wdl,
    pub pairs: Pentanomial,
    /// Level pairs of a win and a loss.
    pub won_and_lost: u64,
}

impl Counts {
    pub(super) fn of(pairing: &PairingTally) -> Self {
        Self {
            wdl: pairing.wdl,
            pairs: pairing.pentanomial,
            won_and_lost: pairing.won_and_lost,
        }
    }

    /// From the other side.
    fn swapped(&self) -> Self {
        Self {
            wdl: self.wdl.swapped(),
            pairs: self.pairs.swapped(),
            won_and_lost: self.won_and_lost,
        }
    }

    fn add(&mut self, other: &Self) {
        self.wdl.wins += other.wdl.wins;
        self.wdl.draws += other.wdl.draws;
        self.wdl.losses += other.wdl.losses;
        for (own, other) in self.pairs.0.iter_mut().zip(other.pairs.0) {
            *own += other;
        }
        self.won_and_lost += other.won_and_lost;
    }

    /// Points per game, 0 to 1.
    pub(super) fn score(&self) -> f64 {
        self.points() / self.wdl.games() as f64
    }

    pub(super) fn points(&self) -> f64 {
        self.wdl.wins as f64 + self.wdl.draws as f64 / 2.0
    }

    /// Share of drawn games, 0 to 1.
    pub(super) fn draw_ratio(&self) -> f64 {
        self.wdl.draws as f64 / self.wdl.games() as f64
    }

    /// Share of level pairs, 0 to 1.
    pub(super) fn level_ratio(&self) -> f64 {
        self.pairs.0[2] as f64 / self.pairs.pairs() as f64
    }
}

/// The totals of each engine over all its pairings.
pub(super) fn by_engine(
    pairings: &BTreeMap<[usize; 2], PairingTally>,
    engines: usize,
) -> Vec<Counts> {
    let mut all = vec![Counts::default(); engines];
    for ([first, second], pairing) in pairings {
        let counts = Counts::of(pairing);
        all[*first].add(&counts);
        all[*second].add(&counts.swapped());
    }
    all
}

/// How a sequential test stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct TestState {
    pub llr: f64,
    pub lower: f64,
    pub upper: f64,
    pub elo0: f64,
    pub elo1: f64,
    pub decision: Option<Decision>,
    model: Model,
}

impl TestState {
    pub(super) fn of(test: &Sprt) -> Self {
        let (lower, upper) = test.bounds();
        Self {
            llr: test.llr(),
            lower,
            upper,
            elo0: test.config().elo0,
            elo1: test.config().elo1,
            decision: test.decision(),
            model: test.config().model,
        }
    }

    /// The same test after other counts, not decided.
    pub(super) fn at(&self, counts: &Counts) -> Self {
        let (elo0, elo1) = (self.elo0, self.elo1);
        let llr = match self.model {
            Model::Bayesian => llr::bayesian_of_pairs(&counts.pairs, &counts.wdl, elo0, elo1),
            model => llr::llr(model, counts.pairs, elo0, elo1),
        };
        Self {
            llr,
            decision: None,
            ..*self
        }
    }

    /// The hypothesis that was accepted.
    pub(super) fn accepted(&self) -> Option<&'static str> {
        self.decision.map(|decision| match decision {
            Decision::AcceptH0 => "H0",
            Decision::AcceptH1 => "H1",
        })
    }
}
