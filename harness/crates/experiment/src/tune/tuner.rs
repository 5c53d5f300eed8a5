//! A tuning run without its games: batches are planned from earlier batches'
//! results, always from the same ones.

use std::collections::VecDeque;

use super::budget::Budget;
use super::design::Design;
use super::method::{Method, Observation};
use super::response::History;
use super::space::{SideValues, Space};
use super::stream::{Purpose, stream, uniform};

/// Plans batches and absorbs their results in order.
pub struct Tuner {
    space: Space,
    budget: Budget,
    seed: u64,
    method: Box<dyn Method>,
    design: Design,
    planned: u64,
    absorbed: u64,
    /// Planned and not absorbed; their counts are filled in by the results.
    in_flight: VecDeque<Observation>,
    /// Results that came in before a plan needed them.
    results: VecDeque<[u64; 5]>,
    history: Option<History>,
}

impl Tuner {
    pub fn new(space: Space, budget: Budget, seed: u64, method: Box<dyn Method>) -> Self {
        Self {
            design: Design::new(seed, space.dimension()),
            space,
            budget,
            seed,
            method,
            planned: 0,
            absorbed: 0,
            in_flight: VecDeque::new(),
            results: VecDeque::new(),
            history: None,
        }
    }

    /// Keeps all batches, for the response.
    #[must_use]
    pub(crate) fn with_history(mut self) -> Self {
        self.history = Some(History::default());
        self
    }

    /// All absorbed batches, if they are kept.
    pub fn history(&self) -> Option<&History> {
        self.history.as_ref()
    }

    pub fn space(&self) -> &Space {
        &self.space
    }

    pub fn method(&self) -> &dyn Method {
        self.method.as_ref()
    }

    /// Plans the next batch, if there is one and the results that its plan
    /// needs are known.
    pub fn plan(&mut self) -> Option<(u64, SideValues)> {
        if self.planned == self.budget.batches() {
            return None;
        }
        while self.absorbed < self.budget.known_before(self.planned) {
            self.absorb_next()?;
        }
        let batch = self.planned;
        let signs = self.design.signs(batch);
        let proposal = self.method.propose(batch, &signs);
        let mut rng = stream(self.seed, Purpose::Rounding, batch);
        let draws: Vec<f64> = signs.iter().map(|_| uniform(&mut rng)).collect();
        let played = self
            .space
            .realise(&proposal, self.method.rounding(), &draws);
        self.in_flight.push_back(Observation {
            batch,
            signs,
            played: played.clone(),
            counts: [0; 5],
        });
        self.planned += 1;
        Some((batch, played))
    }

    /// Takes the counts of the next batch, from the plus side's view.
    pub fn result(&mut self, counts: [u64; 5]) {
        self.results.push_back(counts);
    }

    /// Absorbs all results; no batch is planned afterwards.
    pub fn finish(&mut self) {
        // After a restart, batches with results may not be planned yet. Others are not
        // planned: a window can be as long as the tuning.
        while self.in_flight.len() < self.results.len() && self.plan().is_some() {}
        self.planned = self.budget.batches();
        while self.absorb_next().is_some() {}
    }

    fn absorb_next(&mut self) -> Option<()> {
        let counts = self.results.pop_front()?;
        let mut observation = self.in_flight.pop_front()?;
        observation.counts = counts;
        self.method.absorb(&observation);
        if let Some(history) = &mut self.history {
            history.push(&observation, self.method.values());
        }
        self.absorbed += 1;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::method::{Spsa, SpsaSettings};
    use super::super::param::Param;
    use super::*;

    #[test]
    fn batches_without_results_are_not_planned_at_the_end() {
        let param = Param::int("Margin", 50.0, 0.0, 100.0);
        let space = Space::new(vec![param]).expect("a space");
        // Planning all batches would take years.
        let budget = Budget {
            pairs: u64::MAX,
            batch: 1,
            window: u64::MAX,
        };
        let method = Spsa::new(SpsaSettings::default(), space.clone(), budget);
        let mut tuner = Tuner::new(space, budget, 3, Box::new(method)).with_history();
        for _ in 0..3 {
            tuner.result([0, 0, 1, 0, 0]);
        }
        tuner.finish();
        assert_eq!(
            tuner.history().map(|history| history.batches().len()),
            Some(3)
        );
        assert!(tuner.in_flight.is_empty());
    }
}
