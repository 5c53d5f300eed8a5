//! The suspects while a bisection is played.

use hone_experiment::Experiment;
use hone_experiment::bisect::BisectExperiment;
use hone_report::{LiveText, STOPPING, Terminal, probability, progress_text};
use hone_run::{Manifest, Progress};

/// Suspects shown on a terminal, and in a line.
const SHOWN: [usize; 2] = [6, 3];

/// The live view.
pub(super) struct Suspects {
    names: Vec<String>,
    subjects: Vec<String>,
    /// Pairs that can be played at a time; `None` on a fleet.
    at_a_time: Option<usize>,
}

impl Suspects {
    pub(super) fn new(manifest: &Manifest, at_a_time: Option<usize>) -> Self {
        let subjects = manifest.engines.iter();
        Self {
            names: manifest.names(),
            subjects: subjects
                .map(|engine| engine.subject.clone().unwrap_or_default())
                .collect(),
            at_a_time,
        }
    }

    fn head(&self, experiment: &BisectExperiment, progress: &Progress<'_>) -> String {
        let pairs = progress.tally.judged_pairs();
        let budget = format!("at most {}", experiment.budget());
        let done = progress_text(pairs, &budget, progress, self.at_a_time);
        let skipped = match experiment.skipped().len() {
            0 => String::new(),
            count => format!("  {count} skipped"),
        };
        done + &skipped
    }

    fn nothing_changed(experiment: &BisectExperiment) -> String {
        let share = probability(experiment.posterior().none(), 1);
        format!("nothing changed {share}")
    }

    /// The most probable commits by their numbers, with their probabilities.
    fn suspects(experiment: &BisectExperiment, count: usize) -> Vec<(usize, f64)> {
        let posterior = experiment.posterior();
        let mut commits: Vec<usize> = (1..=posterior.last()).collect();
        commits.sort_by(|a, b| posterior.commit(*b).total_cmp(&posterior.commit(*a)));
        let share = |commit| (commit, posterior.commit(commit));
        commits.into_iter().take(count).map(share).collect()
    }

    fn suspect(&self, (commit, share): (usize, f64)) -> String {
        format!("{} {}", self.names[commit], probability(share, 1))
    }

    fn lines(&self, experiment: &BisectExperiment, progress: &Progress<'_>) -> Vec<String> {
        let mut lines = vec![self.head(experiment, progress)];
        for suspect in Self::suspects(experiment, SHOWN[0]) {
            let subject = self.subjects.get(suspect.0).map_or("", String::as_str);
            lines.push(format!("{:<22} {subject}", self.suspect(suspect)));
        }
        lines.push(Self::nothing_changed(experiment));
        if progress.stopping {
            lines.push(STOPPING.to_string());
        }
        lines
    }
}

impl LiveText<BisectExperiment> for Suspects {
    fn block(
        &self,
        experiment: &BisectExperiment,
        progress: &Progress<'_>,
        terminal: Terminal,
    ) -> String {
        terminal.fit(&self.lines(experiment, progress))
    }

    fn line(&self, experiment: &BisectExperiment, progress: &Progress<'_>) -> String {
        let suspects = Self::suspects(experiment, SHOWN[1]).into_iter();
        let suspects: Vec<String> = suspects.map(|suspect| self.suspect(suspect)).collect();
        format!(
            "{}  {}; {}",
            self.head(experiment, progress),
            Self::nothing_changed(experiment),
            suspects.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use hone_experiment::bisect::BisectSection;
    use hone_run::Tally;

    /// The view of a bisection with this many commits after the good one, before its results.
    fn lines(commits: usize) -> Vec<String> {
        lines_with(commits, &Tally::new(commits + 1))
    }

    /// The same with these totals.
    fn lines_with(commits: usize, tally: &Tally) -> Vec<String> {
        let experiment = BisectExperiment::new(BisectSection::default(), commits, Vec::new());
        let progress = Progress {
            tally,
            elapsed: Duration::from_secs(3600),
            time_limit: None,
            played: 1234,
            in_flight: 12,
            awaited: None,
            stopping: false,
            is_over: false,
        };
        let suspects = Suspects {
            names: (0..=commits)
                .map(|number| format!("{number:010}"))
                .collect(),
            subjects: vec!["Change".to_string(); commits + 1],
            at_a_time: Some(12),
        };
        suspects.lines(&experiment, &progress)
    }

    #[test]
    fn no_suspect_is_impossible() {
        let lines = lines(2000);
        assert!(lines[1].contains(" <0.1 % "), "{lines:?}");
    }

    /// The budget contains the pairs that are left out.
    #[test]
    fn pairs_that_repeat_earlier_games_are_part_of_the_progress() {
        let mut tally = Tally::new(9);
        (tally.pairs, tally.dropped_pairs) = (10, 2);
        let lines = lines_with(8, &tally);
        let (pairs, rest) = lines[0].split_once(" of at most ").expect("the progress");
        assert_eq!(pairs, "12");
        assert!(
            rest.contains(" pairs, 2 of them repeat earlier games"),
            "{rest}"
        );
    }

    #[test]
    fn at_80_columns_it_is_shown_whether_nothing_changed() {
        let lines = lines(8);
        let line = lines
            .iter()
            .find_map(|line| line.find("nothing changed 10.0 %"));
        assert_eq!(line, Some(0), "{lines:?}");
        assert_eq!(lines.len(), 1 + SHOWN[0] + 1);
    }
}
