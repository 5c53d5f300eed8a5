//! Makes the job of each planned pair.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::{Config, MatchConfig};
use crate::executor::{PairJob, Player, Rules};
use hone_experiment::{PairPlan, Side};
use hone_uci::openings::{Book, Opening, Schedule};

/// Turns plans into jobs, with the run's engines, rules and openings.
pub struct Jobs {
    /// By the index of their engine.
    players: BTreeMap<usize, Player>,
    rules: Arc<Rules>,
    book: Option<Book>,
    schedule: Schedule,
    seed: u64,
}

impl Jobs {
    pub fn new(config: &Config, players: Vec<Player>, book: Option<Book>) -> Self {
        let play = &config.r#match;
        let count = book.as_ref().map_or(1, Book::len);
        Self {
            players: players
                .into_iter()
                .map(|player| (player.engine, player))
                .collect(),
            rules: Arc::new(Rules {
                variant: play.variant,
                margin_ms: play.margin_ms,
                stall_ms: play.stall_ms,
                startup_ms: play.startup_ms,
                adjudication: config.adjudication.clone(),
                record: config.pgn.clone(),
                on_failure: play.on_failure,
                on_machine_fault: play.on_machine_fault,
            }),
            schedule: schedule(play, count),
            book,
            seed: play.seed,
        }
    }

    /// The job of a planned pair.
    pub fn job(&self, pair: u64, plan: &PairPlan) -> PairJob {
        let (index, opening) = self.opening(plan.opening);
        PairJob {
            pair,
            players: [self.player(&plan.first), self.player(&plan.second)],
            opening,
            opening_number: index as u64 + 1,
            rules: Arc::clone(&self.rules),
            seed: self.seed,
        }
    }

    /// The opening of the first pair.
    pub(super) fn first_opening(&self) -> Opening {
        self.opening(0).1
    }

    /// Adds an engine that was not ready at the start.
    pub(super) fn set_player(&mut self, player: Player) {
        self.players.insert(player.engine, player);
    }

    /// The opening at a place of the schedule, and its index in the book.
    fn opening(&self, place: u64) -> (usize, Opening) {
        let index = self.schedule.index(place);
        let opening = match &self.book {
            Some(book) => book.opening(index),
            None => Opening::default(),
        };
        (index, opening)
    }

    fn player(&self, side: &Side) -> Player {
        let mut player = self.players[&side.engine].clone();
        if !side.options.is_empty() {
            let is_overridden = |name: &str| {
                side.options
                    .iter()
                    .any(|(other, _)| other.eq_ignore_ascii_case(name))
            };
            player.options = player
                .options
                .iter()
                .filter(|(name, _)| !is_overridden(name))
                .chain(side.options.iter())
                .cloned()
                .collect();
        }
        player
    }
}

/// The order in which a book of `count` openings is played.
pub(crate) fn schedule(play: &MatchConfig, count: usize) -> Schedule {
    let openings = &play.openings;
    Schedule::new(count, openings.order, play.seed, openings.start - 1)
}
