//! Writing what a user interface reads.

use crate::board::Move;
use crate::search::score::moves_to_mate;
use crate::search::table::Bound;
use crate::search::{Observer, Report};
use std::io::Write;
use std::time::{Duration, Instant};

/// Writes whole lines to standard output at once. A reader that has gone away
/// is noticed by the end of standard input.
pub fn say(lines: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(format!("{lines}\n").as_bytes());
    let _ = out.flush();
}

/// Says something to the person at the other end.
pub fn tell(text: &str) {
    say(&format!("info string {text}"));
}

/// For so long `info` lines are held back, to be written together.
const BATCH: Duration = Duration::from_millis(20);

/// Writes `info` lines.
pub struct Printer {
    chess960: bool,
    show_wdl: bool,
    pending: String,
    since: Instant,
}

impl Printer {
    pub fn new(chess960: bool, show_wdl: bool) -> Printer {
        Printer {
            chess960,
            show_wdl,
            pending: String::new(),
            since: Instant::now(),
        }
    }

    /// Writes the last line of a search, after all those still held back.
    pub fn finish(mut self, line: &str) {
        self.pending += line;
        say(&self.pending);
    }
}

impl Observer for Printer {
    fn report(&mut self, report: &Report) {
        self.pending += &info_line(report, self.chess960, self.show_wdl);
        self.pending.push('\n');
        self.tick();
    }

    fn tick(&mut self) {
        if !self.pending.is_empty() && self.since.elapsed() >= BATCH {
            say(self.pending.trim_end());
            self.pending.clear();
            self.since = Instant::now();
        }
    }
}

/// A score in UCI notation.
pub fn score(score: i32) -> String {
    match moves_to_mate(score) {
        Some(moves) => format!("mate {moves}"),
        None => format!("cp {score}"),
    }
}

/// Nodes a second.
pub fn nps(nodes: u64, elapsed: Duration) -> u64 {
    (nodes as f64 / elapsed.as_secs_f64().max(1e-6)) as u64
}

/// The line that ends what counts nodes.
pub fn speed(nodes: u64, elapsed: Duration) -> String {
    format!("{nodes} nodes {} nps", nps(nodes, elapsed))
}

fn info_line(report: &Report, chess960: bool, show_wdl: bool) -> String {
    let bound = match report.bound {
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
        Bound::Exact | Bound::None => "",
    };
    let mut line = format!(
        "info depth {} seldepth {} multipv {} score {}{}{bound} nodes {} nps {} time {} hashfull {} pv",
        report.depth,
        report.seldepth,
        report.multipv,
        score(report.score),
        if show_wdl { wdl(report) } else { String::new() },
        report.nodes,
        nps(report.nodes, report.elapsed),
        report.elapsed.as_millis(),
        report.hashfull,
    );
    for mv in report.pv {
        line.push(' ');
        line += &mv.uci(chess960);
    }
    line
}

/// Chances in thousandths of win, draw and loss: a win is a logistic function
/// of the score, whose steepness and midpoint depend on how much is left.
fn wdl(report: &Report) -> String {
    let left = f64::from(report.phase.clamp(0, 24)) / 24.0;
    let (midpoint, width) = (170.0 + 40.0 * left, 75.0 + 25.0 * left);
    let chance = |score: i32| 1000.0 / (1.0 + ((midpoint - f64::from(score)) / width).exp());
    let (win, loss) = match moves_to_mate(report.score) {
        Some(moves) if moves > 0 => (1000, 0),
        Some(_) => (0, 1000),
        None => (
            chance(report.score).round() as i32,
            chance(-report.score).round() as i32,
        ),
    };
    format!(" wdl {win} {} {loss}", 1000 - win - loss)
}

/// The line that ends a search.
pub fn best_move(mv: Move, chess960: bool) -> String {
    match mv.is_some() {
        true => format!("bestmove {}", mv.uci(chess960)),
        false => "bestmove (none)".to_owned(),
    }
}
