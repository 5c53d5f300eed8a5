//! Engines from commits as runs and `hone builds` use them.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use super::common::repository::{BUILD, EngineRepository, WEAK};
use super::common::running::Running;
use super::common::{Finished, finish, wait_until};

/// The configuration of a match of two engines from commits.
fn config(more_of_dev: &str) -> String {
    format!(
        "[[engine]]\nname = \"dev\"\ngit = \".\"\nrev = \"main\"\nbuild = \"{BUILD}\"\n{more_of_dev}\n\
         [[engine]]\ngit = \".\"\nrev = \"v1\"\nbuild = \"{BUILD}\"\n\
         [match]\nlimit = \"nodes=200\"\npairs = 3\nconcurrency = 1\n\
         [adjudication]\nmax_moves = 20\n"
    )
}

fn play(repository: &EngineRepository, more_of_dev: &str, out: &Path) -> Finished {
    let path = repository.dir.path().join("config.toml");
    fs::write(&path, config(more_of_dev)).expect("written");
    let mut command = repository.hone();
    command
        .arg("match")
        .arg(path)
        .arg("--out")
        .arg(out)
        .arg("--json");
    finish(command)
}

#[test]
fn a_run_names_its_commits_and_continues_with_them() {
    let repository = EngineRepository::new();
    repository.commit_engine(WEAK, 5, "Old");
    repository.git(&["tag", "v1"]);
    let new = repository.commit_engine("", 6, "New\n\nBench: 6");
    let run = repository.dir.path().join("run");
    let played = play(&repository, "", &run);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let json = played.json();
    assert_eq!(json["engines"][0]["commit"], new);
    assert_eq!(json["engines"][0]["bench"], 6);
    assert_eq!(json["engines"][1]["name"], "v1");
    let manifest = fs::read_to_string(run.join("run.toml")).expect("there");
    for part in [
        format!("commit = \"{new}\""),
        format!("rev = \"{new}\""),
        "subject = \"Old\"".to_string(),
        "bench = 5".to_string(),
    ] {
        assert!(manifest.contains(&part), "{part} in {manifest}");
    }

    // The branch has a new commit and the cache is removed; the run keeps its commits.
    repository.commit_engine(WEAK, 7, "Newer");
    fs::remove_dir_all(repository.cache()).expect("removed");
    let games = fs::read_to_string(run.join("games.csv")).expect("there");
    let kept: Vec<&str> = games.split_inclusive('\n').take(3).collect();
    fs::write(run.join("games.csv"), kept.concat()).expect("written");
    let mut resume = repository.hone();
    resume
        .arg("resume")
        .arg(&run)
        .args(["--json", "--replay-missing"]);
    let resumed = finish(resume);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(resumed.json()["engines"][0]["bench"], 6);
    assert!(json["pentanomial"].is_array(), "{json}");
    assert_eq!(resumed.json()["pentanomial"], json["pentanomial"]);

    // A build with another binary is refused.
    let build = fs::read_to_string(run.join("run.toml")).expect("there");
    fs::write(
        run.join("run.toml"),
        build.replacen("sha256 = \"", "sha256 = \"00", 1),
    )
    .expect("written");
    let mut resume = repository.hone();
    resume.arg("resume").arg(&run);
    let other = finish(resume);
    assert_eq!(other.code, Some(2));
    assert!(
        other
            .stderr
            .contains("is not the one this run was started with"),
        "{}",
        other.stderr
    );
}

#[test]
fn mistakes_of_builds_are_named() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "Old");
    repository.git(&["tag", "v1"]);
    repository.commit_engine("", 6, "New\n\nBench: 66");
    let run = repository.dir.path().join("run");
    for (more, code, message) in [
        ("", 4, "its message gives bench 66, but the bench is 6"),
        (
            "bench = 7",
            4,
            "the configuration gives bench 7, but the bench is 6",
        ),
        (
            "bench = \"maybe\"",
            2,
            "neither `check`, `record` nor a node count",
        ),
        ("tree = \"x\"", 2, "`tree` needs `worktree`"),
        ("worktree = \".\"", 2, "cannot be combined"),
        ("cmd = \"../x\"", 2, "inside the work tree"),
    ] {
        let played = play(&repository, more, &run);
        assert_eq!(played.code, Some(code), "{more}: {}", played.stderr);
        assert!(played.stderr.contains(message), "{more}: {}", played.stderr);
        assert!(!run.exists(), "{more}");
    }
    let played = play(&repository, "bench = \"record\"", &run);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let text = config("bench = \"record\"").replace("rev = \"v1\"", "rev = \"v2\"");
    let path = repository.dir.path().join("other.toml");
    for (text, code, message) in [
        (text.clone(), 2, "has no commit, tag or branch `v2`"),
        (text.clone(), 2, "other.toml:9:7\n"),
        (
            text.replacen("git = \".\"", "git = \"nowhere\"", 1),
            2,
            "other.toml:3:7\n",
        ),
        (
            text.replacen("git = \".\"\nrev = \"main\"", "worktree = \"nowhere\"", 1)
                .replace("v2", "v1"),
            2,
            "other.toml:3:12\n",
        ),
        (
            config("bench = \"record\"").replace(BUILD, "make"),
            2,
            "the path of the built program is missing",
        ),
        (
            config("bench = \"record\"").replace(BUILD, "false {out}"),
            4,
            "does not build",
        ),
    ] {
        fs::write(&path, text).expect("written");
        let mut command = repository.hone();
        command
            .arg("match")
            .arg(&path)
            .arg("--out")
            .arg(repository.dir.path().join("none"));
        let played = finish(command);
        assert_eq!(played.code, Some(code), "{}", played.stderr);
        assert!(played.stderr.contains(message), "{}", played.stderr);
    }
}

/// The cache is pruned repeatedly during a match that restarts its engines for each game.
#[test]
fn builds_that_a_run_plays_with_are_not_pruned() {
    let repository = EngineRepository::new();
    repository.commit_engine(WEAK, 5, "Old");
    repository.git(&["tag", "v1"]);
    repository.commit_engine("", 6, "New");
    let path = repository.dir.path().join("config.toml");
    fs::write(&path, config("restart = true\n")).expect("written");
    let run = repository.dir.path().join("run");
    let mut command = repository.hone();
    command.arg("match").arg(path).arg("--out").arg(&run);
    let mut playing = Running::start(command.stdout(Stdio::null()).stderr(Stdio::null()));
    wait_until("its start", || run.join("run.toml").exists());
    let mut kept = 0;
    let status = loop {
        let mut prune = repository.hone();
        prune.args(["builds", "prune", "--all"]);
        let pruned = finish(prune);
        assert_eq!(pruned.code, Some(0), "{}", pruned.stderr);
        kept += usize::from(pruned.stdout.contains("kept 2 builds that are in use"));
        if let Some(status) = playing.try_wait().expect("it is a child") {
            break status;
        }
    };
    assert_eq!(status.code(), Some(0));
    assert!(kept > 0);
}

#[test]
fn the_cache_is_listed_and_pruned() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "A subject");
    repository
        .build(&repository.recipe("HEAD", BUILD, ""))
        .expect("built");
    let hone = |arguments: &[&str]| {
        let mut command = repository.hone();
        command.arg("builds").args(arguments);
        finish(command)
    };
    let listed = hone(&[]);
    assert!(listed.stdout.contains("A subject"), "{}", listed.stdout);
    let json = hone(&["--json"]).json();
    assert_eq!(json["builds"][0]["bench"], 5);
    assert_eq!(json["builds"][0]["build"], BUILD);
    assert_eq!(hone(&["prune"]).code, Some(2));
    let kept = hone(&["prune", "--older-than", "1d"]);
    assert!(
        kept.stdout.starts_with("removed 0 builds"),
        "{}",
        kept.stdout
    );
    let gone = hone(&["prune", "--all"]);
    assert!(
        gone.stdout.starts_with("removed 1 build and 1 work tree:"),
        "{}",
        gone.stdout
    );
    assert!(hone(&[]).stdout.starts_with("no builds"));
}
