//! `hone sprt`: plays one pairing until the sequential test decides.

mod section;

pub use section::SprtSection;

use super::{Experiment, Next, PairPlan, PairResult, Side, Verdict};
use hone_stats::{Decision, Estimate, Sprt, SprtConfig, SprtError, confidence};

/// A sequential test of the first engine against the second.
#[derive(Debug)]
pub struct SprtExperiment {
    test: Sprt,
    max_pairs: u64,
    absorbed: u64,
    verdict: Option<Verdict>,
}

impl SprtExperiment {
    /// A test that ends undecided after `max_pairs`.
    ///
    /// # Errors
    /// [`SprtError`] if the hypotheses or error rates are impossible.
    pub fn new(config: SprtConfig, max_pairs: u64) -> Result<Self, SprtError> {
        Ok(Self {
            test: Sprt::new(config)?,
            max_pairs,
            absorbed: 0,
            verdict: None,
        })
    }
}

impl Experiment for SprtExperiment {
    fn plan(&mut self, pair: u64) -> Next {
        if pair >= self.max_pairs {
            return Next::End;
        }
        Next::Play(PairPlan {
            first: Side::plain(0),
            second: Side::plain(1),
            opening: self.opening(pair),
        })
    }

    fn absorb(&mut self, result: &PairResult) {
        let halves = [0, 1].map(|game| result.first_half_points(game));
        self.test.absorb_games(halves);
        self.count();
    }

    fn pass_over(&mut self, _result: &PairResult) {
        self.count();
    }

    fn verdict(&self) -> Option<Verdict> {
        self.verdict
    }

    fn budget(&self) -> u64 {
        self.max_pairs
    }

    fn test(&self) -> Option<&Sprt> {
        Some(&self.test)
    }

    fn always_valid(&self) -> Option<Estimate> {
        confidence::of_counts(self.test.counts().into())
    }
}

impl SprtExperiment {
    /// Counts a pair against the budget and updates the verdict.
    fn count(&mut self) {
        self.absorbed += 1;
        self.verdict = match self.test.decision() {
            Some(Decision::AcceptH1) => Some(Verdict::H1),
            Some(Decision::AcceptH0) => Some(Verdict::H0),
            None if self.absorbed >= self.max_pairs => Some(Verdict::Inconclusive),
            None => None,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_stats::confidence::ConfidenceSequence;
    use hone_uci::rules::{Effort, GameResult, Outcome, Termination};

    fn result(pair: u64, outcomes: [Outcome; 2]) -> PairResult {
        PairResult {
            pair,
            engines: [0, 1],
            games: outcomes.map(|outcome| GameResult {
                outcome,
                termination: Termination::Checkmate,
                plies: 40,
                ms: [0; 2],
                nodes: [0; 2],
                effort: [Effort::default(); 2],
                digest: pair,
                line: None,
            }),
        }
    }

    #[test]
    fn a_test_has_the_interval_that_its_chart_draws() {
        let mut test = SprtExperiment::new(SprtConfig::default(), 50).expect("a test");
        let mut drawn = ConfidenceSequence::of_test();
        assert_eq!(test.always_valid(), None);
        for pair in 0..40 {
            let outcomes = [Outcome::White, Outcome::Black, Outcome::Draw];
            let result = result(
                pair,
                [0, 1].map(|game| outcomes[(pair as usize + game) % 3]),
            );
            test.absorb(&result);
            drawn.absorb(result.half_points());
            assert_eq!(test.always_valid(), drawn.interval());
        }
        test.pass_over(&result(40, [Outcome::White; 2]));
        assert_eq!(test.always_valid(), drawn.interval());
        assert_ne!(drawn.interval(), None);
    }
}
