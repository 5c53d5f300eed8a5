//! The suspects while a bisection is played.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use crate::experiment::bisect::BisectExperiment;
use crate::report::terminal_block;
use crate::run::{Manifest, Progress, View};

/// How often a line is printed where there is no terminal.
const LINE: Duration = Duration::from_secs(10);
/// Suspects shown on a terminal, and in a line.
const SHOWN: [usize; 2] = [6, 3];

/// The live view.
pub(crate) struct Suspects {
    names: Vec<String>,
    subjects: Vec<String>,
    bar: Option<ProgressBar>,
    shown: Option<(Instant, u64)>,
}

impl Suspects {
    pub(crate) fn new(manifest: &Manifest) -> Self {
        let subjects = manifest.engines.iter();
        Self {
            names: manifest.names(),
            subjects: subjects
                .map(|engine| engine.subject.clone().unwrap_or_default())
                .collect(),
            bar: terminal_block(),
            shown: None,
        }
    }

    fn head(&self, experiment: &BisectExperiment, progress: &Progress<'_>) -> String {
        let games = 2 * progress.tally.pairs;
        let none = 100.0 * experiment.posterior().none();
        let skipped = match experiment.skipped().len() {
            0 => String::new(),
            count => format!(", {count} skipped"),
        };
        format!("{games} games{skipped}, nothing changed {none:.1} %")
    }

    fn suspects(&self, experiment: &BisectExperiment, count: usize) -> Vec<String> {
        let posterior = experiment.posterior();
        let mut commits: Vec<usize> = (1..=posterior.last()).collect();
        commits.sort_by(|a, b| posterior.commit(*b).total_cmp(&posterior.commit(*a)));
        commits
            .into_iter()
            .take(count)
            .map(|k| {
                let share = 100.0 * posterior.commit(k);
                format!("{} {share:.1} %", self.names[k])
            })
            .collect()
    }

    fn block(&self, experiment: &BisectExperiment, progress: &Progress<'_>) -> String {
        let mut lines = vec![self.head(experiment, progress)];
        for suspect in self.suspects(experiment, SHOWN[0]) {
            let name = suspect.split(' ').next().unwrap_or_default();
            let number = self.names.iter().position(|known| known == name);
            let subject = number.map_or("", |number| self.subjects[number].as_str());
            lines.push(format!("{suspect:<22} {subject}"));
        }
        if progress.stopping {
            lines.push("finishing the games in progress; Ctrl-C again stops at once".to_string());
        }
        lines.join("\n  ")
    }
}

impl View<BisectExperiment> for Suspects {
    fn update(&mut self, experiment: &BisectExperiment, progress: Progress<'_>) {
        if let Some(bar) = &self.bar {
            bar.set_message(self.block(experiment, &progress));
            return;
        }
        let pairs = progress.tally.pairs;
        let is_due = match self.shown {
            None => true,
            Some((at, shown)) => pairs > shown && at.elapsed() >= LINE,
        };
        if is_due {
            self.shown = Some((Instant::now(), pairs));
            let suspects = self.suspects(experiment, SHOWN[1]).join(", ");
            errln!("{}; {suspects}", self.head(experiment, &progress));
        }
    }

    fn finish(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
