//! UCI output.

use crate::board::Move;
use crate::params::Settings;
use crate::search::score::{self, moves_to_mate};
use crate::search::stats::nps;
use crate::search::table::Bound;
use crate::search::{Observer, Outcome, Report};
use std::io::Write;
use std::time::{Duration, Instant};

/// Writes whole lines to standard output at once. Write errors are ignored: if the user
/// interface has ended, standard input ends too.
pub fn print_lines(lines: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(format!("{lines}\n").as_bytes());
    let _ = out.flush();
}

/// Prints a message as `info string`.
pub fn print_info(text: &str) {
    print_lines(&format!("info string {text}"));
}

/// `info` lines of this period are written together.
const BATCH: Duration = Duration::from_millis(20);

/// Prints the progress and the result of a search.
pub struct Printer {
    settings: Settings,
    pending: String,
    since: Instant,
}

impl Printer {
    pub fn new(settings: &Settings) -> Printer {
        Printer {
            settings: settings.clone(),
            pending: String::new(),
            since: Instant::now(),
        }
    }

    /// Writes the remaining `info` lines and `bestmove`.
    pub fn finish(mut self, outcome: &Outcome) {
        if !outcome.best.is_some() {
            self.pending += &format!("info depth 0 score {}\n", score::uci(outcome.score));
        }
        if self.settings.statistics {
            for line in outcome.stats.lines() {
                self.pending += &format!("info string {line}\n");
            }
        }
        let best = match outcome.best {
            Move::NONE => "(none)".to_owned(),
            mv => mv.uci(self.settings.uci_chess960),
        };
        print_lines(&format!("{}bestmove {best}", self.pending));
    }
}

impl Observer for Printer {
    fn report(&mut self, report: &Report) {
        self.pending += &(info_line(report, &self.settings) + "\n");
        self.tick();
    }

    fn tick(&mut self) {
        if !self.pending.is_empty() && self.since.elapsed() >= BATCH {
            print_lines(self.pending.trim_end());
            self.pending.clear();
            self.since = Instant::now();
        }
    }
}

fn info_line(report: &Report, settings: &Settings) -> String {
    let bound = match report.bound {
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
        Bound::Exact | Bound::None => "",
    };
    let (depth, seldepth, multipv) = (report.depth, report.seldepth, report.multipv);
    let (nodes, elapsed, hashfull) = (report.nodes, report.elapsed, report.hashfull);
    let (nps, time) = (nps(nodes, elapsed), elapsed.as_millis());
    let mut score = score::uci(report.score);
    if settings.uci_show_wdl {
        score += &wdl(report);
    }
    let spaced = |mv: &Move| format!(" {}", mv.uci(settings.uci_chess960));
    let pv: String = report.pv.iter().map(spaced).collect();
    format!(
        "info depth {depth} seldepth {seldepth} multipv {multipv} score {score}{bound} \
         nodes {nodes} nps {nps} time {time} hashfull {hashfull} pv{pv}"
    )
}

/// Probabilities of win, draw and loss in thousandths. That of a win is a logistic function
/// of the score whose slope and midpoint depend on the game phase.
fn wdl(report: &Report) -> String {
    let left = f64::from(report.phase.clamp(0, 24)) / 24.0;
    let (midpoint, width) = (170.0 + 40.0 * left, 75.0 + 25.0 * left);
    let chance = |score: i32| {
        let odds_against = ((midpoint - f64::from(score)) / width).exp();
        (1000.0 / (1.0 + odds_against)).round() as i32
    };
    let (win, loss) = match moves_to_mate(report.score) {
        Some(moves) if moves > 0 => (1000, 0),
        Some(_) => (0, 1000),
        None => (chance(report.score), chance(-report.score)),
    };
    format!(" wdl {win} {} {loss}", 1000 - win - loss)
}
