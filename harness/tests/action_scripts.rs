//! Which test the GitHub Action asks for, and what it publishes: its scripts with a `hone`
//! that keeps its arguments and plays nothing.
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

    /// Runs a script; returns whether it succeeded, and what it printed.
    fn step(&self, script: &str, environment: &[(&str, &str)]) -> (bool, String) {
        let head = self.repository.git(&["rev-parse", "change"]);
        let pull = format!(
            r#"{{"pull_request": {{"base": {{"sha": "{}"}}, "head": {{"sha": "{head}"}}}}}}"#,
            self.main
        );
        fs::write(self.folder.join("event.json"), pull).expect("written");
        let mut step = action::step(script, &self.repository, &self.folder);
        step.env("HONE", self.folder.join("hone"))
            .env("ARGUMENTS", self.folder.join("arguments"))
            .envs(environment.iter().copied());
        action::outcome(finish(step))
    }

    /// The engines of the test that `play.sh` asks for.
    fn engines(&self) -> (String, String) {
        let (played, log) = self.step("play.sh", &[]);
        assert!(played, "{log}");
        let text = fs::read_to_string(self.folder.join("arguments")).expect("called");
        let words: Vec<&str> = text.lines().collect();
        let after = |flag: &str| {
            let at = words.iter().position(|word| *word == flag);
            words[at.expect("given") + 1].to_string()
        };
        (after("--dev"), after("--base"))
    }
}

#[test]
fn the_base_is_where_the_change_left_it_if_the_change_is_checked_out() {
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

/// A clone of a bare repository in place of the change's, on `main`.
fn published(change: &Change) -> String {
    let repository = &change.repository;
    let origin = change.folder.join("origin.git");
    let origin = origin.to_str().expect("text").to_string();
    repository.git(&["checkout", "--quiet", "main"]);
    repository.git(&["clone", "--quiet", "--bare", ".", &origin]);
    repository.git(&["remote", "add", "origin", &origin]);
    repository.git(&["fetch", "--quiet", "origin"]);
    repository.git(&["branch", "--quiet", "--set-upstream-to=origin/main", "main"]);
    origin
}

#[test]
fn a_file_that_is_missing_does_not_keep_others_from_being_published() {
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
