//! `hone match`: a fixed number of pairs of each pairing.

use super::{Experiment, Next, PairPlan, PairResult, Side, Verdict};

/// Who plays whom, and how often.
#[derive(Debug)]
pub struct TournamentExperiment {
    pairings: Vec<[usize; 2]>,
    /// Pairs of each pairing.
    rounds: u64,
    absorbed: u64,
}

impl TournamentExperiment {
    /// Everybody against everybody, `rounds` pairs each.
    pub fn round_robin(engines: usize, rounds: u64) -> Self {
        let pairings = (0..engines)
            .flat_map(|first| (first + 1..engines).map(move |second| [first, second]))
            .collect();
        Self {
            pairings,
            rounds,
            absorbed: 0,
        }
    }

    /// The first engine against each of the others, `rounds` pairs each.
    pub fn gauntlet(engines: usize, rounds: u64) -> Self {
        Self {
            pairings: (1..engines).map(|second| [0, second]).collect(),
            rounds,
            absorbed: 0,
        }
    }
}

impl Experiment for TournamentExperiment {
    /// A round plays all pairings with the same opening, so that none meets an
    /// easier book than another.
    fn plan(&mut self, pair: u64) -> Next {
        if pair >= self.budget() {
            return Next::End;
        }
        let pairings = self.pairings.len() as u64;
        let [first, second] = self.pairings[(pair % pairings) as usize];
        Next::Play(PairPlan {
            first: Side::plain(first),
            second: Side::plain(second),
            opening: pair / pairings,
        })
    }

    fn absorb(&mut self, _: &PairResult) {
        self.absorbed += 1;
    }

    fn verdict(&self) -> Option<Verdict> {
        (self.absorbed >= self.budget()).then_some(Verdict::Complete)
    }

    fn budget(&self) -> u64 {
        self.rounds * self.pairings.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plans(mut experiment: TournamentExperiment) -> Vec<(usize, usize, u64)> {
        (0..)
            .map_while(|pair| match experiment.plan(pair) {
                Next::Play(plan) => Some((plan.first.engine, plan.second.engine, plan.opening)),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn every_pairing_gets_every_opening() {
        let plans = plans(TournamentExperiment::round_robin(3, 2));
        assert_eq!(
            plans,
            [
                (0, 1, 0),
                (0, 2, 0),
                (1, 2, 0),
                (0, 1, 1),
                (0, 2, 1),
                (1, 2, 1)
            ]
        );
    }

    #[test]
    fn a_gauntlet_is_the_first_against_the_rest() {
        let plans = plans(TournamentExperiment::gauntlet(4, 1));
        assert_eq!(plans, [(0, 1, 0), (0, 2, 0), (0, 3, 0)]);
    }
}
