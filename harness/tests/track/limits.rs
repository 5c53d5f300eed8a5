//! All nights of a table have the same limit.

use std::fs;

use super::common::finish;
use super::common::repository::SLOW;
use super::{STRONG, Tracked};

#[test]
fn an_unfinished_night_with_another_limit_is_refused() {
    let tracked = Tracked::new();
    let repository = &tracked.repository;
    let second = repository.commit_engine(SLOW, 2, "Second");
    let short = tracked.track(&["--max-time", "1s", "--set", "track.pairs=2000"]);
    assert_eq!(short.code, Some(3), "{}", short.stderr);
    repository.commit_engine(STRONG, 3, "Third");
    let run = tracked.run(&second);
    let other = ["--limit", "nodes=50", "--pairs", "2"];
    let refused = tracked.track(&other);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    for part in [
        &*format!(
            "{} is played with nodes=300, but `limit` is nodes=50",
            run.display()
        ),
        "help: restore the limit to finish it, or remove this folder",
    ] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    assert!(tracked.nights().is_empty());
    fs::remove_dir_all(&run).expect("removed");
    let night = tracked.track(&other);
    assert_eq!(night.code, Some(0), "{}", night.stderr);
    assert_eq!(tracked.nights()[0].limit, "nodes=50");
}

#[test]
fn the_limit_of_the_tracked_engine_is_that_of_the_table() {
    let tracked = Tracked::new();
    let night = |limit: &str| {
        let limit = format!("engine.0.limit={limit}");
        finish(tracked.command(&["--pairs", "2", "--set", &limit]))
    };
    for number in 2..4 {
        tracked.repository.commit_engine(STRONG, number, "Next");
        let played = night("nodes=50");
        assert_eq!(played.code, Some(0), "{}", played.stderr);
    }
    let nights = tracked.nights();
    assert!(nights.iter().all(|night| night.limit == "nodes=50"));
    assert_eq!(nights.len(), 2);
    let refused = night("nodes=60");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let message = "were played with nodes=50, but `limit` is nodes=60";
    assert!(refused.stderr.contains(message), "{}", refused.stderr);
}
