//! The tests that the GitHub Action starts: its scripts with a fake `hone` that only stores its
//! arguments.
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::common::repository::EngineRepository;
use crate::common::{action, finish, script};

const HONE: &str = "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$ARGUMENTS\"\n";

/// A repository with `main` and a change of two commits, which is checked out.
pub(super) struct Change {
    pub(super) repository: EngineRepository,
    pub(super) folder: PathBuf,
    main: String,
}

impl Change {
    pub(super) fn new() -> Option<Self> {
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
    pub(super) fn step(&self, script: &str, environment: &[(&str, &str)]) -> (bool, String) {
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
    pub(super) fn arguments(&self) -> Vec<String> {
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

    /// Runs `play.sh` for a night, whose results are in `results`.
    pub(super) fn night(&self) -> (bool, String) {
        let nightly = [("INPUT_MODE", "nightly"), ("INPUT_CONFIG", "nightly.toml")];
        self.step("play.sh", &nightly)
    }

    /// The nights of a later job.
    pub(super) fn kept(&self) -> PathBuf {
        self.folder.join("home/kept/track")
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
    assert_eq!(push(lost).0, format!("git:{before}"));
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
fn a_tag_at_the_same_commit_is_the_same_test_as_its_branch() {
    let Some(change) = Change::new() else {
        return;
    };
    let before = change.repository.git(&["rev-parse", "HEAD^1"]);
    let pushed = |before: &str| {
        let event = format!(r#"{{"before": "{before}"}}"#);
        change.base_after("push", &event).0
    };
    assert_eq!(pushed(&before), pushed(&"0".repeat(40)));
}

#[test]
fn an_installed_hone_is_a_path_or_a_name() {
    let Some(change) = Change::new() else {
        return;
    };
    script(&change.folder, "hone", "#!/bin/sh\necho hone of the test\n");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", change.folder.display());
    let program = change.folder.join("hone");
    let program = program.to_str().expect("text");
    fs::copy(program, change.repository.path().join("hone-linux")).expect("copied");
    for name in ["hone", program, "hone-linux"] {
        let (installed, log) = change.step("install.sh", &[("INPUT_HONE", name), ("PATH", &path)]);
        assert!(installed && log.contains("hone of the test"), "{log}");
        let outputs = fs::read_to_string(change.folder.join("output")).expect("written");
        let found = outputs.lines().last().expect("an output");
        let file = name.rsplit('/').next().expect("a name");
        assert!(
            found.starts_with("hone=/") && found.ends_with(&format!("/{file}")),
            "{found}"
        );
    }
    let (installed, log) = change.step("install.sh", &[("INPUT_HONE", "no-such-hone")]);
    let message = "::error::the input hone is no-such-hone, which is not a program";
    assert!(!installed && log.contains(message), "{log}");
}

/// Without `jq`, the commit before a push is unknown.
#[test]
fn without_jq_nothing_is_played() {
    let Some(change) = Change::new() else {
        return;
    };
    let programs = change.folder.join("programs");
    fs::create_dir(&programs).expect("made");
    for program in ["bash", "cat", "git", "gzip", "mkdir", "rm", "tar"] {
        let mut which = Command::new("sh");
        which.args(["-c", &format!("command -v {program}")]);
        let path = finish(which).stdout;
        std::os::unix::fs::symlink(path.trim(), programs.join(program)).expect("linked");
    }
    let path = programs.to_str().expect("text");
    let (played, log) = change.step("play.sh", &[("PATH", path)]);
    let message = "::error::the Action needs `jq`";
    assert!(!played && log.contains(message), "{log}");
    assert!(!change.folder.join("arguments").exists(), "{log}");
}

#[test]
fn a_name_that_an_artifact_cannot_have_is_refused() {
    let Some(change) = Change::new() else {
        return;
    };
    for name in [
        "eng/a", "a\\b", "a:b", "a\"b", "<a", "a>", "a|b", "*", "a?", "a,b", "a\nb", "a\r",
    ] {
        let output = change.folder.join("output");
        fs::write(&output, "").expect("written");
        let (ended, log) = change.step("play.sh", &[("INPUT_NAME", name)]);
        assert!(ended && log.starts_with("::error::`name` is "), "{log}");
        assert_eq!(log.lines().count(), 1, "{log}");
        let outputs = fs::read_to_string(&output).expect("written");
        assert!(outputs.contains("code=2\n"), "{name}: {outputs}");
        assert!(!change.folder.join("arguments").exists(), "{name}");
    }
    let (ended, log) = change.step("play.sh", &[("INPUT_NAME", "engine a 8+0.08")]);
    assert!(ended && !log.contains("::error::"), "{log}");
}

#[test]
fn a_shard_whose_archive_is_damaged_counts_as_missing() {
    let Some(change) = Change::new() else {
        return;
    };
    let home = change.folder.join("home");
    for shard in ["1", "2"] {
        let run = format!("kept/runs/gate-shard-{shard}-of-2");
        let folder = home.join(&run);
        fs::create_dir_all(&folder).expect("made");
        fs::write(folder.join("run.toml"), "manifest").expect("written");
        let shards = home.join("shards").join(shard);
        fs::create_dir_all(&shards).expect("made");
        let archive = shards.join("run.tar.gz");
        let mut tar = Command::new("tar");
        tar.arg("czf").arg(&archive).arg("-C").arg(&home).arg(&run);
        assert_eq!(finish(tar).code, Some(0));
    }
    fs::remove_dir_all(home.join("kept")).expect("another runner");
    let archive = home.join("shards/2/run.tar.gz");
    let whole = fs::read(&archive).expect("there");
    fs::write(&archive, &whole[..whole.len() / 2]).expect("cut");
    let (ended, log) = change.step("play.sh", &[("INPUT_MODE", "pool")]);
    assert!(ended, "{log}");
    let warning = "::warning::shards/2/run.tar.gz cannot be unpacked";
    assert!(log.starts_with(warning) && !log.contains("tar:"), "{log}");
    let arguments = change.arguments();
    let shards: Vec<_> = arguments
        .iter()
        .filter(|word| word.contains("-of-2"))
        .collect();
    let [shard] = &shards[..] else {
        panic!("{arguments:?}")
    };
    assert!(shard.ends_with("kept/runs/gate-shard-1-of-2"), "{shard}");
}

/// The comment on the change's pull request with this summary.
fn comment_with(change: &Change, summary: &str) -> String {
    let (file, body) = (change.folder.join("summary"), change.folder.join("body"));
    fs::write(&file, summary).expect("written");
    let gh = "#!/bin/sh\nfor word; do case \"$word\" in body=*) printf '%s' \"${word#body=}\" >\"$BODY\" ;; esac; done\n";
    script(&change.folder, "gh", gh);
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", change.folder.display());
    let environment = [
        ("PATH", path.as_str()),
        ("BODY", body.to_str().expect("text")),
        ("SUMMARY", file.to_str().expect("text")),
        ("GITHUB_REPOSITORY", "owner/engine"),
        ("GITHUB_RUN_ID", "42"),
    ];
    let event = r#"{"pull_request": {"number": 12}}"#;
    let (succeeded, log) = change.step_for(event, "comment.sh", &environment);
    assert!(succeeded, "{log}");
    fs::read_to_string(body).expect("written")
}

#[test]
fn a_long_summary_is_cut_at_a_line_and_outside_of_code() {
    let Some(change) = Change::new() else {
        return;
    };
    let end = "[This job](https://github.com/owner/engine/actions/runs/42)";
    let short = "## hone: failed\n\n```text\nan error\n```\n";
    let comment = comment_with(&change, short);
    assert_eq!(comment, format!("<!-- hone: gate -->\n{short}\n\n{end}"));
    let line = "engine.c:3: error: é\n";
    let log = line.repeat(4000);
    // A fence within a longer one does not end it.
    let comment = comment_with(
        &change,
        &format!("## hone\n\n````text\n```\n{log}````\nafter\n"),
    );
    let (log, rest) = comment.split_once("\n````\n").expect("closed");
    assert!((49_900..50_100).contains(&log.len()), "{}", log.len());
    assert!(log.ends_with("\nengine.c:3: error: é"), "{rest}");
    assert!(rest.starts_with("\nThe summary is longer"), "{rest}");
    assert!(rest.ends_with(end), "{rest}");
    // Hidden parts are closed too.
    let hidden = format!(
        "<details><summary>S</summary>\n\n```sh\n{}",
        line.repeat(4000)
    );
    let comment = comment_with(&change, &hidden);
    let (_, rest) = comment.split_once("\n```\n").expect("closed");
    assert!(rest.starts_with("\n</details>\n\nThe summary"), "{rest}");
}

#[test]
fn a_run_or_shard_that_is_complete_has_not_reached_its_time_limit() {
    let Some(change) = Change::new() else {
        return;
    };
    let run = change.folder.join("shard");
    fs::create_dir_all(&run).expect("made");
    let path = run.to_str().expect("text");
    for (finished, shard, message) in [
        (true, "1/2", "this shard is complete"),
        (false, "1/2", "time limit of this shard reached"),
        (true, "", "undecided at the end of the run"),
        (false, "", "undecided within the time limit"),
    ] {
        let report = format!("{{\"finished\": {finished}}}");
        fs::write(run.join("report.json"), report).expect("written");
        let inputs = [("CODE", "3"), ("INPUT_SHARD", shard), ("RUN", path)];
        let (passes, log) = change.step("verdict.sh", &inputs);
        assert!(passes, "{log}");
        assert!(log.contains(&format!("::notice::hone: {message}")), "{log}");
    }
}
