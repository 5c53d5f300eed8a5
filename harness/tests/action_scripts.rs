//! The tests that the GitHub Action starts, and the files that it publishes: its scripts
//! with a fake `hone` that only stores its arguments.
#![cfg(unix)]

mod common;

use std::fs;
use std::path::PathBuf;

use common::repository::EngineRepository;
use common::{action, finish, script};

const HONE: &str = "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$ARGUMENTS\"\n";

/// A repository with `main` and a change of two commits, which is checked out.
struct Change {
    repository: EngineRepository,
    folder: PathBuf,
    main: String,
}

impl Change {
    fn new() -> Option<Self> {
        if !action::has_jq() {
            return None;
        }
        let repository = EngineRepository::new();
        repository.write("engine", "main");
        let main = repository.commit("Main");
        repository.git(&["checkout", "--quiet", "-b", "change"]);
        for text in ["one", "two"] {
            repository.write("engine", text);
            repository.commit(text);
        }
        let folder = repository.dir.path().join("runner");
        fs::create_dir_all(&folder).expect("made");
        script(&folder, "hone", HONE);
        Some(Self {
            repository,
            folder,
            main,
        })
    }

    /// Merges the change into `main`, as GitHub does.
    fn merge(&self) {
        self.repository
            .git(&["checkout", "--quiet", "--detach", "main"]);
        let message = ["--quiet", "--no-ff", "--message", "Merge"];
        self.repository
            .git(&[&["merge"], &message[..], &["change"]].concat());
    }

    /// Runs a script for the pull request; returns whether it succeeded, and what it printed.
    fn step(&self, script: &str, environment: &[(&str, &str)]) -> (bool, String) {
        let head = self.repository.git(&["rev-parse", "change"]);
        let pull = format!(
            r#"{{"pull_request": {{"base": {{"sha": "{}"}}, "head": {{"sha": "{head}"}}}}}}"#,
            self.main
        );
        self.step_for(&pull, script, environment)
    }

    /// The same for another event.
    fn step_for(&self, event: &str, script: &str, environment: &[(&str, &str)]) -> (bool, String) {
        fs::write(self.folder.join("event.json"), event).expect("written");
        let mut step = action::step(script, &self.repository, &self.folder);
        step.env("HONE", self.folder.join("hone"))
            .env("ARGUMENTS", self.folder.join("arguments"))
            .envs(environment.iter().copied());
        action::outcome(finish(step))
    }

    /// The arguments of the last call of `hone`.
    fn arguments(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.join("arguments")).expect("called");
        text.lines().map(str::to_string).collect()
    }

    /// The argument after a flag.
    fn argument(&self, flag: &str) -> String {
        let words = self.arguments();
        let at = words.iter().position(|word| word == flag);
        words[at.expect("given") + 1].clone()
    }

    /// The engines of the test that `play.sh` starts.
    fn engines(&self) -> (String, String) {
        let (played, log) = self.step("play.sh", &[]);
        assert!(played, "{log}");
        (self.argument("--dev"), self.argument("--base"))
    }

    /// The base of the test that `play.sh` starts after an event, and what it printed.
    fn base_after(&self, name: &str, event: &str) -> (String, String) {
        let (played, log) = self.step_for(event, "play.sh", &[("GITHUB_EVENT_NAME", name)]);
        assert!(played, "{log}");
        (self.argument("--base"), log)
    }
}

#[test]
fn the_base_is_the_fork_point_if_the_change_is_checked_out() {
    let Some(change) = Change::new() else {
        return;
    };
    let expected = ("git:HEAD".to_string(), format!("git:{}", change.main));
    assert_eq!(change.engines(), expected);
    // The last commit of the change is a merge too.
    let repository = &change.repository;
    repository.git(&["checkout", "--quiet", "-b", "side", "main"]);
    repository.write("README", "side");
    repository.commit("Side");
    repository.git(&["checkout", "--quiet", "change"]);
    repository.git(&["merge", "--quiet", "--message", "Merge side", "side"]);
    assert_eq!(change.engines(), expected);
}

#[test]
fn a_merge_with_the_files_of_the_change_is_tested_as_the_change() {
    let Some(change) = Change::new() else {
        return;
    };
    change.merge();
    let engines = |dev: &str| (dev.to_string(), "git:HEAD^1".to_string());
    assert_eq!(change.engines(), engines("git:HEAD^2"));
    // With a newer base the bench of the change is not that of the merge.
    let repository = &change.repository;
    repository.git(&["checkout", "--quiet", "main"]);
    repository.write("README", "newer");
    repository.commit("Newer");
    change.merge();
    assert_eq!(change.engines(), engines("git:HEAD"));
}

/// A clone made after a forced push lacks the commit before it.
#[test]
fn after_a_forced_push_the_base_is_the_fork_point_from_the_default_branch() {
    let Some(change) = Change::new() else {
        return;
    };
    let repository = &change.repository;
    repository.git(&["update-ref", "refs/remotes/origin/main", "main"]);
    let push = |before: &str| {
        let event =
            format!(r#"{{"before": "{before}", "repository": {{"default_branch": "main"}}}}"#);
        change.base_after("push", &event)
    };
    let before = repository.git(&["rev-parse", "HEAD^1"]);
    assert_eq!(push(&before).0, format!("git:{before}"));
    let fork = format!("git:{}", change.main);
    let lost = "1234567890123456789012345678901234567890";
    let (base, log) = push(lost);
    assert_eq!(base, fork);
    let reason = format!("::notice::the commit before the push, {lost}, is not in this clone");
    assert!(log.contains(&reason), "{log}");
    let (base, log) = push(&"0".repeat(40));
    assert_eq!(base, fork);
    assert!(log.contains("made a new branch"), "{log}");
    // On the default branch itself.
    repository.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    assert_eq!(push(lost).0, "git:HEAD^1");
}

#[test]
fn the_base_of_a_merge_group_is_the_commit_before_all_its_pull_requests() {
    let Some(change) = Change::new() else {
        return;
    };
    // Rebased: each commit of the change is on `main`.
    let event = format!(r#"{{"merge_group": {{"base_sha": "{}"}}}}"#, change.main);
    let (base, _) = change.base_after("merge_group", &event);
    assert_eq!(base, format!("git:{}", change.main));
}

#[test]
fn a_night_is_played_with_the_inputs_or_refused() {
    let Some(change) = Change::new() else {
        return;
    };
    let night = |inputs: &[(&str, &str)]| {
        let nightly = [("INPUT_MODE", "nightly"), ("INPUT_CONFIG", "nightly.toml")];
        change.step("play.sh", &[&nightly, inputs].concat())
    };
    // Afterwards the script prunes the builds.
    script(
        &change.folder,
        "hone",
        "#!/bin/sh\n[ \"$1\" != track ] || printf '%s\\n' \"$@\" >\"$ARGUMENTS\"\n",
    );
    let (played, log) = night(&[
        ("INPUT_BUILD", "make"),
        ("INPUT_BOOK", "default"),
        ("INPUT_LIMIT", "nodes=1"),
        ("INPUT_CONCURRENCY", "3"),
        ("INPUT_ARGUMENTS", "--pairs=7"),
    ]);
    assert!(played, "{log}");
    let arguments = change.arguments().join(" ");
    let expected = "track nightly.toml --build make --book default --limit nodes=1 \
                    --concurrency 3 --pairs=7 --max-time 60m";
    assert!(arguments.starts_with(expected), "{arguments}");
    fs::remove_file(change.folder.join("arguments")).expect("there");
    let (_, log) = night(&[("INPUT_PROFILE", "gain"), ("INPUT_BASE", "git:HEAD^1")]);
    let refusal = "::error::mode nightly does not have the inputs base profile: remove them";
    assert!(log.contains(refusal), "{log}");
    assert!(!change.folder.join("arguments").exists());
    let outputs = fs::read_to_string(change.folder.join("output")).expect("written");
    assert!(outputs.contains("code=2\n"), "{outputs}");
}

#[test]
fn the_cache_drops_nights_whose_rows_are_committed() {
    let Some(change) = Change::new() else {
        return;
    };
    let repository = &change.repository;
    let kept = change.folder.join("home/kept/track");
    for night in ["one", "two", "three"] {
        fs::create_dir_all(kept.join(night)).expect("made");
    }
    fs::create_dir(repository.path().join("results")).expect("made");
    repository.write("results/elo.csv", "run,date\none,1\ntwo,2\n");
    repository.commit("Nights");
    repository.write("results/elo.csv", "run,date\none,1\ntwo,2\nthree,3\n");
    let nightly = [("INPUT_MODE", "nightly"), ("INPUT_CONFIG", "nightly.toml")];
    let (played, log) = change.step("play.sh", &nightly);
    assert!(played, "{log}");
    let nights = ["one", "two", "three"].map(|night| kept.join(night).exists());
    // The last of a table has the configuration.
    assert_eq!(nights, [false, true, true], "{log}");
}

/// Makes the change's repository a clone of a bare one, on `main`. Returns the path of that.
fn published(change: &Change) -> String {
    let origin = change.folder.join("origin.git");
    let origin = origin.to_str().expect("text").to_string();
    action::publish(&change.repository, &origin);
    origin
}

#[test]
fn a_missing_file_does_not_prevent_others_from_being_published() {
    let Some(change) = Change::new() else {
        return;
    };
    let origin = published(&change);
    let publish = [("INPUT_PUBLISH", "elo.csv elo.svg=docs/elo.svg")];
    let (succeeded, log) = change.step("publish.sh", &publish);
    assert!(succeeded && log.contains("nothing new"), "{log}");
    change.repository.write("elo.csv", "a night\n");
    // A build may change a file that is not published.
    change.repository.write("engine", "generated\n");
    let (succeeded, log) = change.step("publish.sh", &publish);
    assert!(succeeded && log.contains("elo.svg does not exist"), "{log}");
    let there = |file: &str| {
        let path = format!("main:{file}");
        change.repository.git(&["-C", &origin, "show", &path])
    };
    assert_eq!(there("elo.csv"), "a night");
    assert_eq!(there("engine"), "main");
    let kept = fs::read_to_string(change.repository.path().join("engine"));
    assert_eq!(kept.expect("there"), "generated\n");
}

#[test]
fn a_page_that_is_published_alone_has_no_links_to_the_nights() {
    let Some(change) = Change::new() else {
        return;
    };
    let origin = published(&change);
    let page = "#!/bin/sh\n[ \"$1 $2 $3\" = 'report results --html' ] && echo unlinked >\"$4\"\n";
    script(&change.folder, "hone", page);
    fs::create_dir_all(change.folder.join("home")).expect("made");
    fs::create_dir_all(change.repository.path().join("results/track")).expect("made");
    let publish = |files: &str| {
        change.repository.write("results/elo.csv", files);
        change.repository.write("results/elo.html", "linked\n");
        change
            .repository
            .write("results/track/report.html", "night\n");
        let (succeeded, log) = change.step("publish.sh", &[("INPUT_PUBLISH", files)]);
        assert!(succeeded, "{log}");
        let page = ["-C", &origin, "show", "main:results/elo.html"];
        change.repository.git(&page)
    };
    assert_eq!(publish("results/elo.csv results/elo.html"), "unlinked");
    // On several lines, as YAML's `|` gives them.
    let all = "results/elo.csv\nresults/elo.html\nresults/track\n";
    assert_eq!(publish(all), "linked");
}
