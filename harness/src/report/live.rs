//! The scoreboard while a run is played: a block that is redrawn where there
//! is a terminal, a line now and then where there is none.

use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use crate::experiment::Experiment;
use crate::output;
use crate::run::{EngineTally, PairingTally, Progress, Tally, View};
use crate::stats::Summary;

/// How often the block is redrawn, and the line printed.
const REDRAW: Duration = Duration::from_millis(100);
const LINE: Duration = Duration::from_secs(10);

/// Pairings shown one by one; of more, where the engines stand.
const PAIRINGS: usize = 12;
/// Engines shown where they stand, and those named in a line.
const ENGINES: usize = 24;
const LEADERS: usize = 3;

/// The live view of a run.
#[derive(Debug)]
pub(crate) struct Scoreboard {
    names: Vec<String>,
    bar: Option<ProgressBar>,
    shown: Option<Instant>,
}

impl Scoreboard {
    /// A scoreboard on standard error.
    pub(crate) fn new(names: Vec<String>) -> Self {
        Self {
            names,
            bar: terminal_block(),
            shown: None,
        }
    }

    fn due(&self, stopping: bool) -> bool {
        let interval = if self.bar.is_some() { REDRAW } else { LINE };
        stopping || self.shown.is_none_or(|at| at.elapsed() >= interval)
    }
}

/// A block on standard error that is redrawn; none where there is no terminal.
/// All live views are shown in one.
pub(crate) fn terminal_block() -> Option<ProgressBar> {
    output::is_terminal().then(|| {
        let style =
            ProgressStyle::with_template("{spinner} {msg}").expect("the template is well-formed");
        let bar = ProgressBar::new_spinner().with_style(style);
        bar.enable_steady_tick(Duration::from_millis(250));
        output::above_block(&bar);
        bar
    })
}

impl<E: Experiment> View<E> for Scoreboard {
    fn update(&mut self, experiment: &E, progress: Progress<'_>) {
        if !self.due(progress.stopping) {
            return;
        }
        let first_time = self.shown.replace(Instant::now()).is_none();
        match &self.bar {
            Some(bar) => bar.set_message(block(&self.names, experiment, &progress)),
            None if first_time => {}
            None => errln!("{}", line(&self.names, experiment, &progress)),
        }
    }

    fn finish(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn block(names: &[String], experiment: &impl Experiment, progress: &Progress<'_>) -> String {
    let mut lines = vec![pace(experiment, progress)];
    let pairings = &progress.tally.pairings;
    if pairings.len() > PAIRINGS {
        lines.extend(standings(names, progress.tally).take(ENGINES));
    } else {
        for ([first, second], pairing) in pairings {
            let (first, second) = (&names[*first], &names[*second]);
            lines.push(format!("{first} vs {second}: {}", score(pairing)));
            lines.push(format!("    {}", strength(pairing)));
        }
    }
    lines.extend(llr(experiment));
    let failures: Vec<String> = names
        .iter()
        .zip(&progress.tally.engines)
        .filter(|(_, engine)| engine.failures.total() > 0)
        .map(|(name, engine)| {
            let f = engine.failures;
            format!(
                "{name}: {} time forfeits, {} crashes, {} stalls, {} illegal moves",
                f.time_forfeit, f.crash, f.stall, f.illegal_move
            )
        })
        .collect();
    if !failures.is_empty() {
        lines.push(format!("failures  {}", failures.join("; ")));
    }
    if progress.stopping {
        lines.push(
            "finishing the games in progress; press Ctrl-C again to stop immediately".to_string(),
        );
    }
    lines.join("\n  ")
}

fn line(names: &[String], experiment: &impl Experiment, progress: &Progress<'_>) -> String {
    let mut parts = vec![pace(experiment, progress)];
    let mut pairings = progress.tally.pairings.values();
    match (pairings.next(), pairings.next()) {
        (Some(pairing), None) => parts.extend([score(pairing), strength(pairing)]),
        (Some(_), Some(_)) => {
            let leaders: Vec<_> = standings(names, progress.tally).take(LEADERS).collect();
            parts.push(format!("leading: {}", leaders.join(", ")));
        }
        (None, _) => {}
    }
    parts.extend(llr(experiment));
    if progress.stopping {
        parts.push("finishing the games in progress".to_string());
    }
    parts.join("  ")
}

fn pace(experiment: &impl Experiment, progress: &Progress<'_>) -> String {
    let seconds = progress.elapsed.as_secs_f64();
    let dropped = progress.tally.dropped_pairs;
    let pairs = progress.tally.pairs + dropped;
    let budget = experiment.budget();
    let mut text = format!("{pairs} of at most {budget} pairs");
    if experiment.test().is_none() {
        text = format!("{pairs} of {budget} pairs");
    }
    if dropped > 0 {
        text += &format!(", {dropped} of them repeat earlier games");
    }
    if progress.played > 0 && seconds > 0.0 {
        let rate = progress.played as f64 / seconds;
        let left = Duration::from_secs_f64(budget.saturating_sub(pairs) as f64 / rate);
        text += &format!(
            ", {:.1} games/s, {} left of the budget",
            2.0 * rate,
            HumanDuration(left)
        );
    }
    text
}

/// The engines with their share of the points, the best first.
fn standings(names: &[String], tally: &Tally) -> impl Iterator<Item = String> {
    let share = |engine: &EngineTally| {
        let mut wdl = engine.as_white;
        wdl += engine.as_black;
        (2 * wdl.wins + wdl.draws) as f64 / (2 * wdl.games().max(1)) as f64
    };
    let engines = names.iter().zip(&tally.engines);
    let mut order: Vec<_> = engines.filter(|(_, engine)| engine.games > 0).collect();
    order.sort_by(|(_, a), (_, b)| share(b).total_cmp(&share(a)));
    order.into_iter().map(move |(name, engine)| {
        format!("{name} {:.1} % of {}", 100.0 * share(engine), engine.games)
    })
}

fn score(pairing: &PairingTally) -> String {
    let w = pairing.wdl;
    format!(
        "{}-{}-{} (W-D-L) {:?}",
        w.wins, w.draws, w.losses, pairing.pentanomial.0
    )
}

fn strength(pairing: &PairingTally) -> String {
    let summary = Summary::new(pairing.pentanomial);
    format!(
        "Elo {}  nElo {}",
        super::text::plus_minus(summary.elo),
        super::text::plus_minus(summary.nelo)
    )
}

fn llr(experiment: &impl Experiment) -> Option<String> {
    let test = experiment.test()?;
    let (lower, upper) = test.bounds();
    let config = test.config();
    Some(format!(
        "LLR {:.2} ({lower:.2}, {upper:.2}) [{}, {}] {}",
        test.llr(),
        config.elo0,
        config.elo1,
        config.model
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Wdl;

    #[test]
    fn engines_stand_by_their_share_of_the_points() {
        let names = ["one", "two", "idle", "three"].map(String::from);
        let mut tally = Tally::new(4);
        let mut play = |engine: usize, wins, draws, losses| {
            let games = Wdl {
                wins,
                draws,
                losses,
            };
            tally.engines[engine].as_white += games;
            tally.engines[engine].as_black += games;
            tally.engines[engine].games += 2 * games.games();
        };
        play(0, 0, 0, 4);
        play(1, 0, 3, 0);
        play(3, 2, 1, 1);
        let standings: Vec<_> = standings(&names, &tally).collect();
        assert_eq!(
            standings,
            ["three 62.5 % of 8", "two 50.0 % of 6", "one 0.0 % of 8"]
        );
    }
}
