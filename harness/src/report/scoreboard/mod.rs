//! The scoreboard while a run is played: a block that is redrawn where there
//! is a terminal, a line now and then where there is none.

mod block;
mod pace;

use std::time::{Duration, Instant};

use console::Term;

pub(crate) use block::{STOPPING, Terminal};
pub(crate) use pace::{done, line_interval, time_for};

use block::Players;

use crate::experiment::Experiment;
use crate::output;
use crate::platform::NoEcho;
use crate::run::{Manifest, Progress, View};

/// How often the block is redrawn.
const REDRAW: Duration = Duration::from_millis(200);

/// Lines of text on standard error that are drawn anew in place. All live
/// views are shown in one.
#[derive(Debug)]
pub(crate) struct Block {
    _echo: NoEcho,
}

impl Block {
    /// `None` without a terminal.
    pub(crate) fn on_terminal() -> Option<Self> {
        output::is_terminal().then(|| Self {
            _echo: NoEcho::start(),
        })
    }

    /// The terminal as it is now.
    pub(crate) fn terminal(&self) -> Terminal {
        let (rows, columns) = Term::stderr().size();
        Terminal {
            // The last column is left free: some terminals wrap there.
            width: usize::from(columns).saturating_sub(1).max(1),
            // The cursor stands below the block.
            height: usize::from(rows).saturating_sub(1).max(1),
            colours: console::colors_enabled_stderr(),
        }
    }

    /// Takes the place of what was drawn before.
    pub(crate) fn draw(&self, text: &str) {
        output::draw_block(text);
    }

    /// Removes the block.
    pub(crate) fn clear(&self) {
        output::clear_block();
    }
}

/// When a view was shown, and is due again.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    at: Option<Instant>,
    /// Whether it was shown since the run has been stopping.
    is_stop_shown: bool,
}

impl Shown {
    /// Whether it is due now; if so, it counts as shown. A line is not due at the start,
    /// before the first result, and due once when the run begins to stop.
    pub(crate) fn is_due(&mut self, is_block: bool, progress: &Progress<'_>) -> bool {
        let interval = match is_block {
            true => REDRAW,
            false => line_interval(progress.elapsed),
        };
        let stops = progress.stopping && !self.is_stop_shown;
        let is_due = match self.at {
            Some(at) => stops || at.elapsed() >= interval,
            None => is_block,
        };
        if is_due || self.at.is_none() {
            self.at = Some(Instant::now());
        }
        self.is_stop_shown |= is_due && progress.stopping;
        is_due
    }
}

/// The live view of a match, a tournament or a test.
#[derive(Debug)]
pub(crate) struct Scoreboard {
    players: Players,
    block: Option<Block>,
    shown: Shown,
}

impl Scoreboard {
    /// A scoreboard on standard error. `at_a_time`: pairs that can be played at a time;
    /// `None` on a fleet.
    pub(crate) fn new(manifest: &Manifest, at_a_time: Option<usize>) -> Self {
        Self {
            players: Players {
                names: manifest.names(),
                at_a_time,
            },
            block: Block::on_terminal(),
            shown: Shown::default(),
        }
    }
}

impl<E: Experiment> View<E> for Scoreboard {
    fn update(&mut self, experiment: &E, progress: Progress<'_>) {
        if !self.shown.is_due(self.block.is_some(), &progress) {
            return;
        }
        match &self.block {
            Some(block) => {
                let terminal = block.terminal();
                block.draw(&block::block(
                    &self.players,
                    experiment,
                    &progress,
                    terminal,
                ));
            }
            None => errln!("{}", block::line(&self.players, experiment, &progress)),
        }
    }

    fn finish(&mut self) {
        if let Some(block) = &self.block {
            block.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::report::standings::tests::tally_of;

    #[test]
    fn a_line_is_due_once_when_the_run_begins_to_stop() {
        let tally = tally_of(2, &[]);
        let mut progress = Progress {
            tally: &tally,
            elapsed: Duration::from_secs(3600),
            played: 9,
            in_flight: 2,
            stopping: false,
            is_over: false,
        };
        let mut shown = Shown::default();
        assert!([0, 1].map(|_| shown.is_due(false, &progress)) == [false; 2]);
        progress.stopping = true;
        let due = [0, 1, 2].map(|_| shown.is_due(false, &progress));
        assert_eq!(due, [true, false, false]);
    }
}
