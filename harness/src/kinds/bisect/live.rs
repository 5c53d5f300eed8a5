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

    fn lines(&self, experiment: &BisectExperiment, progress: &Progress<'_>) -> Vec<String> {
        let mut lines = vec![self.head(experiment, progress)];
        for suspect in self.suspects(experiment, SHOWN[0]) {
            let name = suspect.split(' ').next().unwrap_or_default();
            let number = self.names.iter().position(|known| known == name);
            let subject = number.map_or("", |number| self.subjects[number].as_str());
            lines.push(format!("{suspect:<22} {subject}"));
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
        let suspects = self.suspects(experiment, SHOWN[1]).join(", ");
        errln!("{}; {suspects}", self.head(experiment, &progress));
    }

    fn finish(&mut self) {
        if let Some(block) = &self.block {
            block.clear();
        }
    }
}
