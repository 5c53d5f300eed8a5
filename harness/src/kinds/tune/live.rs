//! The parameters' paths while a run is played.

use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar};

use crate::experiment::Experiment;
use crate::experiment::tune::TuneExperiment;
use crate::report::terminal_block;
use crate::run::{Progress, View};

/// How often the block is redrawn, and the line printed.
const REDRAW: Duration = Duration::from_millis(200);
const LINE: Duration = Duration::from_secs(30);
/// Points of a parameter's path.
const POINTS: usize = 32;
/// Parameters shown on a terminal.
const MOST: usize = 40;
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The live view of a tuning run.
#[derive(Debug)]
pub(crate) struct Paths {
    bar: Option<ProgressBar>,
    shown: Instant,
}

impl Paths {
    /// A view on standard error: a block that is redrawn on a terminal, a line
    /// now and then elsewhere.
    pub(crate) fn new() -> Self {
        Self {
            bar: terminal_block(),
            shown: Instant::now(),
        }
    }
}

impl View<TuneExperiment> for Paths {
    fn update(&mut self, experiment: &TuneExperiment, progress: Progress<'_>) {
        let interval = if self.bar.is_some() { REDRAW } else { LINE };
        if !progress.stopping && self.shown.elapsed() < interval {
            return;
        }
        self.shown = Instant::now();
        match &self.bar {
            Some(bar) => bar.set_message(block(experiment, &progress)),
            None => errln!("{}  {}", pace(experiment, &progress), values(experiment)),
        }
    }

    fn finish(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn pace(experiment: &TuneExperiment, progress: &Progress<'_>) -> String {
    let (done, budget) = (experiment.absorbed(), experiment.budget());
    let mut text = format!("{done} of {budget} pairs");
    let seconds = progress.elapsed.as_secs_f64();
    if progress.played > 0 && seconds > 0.0 {
        let rate = progress.played as f64 / seconds;
        let left = Duration::from_secs_f64(budget.saturating_sub(done) as f64 / rate);
        text += &format!(", {:.1} a second, {} left", rate, HumanDuration(left));
    }
    if experiment.failed() > 0 {
        text += &format!(", {} left out for failures", experiment.failed());
    }
    if progress.stopping {
        text += ", finishing the games in progress";
    }
    text
}

fn values(experiment: &TuneExperiment) -> String {
    let space = experiment.tuner().space();
    let now = space.nearest(&experiment.tuner().method().values());
    let params = space.params().iter().zip(now);
    let texts = params.map(|(param, value)| format!("{} {}", param.name, param.text(value)));
    texts.collect::<Vec<_>>().join(", ")
}

fn block(experiment: &TuneExperiment, progress: &Progress<'_>) -> String {
    let tuner = experiment.tuner();
    let params = tuner.space().params();
    let now = tuner.space().nearest(&tuner.method().values());
    let path = tuner.history().map_or(&[][..], |history| history.path());
    let widest = params.iter().map(|param| param.name.len()).max();
    let width = widest.unwrap_or(0);
    let mut lines = vec![pace(experiment, progress)];
    for (index, param) in params.iter().enumerate().take(MOST) {
        let shares = sampled(path.len()).map(|at| (path[at].1[index] - param.min) / param.range());
        let line: String = shares.map(level).collect();
        lines.push(format!(
            "{:width$} {:>8} -> {:<8} {line}",
            param.name,
            param.text(param.start),
            param.text(now[index]),
        ));
    }
    lines.join("\n  ")
}

/// Indices of up to [`POINTS`] of `count` items, evenly spread to the last.
fn sampled(count: usize) -> impl Iterator<Item = usize> {
    let points = count.min(POINTS);
    (1..=points).map(move |point| point * count / points - 1)
}

fn level(share: f64) -> char {
    let at = (share * LEVELS.len() as f64) as usize;
    LEVELS[at.min(LEVELS.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_end_at_the_last_point() {
        assert_eq!(sampled(0).count(), 0);
        assert_eq!(sampled(3).collect::<Vec<_>>(), [0, 1, 2]);
        let many: Vec<usize> = sampled(1000).collect();
        assert_eq!((many.len(), many[POINTS - 1]), (POINTS, 999));
    }

    #[test]
    fn levels_cover_the_range() {
        assert_eq!(
            [level(-0.1), level(0.0), level(0.5), level(1.0)],
            ['▁', '▁', '▅', '█']
        );
    }
}
