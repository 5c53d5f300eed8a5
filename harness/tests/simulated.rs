//! Everything above an executor, with results drawn from a model in place of
//! engines.

use std::path::Path;

use harness::config::{Config, load};
use harness::engine::uci::Launch;
use harness::executor::simulated::Simulated;
use harness::executor::{Event, Executor, ExecutorError, PairJob, Player, Stop};
use harness::experiment::{Experiment, SprtExperiment, TournamentExperiment, Verdict};
use harness::ledger::{Ledger, LedgerOptions, Lock, Pairs, Recovery};
use harness::rules::Limit;
use harness::run::{Driver, Ended, Fold, Interrupts, Jobs, Progress, RepeatRule};

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
    let section = harness::experiment::SprtSection {
        elo1: 10.0,
        ..Default::default()
    };
    SprtExperiment::new(section.test(), max_pairs).expect("a test")
}

/// Plays `experiment` on the ledger in `dir` until its end, or until `stop`
/// pairs have come back.
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

/// The same with another executor.
fn play_with<E: Experiment>(
    mut executor: impl Executor,
    dir: &Path,
    experiment: E,
) -> (Result<Ended, String>, Fold<E>) {
    let config = config();
    let names: Vec<String> = config.engine.iter().map(|e| e.name.clone()).collect();
    let lock = match dir.join("games.csv").exists() {
        true => Lock::resume(dir, Recovery::LastPair),
        false => Lock::begin(dir),
    };
    let options = LedgerOptions {
        names: &names,
        epd: false,
        conditions: 1,
        recovery: Recovery::LastPair,
    };
    let lock = lock.expect("the lock is free");
    let (mut ledger, pairs) = Ledger::open(dir, lock, options).expect("a ledger");
    let fold = Fold::of(experiment, names.len(), RepeatRule::Drop, &pairs).expect("rows");
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

/// An executor that ends after this number of pairs, as after a kill.
struct Stopping<X> {
    inner: X,
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

/// An executor that fails when a worker holds finished pairs, which it hands over
/// after it has been stopped.
struct Failing<X> {
    inner: X,
    failed: bool,
    to_hand_over: u64,
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
            return Event::Failed(ExecutorError("no engine starts".into()));
        }
        if self.to_hand_over == 0 {
            return Event::Finished;
        }
        self.to_hand_over -= 1;
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
        to_hand_over: 3,
    };
    let (ended, _) = play_with(executor, dir.path(), sprt(100));
    assert_eq!(ended, Err("no engine starts".to_string()));
    let names = ["a".to_string(), "b".to_string()];
    let pairs = Pairs::open(dir.path(), &names).expect("a ledger");
    assert_eq!(pairs.by_arrival().expect("rows").flatten().count(), 3);
}

#[test]
fn the_test_decides_as_it_should() {
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

/// Results come back in another order at every concurrency, and in another one
/// still after a kill: nothing of that may show.
#[test]
fn order_of_arrival_and_kills_change_nothing() {
    let whole = tempfile::tempdir().expect("a folder");
    let (ended, fold) = play(whole.path(), sprt(3000), STRONGER, (1, 1), u64::MAX);
    assert_eq!(ended, Ended::Verdict(Verdict::H1));
    for (way, stops) in [
        ((2, 5), vec![]),
        ((16, 9), vec![3, 40, 1]),
        ((64, 2), vec![100]),
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        for stop in stops {
            let (ended, _) = play(dir.path(), sprt(3000), STRONGER, way, stop);
            assert_eq!(ended, Ended::Interrupted);
        }
        let (again, other) = play(dir.path(), sprt(3000), STRONGER, way, u64::MAX);
        assert_eq!(again, ended);
        assert_eq!(other.tally, fold.tally);
        let names = ["a".to_string(), "b".to_string()];
        let pairs = Pairs::open(dir.path(), &names).expect("a ledger");
        assert_eq!(
            pairs.in_order(u64::MAX).expect("rows").flatten().count(),
            pairs.by_arrival().expect("rows").flatten().count(),
            "no pair is there twice"
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
    let harness::experiment::Next::Play(plan) = experiment.plan(pair) else {
        panic!("pair {pair} is within the budget");
    };
    jobs.job(pair, &plan)
}

/// Whether it has finished, asked for its next report.
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
fn a_job_survives_the_way_to_another_machine() {
    let job = job(3);
    let text = serde_json::to_string(&job).expect("writes");
    let back: PairJob = serde_json::from_str(&text).expect("reads");
    assert_eq!(back, job);
    assert_eq!(back.pair, 3);
}
