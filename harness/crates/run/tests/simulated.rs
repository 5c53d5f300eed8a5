//! The layers above the executor, with results drawn from a model instead of engines.

use std::path::Path;

use hone_base::diagnostic::Diagnostic;
use hone_experiment::{Experiment, SprtExperiment, TournamentExperiment, Verdict};
use hone_run::config::{Config, load};
use hone_run::executor::simulated::Simulated;
use hone_run::executor::{Event, Executor, ExecutorError, PairJob, PlayedPair, Player, Stop};
use hone_run::ledger::{Ledger, LedgerOptions, Lock, Pairs, Recovery};
use hone_run::{Driver, Ended, Fold, Interrupts, Jobs, Progress, RepeatRule};
use hone_uci::engine::uci::Launch;
use hone_uci::rules::{Limit, Outcome, Termination};

/// The first engine wins a little more than it loses.
const STRONGER: [f64; 5] = [0.01, 0.15, 0.50, 0.30, 0.04];
const EQUAL: [f64; 5] = [0.025, 0.225, 0.5, 0.225, 0.025];
const WEAKER: [f64; 5] = [0.04, 0.30, 0.50, 0.15, 0.01];

fn config() -> Config {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("config.toml");
    let text = "[[engine]]\nname = \"a\"\ncmd = \"a\"\n[[engine]]\nname = \"b\"\ncmd = \"b\"\n";
    std::fs::write(&path, text).expect("written");
    load(&path, &[]).expect("valid")
}

fn players(count: usize) -> Vec<Player> {
    (0..count)
        .map(|engine| Player {
            engine,
            name: ["a", "b", "c"][engine].into(),
            launch: Launch {
                program: "none".into(),
                ..Launch::default()
            }
            .into(),
            program: Default::default(),
            options: [].into(),
            limit: Limit::nodes(1).into(),
            ponder: false,
            restart: false,
        })
        .collect()
}

fn sprt(max_pairs: u64) -> SprtExperiment {
    let section = hone_experiment::SprtSection {
        elo1: 10.0,
        ..Default::default()
    };
    SprtExperiment::new(section.test(), max_pairs).expect("a test")
}

/// Plays `experiment` on the ledger in `dir` until it ends, or until `stop` pairs have been
/// returned.
fn play<E: Experiment>(
    dir: &Path,
    experiment: E,
    model: [f64; 5],
    (capacity, order): (usize, u64),
    stop: u64,
) -> (Ended, Fold<E>) {
    let executor = Stopping {
        inner: Simulated::new(move |_: &PairJob| model, capacity, order),
        left: stop,
    };
    let (ended, fold) = play_with(executor, dir, experiment);
    (ended.expect("nothing fails"), fold)
}

/// [`play`] with any executor.
fn play_with<E: Experiment>(
    mut executor: impl Executor,
    dir: &Path,
    experiment: E,
) -> (Result<Ended, String>, Fold<E>) {
    let config = config();
    let names: Vec<String> = config.engine.iter().map(|e| e.name.clone()).collect();
    let lock = if dir.join("games.csv").exists() {
        Lock::resume(dir, Recovery::LastPair)
    } else {
        Lock::begin(dir)
    };
    let options = LedgerOptions {
        names: &names,
        epd: false,
        conditions: 1,
        recovery: Recovery::LastPair,
    };
    let lock = lock.expect("the lock is free");
    let (mut ledger, pairs) = Ledger::open(dir, lock, options).expect("a ledger");
    let mut fold = Fold::new(experiment, names.len(), RepeatRule::Drop);
    for entry in pairs.by_arrival().expect("a ledger") {
        fold.push(entry.expect("a row").result);
    }
    let mut driver = Driver::new(fold, Jobs::new(&config, players(2), None), &config);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let ended = runtime.block_on(driver.play(
        &mut executor,
        &mut ledger,
        &mut Interrupts::none(),
        &mut |_: &E, _: Progress<'_>| {},
    ));
    (ended.map_err(|error| error.to_string()), driver.fold)
}

/// An executor that ends after some pairs, as after a kill.
struct Stopping<X> {
    inner: X,
    /// Pairs that it still returns.
    left: u64,
}

impl<X: Executor> Executor for Stopping<X> {
    fn capacity(&self) -> usize {
        self.inner.capacity()
    }

    fn submit(&mut self, job: PairJob) {
        self.inner.submit(job);
    }

    async fn next(&mut self) -> Event {
        if self.left == 0 {
            return Event::Finished;
        }
        self.left -= 1;
        self.inner.next().await
    }

    fn stop(&mut self, how: Stop) {
        self.inner.stop(how);
    }
}

/// An executor that fails at once, and returns some finished pairs after that.
struct Failing<X> {
    inner: X,
    failed: bool,
    /// Pairs that it still returns.
    left: u64,
}

impl<X: Executor> Executor for Failing<X> {
    fn capacity(&self) -> usize {
        self.inner.capacity()
    }

    fn submit(&mut self, job: PairJob) {
        self.inner.submit(job);
    }

    async fn next(&mut self) -> Event {
        if !std::mem::replace(&mut self.failed, true) {
            return Event::Failed(ExecutorError(Diagnostic::new("no engine starts")));
        }
        if self.left == 0 {
            return Event::Finished;
        }
        self.left -= 1;
        self.inner.next().await
    }

    fn stop(&mut self, _: Stop) {}
}

#[test]
fn a_run_that_fails_keeps_the_pairs_that_workers_have_finished() {
    let dir = tempfile::tempdir().expect("a folder");
    let executor = Failing {
        inner: Simulated::new(|_: &PairJob| EQUAL, 8, 1),
        failed: false,
        left: 3,
    };
    let (ended, _) = play_with(executor, dir.path(), sprt(100));
    assert_eq!(ended, Err("no engine starts".to_string()));
    let names = ["a".to_string(), "b".to_string()];
    let pairs = Pairs::open(dir.path(), &names).expect("a ledger");
    assert_eq!(pairs.by_arrival().expect("rows").flatten().count(), 3);
}

/// An executor whose won games end by a crash of the loser. Of the pairs in flight it returns
/// the last one first.
struct Crashing<X> {
    inner: X,
    played: Vec<PlayedPair>,
}

impl<X: Executor> Executor for Crashing<X> {
    fn capacity(&self) -> usize {
        self.inner.capacity()
    }

    fn submit(&mut self, job: PairJob) {
        self.inner.submit(job);
    }

    async fn next(&mut self) -> Event {
        while let Event::Played(mut pair) = self.inner.next().await {
            for game in &mut pair.result.games {
                if game.outcome != Outcome::Draw {
                    game.termination = Termination::Disconnect;
                }
            }
            self.played.push(*pair);
        }
        self.played.sort_by_key(|pair| pair.result.pair);
        match self.played.pop() {
            Some(pair) => Event::Played(Box::new(pair)),
            None => Event::Finished,
        }
    }

    fn stop(&mut self, _: Stop) {}
}

/// With 51 pairs, the share of failures at the end is below the limit of 0.1.
#[test]
fn too_many_failures_come_before_the_verdict_in_any_order_of_arrival() {
    let crashes_at_first = |job: &PairJob| match job.pair {
        0..5 => [1.0, 0.0, 0.0, 0.0, 0.0],
        _ => [0.0, 0.0, 1.0, 0.0, 0.0],
    };
    for pairs in [5, 51] {
        for capacity in [1, 64] {
            let dir = tempfile::tempdir().expect("a folder");
            let executor = Crashing {
                inner: Simulated::new(crashes_at_first, capacity, 1),
                played: Vec::new(),
            };
            let experiment = TournamentExperiment::round_robin(2, pairs);
            let (ended, _) = play_with(executor, dir.path(), experiment);
            let error = ended.expect_err("too many failures");
            let expected = "a failed in 10 of its 10 games: time forfeits 0, crashes 10, ";
            assert!(error.starts_with(expected), "{pairs}, {capacity}: {error}");
        }
    }
}

#[test]
fn a_test_accepts_the_true_hypothesis() {
    for (model, verdict) in [
        (STRONGER, Verdict::H1),
        (EQUAL, Verdict::H0),
        (WEAKER, Verdict::H0),
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        let (ended, fold) = play(dir.path(), sprt(20_000), model, (8, 1), u64::MAX);
        assert_eq!(ended, Ended::Verdict(verdict), "{model:?}");
        let test = fold.experiment.test().expect("a test");
        assert_eq!(test.counts().pairs(), fold.tally.pairs);
        assert_eq!(fold.tally.pairs, fold.absorbed());
    }
}

/// The order in which results are returned depends on the concurrency and on kills. It
/// must not affect the result.
#[test]
fn order_of_arrival_and_kills_change_nothing() {
    let whole = tempfile::tempdir().expect("a folder");
    let (ended, fold) = play(whole.path(), sprt(3000), STRONGER, (1, 1), u64::MAX);
    assert_eq!(ended, Ended::Verdict(Verdict::H1));
    for (order, stops) in [
        ((2, 5), vec![]),
        ((16, 9), vec![3, 40, 1]),
        ((64, 2), vec![100]),
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        for stop in stops {
            let (ended, _) = play(dir.path(), sprt(3000), STRONGER, order, stop);
            assert_eq!(ended, Ended::Interrupted);
        }
        let (again, other) = play(dir.path(), sprt(3000), STRONGER, order, u64::MAX);
        assert_eq!(again, ended);
        assert_eq!(other.tally, fold.tally);
        let names = ["a".to_string(), "b".to_string()];
        let pairs = Pairs::open(dir.path(), &names).expect("a ledger");
        let ordered = pairs.in_order(fold.experiment.shard(), u64::MAX);
        assert_eq!(
            ordered.expect("rows").flatten().count(),
            pairs.by_arrival().expect("rows").flatten().count(),
            "a pair is recorded twice"
        );
    }
}

#[test]
fn the_budget_ends_an_undecided_test_and_a_match() {
    let dir = tempfile::tempdir().expect("a folder");
    let (ended, fold) = play(dir.path(), sprt(10), EQUAL, (4, 3), u64::MAX);
    assert_eq!(ended, Ended::Verdict(Verdict::Inconclusive));
    assert_eq!(fold.tally.pairs, 10);
    let dir = tempfile::tempdir().expect("a folder");
    let tournament = TournamentExperiment::round_robin(2, 25);
    let (ended, fold) = play(dir.path(), tournament, EQUAL, (4, 3), u64::MAX);
    assert_eq!(ended, Ended::Verdict(Verdict::Complete));
    assert_eq!((fold.tally.pairs, fold.tally.games()), (25, 50));
    let names = ["a".to_string(), "b".to_string()];
    let pairs = Pairs::open(dir.path(), &names).expect("a ledger");
    assert_eq!(pairs.by_arrival().expect("rows").flatten().count(), 25);
}

/// A job of a test of ten pairs.
fn job(pair: u64) -> PairJob {
    let config = config();
    let jobs = Jobs::new(&config, players(2), None);
    let mut experiment = sprt(10);
    let hone_experiment::Next::Play(plan) = experiment.plan(pair) else {
        panic!("pair {pair} is within the budget");
    };
    jobs.job(pair, &plan)
}

/// Whether the next event is that the executor has finished.
fn has_finished(executor: &mut impl Executor) -> bool {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let event = runtime.expect("a runtime").block_on(executor.next());
    matches!(event, Event::Finished)
}

#[test]
fn an_abort_outlasts_a_later_request_to_drain() {
    let mut executor = Simulated::new(|_: &PairJob| EQUAL, 8, 1);
    executor.submit(job(0));
    executor.submit(job(1));
    executor.stop(Stop::Drain);
    assert!(!has_finished(&mut executor));
    executor.stop(Stop::Abort);
    executor.stop(Stop::Drain);
    assert!(has_finished(&mut executor));
}

#[test]
fn a_job_is_unchanged_by_serialization() {
    let job = job(3);
    let text = serde_json::to_string(&job).expect("writes");
    let back: PairJob = serde_json::from_str(&text).expect("reads");
    assert_eq!(back, job);
    assert_eq!(back.pair, 3);
}
