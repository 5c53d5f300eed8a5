//! Bisection as a pure state machine.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::choice::most_informative;
use super::failing::{Failing, FailureCounts};
use super::known::{BuildOutcome, Builds, KnownBuild};
use super::posterior::{FINE, PairCounts, Posterior};
use super::posterior_timeline::{PosteriorTimeline, TimelinePoint};
use super::section::BisectSection;
use crate::{Experiment, Next, PairPlan, PairResult, Side, Verdict};
use hone_stats::{Estimate, Pentanomial};

/// The most probable commit, or commits that no match can tell apart because those
/// between them do not build.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub commits: RangeInclusive<usize>,
    /// Probability that one of them is the culprit, 0 to 1.
    pub probability: f64,
    /// Size of the change in Elo, above 0.
    pub size: Estimate,
}

/// Two commits with the same `bench` are considered the same engine after this number of
/// pairs, if both games of each have the same moves.
const SAME_MOVES: u64 = 16;

/// A bisection in progress. Engine number k of its pairs is commit k.
#[derive(Debug)]
pub struct BisectExperiment {
    section: BisectSection,
    last: usize,
    evidence: PairCounts,
    posterior: Posterior,
    timeline: PosteriorTimeline,
    /// Commits with absorbed results.
    played: BTreeSet<usize>,
    /// Commits whose engines are ready to play.
    ready: BTreeSet<usize>,
    builds: Builds,
    /// By match: number of pairs whose two games have the same moves.
    mirrored: BTreeMap<(usize, usize), u64>,
    failing: Failing,
    /// Builds of a resumed run that are not applied yet, because they came after more pairs.
    pending: Vec<KnownBuild>,
    absorbed: u64,
    /// The match of the current batch.
    current: Option<(usize, usize)>,
    verdict: Option<Verdict>,
}

impl BisectExperiment {
    /// A bisection of `last` commits after the good one (at least 1). `known` are the
    /// results of earlier builds, in their order.
    pub fn new(section: BisectSection, last: usize, known: Vec<KnownBuild>) -> Self {
        assert!(last >= 1, "there is a commit after the good one");
        let evidence = PairCounts::new();
        let mut experiment = Self {
            posterior: Posterior::new(&evidence, &BTreeSet::new(), last, &section),
            section,
            timeline: PosteriorTimeline::default(),
            last,
            evidence,
            played: BTreeSet::from([0, last]),
            ready: BTreeSet::new(),
            builds: Builds::default(),
            mirrored: BTreeMap::new(),
            failing: Failing::new(1.0),
            pending: known,
            absorbed: 0,
            current: None,
            verdict: None,
        };
        experiment.timeline.push(0, &experiment.posterior);
        experiment.update_verdict();
        experiment
    }

    /// Skips the commits between the ends that lose more than this share (0 to 1) of their
    /// games by failing. By default none is skipped.
    pub fn with_max_failures(mut self, max_share: f64) -> Self {
        self.failing = Failing::new(max_share);
        self
    }

    /// The match of the next pairs, `(earlier, later)`; none after a verdict.
    pub fn next_match(&mut self) -> Option<(usize, usize)> {
        if self.verdict.is_some() {
            return None;
        }
        if self.current.is_none() {
            self.current = most_informative(&self.posterior, &self.builds.skipped, &self.played);
        }
        self.current
    }

    /// The commits that must be built before the next pair.
    pub fn wanted(&mut self) -> Vec<usize> {
        let pair = self.next_match();
        let commits = pair
            .into_iter()
            .flat_map(|(earlier, later)| [earlier, later]);
        commits.filter(|k| !self.ready.contains(k)).collect()
    }

    /// The engine of a commit is ready to play.
    pub fn set_ready(&mut self, commit: usize) {
        self.ready.insert(commit);
    }

    /// Whether the result of a commit's build is known.
    pub fn has_build(&self, commit: usize) -> bool {
        self.builds.contains(commit)
    }

    /// Takes the result of a commit's build. A commit that does not build is skipped;
    /// two that are the same engine have no culprit between them. In both cases the
    /// next match is chosen again.
    pub fn add_build(&mut self, commit: usize, outcome: BuildOutcome) {
        if self.apply_build(commit, outcome) {
            self.current = None;
            self.update_verdict();
        }
    }

    /// Returns whether the next match may be another one.
    fn apply_build(&mut self, commit: usize, outcome: BuildOutcome) -> bool {
        // The posterior does not depend on skipped commits.
        let is_built = matches!(outcome, BuildOutcome::Built(_));
        let has_changed = self.builds.add(commit, outcome);
        if has_changed && is_built {
            self.update_posterior();
        }
        has_changed
    }

    fn update_posterior(&mut self) {
        self.posterior = Posterior::new(
            &self.evidence,
            &self.builds.cleared(self.last),
            self.last,
            &self.section,
        );
    }

    /// Takes the next pair of a match, in half points of its later commit.
    pub fn take(&mut self, pair: (usize, usize), half_points: usize) {
        self.evidence.entry(pair).or_default().add(half_points);
        self.count(pair);
    }

    /// Counts a pair of a match against the budget; at the end of a batch updates the verdict.
    fn count(&mut self, pair: (usize, usize)) {
        self.current = Some(pair);
        self.played.extend([pair.0, pair.1]);
        self.absorbed += 1;
        let is_end = self.absorbed >= self.section.max_pairs;
        if is_end || self.absorbed.is_multiple_of(self.section.batch) {
            self.skip_failing();
            self.compare_moves(pair);
            self.update_posterior();
            self.timeline.push(self.absorbed, &self.posterior);
            self.current = None;
            self.update_verdict();
        }
    }

    /// Clears the commits between two with the same `bench` and the same moves.
    fn compare_moves(&mut self, pair: (usize, usize)) {
        let pairs = self.evidence.get(&pair).map_or(0, Pentanomial::pairs);
        if pairs >= SAME_MOVES && self.mirrored.get(&pair) == Some(&pairs) {
            self.builds.add_same_moves(pair);
        }
    }

    /// Skips the commits that fail too often, and drops their results.
    fn skip_failing(&mut self) {
        for commit in self.failing.commits() {
            if self.is_between(commit) && self.builds.skipped.insert(commit) {
                self.evidence
                    .retain(|(earlier, later), _| ![*earlier, *later].contains(&commit));
            }
        }
    }

    fn is_between(&self, commit: usize) -> bool {
        0 < commit && commit < self.last
    }

    fn update_verdict(&mut self) {
        self.verdict = self.current_verdict();
        while self.verdict.is_none()
            && let Some(next) = self
                .pending
                .iter()
                .position(|build| build.after_pairs <= self.absorbed)
        {
            let build = self.pending.remove(next);
            self.apply_build(build.commit, build.outcome);
            self.verdict = self.current_verdict();
        }
    }

    fn current_verdict(&self) -> Option<Verdict> {
        let wanted = self.section.probability;
        let (_, probability) = self.most_probable();
        // A single commit is probable before any game: the results must show a change too.
        let is_shown = self.posterior.evidence_of_change() >= wanted / (1.0 - wanted);
        if probability >= wanted && is_shown {
            Some(Verdict::Complete)
        } else if self.posterior.none() >= wanted || self.absorbed >= self.section.max_pairs {
            Some(Verdict::Inconclusive)
        } else {
            None
        }
    }

    /// The commits in groups that matches can tell apart.
    pub fn groups(&self) -> Vec<RangeInclusive<usize>> {
        self.builds.groups(self.last)
    }

    /// Probability that the culprit is in a group.
    pub fn probability(&self, group: &RangeInclusive<usize>) -> f64 {
        group.clone().map(|k| self.posterior.commit(k)).sum()
    }

    fn most_probable(&self) -> (RangeInclusive<usize>, f64) {
        let groups = self.groups().into_iter();
        let with_probability = groups.map(|group| {
            let probability = self.probability(&group);
            (group, probability)
        });
        with_probability
            .max_by(|(_, p), (_, q)| p.total_cmp(q))
            .unwrap_or((1..=self.last, 1.0))
    }

    /// The most probable commit, or the group of commits that no match can tell
    /// apart.
    pub fn found(&self) -> Found {
        let (commits, probability) = self.most_probable();
        let fine = Posterior::with_sizes(
            &self.evidence,
            &self.builds.cleared(self.last),
            self.last,
            &self.section,
            FINE,
        );
        Found {
            size: fine.size(commits.clone()),
            commits,
            probability,
        }
    }

    /// The probabilities over the course of the run.
    pub fn timeline(&self) -> Vec<TimelinePoint> {
        self.timeline.points(self.absorbed, &self.posterior)
    }

    pub fn posterior(&self) -> &Posterior {
        &self.posterior
    }

    pub fn section(&self) -> &BisectSection {
        &self.section
    }

    /// All matches so far.
    pub fn evidence(&self) -> &PairCounts {
        &self.evidence
    }

    /// The commits that do not build or play.
    pub fn skipped(&self) -> &BTreeSet<usize> {
        &self.builds.skipped
    }

    /// The commits that are cleared only by an equal `bench`.
    pub fn cleared_by_bench(&self) -> BTreeSet<usize> {
        self.builds.cleared_by_bench(self.last)
    }

    /// How often a commit has failed.
    pub fn failures(&self, commit: usize) -> FailureCounts {
        self.failing.of(commit)
    }

    /// Pairs absorbed.
    pub fn pairs(&self) -> u64 {
        self.absorbed
    }
}

impl Experiment for BisectExperiment {
    fn plan(&mut self, pair: u64) -> Next {
        if pair >= self.section.max_pairs {
            return Next::End;
        }
        let batch = self.section.batch;
        if pair / batch != self.absorbed / batch || !self.wanted().is_empty() {
            return Next::Wait;
        }
        match self.current {
            None => Next::Wait,
            Some((earlier, later)) => Next::Play(PairPlan {
                first: Side::plain(later),
                second: Side::plain(earlier),
                opening: self.opening(pair),
            }),
        }
    }

    fn absorb(&mut self, result: &PairResult) {
        let [later, earlier] = result.engines;
        self.failing.count(result);
        if result.games[0].digest == result.games[1].digest {
            *self.mirrored.entry((earlier, later)).or_default() += 1;
        }
        self.take((earlier, later), result.half_points());
    }

    fn pass_over(&mut self, result: &PairResult) {
        let [later, earlier] = result.engines;
        self.failing.count(result);
        self.count((earlier, later));
    }

    fn can_do_without(&self, engine: usize) -> bool {
        self.is_between(engine)
    }

    fn verdict(&self) -> Option<Verdict> {
        self.verdict
    }

    fn budget(&self) -> u64 {
        self.section.max_pairs
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use hone_stats::Model;
    use hone_stats::distribution::PairDistribution;
    use hone_stats::simulate::PairSampler;
    use hone_uci::rules::{GameResult, Outcome, Termination};

    fn experiment(last: usize) -> BisectExperiment {
        BisectExperiment::new(BisectSection::default(), last, Vec::new())
    }

    #[test]
    fn a_single_commit_is_rarely_named_if_nothing_changed() {
        let level = PairDistribution::of_equals(0.5, 0.0).expect("a distribution");
        let level = PairSampler::new(&level);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let section = BisectSection {
            max_pairs: 400,
            ..BisectSection::default()
        };
        let mut is_named = || {
            let mut bisect = BisectExperiment::new(section.clone(), 1, Vec::new());
            while let Some(pair) = bisect.next_match() {
                bisect.take(pair, level.draw(&mut rng));
            }
            bisect.verdict() == Some(Verdict::Complete)
        };
        // In the long run at most 1 of 19.
        let named = (0..200).filter(|_| is_named()).count();
        assert!(named <= 10, "{named}");
        let section = BisectSection {
            probability: 0.6,
            ..BisectSection::default()
        };
        let bisect = BisectExperiment::new(section, 1, Vec::new());
        assert_eq!(bisect.verdict(), None, "no game yet");
    }

    /// The losses and the draw ratios are not those that the posterior assumes.
    #[test]
    fn culprits_are_named_and_intervals_contain_their_losses() {
        const HISTORIES: usize = 20;
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let (mut right, mut covered) = (0, 0);
        for _ in 0..HISTORIES {
            let last = rng.random_range(2..40);
            let culprit = rng.random_range(1..=last);
            let loss = rng.random_range(40.0..100.0);
            let level = PairDistribution::of_equals(rng.random_range(0.2..0.8), 0.0);
            let level = level.expect("a distribution");
            let across = level.tilted_to(Model::Logistic, -loss).expect("possible");
            let [level, across] = [level, across].map(|one| PairSampler::new(&one));
            let mut bisect = experiment(last);
            while let Some((earlier, later)) = bisect.next_match() {
                let is_across = earlier < culprit && culprit <= later;
                let sampler = if is_across { &across } else { &level };
                bisect.take((earlier, later), sampler.draw(&mut rng));
            }
            let found = bisect.found();
            right += usize::from(found.commits == (culprit..=culprit));
            covered += usize::from(found.size.low <= loss && loss <= found.size.high);
        }
        assert!(right >= HISTORIES - 1, "{right} of {HISTORIES}");
        assert!(covered >= HISTORIES - 3, "{covered} of {HISTORIES}");
    }

    #[test]
    fn a_plan_waits_for_builds_and_for_its_batch() {
        let mut bisect = experiment(8);
        assert_eq!(bisect.plan(0), Next::Wait);
        let wanted = bisect.wanted();
        assert_eq!(wanted.len(), 2);
        wanted.iter().for_each(|k| bisect.set_ready(*k));
        assert!(matches!(bisect.plan(15), Next::Play(_)));
        assert_eq!(bisect.plan(16), Next::Wait);
        assert_eq!(bisect.plan(20_000), Next::End);
    }

    #[test]
    fn a_resumed_batch_continues_its_match() {
        let mut whole = experiment(30);
        let first = whole.next_match().expect("a match");
        (0..16).for_each(|_| whole.take(first, 1));
        let second = whole.next_match().expect("a match");
        (0..3).for_each(|_| whole.take(second, 4));
        // Read back from a ledger.
        let mut again = experiment(30);
        (0..16).for_each(|_| again.take(first, 1));
        (0..3).for_each(|_| again.take(second, 4));
        assert_eq!(again.next_match(), Some(second));
        assert_eq!(again.next_match(), whole.next_match());
    }

    #[test]
    fn commits_that_do_not_build_are_named_together() {
        let skipped = [2, 3].map(|commit| KnownBuild {
            after_pairs: 0,
            commit,
            outcome: BuildOutcome::Skipped,
        });
        let mut bisect = BisectExperiment::new(BisectSection::default(), 5, skipped.into());
        assert_eq!(bisect.groups(), [1..=1, 2..=4, 5..=5]);
        // Everything between 1 and 4 lost.
        while bisect.verdict().is_none() {
            let (earlier, later) = bisect.next_match().expect("a match");
            let across = earlier < 3 && 3 <= later;
            bisect.take((earlier, later), if across { 0 } else { 2 });
        }
        assert_eq!(bisect.verdict(), Some(Verdict::Complete));
        assert_eq!(bisect.found().commits, 2..=4);
    }

    #[test]
    fn a_commit_that_fails_too_often_is_skipped_with_its_results() {
        // The first engine is mated with White, and fails with Black.
        let game = |outcome, termination| GameResult {
            outcome,
            termination,
            plies: 40,
            ms: [10, 10],
            nodes: [400, 400],
            effort: Default::default(),
            digest: 0,
            line: None,
        };
        let pair = |number, engines| PairResult {
            pair: number,
            engines,
            games: [
                game(Outcome::Black, Termination::Checkmate),
                game(Outcome::White, Termination::Disconnect),
            ],
        };
        let mut bisect = experiment(2).with_max_failures(0.1);
        for number in 0..16 {
            assert!(bisect.skipped().is_empty());
            bisect.absorb(&pair(number, [1, 0]));
        }
        assert_eq!(bisect.skipped(), &BTreeSet::from([1]));
        assert!(bisect.evidence().is_empty());
        assert_eq!(bisect.groups(), [1..=2]);
        assert_eq!(bisect.pairs(), 16);
        let failures = FailureCounts {
            games: 32,
            failures: 16,
        };
        assert_eq!(bisect.failures(1), failures);
        assert_eq!(bisect.next_match(), Some((0, 2)));
        // The ends must play.
        for number in 16..32 {
            bisect.absorb(&pair(number, [2, 0]));
        }
        assert_eq!(bisect.skipped(), &BTreeSet::from([1]));
        assert_eq!([1, 2].map(|k| bisect.can_do_without(k)), [true, false]);
        assert_eq!(bisect.evidence().len(), 1);
    }

    #[test]
    fn a_single_commit_is_not_named_without_a_game() {
        let mut bisect = experiment(1);
        assert_eq!(bisect.verdict(), None);
        while bisect.verdict().is_none() {
            bisect.take((0, 1), 1);
        }
        assert_eq!(bisect.verdict(), Some(Verdict::Complete));
    }

    #[test]
    fn without_a_change_nothing_is_named() {
        let mut bisect = experiment(10);
        let mut pairs = [2, 1, 3, 2, 2].into_iter().cycle();
        while bisect.verdict().is_none() {
            let pair = bisect.next_match().expect("a match");
            bisect.take(pair, pairs.next().expect("endless"));
        }
        assert_eq!(bisect.verdict(), Some(Verdict::Inconclusive));
    }
}
