//! Bisection as a pure state machine.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::choice::most_informative;
use super::course::{Moment, PosteriorTimeline};
use super::failing::{Failing, Record};
use super::known::{BuildOutcome, Builds, KnownBuild};
use super::posterior::{Evidence, FINE, Posterior};
use super::section::BisectSection;
use crate::experiment::{Experiment, Next, PairPlan, PairResult, Side, Verdict};
use crate::stats::{Estimate, Pentanomial};

/// Commits that no match can tell apart, for those between them do not build,
/// and how probably one of them is the culprit.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub commits: RangeInclusive<usize>,
    pub probability: f64,
    /// Size of the change in Elo, above 0.
    pub size: Estimate,
}

/// Pairs with the same moves in both games after which two commits with the same
/// `bench` are taken for the same engine.
const SAME_MOVES: u64 = 16;

/// A bisection in progress. Engine number k of its pairs is commit k.
#[derive(Debug)]
pub struct BisectExperiment {
    section: BisectSection,
    last: usize,
    evidence: Evidence,
    posterior: Posterior,
    course: PosteriorTimeline,
    /// Commits that have played, in results absorbed.
    played: BTreeSet<usize>,
    /// Commits that can play.
    ready: BTreeSet<usize>,
    builds: Builds,
    /// By match: pairs whose two games have the same moves.
    mirrored: BTreeMap<(usize, usize), u64>,
    failing: Failing,
    /// What a ledger knows of commits and is not taken in yet.
    later: Vec<KnownBuild>,
    absorbed: u64,
    /// The match of the current batch.
    current: Option<(usize, usize)>,
    verdict: Option<Verdict>,
}

impl BisectExperiment {
    /// Of `last` commits after the good one (at least 1). `known` is what is
    /// known of builds, in the order in which it turned out.
    pub fn new(section: BisectSection, last: usize, known: Vec<KnownBuild>) -> Self {
        assert!(last >= 1, "there is a commit after the good one");
        let evidence = Evidence::new();
        let mut experiment = Self {
            posterior: Posterior::new(&evidence, &BTreeSet::new(), last, &section),
            section,
            course: PosteriorTimeline::default(),
            last,
            evidence,
            played: BTreeSet::from([0, last]),
            ready: BTreeSet::new(),
            builds: Builds::default(),
            mirrored: BTreeMap::new(),
            failing: Failing::new(1.0),
            later: known,
            absorbed: 0,
            current: None,
            verdict: None,
        };
        experiment.course.note(0, &experiment.posterior);
        experiment.judge();
        experiment
    }

    /// Skips the commits between the ends that lose more than this share (0 to 1) of their
    /// games by failing. Without this none is skipped.
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
    pub(crate) fn wanted(&mut self) -> Vec<usize> {
        let pair = self.next_match();
        let commits = pair
            .into_iter()
            .flat_map(|(earlier, later)| [earlier, later]);
        commits.filter(|k| !self.ready.contains(k)).collect()
    }

    /// A commit can play from now on.
    pub(crate) fn set_ready(&mut self, commit: usize) {
        self.ready.insert(commit);
    }

    /// Whether the result of a commit's build is known.
    pub(crate) fn knows(&self, commit: usize) -> bool {
        self.builds.knows(commit)
    }

    /// The result of a commit's build. A commit that does not build is left out
    /// of matches; two that are the same engine have no culprit between them.
    /// Either way the match is chosen anew.
    pub(crate) fn learn(&mut self, commit: usize, known: BuildOutcome) {
        if self.take_in(commit, known) {
            self.current = None;
            self.judge();
        }
    }

    /// Returns whether it changes what is to be played.
    fn take_in(&mut self, commit: usize, known: BuildOutcome) -> bool {
        // The posterior does not depend on what is skipped.
        let is_built = matches!(known, BuildOutcome::Built(_));
        let has_changed = self.builds.learn(commit, known);
        if has_changed && is_built {
            self.update();
        }
        has_changed
    }

    fn update(&mut self) {
        self.posterior = Posterior::new(
            &self.evidence,
            &self.builds.innocent(self.last),
            self.last,
            &self.section,
        );
    }

    /// Takes the next pair of a match, in half points of its later commit.
    pub fn take(&mut self, pair: (usize, usize), half_points: usize) {
        self.evidence.entry(pair).or_default().add(half_points);
        self.count(pair);
    }

    /// One pair more of a match is played.
    fn count(&mut self, pair: (usize, usize)) {
        self.current = Some(pair);
        self.played.extend([pair.0, pair.1]);
        self.absorbed += 1;
        let is_end = self.absorbed >= self.section.max_pairs;
        if is_end || self.absorbed.is_multiple_of(self.section.batch) {
            self.skip_failing();
            self.compare_moves(pair);
            self.update();
            self.course.note(self.absorbed, &self.posterior);
            self.current = None;
            self.judge();
        }
    }

    /// Takes two commits for the same engine whose games do not differ.
    fn compare_moves(&mut self, pair: (usize, usize)) {
        let pairs = self.evidence.get(&pair).map_or(0, Pentanomial::pairs);
        if pairs >= SAME_MOVES && self.mirrored.get(&pair) == Some(&pairs) {
            self.builds.saw_same_moves(pair);
        }
    }

    /// Skips the commits that fail too often, and leaves out what they have scored.
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

    fn judge(&mut self) {
        self.verdict = self.judged();
        while self.verdict.is_none()
            && let Some(next) = self
                .later
                .iter()
                .position(|build| build.after_pairs <= self.absorbed)
        {
            let build = self.later.remove(next);
            self.take_in(build.commit, build.known);
            self.verdict = self.judged();
        }
    }

    fn judged(&self) -> Option<Verdict> {
        let wanted = self.section.probability;
        let (_, probability) = self.most_probable();
        // A single suspect is probable before any game: the results must say so too.
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
    pub(crate) fn groups(&self) -> Vec<RangeInclusive<usize>> {
        self.builds.groups(self.last)
    }

    /// Probability that the culprit is in a group.
    pub(crate) fn probability(&self, group: &RangeInclusive<usize>) -> f64 {
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
            &self.builds.innocent(self.last),
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

    /// How the probabilities have moved.
    pub(crate) fn moments(&self) -> Vec<Moment> {
        self.course.moments(self.absorbed, &self.posterior)
    }

    pub(crate) fn posterior(&self) -> &Posterior {
        &self.posterior
    }

    pub(crate) fn section(&self) -> &BisectSection {
        &self.section
    }

    /// All matches so far.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// The commits that do not build or play.
    pub(crate) fn skipped(&self) -> &BTreeSet<usize> {
        &self.builds.skipped
    }

    /// The commits that only an equal `bench` clears.
    pub(crate) fn cleared_by_bench(&self) -> BTreeSet<usize> {
        self.builds.cleared_by_bench(self.last)
    }

    /// How often a commit has failed.
    pub(crate) fn record(&self, commit: usize) -> Record {
        self.failing.record(commit)
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
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::rules::{GameResult, Outcome, Termination};
    use crate::stats::distribution::PairDistribution;
    use crate::stats::simulate::PairSampler;

    fn experiment(last: usize) -> BisectExperiment {
        BisectExperiment::new(BisectSection::default(), last, Vec::new())
    }

    #[test]
    fn a_single_suspect_is_seldom_named_if_nothing_changed() {
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
    fn a_started_batch_is_finished_as_it_was() {
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
            known: BuildOutcome::Skipped,
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
        let record = Record {
            games: 32,
            failures: 16,
        };
        assert_eq!(bisect.record(1), record);
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
    fn a_single_suspect_is_not_condemned_without_a_game() {
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
