//! The facts of a run, in the form of the report's JSON.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::evidence::evidence_findings;
use super::machines::FleetFacts;
use super::numbers::{ratio, reported};
use super::shown_elo::at_any_time;
use super::standings::{Standing, standings};
use super::timeline::Timeline;
use super::verdict::{EndReason, TestVerdict};
use hone_experiment::Experiment;
use hone_experiment::settings::{BookSource, OnFinding, Shard};
use hone_run::config::{Config, EngineOptions, Tournament};
use hone_run::pool::{self, MissingPairs};
use hone_run::{Failures, Fold, Kind, Manifest, PairingTally, PooledRun, RunFiles, Tally};
use hone_stats::confidence::StopRule;
use hone_stats::detect::Finding;
use hone_stats::sprt::{SprtEstimate, stopped};
use hone_stats::summary::{Interval, is_enough};
use hone_stats::{Estimate, Model, Pentanomial, Sprt, Summary};
use hone_uci::rules::Termination;

/// Everything that a report of a run contains. Top-level results are those of
/// the first engine against all others together; with two engines, that is the
/// match.
#[derive(Debug, Clone, Serialize)]
pub struct RunFacts {
    pub run: String,
    pub kind: Kind,
    pub verdict: TestVerdict,
    /// The verdict that a finding holds back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld: Option<TestVerdict>,
    /// Whether it is complete: nothing is left to resume.
    #[serde(rename = "finished")]
    pub is_finished: bool,
    /// The reason why it ended without its own verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<EndReason>,
    /// The part of all pairs that the run plays.
    #[serde(skip_serializing_if = "Shard::is_whole")]
    pub shard: Shard,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool: Option<PoolFacts>,
    /// Of a run that was played on other machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fleet: Option<FleetFacts>,
    /// Of a test in stages; the JSON has the facts of each.
    #[serde(skip)]
    pub stages: Vec<StageFacts>,
    pub engines: Vec<EngineFacts>,
    pub pairs: u64,
    pub games: u64,
    /// Pairs whose games both repeat earlier games. With a limit of nodes or depth
    /// they are left out of all other numbers.
    pub repeated_pairs: u64,
    /// Games that do not repeat an earlier game.
    pub distinct_games: u64,
    /// The first pair (from 0) that is not judged: those up to the verdict have smaller
    /// numbers.
    #[serde(skip)]
    pub absorbed: u64,
    /// Pairs up to the verdict, including those left out.
    #[serde(skip)]
    pub judged: u64,
    /// The most pairs that the run may play.
    #[serde(rename = "max_pairs")]
    pub budget: u64,
    /// The rule by which a match may stop before `budget`.
    #[serde(skip)]
    pub stop: Option<StopRule>,
    /// Number of seeds of a gauntlet, which are its first engines.
    #[serde(skip)]
    pub seeds: Option<usize>,
    /// Whether pairs were added to the plan, perhaps because of the results.
    #[serde(rename = "extended", skip_serializing_if = "std::ops::Not::not")]
    pub is_extended: bool,
    /// Wins, draws, losses.
    pub wdl: [u64; 3],
    /// LL, LD, DD+WL, WD, WW.
    pub pentanomial: [u64; 5],
    pub elo: Option<Estimate>,
    /// Where the interval of `elo` comes from.
    pub interval: Interval,
    /// `None` if there are too few pairs.
    pub nelo: Option<Estimate>,
    /// `None` if there are too few pairs.
    pub los: Option<f64>,
    pub draw_ratio: Option<f64>,
    pub pair_ratio: Option<f64>,
    /// Level pairs with a win and a loss, divided by those with two draws.
    pub wl_dd_ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtFacts>,
    /// Failures of each engine.
    #[serde(serialize_with = "as_lists")]
    pub failures: Vec<Failures>,
    pub seconds: f64,
    /// Elo with an interval that is valid at every look and at any stop. `None` with more
    /// than two engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub always_valid: Option<Estimate>,
    /// Signs of bad data; only the noteworthy ones.
    pub findings: Vec<Finding>,
    /// The rating list of a tournament of more than two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ratings: Vec<Standing>,
    /// Why the rating list is missing although there are games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating_error: Option<String>,
    pub pairings: Vec<PairingFacts>,
    /// Games by how they ended.
    pub terminations: Vec<(Termination, u64)>,
    /// The same games: won by White, drawn, won by Black.
    #[serde(skip)]
    pub endings: Vec<(Termination, [u64; 3])>,
    /// Games won by White, drawn, won by Black.
    pub by_colour: [u64; 3],
    pub mean_plies: Option<f64>,
    /// See [`limits`].
    pub limit: String,
    pub openings: String,
    /// Processors of each worker's engines; empty if they were not bound.
    pub placement: Vec<Vec<usize>>,
}

/// What a run was pooled from.
#[derive(Debug, Clone, Serialize)]
pub struct PoolFacts {
    pub runs: Vec<PooledRun>,
    /// The first pair that is not judged, from 1.
    pub next: u64,
    /// Pairs after it that are played and wait for it.
    pub waiting: u64,
    /// Before the verdict: the missing pairs, of a divided run by shard.
    pub missing: Vec<MissingPairs>,
}

/// One stage of a test.
#[derive(Debug, Clone)]
pub struct StageFacts {
    /// For example `stage 2 of 3 (LTC)`.
    pub words: String,
    pub limit: String,
    /// Elo of H0 and H1.
    pub bounds: [f64; 2],
    pub is_started: bool,
    pub verdict: TestVerdict,
    pub pairs: u64,
}

/// One engine and how it played.
#[derive(Debug, Clone, Serialize)]
pub struct EngineFacts {
    pub name: String,
    pub id: String,
    pub options: EngineOptions,
    /// Limit of its searches.
    pub limit: String,
    pub sha256: String,
    /// The commit it was built from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The first line of that commit's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Whether it was built from changes on that commit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub uncommitted: bool,
    /// Nodes of its `bench` command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bench: Option<u64>,
    pub games: u64,
    /// Wins, draws, losses.
    pub as_white: [u64; 3],
    pub as_black: [u64; 3],
    /// Means over its moves; `None` before the first. `depth`, `seldepth`, `nodes` and
    /// `nps` are also `None` if it never reports them.
    pub depth: Option<f64>,
    pub seldepth: Option<f64>,
    pub nodes: Option<f64>,
    pub ms: Option<f64>,
    /// Nodes per second.
    pub nps: Option<f64>,
    /// Mean latency of `hone` itself, in microseconds per move.
    pub latency_us: Option<f64>,
    /// Time forfeits in which it was starved of CPU for longer than the overrun.
    pub starved: u64,
    /// Moves whose principal variation contained an illegal move.
    pub illegal_pvs: u64,
    /// Its failures that did not count, because the game or the pair was played again.
    #[serde(skip_serializing_if = "is_zero")]
    pub replayed: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// One pairing, from the first engine's side.
#[derive(Debug, Clone, Serialize)]
pub struct PairingFacts {
    pub first: String,
    pub second: String,
    pub wdl: [u64; 3],
    pub pentanomial: [u64; 5],
    #[serde(flatten)]
    pub summary: Summary,
}

/// The sequential test.
#[derive(Debug, Clone, Serialize)]
pub struct SprtFacts {
    pub model: Model,
    pub elo0: f64,
    pub elo1: f64,
    pub alpha: f64,
    pub beta: f64,
    pub llr: f64,
    pub lower: f64,
    pub upper: f64,
    /// Median-unbiased estimate: the stopping rule biases the plain one. `None` with too
    /// few pairs.
    pub elo: Option<SprtEstimate>,
}

impl RunFacts {
    /// The facts of a run from the results in `fold`, its `course` and, if it was played on a
    /// fleet, the facts of that.
    ///
    /// # Errors
    /// If the findings of its folder cannot be read.
    pub fn new<E: Experiment>(
        files: &RunFiles,
        fold: &Fold<E>,
        course: &Timeline,
        fleet: Option<FleetFacts>,
    ) -> anyhow::Result<Self> {
        let manifest = &files.manifest;
        let tally = &fold.tally;
        let first = first_engine(tally);
        let summary = summary_of(&fold.experiment, first.pentanomial);
        let play = &manifest.config.r#match;
        let (ratings, rating_error) = ratings(manifest, tally);
        let findings = findings(files, course, fold)?;
        let (verdict, withheld) = judged(fold.verdict().into(), &findings, play.on_finding);
        Ok(Self {
            run: files.folder.name(),
            kind: manifest.kind,
            verdict,
            withheld,
            is_finished: fold.verdict().is_some(),
            reason: EndReason::of(fold.verdict()),
            shard: play.shard,
            pool: pool(manifest, fold),
            fleet,
            stages: Vec::new(),
            engines: engines(manifest, tally),
            pairs: tally.pairs,
            games: tally.games(),
            repeated_pairs: tally.repeated_pairs,
            distinct_games: tally.distinct_games,
            absorbed: fold.absorbed(),
            judged: tally.judged_pairs(),
            budget: fold.experiment.budget(),
            stop: play.stop,
            seeds: (play.tournament == Tournament::Gauntlet).then_some(play.seeds),
            is_extended: manifest.pairs.is_some(),
            wdl: first.wdl.into(),
            pentanomial: first.pentanomial.0,
            elo: summary.elo,
            interval: summary.interval,
            nelo: summary.nelo,
            los: summary.los,
            draw_ratio: summary.draw_ratio,
            pair_ratio: summary.pair_ratio,
            wl_dd_ratio: ratio(
                first.won_and_lost as f64,
                (first.pentanomial.0[2] - first.won_and_lost) as f64,
            ),
            sprt: fold.experiment.test().map(sprt),
            failures: tally.engines.iter().map(|engine| engine.failures).collect(),
            seconds: course.seconds(),
            always_valid: fold.experiment.always_valid(),
            findings,
            ratings,
            rating_error,
            pairings: pairings(manifest, fold),
            terminations: terminations(tally),
            endings: tally.terminations.clone().into_iter().collect(),
            by_colour: tally.by_colour,
            mean_plies: ratio(tally.plies as f64, tally.games() as f64),
            limit: limits(&manifest.config),
            openings: openings(manifest),
            placement: manifest.placement.clone(),
        })
    }

    /// The always-valid interval for text, where it may stand beside another interval. `None`
    /// for a sequential test, whose Elo is corrected for the stopping rule.
    pub(crate) fn always_valid_of_match(&self) -> Option<Estimate> {
        self.always_valid
            .filter(|_| !self.kind.is_sequential_test())
    }

    /// Elo of the first engine where only the always-valid interval is valid: in a match that
    /// is not finished (repeated looks), has a stop rule (its length depends on the results)
    /// or was extended (perhaps because of the results). `None` for a sequential test, which
    /// has its own estimate.
    pub(crate) fn always_valid_only(&self) -> Option<Estimate> {
        let is_open = self.stop.is_some() || self.is_extended || !self.is_finished;
        let elo = || at_any_time(self.always_valid, Pentanomial(self.pentanomial));
        (self.sprt.is_none() && is_open).then(elo).flatten()
    }
}

fn pool<E: Experiment>(manifest: &Manifest, fold: &Fold<E>) -> Option<PoolFacts> {
    (!manifest.pooled.is_empty()).then(|| PoolFacts {
        runs: manifest.pooled.clone(),
        next: fold.absorbed() + 1,
        waiting: fold.waiting(),
        missing: pool::missing(manifest, fold),
    })
}

/// The rating list of a tournament of more than two, or why it is missing.
fn ratings(manifest: &Manifest, tally: &Tally) -> (Vec<Standing>, Option<String>) {
    let names = manifest.names();
    if names.len() < 3 || tally.pairs == 0 {
        return (Vec::new(), None);
    }
    match standings(&names, tally) {
        Ok(ratings) => (ratings, None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    }
}

fn pairings<E: Experiment>(manifest: &Manifest, fold: &Fold<E>) -> Vec<PairingFacts> {
    let names = manifest.names();
    let pairings = fold.tally.pairings.iter();
    let facts = pairings.map(|([first, second], pairing)| PairingFacts {
        first: names[*first].clone(),
        second: names[*second].clone(),
        wdl: pairing.wdl.into(),
        pentanomial: pairing.pentanomial.0,
        summary: summary_of(&fold.experiment, pairing.pentanomial),
    });
    facts.collect()
}

fn terminations(tally: &Tally) -> Vec<(Termination, u64)> {
    let endings = tally.terminations.iter();
    endings
        .map(|(termination, games)| (*termination, games.iter().sum()))
        .collect()
}

fn openings(manifest: &Manifest) -> String {
    match (&manifest.config.r#match.openings.file, &manifest.book) {
        (Some(BookSource::BuiltIn), Some(book)) => {
            format!("built-in book {}", book.file.display())
        }
        (_, Some(book)) => book.file.display().to_string(),
        (_, None) => "start position".to_string(),
    }
}

/// The summary of pairs. With too few pairs, its interval is the always-valid one of the
/// experiment, if that has one.
pub(super) fn summary_of(experiment: &impl Experiment, pairs: Pentanomial) -> Summary {
    let mut summary = Summary::new(pairs);
    if summary.interval == Interval::AlwaysValid {
        summary.elo = experiment.always_valid().or(summary.elo);
    }
    summary
}

/// Signs of bad data. Those in the order of the results need a single pairing.
fn findings<E: Experiment>(
    files: &RunFiles,
    course: &Timeline,
    fold: &Fold<E>,
) -> anyhow::Result<Vec<Finding>> {
    let mut findings = evidence_findings(files, &fold.tally)?;
    if fold.tally.pairings.len() == 1 {
        findings.extend(course.findings(fold));
    }
    Ok(findings)
}

/// The verdict of a test, and the one that its findings hold back.
fn judged(
    verdict: TestVerdict,
    findings: &[Finding],
    on_finding: OnFinding,
) -> (TestVerdict, Option<TestVerdict>) {
    let is_withheld = verdict != TestVerdict::None
        && on_finding == OnFinding::Undecided
        && findings.iter().any(Finding::is_against_verdict);
    if is_withheld {
        (TestVerdict::None, Some(verdict))
    } else {
        (verdict, None)
    }
}

/// The verdict of a run, and the one that its findings hold back.
///
/// # Errors
/// If the ledger or the findings of its folder cannot be read.
pub fn verdict_of<E: Experiment>(
    files: &RunFiles,
    fold: &Fold<E>,
) -> anyhow::Result<(TestVerdict, Option<TestVerdict>)> {
    let verdict = fold.verdict().into();
    let on_finding = files.manifest.config.r#match.on_finding;
    if verdict == TestVerdict::None || on_finding == OnFinding::Report {
        return Ok((verdict, None));
    }
    let course = Timeline::read(files, fold)?;
    verdict_with(files, fold, &course)
}

/// As [`verdict_of`], with the `course` already read.
///
/// # Errors
/// If the findings of its folder cannot be read.
pub fn verdict_with<E: Experiment>(
    files: &RunFiles,
    fold: &Fold<E>,
    course: &Timeline,
) -> anyhow::Result<(TestVerdict, Option<TestVerdict>)> {
    let verdict = fold.verdict().into();
    let on_finding = files.manifest.config.r#match.on_finding;
    if verdict == TestVerdict::None || on_finding == OnFinding::Report {
        return Ok((verdict, None));
    }
    Ok(judged(verdict, &findings(files, course, fold)?, on_finding))
}

/// Totals of the first engine over all its pairings.
pub fn first_engine(tally: &Tally) -> PairingTally {
    let mut total = PairingTally::default();
    for ([first, _], pairing) in &tally.pairings {
        if *first == 0 {
            total.pentanomial += pairing.pentanomial;
            total.wdl += pairing.wdl;
            total.won_and_lost += pairing.won_and_lost;
        }
    }
    total
}

/// Whether every pair of the run is one of its first engine against another.
pub fn is_of_first_engine(manifest: &Manifest) -> bool {
    let play = &manifest.config.r#match;
    let is_gauntlet = play.tournament == Tournament::Gauntlet && play.seeds == 1;
    manifest.kind.has_fixed_players() && (manifest.engines.len() == 2 || is_gauntlet)
}

/// The limit of all engines; that of each, in their order, where they differ.
pub fn limits(config: &Config) -> String {
    let engines = config.engine.iter();
    let all: Vec<String> = engines
        .map(|engine| config.limit_of(engine).to_string())
        .collect();
    match all.first() {
        // A bisection may configure no engine.
        None => config.r#match.limit.to_string(),
        Some(first) if all.iter().all(|limit| limit == first) => first.clone(),
        Some(_) => all.join(" – "),
    }
}

fn engines(manifest: &Manifest, tally: &Tally) -> Vec<EngineFacts> {
    manifest
        .engines
        .iter()
        .zip(&manifest.config.engine)
        .zip(&tally.engines)
        .map(|((identity, config), tally)| {
            let moves = tally.moves as f64;
            EngineFacts {
                name: identity.name.clone(),
                id: identity.id.clone(),
                options: config.options.clone(),
                limit: manifest.config.limit_of(config).to_string(),
                sha256: identity.sha256.clone(),
                commit: identity.commit.clone(),
                subject: identity.subject.clone(),
                uncommitted: identity.is_uncommitted(),
                bench: identity.bench,
                games: tally.games,
                as_white: tally.as_white.into(),
                as_black: tally.as_black.into(),
                depth: reported(tally.depth, moves),
                seldepth: reported(tally.seldepth, moves),
                nodes: reported(tally.nodes, moves),
                ms: ratio(tally.ms as f64, moves),
                nps: reported(tally.nodes, tally.ms as f64 / 1000.0),
                latency_us: ratio(tally.latency_us as f64, moves),
                starved: tally.starved,
                illegal_pvs: tally.illegal_pvs,
                replayed: tally.replayed,
            }
        })
        .collect()
}

fn sprt(test: &Sprt) -> SprtFacts {
    let config = test.config();
    let (lower, upper) = test.bounds();
    SprtFacts {
        model: config.model,
        elo0: config.elo0,
        elo1: config.elo1,
        alpha: config.alpha,
        beta: config.beta,
        llr: test.llr(),
        lower,
        upper,
        elo: stopped::estimate(config, test.counts().into(), Some(test.games()))
            .filter(|_| is_enough(test.counts())),
    }
}

/// For each kind of failure, the list of its counts by engine.
fn as_lists<S: Serializer>(failures: &[Failures], serializer: S) -> Result<S::Ok, S::Error> {
    let list = |count: fn(&Failures) -> u64| failures.iter().map(count).collect::<Vec<u64>>();
    let mut lists = serializer.serialize_struct("Failures", 4)?;
    lists.serialize_field("time_forfeit", &list(|f| f.time_forfeit))?;
    lists.serialize_field("crash", &list(|f| f.crash))?;
    lists.serialize_field("stall", &list(|f| f.stall))?;
    lists.serialize_field("illegal_move", &list(|f| f.illegal_move))?;
    lists.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_differ_are_those_of_the_engines() {
        let limits = |own: [&str; 2]| {
            let engine = |limit| format!("[[engine]]\nname = \"a\"\ncmd = \"a\"\n{limit}\n");
            let engines = own.map(engine).concat();
            let text = format!("{engines}[match]\nlimit = \"nodes=200\"\n");
            limits(&toml::from_str(&text).expect("a configuration"))
        };
        let own = "limit = \"nodes=60\"";
        assert_eq!(limits(["", ""]), "nodes=200");
        assert_eq!(limits([own, own]), "nodes=60");
        assert_eq!(limits([own, ""]), "nodes=60 – nodes=200");
    }
}
