//! Nights that fail, are killed or interrupted do not prevent other nights.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use super::common::repository::{EngineRepository, SLOW};
use super::common::running::Running;
use super::common::{Finished, interrupted, rows, wait_until};
use super::{CHANGING_BUILD, STRONG, Tracked, roles};
use hone_kinds::track::Role;

/// A build script whose engine exits with code 9 when it is started.
const FAILING_ENGINE: &str = "printf '#!/bin/sh\\nexit 9\\n' > \"$1\"; chmod +x \"$1\"";

#[test]
fn missed_commits_are_caught_up_with_through_kills() {
    let tracked = Tracked::new();
    let repository = &tracked.repository;
    let mut commits = vec![repository.commit_engine(STRONG, 2, "Two")];
    repository.write("build.sh", "exit 1");
    repository.commit("Broken");
    repository.write("build.sh", FAILING_ENGINE);
    repository.commit("Builds, and does not start");
    for number in 3..5 {
        commits.push(repository.commit_engine(STRONG, number, &format!("Number {number}")));
    }
    let mut command = tracked.command(&["--since", "v1"]);
    let tracking = Running::start(command.stderr(Stdio::null()));
    let second = tracked.run(&commits[1]);
    wait_until("the second night", || rows(&second) >= 4);
    tracking.kill();
    assert_eq!(tracked.nights().len(), 1);
    let went = tracked.track(&["--since", "v1", "--json"]);
    assert_eq!(went.code, Some(0), "{}", went.stderr);
    assert!(went.stderr.contains("resuming "), "{}", went.stderr);
    for skipped in [
        "skipped, as it does not build",
        "skipped, as it builds but does not start",
    ] {
        assert!(went.stderr.contains(skipped), "{}", went.stderr);
    }
    let nights = tracked.nights();
    assert_eq!(tracked.played(), commits);
    assert_eq!(nights[2].matches[1].commit, commits[1]);

    // A time limit loses no night either.
    let fifth = repository.commit_engine(SLOW, 5, "Five");
    let short = tracked.track(&["--max-time", "1s", "--set", "track.pairs=2000"]);
    assert_eq!(short.code, Some(3), "{}", short.stderr);
    assert_eq!(tracked.nights().len(), 3);
    assert!(tracked.run(&fifth).exists());
    fs::remove_dir_all(tracked.run(&fifth)).expect("removed");
    repository.git(&["reset", "--quiet", "--hard", "HEAD^"]);

    // A process that is killed after the last game leaves a finished run without a row in
    // `elo.csv`: the run is not played again.
    let table = tracked.table();
    let cut = table.trim_end().rfind('\n').expect("rows") + 1;
    fs::write(tracked.out().join("elo.csv"), &table[..cut]).expect("written");
    let again = tracked.track(&["--json"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(tracked.table(), table);
}

#[test]
fn a_newest_commit_that_does_not_start_is_an_error_and_those_skipped_before_it_are_listed() {
    let tracked = Tracked::new();
    let repository = &tracked.repository;
    repository.write("build.sh", "exit 1");
    let unbuilt = repository.commit("Does not build");
    repository.write("build.sh", FAILING_ENGINE);
    let dead = repository.commit("Does not start");
    let path = repository.dir.path().join("summary.md");
    let path = path.to_str().expect("text");
    let arguments = ["--since", "v1", "--pairs", "2", "--json", "--summary", path];
    let summary = || fs::read_to_string(path).expect("written");
    let wrong = repository.commit_engine(STRONG, 7, "Wrong\n\nBench: 8");
    repository.write("build.sh", &format!("{FAILING_ENGINE} # again"));
    repository.commit("Does not start either");
    let items = [
        format!("- `{}` Does not build: it does not build\n", &unbuilt[..10]),
        format!(
            "- `{}` Wrong: it builds but has another bench (",
            &wrong[..10]
        ),
        format!(
            "- `{}` Does not start: it builds but does not start (",
            &dead[..10]
        ),
    ];

    let failed = tracked.track(&arguments);
    assert_eq!(failed.code, Some(4), "{}", failed.stderr);
    assert!(summary().contains("not played"), "{}", summary());
    for item in &items {
        assert!(summary().contains(item), "{item}: {}", summary());
    }
    assert!(tracked.nights().is_empty());

    repository.commit_engine(STRONG, 2, "Fixed");
    let went = tracked.track(&arguments);
    assert_eq!(went.code, Some(0), "{}", went.stderr);
    let json = went.json();
    let skipped = json["skipped"].as_array().expect("a list");
    assert_eq!(skipped.len(), 4, "{json}");
    assert_eq!(skipped[0]["commit"], unbuilt);
    assert_eq!(skipped[0]["reason"], "it does not build");
    assert_eq!(skipped[1]["commit"], dead);
    assert_eq!(skipped[1]["subject"], "Does not start");
    for item in &items {
        assert!(summary().contains(item), "{item}: {}", summary());
    }
}

/// A signal does not mean that the engine does not start.
#[test]
fn a_commit_whose_engine_is_killed_at_its_first_start_is_played_in_its_turn() {
    let tracked = Tracked::new();
    let repository = &tracked.repository;
    let marker = repository.dir.path().join("was-killed");
    let mut commits = Vec::new();
    for number in 2..4 {
        repository.write_engine(STRONG, number);
        if number == 2 {
            let engine = fs::read_to_string(repository.path().join("engine.sh")).expect("there");
            let kill = format!(
                "esac\n[ -e '{0}' ] || {{ touch '{0}'; kill -9 $$; }}",
                marker.display()
            );
            repository.write("engine.sh", &engine.replacen("esac", &kill, 1));
        }
        commits.push(repository.commit(&format!("Number {number}")));
    }
    let went = tracked.track(&["--since", "v1"]);
    assert_eq!(went.code, Some(0), "{}", went.stderr);
    assert!(marker.exists(), "it was not killed");
    assert!(went.stderr.contains("tried again"), "{}", went.stderr);
    let nights = tracked.nights();
    assert_eq!(tracked.played(), commits, "{}", went.stderr);
    assert_eq!(nights[1].matches[1].commit, commits[0]);
}

/// Starts `hone track`, and sends SIGINT to it and to the build when the build has made
/// `marker`. Returns the messages of `hone`.
fn interrupt(tracked: &Tracked, arguments: &[&str], marker: &Path) -> String {
    let Finished { code, stderr, .. } = interrupted(tracked.command(arguments), marker);
    assert_eq!(code, Some(130), "{stderr}");
    assert!(!stderr.contains("does not build"), "{stderr}");
    stderr
}

/// A terminal sends Ctrl-C to `hone` and to the build.
#[test]
fn an_interrupted_build_does_not_count_as_a_failure() {
    let tracked = Tracked::new();
    let repository = &tracked.repository;
    let mut commits = vec![repository.commit_engine(STRONG, 2, "Second")];
    let marker = repository.dir.path().join("is-building");
    repository.write_engine(STRONG, 3);
    repository.write_waiting_build(&format!("[ ! -e '{}' ]", marker.display()), &marker);
    commits.push(repository.commit("Third"));
    commits.push(repository.commit_engine(STRONG, 4, "Fourth"));

    // First after a night of the same process, then at the start of a process.
    for _ in 0..2 {
        let _ = fs::remove_file(&marker);
        let stderr = interrupt(&tracked, &["--since", "v1"], &marker);
        let message = format!("Interrupted before {}", &commits[1][..10]);
        for part in [message.as_str(), "Run the same command to continue"] {
            assert!(stderr.contains(part), "{part}: {stderr}");
        }
        assert_eq!(tracked.played(), commits[..1]);
    }
    assert!(!tracked.run(&commits[1]).exists());
    assert!(!tracked.run(&commits[2]).exists());

    let went = tracked.track(&["--since", "v1"]);
    assert_eq!(went.code, Some(0), "{}", went.stderr);
    assert_eq!(tracked.played(), commits);
}

/// For example because the compiler has changed.
#[test]
fn a_nightly_is_played_without_an_opponent_that_does_not_build_or_start() {
    let tracked = Tracked::new();
    let repository = &tracked.repository;
    repository.write_engine(STRONG, 2);
    repository.write("build.sh", FAILING_ENGINE);
    let release = repository.commit("Builds, and does not start");
    repository.git(&["tag", "v2"]);
    let compiler = repository.dir.path().join("compiler");
    fs::write(&compiler, "").expect("written");
    repository.write_engine(STRONG, 3);
    let build = fs::read_to_string(repository.path().join("build.sh")).expect("there");
    let build = format!("test -e '{}' || exit 1\n{build}", compiler.display());
    repository.write("build.sh", &build);
    let previous = repository.commit("Needs the old compiler");
    let without_release = format!(
        "warning: this nightly is played without the release {}: ",
        &release[..10]
    );
    let without_previous = format!(
        "warning: this nightly is played without the previous nightly {}: ",
        &previous[..10]
    );

    let night = tracked.track(&["--pairs", "2"]);
    assert_eq!(night.code, Some(0), "{}", night.stderr);
    for part in [&without_release, "(it builds but does not start)"] {
        assert!(night.stderr.contains(part), "{part}: {}", night.stderr);
    }
    fs::remove_file(&compiler).expect("removed");
    fs::remove_dir_all(repository.cache()).expect("removed");
    let next = repository.commit_engine(STRONG, 4, "Needs no compiler");
    let night = tracked.track(&["--pairs", "2"]);
    assert_eq!(night.code, Some(0), "{}", night.stderr);
    for part in [&without_release, &without_previous, "does not build ("] {
        assert!(night.stderr.contains(part), "{part}: {}", night.stderr);
    }
    assert_eq!(tracked.played(), [previous, next]);
    for night in tracked.nights() {
        assert_eq!(roles(&night), [Role::Anchor]);
    }
    // Without the anchor, Elo cannot be computed.
    repository.commit_engine(STRONG, 5, "Fifth");
    let fatal = tracked.track(&["--set", "track.anchor=v2"]);
    assert_eq!(fatal.code, Some(4), "{}", fatal.stderr);
    assert_eq!(tracked.nights().len(), 2);
}

/// Ctrl-C also interrupts the build of an opponent.
#[test]
fn an_interrupted_build_does_not_leave_an_opponent_out() {
    let tracked = Tracked::new();
    let repository = &tracked.repository;
    let [waits, marker] = ["waits", "is-building"].map(|name| repository.dir.path().join(name));
    repository.write_engine(STRONG, 2);
    repository.write_waiting_build(&format!("[ -e '{}' ]", waits.display()), &marker);
    repository.commit("Second");
    let night = tracked.track(&["--pairs", "2"]);
    assert_eq!(night.code, Some(0), "{}", night.stderr);

    fs::remove_dir_all(repository.cache()).expect("removed");
    fs::write(&waits, "").expect("written");
    let third = repository.commit_engine(STRONG, 3, "Third");
    let stderr = interrupt(&tracked, &["--pairs", "2"], &marker);
    assert!(!stderr.contains("played without"), "{stderr}");
    assert!(!tracked.run(&third).exists());
    fs::remove_file(&waits).expect("removed");
    let night = tracked.track(&["--pairs", "2"]);
    assert_eq!(night.code, Some(0), "{}", night.stderr);
    assert_eq!(roles(&tracked.nights()[1]), [Role::Anchor, Role::Previous]);
}

/// Commits an engine that crashes in each game, a few moves after the opening.
fn commit_crashing(repository: &EngineRepository, number: u64) -> String {
    repository.write_engine(STRONG, number);
    let engine = fs::read_to_string(repository.path().join("engine.sh")).expect("there");
    let crash = "while read -r line; do case \"$line\" in *' moves '*' '*' '*' '*) exit;; esac; \
                 printf '%s\\n' \"$line\"; done | ";
    repository.write("engine.sh", &engine.replacen("exec ", crash, 1));
    repository.commit(&format!("Crashes, number {number}"))
}

#[test]
fn a_commit_that_fails_too_often_does_not_block_those_after_it() {
    let tracked = Tracked::new();
    let repository = &tracked.repository;
    let crashing = commit_crashing(repository, 2);
    // Every call reports it while it is the newest commit.
    for _ in 0..2 {
        let failed = tracked.track(&[]);
        assert_eq!(failed.code, Some(4), "{}", failed.stderr);
        assert!(failed.stderr.contains("failed in"), "{}", failed.stderr);
    }
    let warning = |commit: &str| {
        let run = tracked.run(commit);
        format!("warning: cannot finish {}", run.display())
    };
    let fixed = repository.commit_engine(STRONG, 3, "Fixed");
    // The first call plays it, the second has no new commit.
    for _ in 0..2 {
        let went = tracked.track(&[]);
        assert_eq!(went.code, Some(0), "{}", went.stderr);
        assert!(went.stderr.contains(&warning(&crashing)), "{}", went.stderr);
        assert_eq!(tracked.played(), [fixed.as_str()]);
    }

    // Several missed commits.
    let again = commit_crashing(repository, 4);
    let last = repository.commit_engine(STRONG, 5, "Fixed again");
    let went = tracked.track(&["--since", "v1"]);
    assert_eq!(went.code, Some(0), "{}", went.stderr);
    for commit in [&crashing, &again] {
        assert!(went.stderr.contains(&warning(commit)), "{}", went.stderr);
    }
    assert_eq!(tracked.played(), [fixed, last]);
}

#[test]
fn a_night_that_cannot_be_resumed_does_not_block_those_after_it() {
    let (tracked, second) = Tracked::with_changing_builds();
    let repository = &tracked.repository;
    let interrupt = || {
        let short = tracked.track(&["--max-time", "1s", "--set", "track.pairs=2000"]);
        assert_eq!(short.code, Some(3), "{}", short.stderr);
        fs::remove_dir_all(repository.cache()).expect("removed");
    };
    interrupt();
    let stuck = tracked.track(&[]);
    assert_eq!(stuck.code, Some(2), "{}", stuck.stderr);
    for message in ["is not the one this run was started with", "--force plays"] {
        assert!(
            stuck.stderr.contains(message),
            "{message}: {}",
            stuck.stderr
        );
    }
    // With `--force` it is played from the start; later calls ignore the unfinished run.
    for (arguments, is_tried) in [(&["--force"][..], true), (&[], false)] {
        let went = tracked.track(arguments);
        assert_eq!(went.code, Some(0), "{}", went.stderr);
        let is_named = went.stderr.contains("cannot finish");
        assert_eq!(is_named, is_tried, "{}", went.stderr);
        let nights = tracked.nights();
        assert_eq!(nights.len(), 1);
        assert_eq!(nights[0].run, format!("{}-2", &second[..10]));
    }
    // A later commit is played although the one before it cannot be resumed.
    repository.write("build.sh", &format!("{CHANGING_BUILD} # changed"));
    repository.commit("Third");
    interrupt();
    let fourth = repository.commit_engine(STRONG, 4, "Fourth");
    let went = tracked.track(&[]);
    assert_eq!(went.code, Some(0), "{}", went.stderr);
    assert_eq!(tracked.nights()[1].commit, fourth);
}

/// Commits an engine that lacks the option `Hash`, as one that has renamed it.
fn commit_without_hash(repository: &EngineRepository, number: u64) -> String {
    repository.write_engine(STRONG, number);
    let engine = fs::read_to_string(repository.path().join("engine.sh")).expect("there");
    let filter = " | while IFS= read -r line; do case \"$line\" in 'option name Hash '*) ;; \
                  *) printf '%s\\n' \"$line\";; esac; done\n";
    let engine = engine.replacen("exec ", "", 1);
    repository.write("engine.sh", &format!("{}{filter}", engine.trim_end()));
    repository.commit(&format!("No Hash, number {number}"))
}

#[test]
fn a_commit_that_lacks_an_option_of_the_configuration_is_broken_if_the_anchor_has_it() {
    let tracked = Tracked::new();
    let repository = &tracked.repository;
    let without = commit_without_hash(repository, 2);
    let arguments = ["--pairs", "2", "--set", "engine.0.options.Hash=2"];
    let failed = tracked.track(&arguments);
    assert_eq!(failed.code, Some(4), "{}", failed.stderr);
    let message = "no option `Hash` (it builds but does not support the configuration)";
    assert!(failed.stderr.contains(message), "{}", failed.stderr);
    // Without a row there is nothing to show.
    assert!(!tracked.out().join("elo.html").exists());

    let fixed = repository.commit_engine(STRONG, 3, "Hash again");
    let went = tracked.track(&[&arguments[..], &["--since", "v1", "--json"]].concat());
    assert_eq!(went.code, Some(0), "{}", went.stderr);
    let json = went.json();
    assert_eq!(json["skipped"][0]["commit"], without);
    let reason = json["skipped"][0]["reason"].as_str().expect("text");
    let begin = "it builds but does not support the configuration (engine ";
    assert!(reason.starts_with(begin), "{reason}");
    assert_eq!(tracked.played(), [fixed]);
    // An option that the anchor lacks too is an error of the configuration.
    let wrong = ["--force", "--set", "engine.0.options.Nonsense=1"];
    let refused = tracked.track(&wrong);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let message = "no option `Nonsense`";
    assert!(refused.stderr.contains(message), "{}", refused.stderr);
}
