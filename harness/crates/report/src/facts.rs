//! The facts of a run, from its results.

use std::ops::Deref;

use super::contract::{EngineFacts, PairingFacts, PoolFacts, RunJson, SprtFacts};
use super::evidence::evidence_findings;
use super::machines::FleetFacts;
use super::numbers::{ratio, reported};
use super::shown_elo::at_any_time;
use super::standings::{Standing, standings};
use super::timeline::Timeline;
use super::verdict::{EndReason, TestVerdict};
use hone_experiment::Experiment;
use hone_experiment::settings::{BookSource, OnFinding};
use hone_run::config::{Config, Tournament};
use hone_run::pool;
use hone_run::{Fold, Manifest, PairingTally, RunFiles, Tally};
use hone_stats::confidence::StopRule;
use hone_stats::detect::Finding;
use hone_stats::sprt::stopped;
use hone_stats::summary::{Interval, is_enough};
use hone_stats::{Estimate, Pentanomial, Sprt, Summary};
use hone_uci::rules::Termination;

/// What a report of a run shows: its JSON, and what only texts and pages need.
#[derive(Debug, Clone)]
pub struct RunFacts {
    pub json: RunJson,
    /// Of a test in stages; its JSON has the facts of each.
    pub stages: Vec<StageFacts>,
    /// The first pair (from 0) that is not judged: those up to the verdict have smaller
    /// numbers.
    pub absorbed: u64,
    /// Pairs up to the verdict, including those left out.
    pub judged: u64,
    /// The rule by which a match may stop before its budget.
    pub stop: Option<StopRule>,
    /// Number of seeds of a gauntlet, which are its first engines.
    pub seeds: Option<usize>,
    /// Games by how they ended: won by White, drawn, won by Black.
    pub endings: Vec<(Termination, [u64; 3])>,
}

impl Deref for RunFacts {
    type Target = RunJson;

    fn deref(&self) -> &RunJson {
        &self.json
    }
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
        let json = RunJson {
            run: files.folder.name(),
            kind: manifest.kind,
            verdict,
            withheld,
            is_finished: fold.verdict().is_some(),
            reason: EndReason::of(fold.verdict()),
            shard: play.shard,
            pool: pool(manifest, fold),
            fleet,
            engines: engines(manifest, tally),
            pairs: tally.pairs,
            games: tally.games(),
            repeated_pairs: tally.repeated_pairs,
            distinct_games: tally.distinct_games,
            budget: fold.experiment.budget(),
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
            by_colour: tally.by_colour,
            mean_plies: ratio(tally.plies as f64, tally.games() as f64),
            limit: limits(&manifest.config),
            openings: openings(manifest),
            placement: manifest.placement.clone(),
        };
        Ok(Self {
            json,
            stages: Vec::new(),
            absorbed: fold.absorbed(),
            judged: tally.judged_pairs(),
            stop: play.stop,
            seeds: (play.tournament == Tournament::Gauntlet).then_some(play.seeds),
            endings: tally.terminations.clone().into_iter().collect(),
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
