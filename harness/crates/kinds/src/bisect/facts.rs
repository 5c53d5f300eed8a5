//! The result of a bisection, in all its forms.

use std::fmt::Write;
use std::ops::RangeInclusive;

use jiff::Timestamp;
use serde::Serialize;

use super::history::merged_branch;
use hone_builds::{Commit, short_id};
use hone_experiment::bisect::{BisectExperiment, FailureCounts, TimelinePoint};
use hone_experiment::{Experiment, Verdict};
use hone_report::{
    EndReason, escape_markdown, evidence_findings, probability, signed, signed_ends,
};
use hone_run::{EngineIdentity, Fold, Kind, Manifest, RunFiles};
use hone_stats::detect::Finding;
use hone_stats::summary::{Interval, Summary};
use hone_stats::{Estimate, Pentanomial};

/// Maximum number of commits in the text table, and of cleared ones below it.
const ROWS: usize = 10;

/// Why commits are cleared that have the same `bench` on both sides.
pub(crate) const SAME_BENCH: &str = "same bench: cleared without games, because the builds \
     before and after the change have the same node count of `bench`; their games could still \
     differ";

/// Everything that a report of a bisection contains.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct BisectFacts {
    run: String,
    kind: Kind,
    pub verdict: BisectVerdict,
    /// Whether the run has ended, so that it cannot be resumed.
    finished: bool,
    /// Why it ended without a verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<EndReason>,
    pub good: Suspect,
    pub bad: Suspect,
    /// The culprit, once it is found; several, if those between them do not build.
    pub culprit: Vec<Suspect>,
    /// The command that bisects the branch which the culprit has merged.
    #[serde(skip)]
    next_command: Option<String>,
    /// The most probable commit, found or not; several as for the culprit.
    #[serde(skip)]
    pub(crate) likeliest: Vec<Suspect>,
    /// Other commits of the same probability as the most probable one.
    #[serde(skip)]
    pub(crate) tied: Vec<Suspect>,
    /// Probability of the most probable commit, 0 to 1.
    pub probability: f64,
    /// Elo by which the culprit changed the engine: below 0, a loss. `None` until it is
    /// found: the estimate assumes that a commit changed something.
    pub change: Option<Estimate>,
    /// Probability that nothing changed.
    pub(crate) no_change: f64,
    /// Pairs of the matches.
    pub pairs: u64,
    pub games: u64,
    /// The most pairs that the run may play.
    max_pairs: u64,
    /// The smallest change that is looked for, in Elo.
    #[serde(skip)]
    smallest: f64,
    /// Pairs up to the verdict, including those that are in no match.
    #[serde(skip)]
    pub absorbed: u64,
    /// Pairs of which both games had been played before: with a limit of nodes
    /// or depth they are in no match.
    repeated_pairs: u64,
    distinct_games: u64,
    /// Reasons why the games are weak evidence.
    findings: Vec<Finding>,
    /// Commits that do not build or play.
    pub skipped: Vec<Suspect>,
    /// Commits that an equal `bench` on both sides has cleared, not games.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cleared: Vec<Suspect>,
    /// Every commit, oldest first, with its probability.
    pub posterior: Vec<Suspect>,
    /// The probability at which the run ends, 0 to 1.
    #[serde(skip)]
    pub threshold: f64,
    /// The probabilities over the pairs.
    #[serde(skip)]
    pub timeline: Vec<TimelinePoint>,
    pub matches: Vec<MatchFacts>,
    seconds: f64,
}

/// What a bisection has decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BisectVerdict {
    Found,
    /// Good and bad do not differ.
    NoChange,
    None,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Suspect {
    pub commit: String,
    pub subject: String,
    /// Unknown in runs that an older `hone` started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Of a commit that is skipped because its engine fails in games.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub failures: Option<FailureCounts>,
}

/// A match between two commits, from the later one's side.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct MatchFacts {
    pub earlier: String,
    pub later: String,
    /// LL, LD, DD+WL, WD, WW.
    pub pentanomial: [u64; 5],
    pub elo: Option<Estimate>,
    /// The kind of interval of `elo`.
    pub interval: Interval,
}

impl BisectFacts {
    /// The facts of the run whose results `fold` has absorbed.
    pub(super) fn of(files: &RunFiles, fold: &Fold<BisectExperiment>) -> anyhow::Result<Self> {
        let manifest = &files.manifest;
        let experiment = &fold.experiment;
        let posterior = experiment.posterior();
        let suspect = |number: usize| Suspect::of(&manifest.engines[number]);
        let verdict = verdict(experiment);
        let is_found = verdict == BisectVerdict::Found;
        let found = experiment.found();
        let likeliest: Vec<Suspect> = found.commits.clone().map(suspect).collect();
        let pairs = experiment.evidence().values().map(Pentanomial::pairs).sum();
        Ok(Self {
            run: files.folder.name(),
            kind: manifest.kind,
            finished: fold.verdict().is_some(),
            reason: EndReason::of(fold.verdict()),
            repeated_pairs: fold.tally.repeated_pairs,
            distinct_games: fold.tally.distinct_games,
            findings: evidence_findings(files, &fold.tally)?,
            verdict,
            good: suspect(0),
            bad: suspect(posterior.last()),
            next_command: match likeliest.as_slice() {
                [one] if is_found => next_command(manifest, &one.commit),
                _ => None,
            },
            culprit: if is_found {
                likeliest.clone()
            } else {
                Vec::new()
            },
            likeliest,
            tied: tied(experiment, &found.commits)
                .into_iter()
                .map(suspect)
                .collect(),
            probability: found.probability,
            change: (is_found && !experiment.evidence().is_empty())
                .then(|| change(found.size, experiment.section().gained)),
            no_change: posterior.none(),
            pairs,
            games: 2 * pairs,
            max_pairs: experiment.section().max_pairs,
            smallest: experiment.section().smallest,
            absorbed: fold.absorbed(),
            skipped: skipped(experiment, manifest),
            cleared: experiment
                .cleared_by_bench()
                .into_iter()
                .map(suspect)
                .collect(),
            posterior: suspects(experiment, manifest),
            threshold: experiment.section().probability,
            timeline: experiment.timeline(),
            matches: matches(experiment, &manifest.names()),
            seconds: files.seconds_played()?,
        })
    }

    /// The verdict as text, then warnings, each on its own line.
    pub(super) fn sentence(&self) -> String {
        let reason = self.reason.map(EndReason::sentence);
        let reason = reason.map_or(String::new(), |reason| format!("{reason}\n"));
        let mut text = reason + &self.verdict_words();
        for finding in &self.findings {
            let _ = write!(text, "\n{}", finding.sentence());
        }
        text
    }

    fn verdict_words(&self) -> String {
        let played = format!("{} games", self.games);
        match self.verdict {
            BisectVerdict::Found => format!(
                "Culprit: {}, with {} probability after {played}. {}{}",
                self.named(),
                probability(self.probability, 1),
                self.change_words(),
                self.next_words()
            ),
            BisectVerdict::NoChange => format!(
                "No commit changed the strength by {} Elo or more (`smallest`; {} probability \
                 after {played}). With `--gained` a bisection searches for a gain, without it \
                 for a loss.",
                self.smallest,
                probability(self.no_change, 1)
            ),
            BisectVerdict::None => format!(
                "No culprit after {played}. Most probable, with {}: {}{}",
                probability(self.probability, 1),
                self.named(),
                self.tied_words()
            ),
        }
    }

    fn named(&self) -> String {
        match self.likeliest.as_slice() {
            [one] => one.describe(),
            several => {
                let all: Vec<String> = several.iter().map(Suspect::describe).collect();
                format!(
                    "one of these commits, which cannot be told apart because those before the \
                     last do not play: {}",
                    all.join(", ")
                )
            }
        }
    }

    fn tied_words(&self) -> String {
        match self.tied.as_slice() {
            [] => String::new(),
            few @ ([_] | [_, _]) => {
                let all: Vec<String> = few.iter().map(Suspect::describe).collect();
                format!("; equally probable: {}", all.join(", "))
            }
            many => format!("; {} other commits are equally probable", many.len()),
        }
    }

    fn change_words(&self) -> String {
        match self.change {
            Some(change) => format!(
                "It changed the strength by {} Elo (95 %: {}).",
                signed(change.estimate),
                signed_ends(change)
            ),
            None => String::new(),
        }
    }

    fn next_words(&self) -> String {
        self.next_command.as_ref().map_or(String::new(), |command| {
            format!(
                "\nIt is a merge. To bisect the merged branch, run `{command}` with the other \
                 options of this run."
            )
        })
    }

    /// The most probable commits.
    pub(super) fn table(&self) -> String {
        let mut text = String::from("probability  commit\n");
        for (_, suspect) in self.most_probable(ROWS) {
            let share = probability(suspect.probability.unwrap_or_default(), 1);
            let _ = writeln!(text, "{share:>11}  {}", suspect.describe());
        }
        let no_change = probability(self.no_change, 1);
        let _ = writeln!(text, "{no_change:>11}  nothing changed");
        for skipped in &self.skipped {
            let _ = writeln!(
                text,
                "    skipped  {}{}",
                skipped.describe(),
                skipped.fails()
            );
        }
        self.add_cleared(&mut text);
        text
    }

    /// Adds the commits that an equal bench has cleared, and the reason.
    fn add_cleared(&self, text: &mut String) {
        for cleared in self.cleared.iter().take(ROWS) {
            let _ = writeln!(text, " same bench  {}", cleared.describe());
        }
        if let Some(more) = self
            .cleared
            .len()
            .checked_sub(ROWS)
            .filter(|more| *more > 0)
        {
            let _ = writeln!(text, " same bench  and {more} more");
        }
        if !self.cleared.is_empty() {
            text.push_str(SAME_BENCH);
            text.push('\n');
        }
    }

    /// The `count` most probable commits with their numbers, the most probable first.
    pub(super) fn most_probable(&self, count: usize) -> Vec<(usize, &Suspect)> {
        let mut suspects: Vec<(usize, &Suspect)> = (1..).zip(&self.posterior).collect();
        suspects.sort_by(|(_, a), (_, b)| {
            let [a, b] = [a, b].map(|one| one.probability.unwrap_or_default());
            b.total_cmp(&a)
        });
        suspects.truncate(count);
        suspects
    }

    /// The result as Markdown, for a pull request or a wiki.
    pub(super) fn markdown(&self) -> String {
        let sentence = self.sentence();
        let sentence: Vec<String> = sentence.lines().map(escape_markdown).collect();
        format!(
            "# {}\n\n{}\n\n```text\n{}```\n",
            self.run,
            sentence.join("\n\n"),
            self.table()
        )
    }
}

/// The command that bisects the branch which `culprit` has merged.
fn next_command(manifest: &Manifest, culprit: &str) -> Option<String> {
    let [good, bad] = merged_branch(manifest, culprit)?;
    let [good, bad] = [&good, &bad].map(Commit::short);
    Some(format!("hone bisect --good {good} --bad {bad}"))
}

pub(super) fn verdict(experiment: &BisectExperiment) -> BisectVerdict {
    match experiment.verdict() {
        Some(Verdict::Complete) => BisectVerdict::Found,
        _ if experiment.posterior().none() >= experiment.section().probability => {
            BisectVerdict::NoChange
        }
        _ => BisectVerdict::None,
    }
}

/// The commits that are as probable as `likeliest`, if that is a single one.
fn tied(experiment: &BisectExperiment, likeliest: &RangeInclusive<usize>) -> Vec<usize> {
    let posterior = experiment.posterior();
    let most = posterior.commit(*likeliest.end());
    // The sums of equal probabilities may differ in their last digits.
    let is_tied = |k: &usize| (posterior.commit(*k) - most).abs() < 1e-9;
    (1..=posterior.last())
        .filter(|k| likeliest.start() == likeliest.end() && !likeliest.contains(k))
        .filter(is_tied)
        .collect()
}

/// The size of a change in Elo, with the sign of a loss or a gain.
fn change(size: Estimate, gained: bool) -> Estimate {
    if gained {
        size
    } else {
        Estimate {
            estimate: -size.estimate,
            low: -size.high,
            high: -size.low,
        }
    }
}

/// Every commit but the good one, with its probability.
fn suspects(experiment: &BisectExperiment, manifest: &Manifest) -> Vec<Suspect> {
    let posterior = experiment.posterior();
    (1..=posterior.last())
        .map(|number| Suspect {
            probability: Some(posterior.commit(number)),
            ..Suspect::of(&manifest.engines[number])
        })
        .collect()
}

/// The commits that are skipped, and how often their engines failed.
fn skipped(experiment: &BisectExperiment, manifest: &Manifest) -> Vec<Suspect> {
    let skipped = experiment.skipped().iter();
    skipped
        .map(|number| Suspect {
            failures: Some(experiment.failures(*number)).filter(|counts| counts.failures > 0),
            ..Suspect::of(&manifest.engines[*number])
        })
        .collect()
}

fn matches(experiment: &BisectExperiment, names: &[String]) -> Vec<MatchFacts> {
    let evidence = experiment.evidence().iter();
    evidence
        .map(|((earlier, later), counts)| {
            let summary = Summary::new(*counts);
            MatchFacts {
                earlier: names[*earlier].clone(),
                later: names[*later].clone(),
                pentanomial: counts.0,
                elo: summary.elo,
                interval: summary.interval,
            }
        })
        .collect()
}

impl Suspect {
    pub(super) fn of(identity: &EngineIdentity) -> Self {
        Self {
            commit: identity.commit.clone().unwrap_or_default(),
            subject: identity.subject.clone().unwrap_or_default(),
            author: identity.commit_author.clone(),
            date: identity.committed,
            probability: None,
            failures: None,
        }
    }

    /// Its short id and its subject.
    pub(super) fn describe(&self) -> String {
        let short = short_id(&self.commit);
        format!("{short} ({})", self.subject)
    }

    /// How often it failed, if it did, to follow its description.
    fn fails(&self) -> String {
        self.failures.map_or(String::new(), |record| {
            format!(": failed in {} of {} games", record.failures, record.games)
        })
    }
}
