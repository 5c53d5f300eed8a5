//! The tests that the GitHub Action starts, and the files that it publishes: its scripts
//! with a fake `hone` that only stores its arguments.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::repository::EngineRepository;
use crate::common::{action, finish, script, workspace};

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

    /// Runs `play.sh` for a night, whose results are in `results`.
    fn night(&self) -> (bool, String) {
        let nightly = [("INPUT_MODE", "nightly"), ("INPUT_CONFIG", "nightly.toml")];
        self.step("play.sh", &nightly)
    }

    /// The nights of a later job.
    fn kept(&self) -> PathBuf {
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
    let expected = "track nightly.toml --out results --build make --book default --limit nodes=1 \
                    --concurrency 3 --pairs=7 --max-time 60m";
    assert!(arguments.starts_with(expected), "{arguments}");
    fs::remove_file(change.folder.join("arguments")).expect("there");
    let (_, log) = night(&[("INPUT_PROFILE", "gain"), ("INPUT_BASE", "git:HEAD^1")]);
    let refusal = "::error::mode nightly does not have the inputs base profile: remove them";
    assert!(log.contains(refusal), "{log}");
    assert!(!change.folder.join("arguments").exists());
    let outputs = fs::read_to_string(change.folder.join("output")).expect("written");
    assert!(outputs.contains("code=2\n"), "{outputs}");
    for (input, value, refusal) in [
        ("INPUT_CONFIG", "", "mode nightly needs the input config"),
        (
            "INPUT_ARGUMENTS",
            "--pairs=7\n--out=results/deep",
            "use the input results",
        ),
        (
            "INPUT_ARGUMENTS",
            "--out\nresults/deep",
            "use the input results",
        ),
    ] {
        let (ended, log) = night(&[(input, value)]);
        assert!(ended && log.contains(refusal), "{log}");
        assert!(!change.folder.join("arguments").exists());
    }
}

#[test]
fn nightlies_in_another_folder_are_kept_and_published_too() {
    let Some(change) = Change::new() else {
        return;
    };
    let origin = published(&change);
    let deep = ("INPUT_RESULTS", "results/deep");
    let nightly = [
        ("INPUT_MODE", "nightly"),
        ("INPUT_CONFIG", "nightly.toml"),
        deep,
    ];
    script(
        &change.folder,
        "hone",
        "#!/bin/sh\n[ \"$1\" = track ] || exit 0\n[ \"$3 $4\" = '--out results/deep' ] || exit 2\n\
         mkdir -p \"$4/track/night\"\necho a game >>\"$4/track/night/games.csv\"\n\
         echo a night >\"$4/elo.csv\"\necho a record >\"$4/elo.toml\"\n",
    );
    for job in [1, 2] {
        let (played, log) = change.step("play.sh", &nightly);
        assert!(played, "{log}");
        let outputs = fs::read_to_string(change.folder.join("output")).expect("written");
        assert!(outputs.contains("code=0\n"), "{outputs}");
        let (succeeded, log) = change.step("nights.sh keep", &[deep]);
        assert!(succeeded, "{log}");
        let kept = change.folder.join("home/kept/track-results-deep");
        assert_eq!(games(&kept, "night"), job);
        if job == 1 {
            fs::remove_dir_all(change.repository.path().join("results")).expect("another runner");
        }
    }
    let publish = [("INPUT_PUBLISH", "results/deep/elo.csv"), deep];
    let (succeeded, log) = change.step("publish.sh", &publish);
    assert!(succeeded, "{log}");
    let there = ["-C", &origin, "show", "main:results/deep/elo.toml"];
    assert_eq!(change.repository.git(&there), "a record");
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

#[test]
fn the_cache_drops_nights_whose_rows_are_committed() {
    let Some(change) = Change::new() else {
        return;
    };
    let repository = &change.repository;
    let kept = change.kept();
    for night in ["one", "two", "three"] {
        fs::create_dir_all(kept.join(night)).expect("made");
    }
    fs::create_dir(repository.path().join("results")).expect("made");
    repository.write("results/elo.csv", "run,date\none,1\ntwo,2\n");
    repository.commit("Nights");
    repository.write("results/elo.csv", "run,date\none,1\ntwo,2\nthree,3\n");
    let (succeeded, log) = change.step("nights.sh keep", &[]);
    assert!(succeeded, "{log}");
    let nights = ["one", "two", "three"].map(|night| kept.join(night).exists());
    // The last of a table has the configuration.
    assert_eq!(nights, [false, true, true], "{log}");
}

/// The number of games of a night in a folder of nights.
fn games(folder: &Path, night: &str) -> usize {
    let ledger = fs::read_to_string(folder.join(night).join("games.csv"));
    ledger.map_or(0, |text| text.lines().count())
}

/// Writes the ledger of a night.
fn write_night(folder: &Path, night: &str, games: usize) {
    let folder = folder.join(night);
    fs::create_dir_all(&folder).expect("made");
    fs::write(folder.join("games.csv"), "a game\n".repeat(games)).expect("written");
}

#[test]
fn a_job_that_is_cancelled_keeps_its_night() {
    let Some(change) = Change::new() else {
        return;
    };
    // The runner ends the script while a night is played.
    let cancelled = "#!/bin/sh\nmkdir -p results/track/night\necho a game >>results/track/night/games.csv\nkill -KILL $PPID\n";
    script(&change.folder, "hone", cancelled);
    let keep = || {
        let (succeeded, log) = change.step("nights.sh keep", &[]);
        assert!(succeeded, "{log}");
        games(&change.kept(), "night")
    };
    let results = change.repository.path().join("results");
    assert!(!change.night().0);
    assert_eq!(keep(), 1);
    for job in [2, 3] {
        fs::remove_dir_all(&results).expect("another runner");
        assert!(!change.night().0);
        assert_eq!(games(&results.join("track"), "night"), job);
        // Until the next step, the cache has what it had.
        assert_eq!(games(&change.kept(), "night"), job - 1);
        assert_eq!(keep(), job);
    }
    // A job that does not get as far as a night.
    fs::remove_dir_all(&results).expect("another runner");
    assert_eq!(keep(), 3);
    // The step also follows one that was cancelled, and precedes the saving of the cache.
    let action = fs::read_to_string(workspace().join("action.yml")).expect("there");
    let (_, steps) = action.split_once("id: play").expect("the step");
    let (before, _) = steps.split_once("actions/cache/save").expect("the step");
    let step = "if: always() && inputs.mode == 'nightly'";
    assert!(before.contains(step) && before.contains("nights.sh\" keep"));
}

#[test]
fn nights_in_the_repository_do_not_replace_those_of_the_cache() {
    let Some(change) = Change::new() else {
        return;
    };
    let (kept, track) = (
        change.kept(),
        change.repository.path().join("results/track"),
    );
    write_night(&track, "committed", 4);
    write_night(&track, "unfinished", 2);
    write_night(&kept, "committed", 3);
    write_night(&kept, "unfinished", 6);
    write_night(&kept, "not pushed", 4);
    let (played, log) = change.night();
    assert!(played, "{log}");
    let (succeeded, log) = change.step("nights.sh keep", &[]);
    assert!(succeeded, "{log}");
    for folder in [track, kept] {
        let found = ["committed", "unfinished", "not pushed"].map(|night| games(&folder, night));
        assert_eq!(found, [4, 6, 4], "{}", folder.display());
    }
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

/// The table of nights is in `results/elo.csv`.
#[test]
fn what_belongs_to_the_table_of_nights_is_published_with_it() {
    let Some(change) = Change::new() else {
        return;
    };
    let origin = published(&change);
    fs::create_dir_all(change.repository.path().join("results")).expect("made");
    change.repository.write("results/elo.csv", "a night\n");
    change.repository.write("results/elo.toml", "a record\n");
    let publish = [("INPUT_PUBLISH", "results/elo.csv")];
    let (succeeded, log) = change.step("publish.sh", &publish);
    assert!(succeeded, "{log}");
    let there = ["-C", &origin, "show", "main:results/elo.toml"];
    assert_eq!(change.repository.git(&there), "a record");
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
