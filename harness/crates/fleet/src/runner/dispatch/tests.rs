//! Results in any order, and workers that stop sending statuses.

use std::sync::Arc;

use proptest::prelude::*;

use super::super::presence::{LATE, STATUS_TIMEOUT};
use super::*;
use crate::message::samples::{played, status};
use crate::samples::{pair_job, worker};

fn result(key: &RunKey, pair: u64) -> Box<PlayedReply> {
    Box::new(played(pair, key.lease(pair)))
}

#[test]
fn a_pair_never_ends_before_it_was_sent() {
    let key = RunKey::random();
    let mut dispatch = Dispatch::new(key.clone(), 1);
    let now = Instant::now();
    let a = worker("a");
    let of_pair = |dispatch: &mut Dispatch<u64>, pair| {
        let judged = dispatch.take(&a, result(&key, pair), pair);
        let Judged::Counts(accepted, _) = judged else {
            panic!("{judged:?}");
        };
        accepted.played.finished_ms
    };
    let before = Timestamp::now().as_millisecond();
    dispatch.submit(pair_job(0), now);
    assert!(of_pair(&mut dispatch, 0) >= before);
    // A worker had this one before the run was continued.
    dispatch.submit(pair_job(1), now);
    dispatch.leave_with_worker(1);
    assert_eq!(of_pair(&mut dispatch, 1), 5);
    // The result of this one arrives before it is planned.
    let judged = dispatch.take(&a, result(&key, 2), 2);
    assert!(matches!(judged, Judged::Early), "{judged:?}");
    let (_, own) = dispatch.submit(pair_job(2), now);
    let Some((_, Judged::Counts(accepted, _))) = own else {
        panic!("{own:?}");
    };
    assert_eq!(accepted.played.finished_ms, 5);
}

#[test]
fn a_result_counts_once_and_is_acknowledged_when_it_is_on_disk() {
    let key = RunKey::random();
    let mut dispatch = Dispatch::new(key.clone(), 1);
    let now = Instant::now();
    dispatch.submit(pair_job(0), now);
    let a = worker("a");
    let judged = dispatch.take(&a, result(&key, 0), 1);
    assert!(matches!(judged, Judged::Counts(..)), "{judged:?}");
    // Delivered again before it is on disk: perhaps the same message.
    let judged = dispatch.take(&a, result(&key, 0), 2);
    assert!(
        matches!(judged, Judged::Repeated(Second::Same)),
        "{judged:?}"
    );
    assert_eq!(dispatch.recorded(&[0]), [1, 2]);
    let judged = dispatch.take(&worker("b"), result(&key, 0), 3);
    assert!(
        matches!(judged, Judged::Dropped(3, Dropped::Duplicate(Second::Same))),
        "{judged:?}"
    );
}

#[test]
fn a_result_without_the_lease_or_with_other_moves_does_not_count() {
    let key = RunKey::random();
    let mut dispatch = Dispatch::new(key.clone(), 1);
    dispatch.submit(pair_job(0), Instant::now());
    let a = worker("a");
    let forged = Box::new(played(0, key.lease(1)));
    let judged = dispatch.take(&a, forged, 1);
    assert!(
        matches!(judged, Judged::Dropped(1, Dropped::NotLeased)),
        "{judged:?}"
    );
    let mut altered = result(&key, 0);
    altered.games[0].outcome = hone_uci::rules::Outcome::White;
    let judged = dispatch.take(&a, altered, 2);
    assert!(
        matches!(judged, Judged::Dropped(2, Dropped::Wrong(_))),
        "{judged:?}"
    );
    // An honest result still counts afterwards.
    let judged = dispatch.take(&a, result(&key, 0), 3);
    assert!(matches!(judged, Judged::Counts(..)), "{judged:?}");
}

#[test]
fn results_from_before_a_restart_wait_for_their_pairs() {
    let key = RunKey::random();
    let mut dispatch = Dispatch::new(key.clone(), 1);
    let a = worker("a");
    for pair in [3, 5] {
        let judged = dispatch.take(&a, result(&key, pair), pair);
        assert!(matches!(judged, Judged::Early), "{judged:?}");
    }
    // The ledger had pair 3, and the plan continues with pair 4.
    let (stale, own) = dispatch.submit(pair_job(4), Instant::now());
    assert_eq!(stale, [3]);
    assert!(own.is_none());
    let (_, own) = dispatch.submit(pair_job(5), Instant::now());
    assert!(matches!(own, Some((_, Judged::Counts(..)))), "{own:?}");
    assert_eq!(dispatch.recorded(&[5]), [5]);
}

#[test]
fn pairs_of_a_dead_worker_are_lost_and_held_pairs_are_not() {
    let key = RunKey::random();
    let mut dispatch = Dispatch::<u64>::new(key.clone(), 2);
    let start = Instant::now();
    for pair in 0..3 {
        dispatch.submit(pair_job(pair), start);
    }
    assert!(dispatch.update(worker("a"), &status(&key.run, &[0]), start));
    assert!(!dispatch.update(worker("a"), &status(&key.run, &[0, 1]), start));
    // Four cores, two threads a game.
    assert_eq!(dispatch.capacity(start), 2 * PER_SLOT);
    assert!(dispatch.lost(true, start).is_empty());
    let later = start + LOST_AFTER;
    assert!(dispatch.lost(false, later).is_empty());
    assert_eq!(dispatch.lost(true, later), [2]);
    assert!(dispatch.lost(true, later).is_empty());
    assert!(!dispatch.is_drained(start, later));
    let late = start + STATUS_TIMEOUT;
    assert_eq!(dispatch.lost(true, late), [0, 1]);
    assert_eq!(dispatch.capacity(late), 1);
    assert!(dispatch.is_drained(start, late));
}

#[test]
fn a_pair_of_an_earlier_process_is_lost_with_its_worker() {
    let key = RunKey::random();
    let mut dispatch = Dispatch::<u64>::new(key.clone(), 1);
    let start = Instant::now();
    dispatch.update(worker("a"), &status(&key.run, &[0]), start);
    dispatch.submit(pair_job(0), start);
    dispatch.leave_with_worker(0);
    assert!(dispatch.lost(false, start).is_empty());
    // Its job is not delivered to another worker.
    assert_eq!(dispatch.lost(false, start + STATUS_TIMEOUT), [0]);
    assert!(dispatch.lost(false, start + STATUS_TIMEOUT).is_empty());
}

#[test]
fn the_worker_that_had_a_pair_before_is_returned() {
    let key = RunKey::random();
    let mut dispatch = Dispatch::new(key.clone(), 1);
    let start = Instant::now();
    let before = start.checked_sub(LATE).expect("a later time");
    for pair in 0..3 {
        dispatch.submit(pair_job(pair), start);
    }
    // One is dead, one was restarted, one is alive.
    dispatch.update(worker("gone"), &status(&key.run, &[0]), before);
    let mut of_again = status(&key.run, &[1]);
    of_again.games = 10;
    dispatch.update(worker("again"), &of_again, start);
    dispatch.update(worker("again"), &status(&key.run, &[]), start);
    dispatch.update(worker("there"), &status(&key.run, &[2]), start);
    for (pair, expected) in [(0, Some("gone")), (1, Some("again")), (2, None)] {
        let judged = dispatch.take(&worker("other"), result(&key, pair), pair);
        let Judged::Counts(_, before) = judged else {
            panic!("{judged:?}");
        };
        assert_eq!(before, expected.map(worker), "pair {pair}");
    }
}

#[test]
fn pairs_of_an_excluded_worker_are_played_by_others() {
    let key = RunKey::random();
    let mut dispatch = Dispatch::new(key.clone(), 1);
    let now = Instant::now();
    dispatch.submit(pair_job(0), now);
    dispatch.update(worker("bad"), &status(&key.run, &[0, 9]), now);
    assert_eq!(dispatch.exclude(&worker("bad")), [0]);
    let judged = dispatch.take(&worker("bad"), result(&key, 0), 1);
    assert!(
        matches!(judged, Judged::Dropped(1, Dropped::Excluded)),
        "{judged:?}"
    );
    dispatch.update(worker("bad"), &status(&key.run, &[]), now);
    assert_eq!(dispatch.workers(now), 0);
    let judged = dispatch.take(&worker("good"), result(&key, 0), 2);
    assert!(matches!(judged, Judged::Counts(..)), "{judged:?}");
}

#[test]
fn only_the_runs_own_rules_stop_it_at_a_failure() {
    let mut dispatch = Dispatch::<u64>::new(RunKey::random(), 1);
    let mut strict = pair_job(1);
    Arc::make_mut(&mut strict.rules).on_failure = OnFailure::Stop;
    for job in [pair_job(0), strict] {
        dispatch.submit(job, Instant::now());
    }
    let stops = [0, 1, 2].map(|pair| dispatch.stops_at_failure(pair));
    assert_eq!(stops, [false, true, false]);
}

#[test]
fn a_pair_that_the_others_have_overtaken_is_lost() {
    let key = RunKey::random();
    let mut dispatch = Dispatch::new(key.clone(), 1);
    let start = Instant::now();
    dispatch.submit(pair_job(0), start);
    let late = start + OVERTAKEN_AFTER;
    dispatch.submit(pair_job(1), late);
    assert!(dispatch.lost(false, late).is_empty());
    dispatch.take(&worker("a"), result(&key, 1), 1);
    assert_eq!(dispatch.lost(false, late), [0]);
}

proptest! {
    /// If results are delivered any number of times and in any order, each pair
    /// counts exactly once, and every delivery is acknowledged once.
    #[test]
    fn each_pair_counts_once(
        deliveries in proptest::collection::vec(0u64..8, 1..60),
        records in proptest::collection::vec(any::<bool>(), 60),
    ) {
        let key = RunKey::random();
        let mut dispatch = Dispatch::new(key.clone(), 1);
        let now = Instant::now();
        let mut counted = BTreeMap::<u64, u32>::new();
        let mut acknowledged = Vec::new();
        let mut planned = 0;
        let mut note = |judged: Judged<usize>, acknowledged: &mut Vec<usize>| match judged {
            Judged::Counts(accepted, _) => {
                *counted.entry(accepted.played.result.pair).or_default() += 1;
            }
            Judged::Dropped(receipt, _) => acknowledged.push(receipt),
            Judged::Early | Judged::Repeated(_) => {}
        };
        for (receipt, pair) in deliveries.iter().enumerate() {
            if records[receipt] && planned < 8 {
                let (stale, own) = dispatch.submit(pair_job(planned), now);
                acknowledged.extend(stale);
                if let Some((_, judged)) = own {
                    note(judged, &mut acknowledged);
                }
                planned += 1;
            }
            let judged = dispatch.take(&worker("a"), result(&key, *pair), receipt);
            note(judged, &mut acknowledged);
            if records[59 - receipt] {
                acknowledged.extend(dispatch.recorded(&[*pair]));
            }
        }
        while planned < 8 {
            let (stale, own) = dispatch.submit(pair_job(planned), now);
            acknowledged.extend(stale);
            if let Some((_, judged)) = own {
                note(judged, &mut acknowledged);
            }
            planned += 1;
        }
        acknowledged.extend(dispatch.recorded(&(0..8).collect::<Vec<_>>()));
        let delivered: BTreeSet<u64> = deliveries.iter().copied().collect();
        prop_assert_eq!(counted.keys().copied().collect::<BTreeSet<_>>(), delivered);
        prop_assert!(counted.values().all(|times| *times == 1));
        acknowledged.sort_unstable();
        prop_assert_eq!(acknowledged, (0..deliveries.len()).collect::<Vec<_>>());
    }
}

#[test]
fn the_run_is_told_who_has_the_pair_that_it_waits_for() {
    let key = RunKey::random();
    let mut dispatch = Dispatch::<u64>::new(key.clone(), 1);
    let now = Instant::now();
    assert_eq!(dispatch.oldest(now), None);
    for pair in 3..5 {
        dispatch.submit(pair_job(pair), now);
    }
    let oldest = |dispatch: &Dispatch<u64>, now| dispatch.oldest(now).expect("in flight");
    assert_eq!(oldest(&dispatch, now), (3, "in the queue".to_string()));
    dispatch.update(worker("w1"), &status(&key.run, &[3]), now);
    assert_eq!(oldest(&dispatch, now), (3, "of all/w1".to_string()));
    let late = now + STATUS_TIMEOUT;
    let silent = "of all/w1, silent for 30 s".to_string();
    assert_eq!(oldest(&dispatch, late), (3, silent));
    dispatch.take(&worker("w1"), result(&key, 3), 0);
    assert_eq!(oldest(&dispatch, now), (4, "in the queue".to_string()));
}

/// A job whose engines play the same games everywhere.
fn repeatable(pair: u64) -> PairJob {
    let mut job = pair_job(pair);
    for player in &mut job.players {
        player.limit = Limit::nodes(1000).into();
    }
    job
}

#[test]
fn a_pair_is_played_again_by_another_worker_and_their_results_are_compared() {
    let key = RunKey::random();
    let mut dispatch = Dispatch::<u64>::new(key.clone(), 1);
    let now = Instant::now();
    let [a, b] = ["a", "b"].map(worker);
    dispatch.submit(repeatable(0), now);
    dispatch.update(a.clone(), &status(&key.run, &[]), now);
    dispatch.take(&a, result(&key, 0), 0);
    assert!(dispatch.checks(now).is_empty(), "there is one worker");
    dispatch.update(b.clone(), &status(&key.run, &[]), now);
    assert_eq!(dispatch.checks(now), [0]);
    let (_, not_by) = dispatch.job(0).expect("it is sent again");
    assert_eq!(not_by, [a.to_string()]);
    // The games of another result that fits the pair.
    let mut other = result(&key, 0);
    other.games.swap(0, 1);
    other.texts.swap(0, 1);
    let judged = dispatch.take(&b, other.clone(), 1);
    assert!(
        matches!(judged, Judged::Repeated(Second::Wrong(_))),
        "{judged:?}"
    );
    let judged = dispatch.take(&b, result(&key, 0), 2);
    assert!(
        matches!(judged, Judged::Repeated(Second::Same)),
        "{judged:?}"
    );
    assert_eq!(dispatch.recorded(&[0]), [0, 1, 2]);
    assert!(dispatch.checks(now + LOST_AFTER * 100).is_empty());
}

#[test]
fn pairs_that_are_held_for_far_longer_than_others_are_overdue_once() {
    let key = RunKey::random();
    let mut dispatch = Dispatch::<u64>::new(key.clone(), 1);
    let start = Instant::now();
    let [a, b] = ["a", "b"].map(worker);
    for pair in 0..4 {
        dispatch.submit(repeatable(pair), start);
    }
    let minute = Duration::from_secs(60);
    let hear = |dispatch: &mut Dispatch<u64>, minutes: u32, of_b: &[u64]| {
        let now = start + minutes * minute;
        let from = now - minute.min(minutes * minute);
        // A status every 20 s since the last call.
        for now in [from, from + minute / 3, from + 2 * minute / 3, now] {
            dispatch.update(a.clone(), &status(&key.run, &[0, 1]), now);
            dispatch.update(b.clone(), &status(&key.run, of_b), now);
        }
        dispatch.overdue(now)
    };
    assert_eq!(hear(&mut dispatch, 0, &[2, 3]), []);
    // Nothing was returned: 1000 nodes a move take at most 80 s a pair.
    assert_eq!(hear(&mut dispatch, 1, &[2, 3]), []);
    assert_eq!(hear(&mut dispatch, 2, &[2, 3]), []);
    let late = hear(&mut dispatch, 3, &[2, 3]);
    let pairs: Vec<_> = late
        .iter()
        .map(|late| (late.pair, late.is_silent))
        .collect();
    assert_eq!(pairs, [(0, true), (1, true), (2, true), (3, true)]);
    assert_eq!(hear(&mut dispatch, 3, &[2, 3]), [], "once");
    // Excluding a worker frees its pairs.
    assert_eq!(dispatch.exclude(&b), [2, 3]);
}

#[test]
fn a_worker_that_returns_other_pairs_is_not_silent() {
    let run = Name::random();
    let mut presence = Presence::new(1);
    let start = Instant::now();
    let minute = Duration::from_secs(60);
    let [a, b] = ["a", "b"].map(worker);
    let hear = |presence: &mut Presence, minutes: u32| {
        let mut now = start + minutes.saturating_sub(3) * minute;
        // A status every 20 s.
        while now <= start + minutes * minute {
            presence.update(&run, a.clone(), &status(&run, &[0, 1]), now);
            presence.update(&run, b.clone(), &status(&run, &[2]), now);
            now += minute / 3;
        }
        presence.overdue(Duration::ZERO, start + minutes * minute)
    };
    assert_eq!(hear(&mut presence, 0), []);
    hear(&mut presence, 1);
    presence.pair_returned(&a, 1, start + minute);
    presence.answered(&a, start + minute);
    assert_eq!(hear(&mut presence, 4), [], "less than five times a minute");
    let overdue = hear(&mut presence, 6);
    let overdue = overdue.iter().filter(|late| late.pair != 1);
    let overdue: Vec<_> = overdue.map(|late| (late.pair, late.is_silent)).collect();
    assert_eq!(overdue, [(0, false), (2, true)]);
}

#[test]
fn a_machine_that_slept_has_not_held_its_pairs_meanwhile() {
    let run = Name::random();
    let mut presence = Presence::new(1);
    let start = Instant::now();
    let hour = Duration::from_secs(3600);
    for now in [start, start + hour] {
        presence.update(&run, worker("a"), &status(&run, &[0]), now);
        assert_eq!(presence.overdue(Duration::ZERO, now), []);
    }
}

#[test]
fn the_longest_time_of_a_pair_depends_on_its_limit() {
    let seconds = |limit: &str| {
        let mut job = pair_job(0);
        for player in &mut job.players {
            player.limit = limit.parse::<Limit>().expect("a limit").into();
        }
        longest(&job).as_secs_f64()
    };
    for (limit, expected) in [
        ("nodes=1000", 80.0),
        ("movetime=100", 80.0),
        ("10+0.1", 2.0 * (20.0 + 40.0)),
        ("40/60", 2.0 * (12.0 * 60.0)),
        ("depth=8", DAY_S),
        ("10+0.1 nodes=5", 2.0 * (20.0 + 40.0)),
    ] {
        assert!((seconds(limit) - expected).abs() < 1e-6, "{limit}");
    }
}
