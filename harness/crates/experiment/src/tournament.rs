//! `hone match`: a fixed number of pairs of each pairing.

use hone_stats::Estimate;
use hone_stats::confidence::{ConfidenceSequence, StopRule};

use super::{Experiment, Next, PairPlan, PairResult, Side, Verdict};

/// A round robin or gauntlet.
#[derive(Debug)]
pub struct TournamentExperiment {
    pairings: Vec<[usize; 2]>,
    /// Pairs of each pairing.
    rounds: u64,
    absorbed: u64,
    /// Only of a match of two engines.
    sequence: Option<ConfidenceSequence>,
    stop: Option<StopRule>,
}

impl TournamentExperiment {
    /// All engines against each other, `rounds` pairs each.
    pub fn round_robin(engines: usize, rounds: u64) -> Self {
        Self::gauntlet(engines, engines, rounds)
    }

    /// The first `seeds` engines against all others and each other, `rounds`
    /// pairs each.
    pub fn gauntlet(engines: usize, seeds: usize, rounds: u64) -> Self {
        let pairings = (0..seeds.min(engines))
            .flat_map(|first| (first + 1..engines).map(move |second| [first, second]))
            .collect();
        Self::new(pairings, rounds)
    }

    fn new(pairings: Vec<[usize; 2]>, rounds: u64) -> Self {
        let sequence = (pairings.len() == 1).then(|| ConfidenceSequence::of_match(rounds));
        Self {
            pairings,
            rounds,
            absorbed: 0,
            sequence,
            stop: None,
        }
    }

    /// The same with `rounds` pairs of each pairing. The always-valid interval of a match
    /// of two engines keeps the shape that was planned: it is valid only if the shape does
    /// not depend on the results.
    pub fn extended_to(mut self, rounds: u64) -> Self {
        self.rounds = rounds;
        self
    }

    /// Ends a match of two engines as soon as `rule` is met. A match of more
    /// engines has several intervals, and the rule is never met.
    pub fn stopping_when(mut self, rule: Option<StopRule>) -> Self {
        self.stop = rule;
        self
    }
}

impl Experiment for TournamentExperiment {
    fn plan(&mut self, pair: u64) -> Next {
        if pair >= self.budget() {
            return Next::End;
        }
        let pairings = self.pairings.len() as u64;
        let [first, second] = self.pairings[(pair % pairings) as usize];
        Next::Play(PairPlan {
            first: Side::plain(first),
            second: Side::plain(second),
            opening: self.opening(pair),
        })
    }

    /// A round plays all pairings with the same opening, so that all pairings have
    /// the same openings.
    fn opening(&self, pair: u64) -> u64 {
        pair / (self.pairings.len() as u64).max(1)
    }

    fn absorb(&mut self, result: &PairResult) {
        self.absorbed += 1;
        if let Some(sequence) = &mut self.sequence {
            sequence.absorb(result.half_points());
        }
    }

    fn pass_over(&mut self, _result: &PairResult) {
        self.absorbed += 1;
    }

    fn verdict(&self) -> Option<Verdict> {
        let met = match (&self.sequence, self.stop) {
            (Some(sequence), Some(rule)) => sequence.is_met(rule),
            _ => false,
        };
        (met || self.absorbed >= self.budget()).then_some(Verdict::Complete)
    }

    fn always_valid(&self) -> Option<Estimate> {
        self.sequence.as_ref()?.interval()
    }

    fn budget(&self) -> u64 {
        self.rounds.saturating_mul(self.pairings.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_uci::rules::{Effort, GameResult, Outcome, Termination};

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
        let plans = plans(TournamentExperiment::gauntlet(4, 1, 1));
        assert_eq!(plans, [(0, 1, 0), (0, 2, 0), (0, 3, 0)]);
        let plans = self::plans(TournamentExperiment::gauntlet(3, 2, 1));
        assert_eq!(plans, [(0, 1, 0), (0, 2, 0), (1, 2, 0)]);
    }

    #[test]
    fn more_pairs_do_not_change_the_shape_of_the_interval() {
        let mut extended = TournamentExperiment::round_robin(2, 10).extended_to(40);
        let mut planned = ConfidenceSequence::of_match(10);
        for pair in 0..40 {
            assert_eq!(extended.verdict(), None, "after {pair} pairs");
            let result = result(pair, [Outcome::White, Outcome::Black, Outcome::Draw]);
            extended.absorb(&result);
            planned.absorb(result.half_points());
            assert_eq!(extended.always_valid(), planned.interval());
        }
        assert_eq!(extended.verdict(), Some(Verdict::Complete));
        assert_ne!(planned.interval(), None);
    }

    fn result(pair: u64, outcomes: [Outcome; 3]) -> PairResult {
        PairResult {
            pair,
            engines: [0, 1],
            games: [0, 1].map(|game| GameResult {
                outcome: outcomes[(pair as usize + 2 * game) % 3],
                termination: Termination::Checkmate,
                plies: 40,
                ms: [0; 2],
                nodes: [0; 2],
                effort: [Effort::default(); 2],
                digest: 2 * pair + game as u64,
                line: None,
            }),
        }
    }
}
