//! An engine: settings, and all that lasts from one search to the next.

use crate::params::{self, Params, SetError, Settings};
use crate::search::derived::Derived;
use crate::search::limits::{Clock, Limits, StopOrder};
use crate::search::table::Table;
use crate::search::{Game, Memory, Observer, Outcome, Search, Shared, Silent};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Bytes of stack of a thread that searches: the deepest line takes less than
/// one of the two MiB that are usual, but unoptimised builds take more.
pub const STACK: usize = 16 << 20;

pub struct Engine {
    params: Params,
    settings: Settings,
    derived: Derived,
    table: Table,
    /// One a thread.
    memories: Vec<Memory>,
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::new(Params::DEFAULT, Settings::DEFAULT)
    }
}

impl Engine {
    pub fn new(params: Params, settings: Settings) -> Engine {
        Engine {
            derived: Derived::new(&params),
            table: Table::new(settings.hash as usize),
            memories: vec![Memory::default()],
            params,
            settings,
        }
    }

    pub fn params(&self) -> &Params {
        &self.params
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Sets an option and returns its name and value as they were taken.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(&'static str, String), SetError> {
        let hash = self.settings.hash;
        let taken = params::set(&mut self.params, &mut self.settings, name, value)?;
        self.derived = Derived::new(&self.params);
        if self.settings.hash != hash {
            self.table = Table::new(self.settings.hash as usize);
        }
        Ok(taken)
    }

    /// Forgets all that was learnt from earlier positions.
    pub fn new_game(&mut self) {
        self.table.clear();
        for memory in &mut self.memories {
            memory.history.clear();
        }
    }

    /// What the threads of a search share, and what each has for itself.
    fn prepare<'a>(&'a mut self, clock: Clock<'a>) -> (Shared<'a>, &'a mut [Memory]) {
        let threads = self.settings.threads as usize;
        self.memories.resize_with(threads, Memory::default);
        let shared = Shared {
            params: &self.params,
            derived: &self.derived,
            table: &self.table,
            clock,
            finished: AtomicBool::new(false),
            helper_nodes: AtomicU64::new(0),
        };
        (shared, &mut self.memories)
    }

    /// Searches the game's last position. `order` stops it when it covers
    /// `number`.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        observer: &mut dyn Observer,
        order: &StopOrder,
        number: u64,
    ) -> Outcome {
        self.table.new_search();
        let overhead = self.settings.move_overhead as u64;
        let turn = game.position.turn;
        let clock = Clock::new(limits, turn, overhead, &self.params, (order, number));
        let lines = self.settings.multi_pv as usize;
        let (shared, memories) = self.prepare(clock);
        let threads = memories.len();
        // The threads share out the nodes, so that together they keep the limit.
        let quota = |thread: usize| match limits.nodes {
            Some(nodes) => {
                nodes / threads as u64 + u64::from((thread as u64) < nodes % threads as u64)
            }
            None => u64::MAX,
        };
        let [first, others @ ..] = memories else {
            unreachable!("there is at least one thread");
        };
        std::thread::scope(|scope| {
            let helpers: Vec<_> = (1..)
                .zip(others)
                .map(|(thread, memory)| {
                    let shared = &shared;
                    let builder = std::thread::Builder::new().stack_size(STACK);
                    let helper = builder.spawn_scoped(scope, move || {
                        let role = (thread, quota(thread));
                        let mut silent = Silent;
                        let search = Search::new(shared, memory, &mut silent, game, role);
                        search.run(game, limits, 1)
                    });
                    helper.expect("the system has threads left")
                })
                .collect();
            let search = Search::new(&shared, first, observer, game, (0, quota(0)));
            let mut outcome = search.run(game, limits, lines);
            shared.finished.store(true, Ordering::Relaxed);
            for helper in helpers {
                if let Ok(helped) = helper.join() {
                    outcome.nodes += helped.nodes;
                    outcome.stats += &helped.stats;
                }
            }
            outcome
        })
    }

    /// Quiescence search alone, of the game's last position.
    pub fn quiescence(&mut self, game: &Game) -> Outcome {
        let order = StopOrder::default();
        let (turn, limits) = (game.position.turn, Limits::default());
        let clock = Clock::new(&limits, turn, 0, &self.params, (&order, 1));
        let (shared, memories) = self.prepare(clock);
        let (memory, mut silent) = (&mut memories[0], Silent);
        let search = Search::new(&shared, memory, &mut silent, game, (0, u64::MAX));
        search.run_quiescence(game)
    }
}
