//! `hone track` as a nightly job runs it.

#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;
mod failures;
mod history;
mod limits;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use common::json::number;
use common::repository::{BUILD, EngineRepository, SLOW, WEAK};
use common::running::Running;
use common::{Finished, column, finish, rows, wait_until, workspace};
use hone_kinds::track::{Night, Role, read};

struct Tracked {
    repository: EngineRepository,
    config: PathBuf,
    anchor: String,
}

const STRONG: &str = "";

/// A build script whose output differs each time.
const CHANGING_BUILD: &str = "cp engine.sh \"$1\"; date '+# %s %N' >> \"$1\"; chmod +x \"$1\"";

impl Tracked {
    /// An engine whose first commit is a release and the anchor.
    fn new() -> Self {
        let repository = EngineRepository::new();
        let anchor = repository.commit_engine(STRONG, 1, "First");
        repository.git(&["tag", "v1"]);
        let config = repository.dir.path().join("nightly.toml");
        let text = format!(
            "[[engine]]\ngit = \".\"\nbuild = \"{BUILD}\"\n\
             [track]\nbranch = \"main\"\npaths = [\"engine.sh\", \"build.sh\"]\nanchor = \"v1\"\npairs = 24\nfalse_alarm_nights = 500\n\
             [match]\nlimit = \"nodes=300\"\nopenings = {{ file = \"{}\" }}\n\
             [adjudication]\nmax_moves = 20\nresign = {{ count = 3, score = 400, twosided = false }}\n",
            workspace().join("books/quick.epd").display()
        );
        fs::write(&config, text).expect("written");
        Self {
            repository,
            config,
            anchor,
        }
    }

    /// [`Tracked::new`] with a second commit, whose id is returned. From it on, no two builds
    /// are the same program.
    fn with_changing_builds() -> (Self, String) {
        let tracked = Self::new();
        tracked.repository.write_engine(SLOW, 2);
        tracked.repository.write("build.sh", CHANGING_BUILD);
        let second = tracked.repository.commit("Second");
        (tracked, second)
    }

    fn out(&self) -> PathBuf {
        self.repository.dir.path().join("results")
    }

    fn command(&self, more: &[&str]) -> Command {
        let mut command = self.repository.hone();
        command
            .arg("track")
            .arg(&self.config)
            .arg("--out")
            .arg(self.out())
            .args(more);
        command
    }

    fn track(&self, more: &[&str]) -> Finished {
        finish(self.command(more))
    }

    fn nights(&self) -> Vec<Night> {
        read(&self.out().join("elo.csv")).expect("reads")
    }

    /// The commits of all nights.
    fn played(&self) -> Vec<String> {
        let nights = self.nights().into_iter();
        nights.map(|night| night.commit).collect()
    }

    /// The folder of the first run of a commit.
    fn run(&self, commit: &str) -> PathBuf {
        self.out().join("track").join(&commit[..10])
    }

    fn table(&self) -> String {
        fs::read_to_string(self.out().join("elo.csv")).unwrap_or_default()
    }
}

fn roles(night: &Night) -> Vec<Role> {
    night.matches.iter().map(|played| played.role).collect()
}

#[test]
fn nights_are_played_compared_and_never_twice() {
    let tracked = Tracked::new();
    let repository = &tracked.repository;
    let alone = tracked.track(&[]);
    assert_eq!(alone.code, Some(0), "{}", alone.stderr);
    assert!(
        alone.stderr.contains("has no opponents"),
        "{}",
        alone.stderr
    );

    let second = repository.commit_engine(STRONG, 2, "Second\n\nBench: 2");
    let first_night = tracked.track(&["--json"]);
    assert_eq!(first_night.code, Some(0), "{}", first_night.stderr);
    assert_eq!(first_night.json()["played"], serde_json::json!([second]));
    assert_eq!(roles(&tracked.nights()[0]), [Role::Anchor]);

    // Without new commits that change the engine, no night is played.
    let table = tracked.table();
    repository.write("README", "not the engine");
    repository.commit("Documentation");
    for _ in 0..2 {
        let again = tracked.track(&["--json"]);
        assert_eq!(again.code, Some(0), "{}", again.stderr);
        assert_eq!(again.json()["played"], serde_json::json!([]));
        assert_eq!(tracked.table(), table);
    }
    let forced = tracked.track(&["--force"]);
    assert_eq!(forced.code, Some(0), "{}", forced.stderr);
    let nights = tracked.nights();
    assert_eq!(nights.len(), 2);
    assert_eq!(
        (&nights[1].commit, roles(&nights[1])),
        (&second, vec![Role::Anchor])
    );

    // A release is an opponent from the next commit on.
    repository.git(&["tag", "v2", &second]);
    let third = repository.commit_engine(WEAK, 3, "A large mistake");
    let bad = tracked.track(&["--json", "--summary", "summary.md"]);
    assert_eq!(bad.code, Some(1), "{}", bad.stderr);
    let json = bad.json();
    assert_eq!(json["verdict"], "regression");
    assert_eq!(json["anchor"], tracked.anchor);
    assert_eq!(json["changes"][0]["direction"], "loss");
    assert_eq!(json["previous"]["commit"], second);
    assert!(number(&json["previous"]["elo"]["high"]) < 0.0, "{json}");
    let night = &tracked.nights()[2];
    assert_eq!(night.commit, third);
    assert_eq!(roles(night), [Role::Anchor, Role::Previous]);
    assert_eq!(night.bench, Some(3));
    assert!(night.elo.expect("rated").high < 0.0);
    let summary = fs::read_to_string(repository.path().join("summary.md")).expect("written");
    assert!(summary.contains("REGRESSION"), "{summary}");
    let page = fs::read_to_string(tracked.out().join("elo.md")).expect("written");
    // On a job's page, the chart would be a picture that does not exist.
    let chart = "![Elo over commits](elo.svg)\n\n";
    assert!(page.contains(chart), "{page}");
    assert!(summary.starts_with(&page.replace(chart, "")), "{summary}");
    assert!(tracked.out().join("elo.svg").exists());
    the_page_shows_the_same(&tracked, &json);
    // The exit code reports it once; the verdict remains that of the last night.
    let again = tracked.track(&["--json"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(again.json()["verdict"], "regression");
    // Also if the commit is played once more.
    let forced = tracked.track(&["--force"]);
    assert_eq!(forced.code, Some(0), "{}", forced.stderr);
    let regressions = forced.stdout.matches("REGRESSION").count();
    assert_eq!(regressions, 1, "{}", forced.stdout);
    repository.commit_engine(WEAK, 4, "No better");
    let after = tracked.track(&["--json"]);
    assert_eq!(after.code, Some(0), "{}", after.stderr);
    assert_eq!(
        roles(&tracked.nights()[4]),
        [Role::Anchor, Role::Previous, Role::Release]
    );
    let other = tracked.track(&["--set", "match.limit=nodes=301"]);
    assert_eq!(other.code, Some(2));
    assert!(
        other.stderr.contains("were played with nodes=300"),
        "{}",
        other.stderr
    );
}

/// `elo.html` and `hone report` have the numbers of `json`.
fn the_page_shows_the_same(tracked: &Tracked, json: &serde_json::Value) {
    let path = tracked.out().join("elo.html");
    let page = fs::read_to_string(&path).expect("written");
    assert!(page.contains("REGRESSION"), "{page}");
    assert!(page.contains("A large mistake"), "{page}");
    assert!(page.contains("git diff "), "{page}");
    let links = page.matches("href=\"track/").count();
    assert_eq!(links, 3, "one for each night");
    common::chromium::check_report(&path);

    let elsewhere = tracked.repository.path().join("page.html");
    let mut command = tracked.repository.hone();
    command.arg("report").arg(tracked.out()).arg("--json");
    command.arg("--html").arg(&elsewhere);
    let reported = finish(command);
    assert_eq!(reported.code, Some(0), "{}", reported.stderr);
    for key in ["anchor", "points", "changes", "false_alarm_nights"] {
        assert_eq!(reported.json()[key], json[key], "{key}");
    }
    let text = fs::read_to_string(&elsewhere).expect("written");
    assert!(!text.contains("href=\"track/"), "broken links");

    // The rate of false alarms does not depend on the runs, which may be removed.
    let [runs, kept] = ["track", "kept"].map(|name| tracked.out().join(name));
    fs::rename(&runs, &kept).expect("renamed");
    let mut command = tracked.repository.hone();
    command.arg("report").arg(tracked.out()).arg("--json");
    let reported = finish(command);
    fs::rename(&kept, &runs).expect("renamed");
    assert_eq!(reported.json()["false_alarm_nights"], 500);
}

/// The numbers of the openings that the first run of a commit has played.
fn openings(tracked: &Tracked, commit: &str) -> BTreeSet<u64> {
    column(&tracked.run(commit), "opening")
        .iter()
        .map(|opening| opening.parse().expect("a number"))
        .collect()
}

/// With the same openings every night, builds that play alike would repeat their games.
#[test]
fn the_order_of_the_book_continues_from_night_to_night() {
    let tracked = Tracked::new();
    for number in 2..=3 {
        let commit = tracked
            .repository
            .commit_engine(STRONG, number, "The same again");
        let night = tracked.track(&[
            "--set",
            "match.openings.order=sequential",
            "--set",
            "track.pairs=4",
        ]);
        assert_eq!(night.code, Some(0), "{}", night.stderr);
        let first = 4 * (number - 2) + 1;
        assert_eq!(openings(&tracked, &commit), (first..first + 4).collect());
    }
}

/// Neither a row that is removed nor another number of pairs brings openings back.
#[test]
fn a_night_has_other_openings_than_one_that_was_given_up() {
    let tracked = Tracked::new();
    let repository = &tracked.repository;
    let build = fs::read_to_string(repository.path().join("build.sh")).expect("there");
    let mut seeds = BTreeSet::new();
    let nights = [(4, 1..5), (4, 5..9), (2, 9..11), (2, 11..13)];
    for (number, (pairs, expected)) in (2..).zip(nights) {
        // The program does not change, of which a nightly does not warn.
        repository.write("build.sh", &format!("{build}# {number}\n"));
        let commit = repository.commit("Another build");
        let pairs = format!("track.pairs={pairs}");
        let order = "match.openings.order=sequential";
        let night = tracked.track(&["--set", order, "--set", &pairs]);
        assert_eq!(night.code, Some(0), "{}", night.stderr);
        assert!(!night.stderr.contains("same program"), "{}", night.stderr);
        assert_eq!(openings(&tracked, &commit), expected.collect());
        let manifest = fs::read_to_string(tracked.run(&commit).join("run.toml")).expect("there");
        let seed = manifest.lines().find(|line| line.starts_with("seed = "));
        assert!(seeds.insert(seed.expect("a seed").to_string()), "{seeds:?}");
        if number == 2 {
            fs::remove_file(tracked.out().join("elo.csv")).expect("removed");
            fs::remove_dir_all(tracked.run(&commit)).expect("removed");
        }
    }
}

/// Games from the same opening can repeat, but would count as new results.
#[test]
fn a_book_too_small_for_the_nights_is_named() {
    let tracked = Tracked::new();
    let book = tracked.repository.dir.path().join("small.epd");
    let quick = fs::read_to_string(workspace().join("books/quick.epd")).expect("reads");
    let lines: Vec<&str> = quick.lines().take(19).collect();
    fs::write(&book, lines.join("\n")).expect("written");
    let file = format!("match.openings.file={}", book.display());
    let small = ["--set", "track.pairs=1", "--set", &file];
    tracked.repository.commit_engine(STRONG, 2, "Two");
    let night = tracked.track(&small);
    assert_eq!(night.code, Some(0), "{}", night.stderr);
    let warning = "warning: nightlies of 1 pair at nodes=300 need at least 20 distinct openings, and there are 19: ";
    assert!(night.stderr.contains(warning), "{}", night.stderr);
    let again = tracked.track(&["--force", "--set", "track.pairs=1"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(
        !again.stderr.contains("distinct openings"),
        "{}",
        again.stderr
    );
}

/// The process that played the night was killed before it reported the regression.
#[test]
fn a_regression_is_reported_once_through_kills_and_time_limits() {
    let tracked = Tracked::new();
    let repository = &tracked.repository;
    for number in 2..4 {
        repository.commit_engine(STRONG, number, "As before");
    }
    repository.commit_engine(WEAK, 4, "A large mistake");
    let fourth = repository.commit_engine(WEAK, 5, "No better");
    let since = ["--since", "v1"];
    let mut command = tracked.command(&since);
    let tracking = Running::start(command.stdout(Stdio::null()).stderr(Stdio::null()));
    let night = tracked.run(&fourth);
    wait_until("the fourth night", || rows(&night) >= 2);
    tracking.kill();
    assert_eq!(tracked.nights().len(), 3);

    // The next process has no time for all nights; on a slow machine it plays none.
    let fifth = repository.commit_engine(WEAK, 6, "Still no better");
    let short = tracked.track(&[
        "--since",
        "v1",
        "--max-time",
        "1s",
        "--set",
        "track.pairs=100000",
    ]);
    assert_eq!(short.code, Some(1), "{}{}", short.stdout, short.stderr);
    let message = "REGRESSION";
    assert!(short.stdout.contains(message), "{}", short.stdout);
    assert!(tracked.nights().len() < 5);

    // The next call does not report it again.
    let _ = fs::remove_dir_all(tracked.run(&fifth));
    let after = tracked.track(&since);
    assert_eq!(after.code, Some(0), "{}{}", after.stdout, after.stderr);
    assert_eq!(tracked.nights().len(), 5);
}

/// With a clock and without a book, the games of a night are not independent.
#[test]
fn a_regression_of_games_with_findings_is_withheld() {
    for (on_finding, code, verdict) in [("report", 1, "regression"), ("undecided", 3, "none")] {
        let tracked = Tracked::new();
        tracked.repository.commit_engine(STRONG, 2, "As before");
        tracked
            .repository
            .commit_engine("--lose 100", 3, "A mistake");
        let on_finding = format!("match.on_finding={on_finding}");
        let settings = ["match.limit=9+1", "match.openings.file=none", &on_finding];
        let settings = settings.iter().flat_map(|setting| ["--set", *setting]);
        let args: Vec<&str> = ["--since", "v1", "--json"]
            .into_iter()
            .chain(settings)
            .collect();
        let played = tracked.track(&args);
        let json = played.json();
        assert_eq!(played.code, Some(code), "{json}{}", played.stderr);
        assert_eq!(json["verdict"], verdict, "{json}");
        let is_withheld = code == 3;
        let withheld = json.get("withheld").and_then(|value| value.as_str());
        assert_eq!(withheld, is_withheld.then_some("regression"), "{json}");
        let mut report = tracked.repository.hone();
        report.arg("report").arg(tracked.out());
        let shown = finish(report)
            .stdout
            .contains("Verdict withheld: the games of ");
        assert_eq!(shown, is_withheld);
        let is_kept = tracked
            .table()
            .contains("Doubtful (few openings): 24 pairs");
        assert_eq!(is_kept, is_withheld, "{}", tracked.table());
        // As every regression, it is reported once.
        assert_eq!(tracked.track(&args).code, Some(0));
    }
}

#[test]
fn a_night_that_was_played_again_gets_no_second_row() {
    let (tracked, second) = Tracked::with_changing_builds();
    let repository = &tracked.repository;
    let short = tracked.track(&["--max-time", "1s", "--set", "track.pairs=2000"]);
    assert_eq!(short.code, Some(3), "{}", short.stderr);

    // The lock of the ledger is held, as if another process played the night.
    let ledger = tracked.run(&second).join("games.csv");
    let held = fs::File::options().append(true).open(ledger);
    let held = held.expect("a ledger");
    held.lock().expect("free");
    let busy = tracked.track(&[]);
    assert_eq!(busy.code, Some(2), "{}", busy.stderr);
    assert!(
        busy.stderr.contains("another `hone` process is playing"),
        "{}",
        busy.stderr
    );
    for message in ["--force", "remove this folder"] {
        assert!(!busy.stderr.contains(message), "{}", busy.stderr);
    }
    drop(held);

    // The night is played again, with another build; the first build then returns.
    let kept = repository.dir.path().join("kept");
    fs::rename(repository.cache(), &kept).expect("renamed");
    let forced = tracked.track(&["--force"]);
    assert_eq!(forced.code, Some(0), "{}", forced.stderr);
    assert!(
        forced
            .stderr
            .contains("a later run of its commit replaces it"),
        "{}",
        forced.stderr
    );
    fs::remove_dir_all(repository.cache()).expect("removed");
    fs::rename(&kept, repository.cache()).expect("renamed");
    let after = tracked.track(&["--max-time", "20s"]);
    assert_eq!(after.code, Some(0), "{}", after.stderr);
    assert!(!after.stderr.contains("resuming"), "{}", after.stderr);
    assert_eq!(tracked.played(), [second]);
}

#[test]
fn the_options_of_other_runs_work_too() {
    let tracked = Tracked::new();
    let second = tracked.repository.commit_engine(STRONG, 2, "Second");
    let config = fs::read_to_string(&tracked.config).expect("there");
    let without = config.replace(&format!("build = \"{BUILD}\"\n"), "");
    assert_ne!(without, config);
    fs::write(&tracked.config, without).expect("written");
    let unknown = tracked.track(&[]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr);
    let advice = "set the build command, as in `--build 'make' --cmd PATH`";
    assert!(unknown.stderr.contains(advice), "{}", unknown.stderr);
    let options = ["--build", BUILD, "--pairs", "2", "--limit", "nodes=50"];
    let went = tracked.track(&options);
    assert_eq!(went.code, Some(0), "{}", went.stderr);
    let nights = tracked.nights();
    assert_eq!(
        (&nights[0].commit, nights[0].limit.as_str()),
        (&second, "nodes=50")
    );
    assert_eq!(rows(&tracked.run(&second)), 4);
    // `hone runs` lists the runs below the folder, which is not a run itself.
    let mut runs = tracked.repository.hone();
    runs.arg("runs").arg(tracked.out());
    let listed = finish(runs).stdout;
    let night = format!("\ntrack/{} ", &second[..10]);
    assert!(listed.contains(&night), "{listed}");
}

#[test]
fn mistakes_are_named() {
    let tracked = Tracked::new();
    tracked
        .repository
        .write("build.sh", "echo no compiler; exit 1");
    tracked.repository.commit("Broken");
    let broken = tracked.track(&[]);
    assert_eq!(broken.code, Some(4), "{}", broken.stderr);
    assert!(broken.stderr.contains("no compiler"), "{}", broken.stderr);
    fs::remove_dir_all(tracked.out()).expect("removed");
    for (set, message) in [
        ("track.anchor=nothing", "the anchor of [track]"),
        ("track.pairs=0", "at least 1"),
        ("track.false_alarm_nights=10", "at least 500"),
        ("engine.0.rev=main", "help: set `branch` in [track]"),
        ("track.branch=nowhere", "no commit, tag or branch `nowhere`"),
        (
            "track.paths=[\"engin.sh\"]",
            "no commit of `main` changes `engin.sh`",
        ),
        ("match.shard=1/2", "a nightly cannot be divided"),
    ] {
        let finished = tracked.track(&["--set", set]);
        assert_eq!(finished.code, Some(2), "{set}: {}", finished.stderr);
        assert!(
            finished.stderr.contains(message),
            "{set}: {}",
            finished.stderr
        );
        assert!(!tracked.out().exists(), "{set}");
    }
    let since = tracked.track(&["--since", "nothing"]);
    assert_eq!(since.code, Some(2), "{}", since.stderr);
    assert!(!tracked.out().exists(), "{}", since.stderr);
}
