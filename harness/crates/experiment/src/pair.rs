//! The pair: one opening played twice with colours reversed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use hone_uci::rules::GameResult;

/// One of the two players of a pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// Index of the engine in the configuration.
    pub engine: usize,
    /// UCI options that differ from the engine's configured ones, as
    /// `(name, value)`.
    #[serde(default)]
    pub options: Arc<[(String, String)]>,
}

impl Side {
    /// The engine as it is configured.
    pub fn plain(engine: usize) -> Self {
        Self {
            engine,
            options: Arc::from([]),
        }
    }
}

/// A pair to be played: `first` has White in the first game and Black in the second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairPlan {
    pub first: Side,
    pub second: Side,
    /// Position in the run's schedule of openings, not in the book.
    pub opening: u64,
}

/// Whether an engine has lost at least ten games, and more than `max_share` (0 to 1) of
/// its games, by failing.
pub fn fails_too_often(failures: u64, games: u64, max_share: f64) -> bool {
    failures >= 10 && failures as f64 > max_share * games as f64
}

/// A finished pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairResult {
    pub pair: u64,
    /// Indices of the first and the second engine.
    pub engines: [usize; 2],
    /// `games[0]` was played with the first engine as White, `games[1]` with
    /// the second.
    pub games: [GameResult; 2],
}

impl PairResult {
    /// The pair's score for the first engine in half points: 0 (both lost) to
    /// 4 (both won); the index of its pentanomial count.
    pub fn half_points(&self) -> usize {
        self.first_half_points(0) + self.first_half_points(1)
    }

    /// Points of the first engine in game `game` (0 or 1), in half points.
    pub fn first_half_points(&self, game: usize) -> usize {
        let white = self.games[game].outcome.white_half_points();
        if game == 0 { white } else { 2 - white }
    }

    /// Indices of White and Black in game `game` (0 or 1).
    pub fn players(&self, game: usize) -> [usize; 2] {
        let [first, second] = self.engines;
        match game {
            0 => [first, second],
            _ => [second, first],
        }
    }

    /// How many games each engine lost by failing, in the order of `engines`.
    pub fn failures(&self) -> [u64; 2] {
        let mut failures = [0; 2];
        for (number, game) in self.games.iter().enumerate() {
            if let Some(loser) = game.outcome.loser()
                && game.termination.is_failure()
            {
                failures[(loser + number) % 2] += 1;
            }
        }
        failures
    }

    /// How many games each engine lost on time because the machine starved it, in the order
    /// of `engines`.
    pub(crate) fn faults_of_machine(&self) -> [u64; 2] {
        let mut faults = [0; 2];
        for (number, game) in self.games.iter().enumerate() {
            if let Some(loser) = game.fault_of_machine() {
                faults[(loser + number) % 2] += 1;
            }
        }
        faults
    }

    /// Whether an engine failed in either game.
    pub(crate) fn has_failure(&self) -> bool {
        self.games.iter().any(|game| game.termination.is_failure())
    }
}
