use super::*;
use crate::kinds::samples;
use hone_run::Kind;
use hone_run::ledger::GAMES_CSV;

/// A queue with these jobs in a folder of runs.
fn queue(results: &Path, names: &[&str]) -> Queue {
    let folder = results.join(FOLDER);
    fs::create_dir_all(&folder).expect("made");
    for name in names {
        let submission = Submission {
            name: name.to_string(),
            kind: Kind::Match,
            priority: 0,
        };
        let job = QueuedRun::new(&submission, "ann");
        job.save(&folder).expect("written");
        fs::write(job.config(&folder), "").expect("written");
    }
    Queue::open(samples::kinds(), results, 1, false).expect("free")
}

/// After a kill of the server, its run continues.
#[test]
fn a_run_that_another_process_plays_takes_a_place_and_is_left_alone() {
    let results = tempfile::tempdir().expect("a folder");
    let run = results.path().join("first");
    fs::create_dir(&run).expect("made");
    fs::write(run.join(MANIFEST), "").expect("written");
    let ledger = File::create(run.join(GAMES_CSV)).expect("made");
    ledger.lock().expect("free");
    let queue = queue(results.path(), &["first", "second"]);
    for action in [Action::Pause, Action::Resume, Action::Stop] {
        let refused = queue.act("first", action, "ann", None);
        let refused = refused.expect_err("it is not ours");
        assert!(matches!(refused, Refusal::Conflict(_)), "{refused:?}");
        let message = refused.message();
        assert!(
            message.contains("another process plays `first`"),
            "{message}"
        );
    }
    assert!(queue.configuration("first").is_some(), "it is in the queue");
    let (version, _) = queue.jobs();
    queue.tick();
    let (shown, jobs) = queue.jobs();
    let words: Vec<String> = jobs.iter().map(QueuedRun::words).collect();
    assert_eq!(words, ["running, started by another process", "waiting"]);
    assert_ne!(version, shown, "the page changes");
    // A run that is not in the queue.
    queue
        .act("second", Action::Stop, "ann", None)
        .expect("not played");
    let ended = results.path().join("second");
    fs::create_dir(&ended).expect("made");
    fs::write(ended.join(MANIFEST), "").expect("written");
    let refused = queue.act("second", Action::Pause, "ann", None);
    let message = refused.expect_err("it is not played").message();
    assert!(
        message.ends_with("it has ended or was stopped"),
        "{message}"
    );
}

/// A folder in place of a file cannot be written, like a full disk.
#[test]
fn what_cannot_be_saved_is_not_done() {
    let results = tempfile::tempdir().expect("a folder");
    let queue = queue(results.path(), &["one"]);
    for name in ["one", "two"] {
        let file = queue.folder().join(format!("{name}.json"));
        let _ = fs::remove_file(&file);
        fs::create_dir(&file).expect("made");
    }
    let submission = Submission {
        name: "two".to_string(),
        kind: Kind::Match,
        priority: 0,
    };
    let config = "[[engine]]\ncmd = \"a\"\n[[engine]]\ncmd = \"b\"\n[match]\nlimit = \"nodes=5\"\n";
    let (before, _) = queue.jobs();
    for refused in [
        queue.act("one", Action::Pause, "ann", None),
        queue.act("one", Action::Resume, "ann", None),
        queue.act("one", Action::Stop, "ann", None),
        queue.set_priority("one", 7),
        queue.submit(&submission, config, "ann"),
    ] {
        assert!(matches!(refused, Err(Refusal::Failed(_))), "{refused:?}");
    }
    let (after, jobs) = queue.jobs();
    assert_eq!(after, before);
    assert_eq!((jobs.len(), jobs[0].priority), (1, 0));
    assert_eq!(jobs[0].words(), "waiting");
    assert!(queue.configuration("one").is_some(), "it can be continued");
}

/// On Windows, its process has the exit code of a finished run.
#[cfg(unix)]
#[test]
fn a_run_whose_process_was_killed_to_pause_it_stays_in_the_queue() {
    let results = tempfile::tempdir().expect("a folder");
    let queue = queue(results.path(), &["one"]);
    queue
        .act("one", Action::Pause, "ann", None)
        .expect("paused");
    queue.lock().children.push(RunProcess::killed("one"));
    queue.tick();
    assert!(queue.lock().children.is_empty(), "its process has ended");
    let (_, jobs) = queue.jobs();
    let words: Vec<String> = jobs.iter().map(QueuedRun::words).collect();
    assert_eq!(words, ["paused"]);
    assert_eq!(QueuedRun::read_all(queue.folder()).len(), 1);
}

#[test]
fn one_server_has_the_queue() {
    let results = tempfile::tempdir().expect("a folder");
    let first = queue(results.path(), &[]);
    let second = Queue::open(samples::kinds(), results.path(), 1, false).expect_err("taken");
    let message = second.to_string();
    assert!(message.contains("another `hone serve`"), "{message}");
    drop(first);
    Queue::open(samples::kinds(), results.path(), 1, false).expect("free again");
}

/// On some file systems, both would use the same files.
#[test]
fn names_that_differ_only_in_case_are_the_same() {
    let results = tempfile::tempdir().expect("a folder");
    fs::create_dir(results.path().join("Ended")).expect("made");
    let queue = queue(results.path(), &["waiting"]);
    for name in ["WAITING", "waiting", "ended"] {
        let submission = Submission {
            name: name.to_string(),
            kind: Kind::Match,
            priority: 0,
        };
        let refused = queue.submit(&submission, "", "ann");
        let refused = refused.expect_err("taken");
        assert!(matches!(refused, Refusal::Conflict(_)), "{refused:?}");
    }
}
