//! The suspects while a bisection is played.

use crate::experiment::Experiment;
use crate::experiment::bisect::BisectExperiment;
use crate::report::{Block, STOPPING, Shown, done};
use crate::run::{Manifest, Progress, View};

/// Suspects shown on a terminal, and in a line.
const SHOWN: [usize; 2] = [6, 3];

/// The live view.
pub(crate) struct Suspects {
    names: Vec<String>,
    subjects: Vec<String>,
    /// Games that are played at a time.
    workers: usize,
    block: Option<Block>,
    shown: Shown,
}

impl Suspects {
    pub(crate) fn new(manifest: &Manifest) -> Self {
        let subjects = manifest.engines.iter();
        Self {
            names: manifest.names(),
            subjects: subjects
                .map(|engine| engine.subject.clone().unwrap_or_default())
                .collect(),
            workers: manifest.concurrency,
            block: Block::on_terminal(),
            shown: Shown::default(),
        }
    }

    fn head(&self, experiment: &BisectExperiment, progress: &Progress<'_>) -> String {
        let pairs = progress.tally.pairs;
        let budget = format!("at most {}", experiment.budget());
        let done = done(pairs, &budget, progress, self.workers);
        let none = 100.0 * experiment.posterior().none();
        let skipped = match experiment.skipped().len() {
            0 => String::new(),
            count => format!("  {count} skipped"),
        };
        format!("{done}{skipped}  nothing changed {none:.1} %")
    }

    /// The likeliest commits, by their numbers, and their shares in percent.
    fn suspects(experiment: &BisectExperiment, count: usize) -> Vec<(usize, f64)> {
        let posterior = experiment.posterior();
        let mut commits: Vec<usize> = (1..=posterior.last()).collect();
        commits.sort_by(|a, b| posterior.commit(*b).total_cmp(&posterior.commit(*a)));
        let share = |commit| (commit, 100.0 * posterior.commit(commit));
        commits.into_iter().take(count).map(share).collect()
    }

    fn suspect(&self, (commit, share): (usize, f64)) -> String {
        format!("{} {share:.1} %", self.names[commit])
    }

    fn lines(&self, experiment: &BisectExperiment, progress: &Progress<'_>) -> Vec<String> {
        let mut lines = vec![self.head(experiment, progress)];
        for suspect in Self::suspects(experiment, SHOWN[0]) {
            let subject = self.subjects.get(suspect.0).map_or("", String::as_str);
            lines.push(format!("{:<22} {subject}", self.suspect(suspect)));
        }
        if progress.stopping {
            lines.push(STOPPING.to_string());
        }
        lines
    }
}

impl View<BisectExperiment> for Suspects {
    fn update(&mut self, experiment: &BisectExperiment, progress: Progress<'_>) {
        if !self.shown.is_due(self.block.is_some(), &progress) {
            return;
        }
        if let Some(block) = &self.block {
            let lines = self.lines(experiment, &progress);
            block.draw(&block.terminal().fit(&lines));
            return;
        }
        let suspects = Self::suspects(experiment, SHOWN[1]).into_iter();
        let suspects: Vec<String> = suspects.map(|suspect| self.suspect(suspect)).collect();
        errln!(
            "{}; {}",
            self.head(experiment, &progress),
            suspects.join(", ")
        );
    }

    fn finish(&mut self) {
        if let Some(block) = &self.block {
            block.clear();
        }
    }
}
