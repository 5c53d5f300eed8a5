//! An engine: settings, and all that lasts from one search to the next.

use crate::params::{self, Params, SetError, Settings};
use crate::search::history::History;
use crate::search::limits::{Clock, Limits, StopOrder};
use crate::search::table::Table;
use crate::search::{Derived, Game, Observer, Outcome, Search};

pub struct Engine {
    params: Params,
    settings: Settings,
    derived: Derived,
    table: Table,
    history: History,
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
            history: History::new(),
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
        self.history.clear();
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
        let overhead = self.settings.move_overhead as u64;
        let clock = Clock::new(limits, game.position.turn(), overhead, order, number);
        self.table.new_search();
        let search = Search::new(
            &self.params,
            &self.derived,
            &self.table,
            &clock,
            &mut self.history,
            observer,
        );
        search.run(game, limits)
    }
}
