//! The scoreboard of a run in progress: on a terminal, a block that is redrawn in place;
//! otherwise, lines at growing intervals.

mod block;
mod pace;

use std::time::{Duration, Instant};

use console::Term;

pub use block::STOPPING;
pub use block::Terminal;
pub(crate) use pace::line_interval;
pub use pace::{progress_text, time_for};

use block::Players;

use hone_base::errln;
use hone_base::output;
use hone_base::platform::NoEcho;
use hone_experiment::Experiment;
use hone_run::{Manifest, Progress, View};

/// Refresh interval of the block.
const REDRAW: Duration = Duration::from_millis(200);

/// Lines of text on standard error that are redrawn in place.
#[derive(Debug)]
struct Block {
    _echo: NoEcho,
}

impl Block {
    /// `None` without a terminal.
    fn on_terminal() -> Option<Self> {
        output::is_terminal().then(|| Self {
            _echo: NoEcho::start(),
        })
    }

    /// The present size and colours of the terminal.
    fn terminal(&self) -> Terminal {
        let (rows, columns) = Term::stderr().size();
        Terminal {
            // The last column is left free: some terminals wrap there.
            width: usize::from(columns).saturating_sub(1).max(1),
            // The cursor is below the block.
            height: usize::from(rows).saturating_sub(1).max(1),
            colours: console::colors_enabled_stderr(),
        }
    }

    /// Replaces the text that was drawn before.
    fn draw(&self, text: &str) {
        output::draw_block(text);
    }

    /// Removes the block.
    fn clear(&self) {
        output::clear_block();
    }
}

/// Decides when a view is refreshed.
#[derive(Debug, Default)]
struct RefreshTimer {
    last: Option<Instant>,
    /// Whether the view was refreshed since the run was asked to stop.
    is_stop_shown: bool,
}

impl RefreshTimer {
    /// Whether to refresh the view now; the view then calls [`RefreshTimer::restart`]. A block
    /// is due at once; the first line only after an interval. Both are due when the run is
    /// asked to stop.
    fn is_due(&mut self, is_block: bool, progress: &Progress<'_>) -> bool {
        let interval = if is_block {
            REDRAW
        } else {
            line_interval(progress.elapsed)
        };
        let stops = progress.stopping && !self.is_stop_shown;
        let is_due = match self.last {
            Some(last) => stops || last.elapsed() >= interval,
            None => is_block,
        };
        if is_due || self.last.is_none() {
            self.last = Some(Instant::now());
        }
        self.is_stop_shown |= is_due && progress.stopping;
        is_due
    }

    /// Begins the interval after a refresh. The workers get the whole interval, however long
    /// the refresh has taken.
    fn restart(&mut self) {
        self.last = Some(Instant::now());
    }
}

/// What a live view shows of a run.
pub trait LiveText<E> {
    /// The block on a terminal.
    fn block(&self, experiment: &E, progress: &Progress<'_>, terminal: Terminal) -> String;

    /// A line for output without a terminal.
    fn line(&self, experiment: &E, progress: &Progress<'_>) -> String;
}

/// A live view on standard error: a block that is redrawn on a terminal, a line now and then
/// elsewhere.
#[derive(Debug)]
pub struct Live<T> {
    text: T,
    block: Option<Block>,
    timer: RefreshTimer,
}

impl<T> Live<T> {
    pub fn new(text: T) -> Self {
        Self {
            text,
            block: Block::on_terminal(),
            timer: RefreshTimer::default(),
        }
    }
}

impl<E: Experiment, T: LiveText<E>> View<E> for Live<T> {
    fn update(&mut self, experiment: &E, progress: Progress<'_>) {
        if !self.timer.is_due(self.block.is_some(), &progress) {
            return;
        }
        match &self.block {
            Some(block) => {
                let terminal = block.terminal();
                block.draw(&self.text.block(experiment, &progress, terminal));
            }
            None => errln!("{}", self.text.line(experiment, &progress)),
        }
        self.timer.restart();
    }

    fn finish(&mut self) {
        if let Some(block) = &self.block {
            block.clear();
        }
    }
}

/// The live view of a match, a tournament or a test.
pub type Scoreboard = Live<Players>;

impl Scoreboard {
    /// `at_a_time` is the number of pairs that can be played at once; `None` on a fleet.
    pub fn of(manifest: &Manifest, at_a_time: Option<usize>) -> Self {
        Self::new(Players {
            names: manifest.names(),
            at_a_time,
        })
    }
}

impl<E: Experiment> LiveText<E> for Players {
    fn block(&self, experiment: &E, progress: &Progress<'_>, terminal: Terminal) -> String {
        block::block(self, experiment, progress, terminal)
    }

    fn line(&self, experiment: &E, progress: &Progress<'_>) -> String {
        block::line(self, experiment, progress)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;
    use crate::standings::tests::tally_of;
    use hone_experiment::{Next, PairResult, Verdict};
    use hone_run::Tally;

    fn progress(tally: &Tally) -> Progress<'_> {
        Progress {
            tally,
            elapsed: Duration::from_secs(3600),
            time_limit: None,
            played: 9,
            in_flight: 2,
            awaited: None,
            stopping: false,
            is_over: false,
        }
    }

    /// An experiment that notes when its budget was last drawn.
    #[derive(Default)]
    struct Drawn(Cell<Option<Instant>>);

    impl Experiment for Drawn {
        fn plan(&mut self, _pair: u64) -> Next {
            Next::End
        }
        fn absorb(&mut self, _result: &PairResult) {}
        fn pass_over(&mut self, _result: &PairResult) {}
        fn verdict(&self) -> Option<Verdict> {
            None
        }
        fn budget(&self) -> u64 {
            sleep(Duration::from_millis(1));
            self.0.set(Some(Instant::now()));
            20
        }
    }

    #[test]
    fn the_interval_begins_after_the_drawing() {
        let mut scoreboard = Scoreboard {
            text: Players {
                names: ["a", "b"].map(String::from).to_vec(),
                at_a_time: Some(1),
            },
            block: None,
            timer: RefreshTimer::default(),
        };
        let tally = tally_of(2, &[]);
        let mut progress = progress(&tally);
        let experiment = Drawn::default();
        scoreboard.update(&experiment, progress);
        assert_eq!(experiment.0.get(), None);
        // A request to stop makes a line due.
        progress.stopping = true;
        scoreboard.update(&experiment, progress);
        assert!(experiment.0.get().is_some());
        assert!(scoreboard.timer.last >= experiment.0.get());
    }

    #[test]
    fn a_line_is_due_once_when_the_run_begins_to_stop() {
        let tally = tally_of(2, &[]);
        let mut progress = progress(&tally);
        let mut timer = RefreshTimer::default();
        assert!([0, 1].map(|_| timer.is_due(false, &progress)) == [false; 2]);
        progress.stopping = true;
        let due = [0, 1, 2].map(|_| timer.is_due(false, &progress));
        assert_eq!(due, [true, false, false]);
    }
}
