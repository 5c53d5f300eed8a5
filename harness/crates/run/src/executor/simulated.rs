//! Draws the results of pairs from a model, without engines: for planning and for tests.

use std::collections::VecDeque;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::{Event, Executor, GameText, PairJob, PlayedPair, Stop};
use hone_experiment::PairResult;
use hone_uci::rules::{Effort, GameResult, Outcome, Termination};

/// The results of pairs between two players.
pub trait Model {
    /// Probabilities of the pair's five results LL, LD, DD+WL, WD, WW for the first player;
    /// their sum is 1.
    fn probabilities(&self, job: &PairJob) -> [f64; 5];

    /// Digests of the pair's two games, in place of their moves. By default all games of a
    /// run differ.
    fn digests(&self, job: &PairJob) -> [u64; 2] {
        [0, 1].map(|number| {
            let mut rng = ChaCha8Rng::seed_from_u64(job.seed);
            rng.set_stream(2 * job.pair + number);
            rng.next_u64()
        })
    }
}

impl<F: Fn(&PairJob) -> [f64; 5]> Model for F {
    fn probabilities(&self, job: &PairJob) -> [f64; 5] {
        self(job)
    }
}

/// An executor without engines. The result of a pair depends only on the run's seed and the
/// pair's number. The results in flight are returned in random order, as with real games.
/// It does not wait for jobs: it has finished when none is in flight.
#[derive(Debug)]
pub struct Simulated<M> {
    model: M,
    in_flight: VecDeque<PlayedPair>,
    capacity: usize,
    order: ChaCha8Rng,
    stopped: bool,
}

impl<M: Model> Simulated<M> {
    /// An executor that holds up to `capacity` pairs and shuffles their order
    /// by `order_seed`.
    pub fn new(model: M, capacity: usize, order_seed: u64) -> Self {
        Self {
            model,
            in_flight: VecDeque::new(),
            capacity,
            order: ChaCha8Rng::seed_from_u64(order_seed),
            stopped: false,
        }
    }
}

impl<M: Model> Executor for Simulated<M> {
    fn capacity(&self) -> usize {
        self.capacity
    }

    fn submit(&mut self, job: PairJob) {
        let half_points = draw(self.model.probabilities(&job), job.seed, job.pair);
        let digests = self.model.digests(&job);
        self.in_flight.push_back(played(&job, half_points, digests));
    }

    async fn next(&mut self) -> Event {
        if self.in_flight.is_empty() || self.stopped {
            return Event::Finished;
        }
        let which = self.order.next_u64() % self.in_flight.len() as u64;
        self.in_flight.swap(0, which as usize);
        let next = self.in_flight.pop_front().expect("it is not empty");
        Event::Played(Box::new(next))
    }

    fn stop(&mut self, how: Stop) {
        self.stopped |= how != Stop::Drain;
    }
}

/// A pair result in half points of the first player, 0 to 4, drawn with `seed` and the
/// pair's number.
fn draw(probabilities: [f64; 5], seed: u64, pair: u64) -> usize {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(pair);
    // 53 bits, as many as a double holds.
    let mut uniform = (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    for (half_points, probability) in probabilities.into_iter().enumerate() {
        uniform -= probability;
        if uniform < 0.0 {
            return half_points;
        }
    }
    4
}

fn played(job: &PairJob, half_points: usize, digests: [u64; 2]) -> PlayedPair {
    let first = half_points.div_ceil(2);
    let outcomes = [
        [Outcome::Black, Outcome::Draw, Outcome::White][first],
        [Outcome::White, Outcome::Draw, Outcome::Black][half_points - first],
    ];
    let game = |number: usize| GameResult {
        outcome: outcomes[number],
        termination: match outcomes[number] {
            Outcome::Draw => Termination::DrawAdjudication,
            _ => Termination::ResignAdjudication,
        },
        plies: 0,
        ms: [0; 2],
        nodes: [0; 2],
        effort: [Effort::default(); 2],
        digest: digests[number],
        line: None,
    };
    PlayedPair {
        result: PairResult {
            pair: job.pair,
            engines: [job.players[0].engine, job.players[1].engine],
            games: [0, 1].map(game),
        },
        opening_number: job.opening_number,
        texts: [GameText::default(), GameText::default()],
        worker: 0,
        finished_ms: 0,
    }
}
