//! The parameters' paths while a run is played.

use hone_experiment::Experiment;
use hone_experiment::tune::TuneExperiment;
use hone_report::{LiveText, STOPPING, Terminal, progress_text, time_for};
use hone_run::Progress;

/// Points of a parameter's path.
const POINTS: usize = 32;
/// Parameters shown on a terminal.
const MOST: usize = 40;
/// Values in a line of a log.
const MOST_VALUES: usize = 8;
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The live view of a tuning run.
#[derive(Debug)]
pub(crate) struct Paths {
    /// Pairs that can be played at a time; `None` on a fleet.
    pub(super) at_a_time: Option<usize>,
}

impl LiveText<TuneExperiment> for Paths {
    fn block(
        &self,
        experiment: &TuneExperiment,
        progress: &Progress<'_>,
        terminal: Terminal,
    ) -> String {
        let mut lines = vec![pace(experiment, progress, self.at_a_time)];
        lines.extend(paths(experiment));
        if progress.stopping {
            lines.push(STOPPING.to_string());
        }
        terminal.fit(&lines)
    }

    fn line(&self, experiment: &TuneExperiment, progress: &Progress<'_>) -> String {
        let pace = pace(experiment, progress, self.at_a_time);
        format!("{pace}  {}", values(experiment))
    }
}

fn pace(experiment: &TuneExperiment, progress: &Progress<'_>, at_a_time: Option<usize>) -> String {
    let (absorbed, budget) = (experiment.absorbed(), experiment.budget());
    let mut text = progress_text(absorbed, &budget.to_string(), progress, at_a_time);
    if let Some(left) = time_for(budget.saturating_sub(absorbed), progress) {
        text += &format!("  time left: {left}");
    }
    if experiment.failed() > 0 {
        text += &format!("  {} left out for failures", experiment.failed());
    }
    text
}

fn values(experiment: &TuneExperiment) -> String {
    let space = experiment.tuner().space();
    let now = space.nearest(&experiment.tuner().method().values());
    let params = space.params().iter().zip(now);
    let more = params.len().saturating_sub(MOST_VALUES);
    let texts = params.map(|(param, value)| format!("{} {}", param.name, param.text(value)));
    let text = texts.take(MOST_VALUES).collect::<Vec<_>>().join(", ");
    match more {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

fn paths(experiment: &TuneExperiment) -> Vec<String> {
    let tuner = experiment.tuner();
    let params = tuner.space().params();
    let now = tuner.space().nearest(&tuner.method().values());
    let path = tuner.history().map_or(&[][..], |history| history.path());
    let widest = params.iter().map(|param| param.name.len()).max();
    let width = widest.unwrap_or(0);
    let mut lines = Vec::new();
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
    lines
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
