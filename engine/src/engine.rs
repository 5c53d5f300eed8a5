//! An engine: its settings, and the memory that lasts from search to search.

use crate::params::{self, Params, Settings};
use crate::search::derived::Derived;
use crate::search::limits::{Clock, Limits, Stop, StopSignal};
use crate::search::table::Table;
use crate::search::{Game, Memory, Observer, Outcome, Search, Shared, Silent};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;

/// Stack size of a search thread in bytes. The deepest line needs less than 1 MiB, and more
/// in unoptimised builds.
pub const STACK: usize = 16 << 20;

/// Maximum size of a [`Memory`] in bytes, rounded up.
const MEMORY: usize = 4 << 20;

/// Ends the process with exit code 2 and a message on standard error.
pub fn fail(error: &str) -> ! {
    // If standard error cannot be written either, the message is lost.
    let _ = writeln!(std::io::stderr(), "error: {error}");
    std::process::exit(2)
}

pub struct Engine {
    params: Params,
    settings: Settings,
    derived: Derived,
    table: Table,
    /// One for each thread.
    memories: Vec<Memory>,
}

impl Engine {
    pub fn new(params: Params, settings: Settings) -> Engine {
        Engine {
            derived: Derived::new(&params),
            table: Table::new(settings.hash as usize),
            memories: (0..settings.threads).map(|_| Memory::default()).collect(),
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

    /// Sets an option and returns its name and the value it now has; or the reason why it is
    /// unchanged. If memory cannot be allocated, the process ends: with other settings than
    /// requested, the results of games would be misleading.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(&'static str, String), String> {
        let (hash, network) = (self.settings.hash, self.params.network);
        let taken = params::set(&mut self.params, &mut self.settings, name, value)?;
        self.derived = Derived::new(&self.params);
        let resized = self.settings.hash == hash || self.table.resize(self.settings.hash as usize);
        // A failed allocation of a `Memory` would abort the process without this message, so
        // the space is tested first; `black_box` keeps the test from being optimised away.
        let (threads, had) = (self.settings.threads as usize, self.memories.len());
        let (wanted, mut room) = (threads.saturating_sub(had) * MEMORY, Vec::<u8>::new());
        if !resized || room.try_reserve_exact(wanted).is_err() {
            fail(&format!("cannot allocate {} = {value}", taken.0));
        }
        drop(std::hint::black_box(room));
        self.memories.resize_with(threads, Memory::default);
        if self.params.network != network {
            // The table and the correction history have evaluations of the other kind.
            self.new_game();
        }
        Ok(taken)
    }

    /// Clears the transposition table and the histories.
    pub fn new_game(&mut self) {
        self.table.clear();
        for memory in &mut self.memories {
            memory.history.clear();
        }
    }

    /// The shared state of the threads of a search, and the memory of each.
    fn prepare<'a>(
        &'a mut self,
        game: &'a Game,
        limits: &'a Limits,
        stop: Stop<'a>,
    ) -> (Shared<'a>, &'a mut [Memory]) {
        let (turn, overhead) = (game.position.turn, self.settings.move_overhead as u64);
        let shared = Shared {
            params: &self.params,
            derived: &self.derived,
            table: &self.table,
            game,
            limits,
            clock: Clock::new(limits, turn, overhead, &self.params, stop),
            finished: AtomicBool::new(false),
            helper_nodes: AtomicU64::new(0),
        };
        (shared, &mut self.memories)
    }

    /// Searches the game's last position. It stops when the signal covers `number`.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        observer: &mut dyn Observer,
        stop: &StopSignal,
        number: u64,
    ) -> Outcome {
        self.table.new_search();
        let lines = self.settings.multi_pv as usize;
        let (shared, memories) = self.prepare(game, limits, (stop, number));
        let shared = &shared;
        let threads = memories.len() as u64;
        // The node limit is divided among the threads.
        let quota = |thread: u64| match limits.nodes {
            Some(nodes) => nodes / threads + u64::from(thread < nodes % threads),
            None => u64::MAX,
        };
        let (first, others) = memories.split_first_mut().expect("one thread at least");
        std::thread::scope(|scope| {
            let mut helpers = Vec::new();
            for (thread, memory) in (1..).zip(others) {
                let role = (thread, quota(thread));
                let search = move || Search::new(shared, memory, &mut Silent, role).run(1);
                let builder = std::thread::Builder::new().stack_size(STACK);
                let helper = builder.spawn_scoped(scope, search);
                helpers.push(helper.unwrap_or_else(|_| fail("cannot start a search thread")));
            }
            let mut outcome = Search::new(shared, first, observer, (0, quota(0))).run(lines);
            shared.finished.store(true, Ordering::Relaxed);
            for helped in helpers.into_iter().flat_map(ScopedJoinHandle::join) {
                outcome.stats += &helped.stats;
            }
            outcome
        })
    }

    /// Runs only the quiescence search of the game's last position, with a window (alpha,
    /// beta) in centipawns. It stops when the signal covers the number.
    pub fn quiescence(&mut self, game: &Game, window: (i32, i32), stop: Stop) -> Outcome {
        let limits = Limits::default();
        let (shared, memories) = self.prepare(game, &limits, stop);
        let role = (0, u64::MAX);
        Search::new(&shared, &mut memories[0], &mut Silent, role).run_quiescence(window)
    }
}
