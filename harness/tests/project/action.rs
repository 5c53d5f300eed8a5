//! The GitHub Action's scripts, as its steps call them, on pull requests of a real
//! repository with an engine. Only GitHub is faked: events are files, and `gh` is a script
//! that keeps one comment.
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::repository::{BUILD, EngineRepository, WEAK};
use crate::common::skip::skipped;
use crate::common::{action, finish, rows, script, scripted};

/// Fake `gh api`: one pull request with at most one comment.
const GH: &str = r#"#!/bin/sh
shift
if [ "$1" = --paginate ]; then
    [ ! -e "$FAKE_GH/body" ] || echo 77
    exit 0
fi
[ ! -e "$FAKE_GH/forbidden" ] || exit 1
echo "$2 $3" >>"$FAKE_GH/calls"
for argument in "$@"; do
    case "$argument" in body=*) printf '%s' "${argument#body=}" >"$FAKE_GH/body" ;; esac
done
"#;

/// A pull request, and the runner on which its jobs run.
struct PullRequest {
    repository: EngineRepository,
    folder: PathBuf,
}

/// The results of a job's steps.
#[derive(Debug)]
struct Job {
    outputs: BTreeMap<String, String>,
    summary: String,
    step_summary: String,
    log: String,
    /// Whether the job is green.
    passes: bool,
}

impl Job {
    fn output(&self, name: &str) -> &str {
        self.outputs.get(name).map_or("", String::as_str)
    }
}

impl PullRequest {
    /// Merges an engine with `change` into one with `base`, as GitHub does for
    /// a check. `None` where `jq` is missing.
    fn new(base: &str, change: &str) -> Option<Self> {
        if !action::has_jq() {
            return None;
        }
        let repository = EngineRepository::new();
        repository.commit_engine(base, 5, "Main");
        repository.git(&["checkout", "--quiet", "-b", "change"]);
        repository.write_engine(change, 6);
        repository.commit("Change");
        repository.git(&["checkout", "--quiet", "--detach", "main"]);
        repository.git(&[
            "merge",
            "--quiet",
            "--no-ff",
            "--message",
            "Merge",
            "change",
        ]);
        let folder = repository.dir.path().join("runner");
        let fake = folder.join("gh");
        fs::create_dir_all(&fake).expect("made");
        script(&fake, "gh", GH);
        fs::write(
            folder.join("event.json"),
            r#"{"action": "synchronize", "number": 12, "pull_request": {"number": 12}}"#,
        )
        .expect("written");
        Some(Self { repository, folder })
    }

    /// Runs one script of the Action; returns whether it succeeded, and what it
    /// printed.
    fn step(&self, script: &str, environment: &[(&str, &str)]) -> (bool, String) {
        let fake = self.folder.join("gh");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut step = action::step(script, &self.repository, &self.folder);
        step.env("PATH", format!("{}:{path}", fake.display()))
            .env("FAKE_GH", fake)
            .env("HONE", env!("CARGO_BIN_EXE_hone"))
            .env("GITHUB_STEP_SUMMARY", self.folder.join("step.md"))
            .env("GITHUB_REPOSITORY", "owner/engine")
            .env("GITHUB_RUN_ID", "42")
            .envs(environment.iter().copied());
        action::outcome(finish(step))
    }

    /// The steps of a job: play, comment, verdict.
    fn job(&self, inputs: &[(&str, &str)]) -> Job {
        let (output, step) = (self.folder.join("output"), self.folder.join("step.md"));
        for file in [&output, &step] {
            fs::write(file, "").expect("written");
        }
        fs::create_dir_all(self.folder.join("home")).expect("made");
        let mut environment = vec![
            ("INPUT_BUILD", BUILD),
            ("INPUT_LIMIT", "nodes=1"),
            ("INPUT_BOOK", "default"),
            ("INPUT_MAX_TIME", "10m"),
            (
                "INPUT_ARGUMENTS",
                "--bench=record\n--set=adjudication.max_moves=20\n--set=adjudication.resign={count=3,score=400,twosided=false}\n--set=match.on_finding=report\n",
            ),
        ];
        environment.extend_from_slice(inputs);
        let (played, mut log) = self.step("play.sh", &environment);
        assert!(played, "{log}");
        let outputs: BTreeMap<String, String> = fs::read_to_string(&output)
            .expect("written")
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        let of = |name: &str| outputs.get(name).cloned().unwrap_or_default();
        let (run, summary, code) = (of("run"), of("summary"), of("code"));
        environment.extend([
            ("RUN", run.as_str()),
            ("SUMMARY", summary.as_str()),
            ("CODE", code.as_str()),
            ("ARTIFACT_URL", "https://github.com/owner/engine/artifact"),
        ]);
        if of("commentable") == "true" {
            let (commented, text) = self.step("comment.sh", &environment);
            assert!(commented, "{text}");
            log += &text;
        }
        let (passes, text) = self.step("verdict.sh", &environment);
        log += &text;
        Job {
            summary: fs::read_to_string(&summary).unwrap_or_default(),
            step_summary: fs::read_to_string(&step).expect("written"),
            outputs,
            log,
            passes,
        }
    }

    /// The comment on the pull request, and how often it was written.
    fn comment(&self) -> (String, Vec<String>) {
        let read = |name: &str| fs::read_to_string(self.folder.join("gh").join(name));
        let calls = read("calls").unwrap_or_default();
        (
            read("body").unwrap_or_default(),
            calls.lines().map(str::to_string).collect(),
        )
    }

    fn home(&self) -> PathBuf {
        self.folder.join("home")
    }
}

#[test]
fn a_good_change_is_green_and_its_comment_is_updated() {
    let Some(pull) = PullRequest::new(WEAK, "") else {
        return;
    };
    let inputs = [("INPUT_PROFILE", "quick")];
    let job = pull.job(&inputs);
    assert_eq!(job.output("code"), "0", "{}", job.log);
    assert_eq!(job.output("verdict"), "passed");
    assert!(job.passes, "{}", job.log);
    assert!(
        job.summary.starts_with("## hone: passed"),
        "{}",
        job.summary
    );
    assert_eq!(job.step_summary, job.summary);
    let (comment, calls) = pull.comment();
    assert_eq!(calls, ["POST repos/owner/engine/issues/12/comments"]);
    let commit = |name: &str| pull.repository.git(&["rev-parse", name])[..10].to_string();
    let verdict = format!(
        "H1 accepted: {} is stronger than {}",
        commit("change"),
        commit("main")
    );
    for part in [
        "<!-- hone: gate -->\n## hone: passed",
        &verdict,
        "H0 -2.94 |----",
        "o| 2.94 H1\nLLR ",
        "[This job](https://github.com/owner/engine/actions/runs/42)",
        "[games, ledger and report](https://github.com/owner/engine/artifact)",
    ] {
        assert!(comment.contains(part), "{part}: {comment}");
    }
    let archive = PathBuf::from(job.output("archive"));
    assert!(archive.is_file(), "{:?}", job.outputs);
    assert_eq!(job.output("artifact"), "hone-gate");
    // The job again: the run has its verdict, and nothing is played.
    let games = rows(Path::new(job.output("run")));
    let again = pull.job(&inputs);
    assert_eq!(again.output("code"), "0", "{}", again.log);
    assert_eq!(rows(Path::new(again.output("run"))), games);
    let (_, calls) = pull.comment();
    assert_eq!(calls[1..], ["PATCH repos/owner/engine/issues/comments/77"]);
    // Another test of the same commit has no verdict of this one.
    let other = pull.job(&[("INPUT_DEV", "git:HEAD^1"), ("INPUT_BASE", "git:HEAD")]);
    assert_eq!(other.output("code"), "2", "{}", other.log);
    assert!(!other.passes && other.log.contains("another test of this commit"));
    assert_eq!(other.output("artifact"), "");
}

#[test]
fn engines_that_are_programs_leave_an_archive_too() {
    let Some(pull) = PullRequest::new("", "") else {
        return;
    };
    let weak = format!("{} --seed 2 {WEAK}", scripted());
    let job = pull.job(&[
        ("INPUT_DEV", &scripted()),
        ("INPUT_BASE", &weak),
        ("INPUT_BUILD", ""),
        ("INPUT_PROFILE", "quick"),
        (
            "INPUT_ARGUMENTS",
            "--base-option=Hash=2\n--set=adjudication.max_moves=20\n--set=adjudication.resign={count=3,score=400,twosided=false}\n--set=match.on_finding=report",
        ),
    ]);
    assert_eq!(job.output("code"), "0", "{}", job.log);
    assert!(
        job.passes && Path::new(job.output("archive")).is_file(),
        "{}",
        job.log
    );
}

#[test]
fn a_regression_is_red_unless_configured_otherwise() {
    let Some(pull) = PullRequest::new("", WEAK) else {
        return;
    };
    fs::write(pull.folder.join("gh/forbidden"), "").expect("written");
    let job = pull.job(&[]);
    assert_eq!(job.output("code"), "1", "{}", job.log);
    assert!(!job.passes && job.log.contains("::error::hone: a regression"));
    assert!(
        job.summary.starts_with("## hone: failed"),
        "{}",
        job.summary
    );
    // A pull request from a fork: its token may not comment.
    assert!(
        job.log.contains("::warning::cannot write the comment"),
        "{}",
        job.log
    );
    let (tolerated, _) = pull.step("verdict.sh", &[("CODE", "1"), ("INPUT_FAIL_ON", "nothing")]);
    assert!(tolerated);
    // A change that is not proven to be stronger need not be weaker.
    let gain = pull.job(&[("INPUT_NAME", "gain"), ("INPUT_PROFILE", "quick")]);
    assert_eq!(gain.output("code"), "1", "{}", gain.log);
    let message = "::error::hone: the change failed its test (H0 accepted)";
    assert!(gain.log.contains(message), "{}", gain.log);
}

#[test]
fn a_build_failure_is_red_and_quotes_the_log() {
    let Some(pull) = PullRequest::new("", "") else {
        return;
    };
    let job = pull.job(&[(
        "INPUT_BUILD",
        // The comment quotes the command, in which the output must not be found.
        "echo engine.c:3: no 'semi'colon; exit 1 # {out}",
    )]);
    assert_eq!(job.output("code"), "4", "{}", job.log);
    assert_eq!(job.output("verdict"), "not-played");
    assert!(!job.passes, "{}", job.log);
    let (comment, _) = pull.comment();
    assert!(comment.contains("## hone: not played"), "{comment}");
    assert!(comment.contains("engine.c:3: no semicolon"), "{comment}");
    assert_eq!(job.output("artifact"), "", "there is no run");
}

#[test]
fn an_undecided_test_is_green_and_the_next_job_resumes_it() {
    let Some(pull) = PullRequest::new("", "") else {
        return;
    };
    let inputs = [("INPUT_MAX_TIME", "2s"), ("INPUT_PROFILE", "gain")];
    let job = pull.job(&inputs);
    assert_eq!(job.output("code"), "3", "{}", job.log);
    assert!(job.passes, "{}", job.log);
    assert!(
        job.summary.starts_with("## hone: no decision"),
        "{}",
        job.summary
    );
    let games = rows(Path::new(job.output("run")));
    let (strict, _) = pull.step(
        "verdict.sh",
        &[("CODE", "3"), ("INPUT_FAIL_ON", "undecided")],
    );
    assert!(!strict);
    let next = pull.job(&inputs);
    assert_eq!(next.output("code"), "3", "{}", next.log);
    assert!(rows(Path::new(next.output("run"))) > games, "{}", next.log);
}

/// Pools shards, on a runner that has only their archives.
fn pool(pull: &PullRequest, archives: &[&Path]) -> Job {
    let shards = pull.home().join("shards");
    let _ = fs::remove_dir_all(&shards);
    for (number, archive) in archives.iter().enumerate() {
        // One alone is downloaded without a folder of its own.
        let folder = match archives.len() {
            1 => shards.clone(),
            _ => shards.join(number.to_string()),
        };
        fs::create_dir_all(&folder).expect("made");
        fs::copy(archive, folder.join("run.tar.gz")).expect("downloaded");
    }
    fs::remove_dir_all(pull.home().join("kept")).expect("another runner");
    pull.job(&[("INPUT_MODE", "pool")])
}

#[test]
fn shards_are_one_test_and_a_lost_one_is_played_by_the_last_job() {
    let Some(pull) = PullRequest::new("", WEAK) else {
        return;
    };
    let arguments = "--bench=record\n--elo0=-100\n--elo1=0\n--pairs=60\n--set=adjudication.max_moves=20\n--set=adjudication.resign={count=3,score=400,twosided=false}\n--set=match.on_finding=report";
    let inputs = |mode, shard, time| {
        [
            ("INPUT_MODE", mode),
            ("INPUT_SHARD", shard),
            ("INPUT_MAX_TIME", time),
            ("INPUT_ARGUMENTS", arguments),
        ]
    };
    let built = pull.job(&inputs("build", "", "1s"));
    assert!(built.passes && built.output("code") == "0", "{}", built.log);
    let first = pull.job(&inputs("sprt", "1/2", "10m"));
    assert!(first.passes && first.output("code") == "3", "{}", first.log);
    assert_eq!(rows(Path::new(first.output("run"))), 60);
    assert_eq!(first.output("artifact"), "hone-gate-shard-1-of-2");
    assert!(
        first.log.contains("this shard is complete"),
        "{}",
        first.log
    );
    // The second is cut off by its time limit, and its job is started again.
    let cut = pull.job(&inputs("sprt", "2/2", "1s"));
    assert!(cut.passes, "{}", cut.log);
    let second = pull.job(&inputs("sprt", "2/2", "10m"));
    assert_eq!(rows(Path::new(second.output("run"))), 60, "{}", second.log);
    assert_eq!(pull.comment().1, Vec::<String>::new(), "no verdict yet");
    // Other runners keep them, as artifacts.
    let [one, two] = [(&first, "one"), (&second, "two")].map(|(job, name)| {
        let kept = pull.folder.join(name);
        fs::copy(job.output("archive"), &kept).expect("uploaded");
        kept
    });
    let judged = pool(&pull, &[&one, &two]);
    assert_eq!(judged.output("code"), "1", "{}", judged.log);
    assert!(!judged.passes && judged.summary.starts_with("## hone: failed"));
    let lost = pool(&pull, &[&one]);
    assert_eq!(lost.output("code"), "1", "{}", lost.log);
    assert!(rows(Path::new(lost.output("run"))) > 60, "{}", lost.log);
    for job in [&judged, &lost] {
        assert_eq!(job.step_summary, job.summary);
    }
    let (_, calls) = pull.comment();
    assert_eq!(calls.len(), 2, "one comment, updated: {calls:?}");
    // The job that has failed before has commented.
    let nothing = pool(&pull, &[]);
    assert_eq!(nothing.output("verdict"), "not-played");
    assert!(!nothing.passes, "{}", nothing.log);
    assert_eq!(pull.comment().1, calls, "{}", nothing.log);
}

/// The runner's git has no user name: the script sets one.
#[test]
fn a_night_is_published_after_commits_that_others_have_pushed() {
    let Some(pull) = PullRequest::new("", "") else {
        return;
    };
    let repository = &pull.repository;
    let [origin, other] = ["origin.git", "other"].map(|name| pull.folder.join(name));
    let [origin, other] = [&origin, &other].map(|path| path.to_str().expect("text"));
    action::publish(repository, origin);
    repository.git(&["clone", "--quiet", origin, other]);
    for arguments in [
        &[
            "commit",
            "--quiet",
            "--allow-empty",
            "--message",
            "Somebody else's",
        ][..],
        &["push", "--quiet", "origin", "main"],
    ] {
        repository.git(&[&["-C", other], arguments].concat());
    }
    repository.write("elo.csv", "a night\n");
    let config = pull.folder.join("gitconfig");
    fs::write(&config, "[user]\nuseConfigOnly = true\n").expect("written");
    let (published, log) = pull.step(
        "publish.sh",
        &[
            ("INPUT_PUBLISH", "elo.csv=docs/elo.csv"),
            ("GIT_CONFIG_GLOBAL", config.to_str().expect("text")),
            ("GIT_CONFIG_NOSYSTEM", "1"),
        ],
    );
    assert!(published, "{log}");
    let subjects = repository.git(&["-C", origin, "log", "-2", "--format=%s", "main"]);
    assert!(subjects.starts_with("Nightly Elo of "), "{subjects}");
    assert!(subjects.ends_with("Somebody else's"), "{subjects}");
    let there = repository.git(&["-C", origin, "show", "main:docs/elo.csv"]);
    assert_eq!(there, "a night");
}

#[test]
fn a_push_is_tested_against_the_commit_before_it() {
    let Some(pull) = PullRequest::new(WEAK, "") else {
        return;
    };
    let before = pull.repository.git(&["rev-parse", "main"]);
    fs::write(
        pull.folder.join("event.json"),
        format!(r#"{{"before": "{before}"}}"#),
    )
    .expect("written");
    pull.repository.commit("No functional change");
    let job = pull.job(&[("GITHUB_EVENT_NAME", "push"), ("INPUT_PROFILE", "quick")]);
    assert_eq!(job.output("code"), "0", "{}", job.log);
    assert!(job.summary.contains(&before[..10]), "{}", job.summary);
    assert_eq!(pull.comment().1, Vec::<String>::new(), "no pull request");
}

#[test]
fn a_release_is_installed_only_with_the_right_checksum() {
    let Some(pull) = PullRequest::new("", "") else {
        return;
    };
    let releases = pull.folder.join("releases");
    let version = releases.join("v1.0");
    let content = releases.join("hone-x86_64-unknown-linux-musl");
    fs::create_dir_all(&version).expect("made");
    fs::create_dir_all(&content).expect("made");
    script(&content, "hone", "#!/bin/sh\necho hone of the release\n");
    let archive = version.join("hone-x86_64-unknown-linux-musl.tar.gz");
    let mut tar = Command::new("tar");
    tar.arg("czf").arg(&archive).arg("-C").arg(&releases);
    tar.arg("hone-x86_64-unknown-linux-musl");
    assert_eq!(finish(tar).code, Some(0));
    let mut sum = Command::new("sha256sum");
    sum.arg(&archive);
    let sum = finish(sum).stdout;
    let sums = archive.with_extension("gz.sha256");
    fs::write(&sums, &sum).expect("written");
    fs::create_dir_all(pull.home()).expect("made");
    let url = format!("file://{}", releases.display());
    let environment = [
        ("ACTION_REF", "v1.0"),
        ("RUNNER_OS", "Linux"),
        ("RUNNER_ARCH", "X64"),
        ("HONE_RELEASES", url.as_str()),
    ];
    let (installed, log) = pull.step("install.sh", &environment);
    if log.contains("the Action needs `curl`") {
        skipped("curl is not installed");
        return;
    }
    assert!(installed && log.contains("hone of the release"), "{log}");
    fs::write(&sums, sum.replacen(|c: char| c.is_ascii_hexdigit(), "x", 1)).expect("written");
    let (installed, log) = pull.step("install.sh", &environment);
    assert!(!installed && log.contains("has the checksum"), "{log}");
    let (installed, log) = pull.step(
        "install.sh",
        &[&environment[1..], &[("ACTION_REF", "v1")]].concat(),
    );
    assert!(!installed && log.contains("of release v1 from"), "{log}");
    assert!(log.contains("set `version:` to a release"), "{log}");
}
