//! `hone track` in repositories whose history was rewritten, or that contain its own files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::repository::{BUILD, EngineRepository};
use crate::common::{Finished, finish, workspace};
use hone_kinds::track::{Night, Role, read};

/// An engine whose first commit is the anchor, `v1`, and its configuration.
fn tracked() -> (EngineRepository, PathBuf) {
    let repository = EngineRepository::new();
    repository.commit_engine("", 1, "First");
    repository.git(&["tag", "v1"]);
    let config = repository.dir.path().join("nightly.toml");
    let text = format!(
        "[[engine]]\ngit = \".\"\nbuild = \"{BUILD}\"\n\
         [track]\nbranch = \"main\"\nanchor = \"v1\"\nreleases = \"\"\npairs = 2\n\
         [match]\nlimit = \"nodes=100\"\nopenings = {{ file = \"{}\" }}\n\
         [adjudication]\nmax_moves = 20\n",
        workspace().join("books/quick.epd").display()
    );
    fs::write(&config, text).expect("written");
    (repository, config)
}

fn track(repository: &EngineRepository, config: &Path, out: &Path, more: &[&str]) -> Finished {
    let mut command = repository.hone();
    command.arg("track").arg(config).arg("--out").arg(out);
    command.args(more);
    finish(command)
}

fn nights(out: &Path) -> Vec<Night> {
    read(&out.join("elo.csv")).expect("reads")
}

/// As in a new clone after a force push.
#[test]
fn a_night_is_played_although_the_commit_of_the_last_one_is_gone() {
    let (repository, config) = tracked();
    let out = repository.dir.path().join("results");
    let second = repository.commit_engine("", 2, "Second");
    let night = track(&repository, &config, &out, &[]);
    assert_eq!(night.code, Some(0), "{}", night.stderr);
    let committed = nights(&out)[0].committed;
    repository.git(&["reset", "--quiet", "--hard", "v1"]);
    let third = repository.commit_engine("", 3, "Second, rewritten");
    repository.git(&["update-ref", "-d", "ORIG_HEAD"]);
    repository.git(&["reflog", "expire", "--expire=now", "--all"]);
    repository.git(&["gc", "--quiet", "--prune=now"]);

    let night = track(&repository, &config, &out, &[]);
    assert_eq!(night.code, Some(0), "{}", night.stderr);
    let message = "its commit is not in the repository any more";
    assert!(night.stderr.contains(message), "{}", night.stderr);
    let nights = nights(&out);
    let commits: Vec<&str> = nights.iter().map(|night| night.commit.as_str()).collect();
    assert_eq!(commits, [&second, &third]);
    assert_eq!(nights[0].subject, "Second");
    assert_eq!(nights[0].committed, committed);
    assert_eq!(nights[1].matches.len(), 1);
    assert_eq!(nights[1].matches[0].role, Role::Anchor);
}

/// Without `paths` every commit is played, except those that only publish the nights.
#[test]
fn commits_of_its_own_files_are_not_played() {
    let (repository, config) = tracked();
    let out = repository.path().join("results");
    let second = repository.commit_engine("", 2, "Second");
    let night = track(&repository, &config, &out, &[]);
    assert_eq!(night.code, Some(0), "{}", night.stderr);
    repository.commit("Nightly Elo");
    for more in [&[][..], &["--since", "v1"]] {
        let night = track(&repository, &config, &out, more);
        assert_eq!(night.code, Some(0), "{}", night.stderr);
        assert!(night.stderr.contains("nothing to do"), "{}", night.stderr);
    }
    let nights = nights(&out);
    assert_eq!(nights.len(), 1);
    assert_eq!(nights[0].commit, second);
}

#[test]
fn a_summary_has_the_error_and_is_refused_before_the_build_if_it_cannot_be_written() {
    let (repository, config) = tracked();
    let out = repository.dir.path().join("results");
    repository.write("build.sh", "echo no compiler; exit 1");
    repository.commit("Broken");
    let path = repository.dir.path().join("summary.md");
    let path = path.to_str().expect("text");
    let broken = track(&repository, &config, &out, &["--summary", path]);
    assert_eq!(broken.code, Some(4), "{}", broken.stderr);
    let summary = fs::read_to_string(path).expect("written");
    for part in ["not played", "no compiler"] {
        assert!(summary.contains(part), "{part}: {summary}");
    }
    let refused = track(&repository, &config, &out, &["--summary", "missing/s.md"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let message = "cannot write the summary missing/s.md";
    assert!(refused.stderr.contains(message), "{}", refused.stderr);
    assert!(!refused.stderr.contains("building"), "{}", refused.stderr);
}
