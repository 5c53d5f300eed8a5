//! `hone bisect` on repositories of the tests.
use std::fs;
use std::path::PathBuf;

use crate::common::json::number;
use crate::common::repository::{BUILD, EngineRepository, WEAK};
use crate::common::running::Running;
use crate::common::{
    self, Finished, digest, finish, on_run, rows, scripted, wait_until, workspace,
};
use serde_json::Value;

/// Number of commits after the good one.
const COMMITS: usize = 24;
/// Index of the culprit: twenty commits before the last.
const CULPRIT: usize = 4;
/// Index of a commit that does not build.
const BROKEN: usize = 11;

/// A history in which the engine becomes weaker.
struct History {
    repository: EngineRepository,
    /// The commits from the good one on.
    ids: Vec<String>,
}

impl History {
    fn new() -> Self {
        let repository = EngineRepository::new();
        let mut ids = Vec::new();
        for number in 0..=COMMITS {
            let options = if number < CULPRIT { "" } else { WEAK };
            repository.write_engine(options, number as u64);
            if number == BROKEN {
                repository.write("build.sh", "echo 'a semicolon is missing'\nexit 1\n");
            }
            ids.push(repository.commit(&format!("Change {number}")));
        }
        Self::of(repository, ids)
    }

    /// These commits, with the configuration of a bisection.
    fn of(repository: EngineRepository, ids: Vec<String>) -> Self {
        let book = workspace().join("books/quick.epd");
        let config = format!(
            "[[engine]]\ngit = \".\"\nbuild = '{BUILD}'\noptions = {{ Hash = 1 }}\n\
             [match]\nlimit = \"nodes=1\"\nconcurrency = 2\n\
             openings = {{ file = '{}' }}\n[adjudication]\nmax_moves = 20\n\
             resign = {{ count = 2, score = 500, twosided = false }}\n",
            book.display()
        );
        let history = Self { repository, ids };
        fs::write(history.config(), config).expect("written");
        history
    }

    fn config(&self) -> PathBuf {
        self.repository.dir.path().join("bisect.toml")
    }

    fn out(&self, name: &str) -> PathBuf {
        self.repository.dir.path().join(name)
    }

    fn command(&self, name: &str, good: usize, bad: usize) -> std::process::Command {
        let mut command = self.repository.hone();
        command
            .arg("bisect")
            .arg(self.config())
            .args(["--good", &self.ids[good], "--bad", &self.ids[bad], "--json"])
            .arg("--out")
            .arg(self.out(name));
        command
    }

    fn resume(&self, name: &str) -> Finished {
        let mut command = self.repository.hone();
        command.arg("resume").arg(self.out(name)).arg("--json");
        finish(command)
    }

    /// Plays the run `whole` again, from its good commit to `bad`, kills it after `games`
    /// games, and resumes it: it has the same games. Returns its JSON.
    fn again_with_a_kill(&self, bad: usize, games: usize) -> Value {
        let child = Running::start(&mut self.command("killed", 0, bad));
        wait_until("games", || rows(&self.out("killed")) >= games);
        child.kill();
        let report = common::report(&self.out("killed"), &["--json"]);
        assert_eq!(report.json()["finished"], false);
        let resumed = self.resume("killed");
        assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
        assert_eq!(digest(&self.out("whole")), digest(&self.out("killed")));
        resumed.json()
    }
}

#[test]
fn a_regression_twenty_commits_back_is_found_also_after_a_kill() {
    let history = History::new();
    let found = finish(history.command("whole", 0, COMMITS));
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    let json = found.json();
    assert_eq!(
        (&json["verdict"], &json["finished"]),
        (&"found".into(), &true.into())
    );
    assert_eq!(json["culprit"][0]["commit"], history.ids[CULPRIT], "{json}");
    assert_eq!(json["culprit"].as_array().map(Vec::len), Some(1), "{json}");
    assert!(number(&json["probability"]) >= 0.95, "{json}");
    assert!(number(&json["change"]["high"]) < 0.0, "{json}");
    assert_eq!(json["posterior"].as_array().map(Vec::len), Some(COMMITS));
    for one in json["matches"].as_array().expect("matches") {
        let counts = one["pentanomial"].as_array().expect("counts");
        let pairs: u64 = counts.iter().filter_map(Value::as_u64).sum();
        assert!(pairs >= 60 || one["interval"] == "always_valid", "{one}");
    }
    let report = on_run("report", &history.out("whole"));
    assert!(report.stdout.contains("Change 4"), "{}", report.stdout);
    // Commits long before the culprit are improbable, but not impossible.
    assert!(report.stdout.contains("<0.1 %"), "{}", report.stdout);
    assert!(!report.stdout.contains(" 0.0 %"), "{}", report.stdout);
    let summary = history.out("summary.md");
    let mut resume = history.repository.hone();
    resume.arg("resume").arg(history.out("whole"));
    resume.arg("--summary").arg(&summary);
    assert_eq!(finish(resume).code, Some(0));
    let summary = fs::read_to_string(summary).expect("written");
    assert!(summary.contains("Change 4"), "{summary}");
    let page = history.out("whole").join("report.html");
    let text = fs::read_to_string(&page).expect("a page");
    let show = format!("git show {}", &history.ids[CULPRIT][..10]);
    for part in [
        "Suspects",
        show.as_str(),
        "<th scope=\"row\">author</th>",
        ">&lt;0.1\u{a0}%<",
    ] {
        assert!(text.contains(part), "{part}");
    }
    let (probabilities, _) = text.split_once("id=\"matches\"").expect("a section");
    for part in [">0.0\u{a0}%", " 0.0\u{a0}%", "n0.0\u{a0}%", "100.0\u{a0}%"] {
        assert!(!probabilities.contains(part), "{part}");
    }
    common::chromium::check_report(&page);

    let again = history.again_with_a_kill(COMMITS, 20);
    for key in ["culprit", "probability", "change", "pairs", "posterior"] {
        assert_eq!(again[key], json[key], "{key}");
    }
}

#[test]
fn a_commit_that_does_not_build_is_skipped() {
    let history = History::new();
    // The range is so short that the broken commit must be tried.
    let found = finish(history.command("run", CULPRIT - 1, BROKEN + 1));
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    assert_eq!(found.json()["culprit"][0]["commit"], history.ids[CULPRIT]);

    // A broken end cannot be skipped; the log is named.
    let broken = finish(history.command("broken", BROKEN - 1, BROKEN));
    assert_eq!(broken.code, Some(4), "{}", broken.stderr);
    assert!(
        broken.stderr.contains("a semicolon is missing"),
        "{}",
        broken.stderr
    );
}

#[test]
fn the_culprit_may_hide_among_commits_that_do_not_build() {
    let repository = EngineRepository::new();
    let ids = (0..4).map(|number| {
        let options = ["", WEAK][usize::from(number >= 2)];
        repository.write_engine(options, number);
        if number == 2 {
            repository.write("build.sh", "exit 1\n");
        }
        repository.commit(&format!("Change {number}"))
    });
    let ids = ids.collect();
    let history = History::of(repository, ids);
    let found = finish(history.command("run", 0, 3));
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    let json = found.json();
    let culprits = json["culprit"].as_array().expect("an array");
    let ids: Vec<_> = culprits.iter().map(|one| one["commit"].clone()).collect();
    assert_eq!(ids, history.ids[2..], "{json}");
    assert_eq!(json["skipped"][0]["commit"], history.ids[2]);
    let page = fs::read_to_string(history.out("run").join("report.html")).expect("a page");
    assert!(page.contains("Change 2 (skipped)"), "{page}");
    let report = on_run("report", &history.out("run"));
    assert!(
        report.stdout.contains("cannot be told apart"),
        "{}",
        report.stdout
    );
}

/// A script that starts an engine and ends at its fourth move of a game.
fn crashing_engine() -> String {
    format!(
        "#!/bin/sh\nn=0\nwhile read -r line; do\n\
         case \"$line\" in ucinewgame) n=0;; go*) n=$((n+1)); [ $n -gt 3 ] && exit;; esac\n\
         printf '%s\\n' \"$line\"\ndone | '{}'\n",
        scripted()
    )
}

/// A good commit, one that crashes in games, and a bad one.
fn history_that_crashes() -> History {
    let repository = EngineRepository::new();
    let good = repository.commit_engine("", 0, "Good");
    repository.write("engine.sh", &crashing_engine());
    let crashes = repository.commit("Crashes");
    let bad = repository.commit_engine(WEAK, 2, "Bad");
    History::of(repository, vec![good, crashes, bad])
}

#[test]
fn a_commit_that_crashes_in_games_is_skipped() {
    let history = history_that_crashes();
    let [_, crashes, bad] = history.ids.as_slice() else {
        panic!("three commits")
    };
    // It is skipped after it has failed in games, or on request, before any.
    for (name, skip) in [("fails", None), ("left-out", Some(&crashes[..12]))] {
        let mut command = history.command(name, 0, 2);
        command.args(skip.map(|rev| ["--skip", rev]).into_iter().flatten());
        let found = finish(command);
        assert_eq!(found.code, Some(0), "{}", found.stderr);
        let json = found.json();
        let ids = |key: &str| -> Vec<String> {
            let commits = json[key].as_array().expect("an array");
            let id = |one: &Value| one["commit"].as_str().expect("text").to_string();
            commits.iter().map(id).collect()
        };
        assert_eq!(ids("skipped"), std::slice::from_ref(crashes));
        assert_eq!(ids("culprit"), [crashes.clone(), bad.clone()]);
        let has_played = json["skipped"][0]["failures"].as_u64() >= Some(10);
        assert_eq!(has_played, skip.is_none(), "{}", json["skipped"]);
        let matches = json["matches"].as_array().expect("an array");
        assert!(
            matches.iter().all(|one| one["later"] == bad[..10]),
            "{json}"
        );
        let pairs = |one: &Value| -> u64 {
            let counts = one["pentanomial"].as_array().expect("counts");
            counts.iter().filter_map(Value::as_u64).sum()
        };
        let pairs: u64 = matches.iter().map(pairs).sum();
        assert_eq!(json["pairs"], pairs, "{json}");
        let verified = on_run("verify", &history.out(name));
        assert_eq!(verified.code, Some(0), "{}", verified.stdout);
        let report = on_run("report", &history.out(name)).stdout;
        assert_eq!(
            report.contains("(Crashes): failed in"),
            skip.is_none(),
            "{report}"
        );
    }

    let stopped = finish(history.command("stopped", 0, 1));
    assert_eq!(stopped.code, Some(4), "{}", stopped.stderr);
    for part in [&crashes[..10], "the good and the bad commit must play"] {
        assert!(stopped.stderr.contains(part), "{part}: {}", stopped.stderr);
    }
}

#[test]
fn a_killed_bisection_skips_the_same_commit() {
    let history = history_that_crashes();
    let whole = finish(history.command("whole", 0, 2));
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    // The kill is shortly before or after the commit is skipped.
    let again = history.again_with_a_kill(2, 36);
    for key in ["culprit", "probability", "skipped", "pairs", "matches"] {
        assert_eq!(again[key], whole.json()[key], "{key}");
    }
}

#[test]
fn a_commit_that_cannot_be_skipped_is_named() {
    let history = history_that_crashes();
    let [good, _, bad] = history.ids.as_slice() else {
        panic!("three commits")
    };
    for (rev, reason) in [
        (good.as_str(), "must play"),
        (bad, "must play"),
        ("HEAD~9", "no commit"),
    ] {
        let mut command = history.command("refused", 0, 2);
        command.args(["--skip", rev]);
        let refused = finish(command);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains(reason), "{}", refused.stderr);
    }
}

#[test]
fn a_commit_of_another_history_is_named() {
    let history = History::new();
    let repository = &history.repository;
    repository.git(&["checkout", "--quiet", "--orphan", "other"]);
    let other = repository.commit("Of another history");
    let mut command = repository.hone();
    let ends = ["--good", &other, "--bad", "main"];
    command.arg("bisect").arg(history.config()).args(ends);
    let refused = finish(command);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("--unshallow"), "{}", refused.stderr);
}

/// Commits with these benches, each another program. The last one is weaker.
fn history_with_benches(benches: &[u64]) -> History {
    let repository = EngineRepository::new();
    let last = benches.len() - 1;
    let ids = benches.iter().enumerate().map(|(number, bench)| {
        let options = ["", WEAK][usize::from(number == last)];
        repository.write_engine(options, *bench);
        let script = fs::read_to_string(repository.path().join("engine.sh")).expect("there");
        repository.write("engine.sh", &format!("{script}# {number}\n"));
        repository.commit(&format!("Change {number}"))
    });
    let ids = ids.collect();
    History::of(repository, ids)
}

#[test]
fn an_equal_bench_does_not_decide_a_bisection() {
    let history = history_with_benches(&[7, 7, 7]);
    let found = finish(history.command("run", 0, 2));
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    assert_eq!(found.json()["culprit"][0]["commit"], history.ids[2]);
    // With another bench at the end, the commits before it are excluded, and named.
    let history = history_with_benches(&[7, 7, 7, 7, 9]);
    let found = finish(history.command("run", 0, 4));
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    assert_eq!(found.json()["culprit"][0]["commit"], history.ids[4]);
    let report = on_run("report", &history.out("run")).stdout;
    let named = format!(" same bench  {} (Change 1)\n", &history.ids[1][..10]);
    for part in [named.as_str(), "same bench: cleared without games, because"] {
        assert!(report.contains(part), "{part}: {report}");
    }
    let page = fs::read_to_string(history.out("run").join("report.html")).expect("a page");
    assert!(page.contains("Change 1 (same bench)"), "{page}");
}

#[test]
fn a_history_without_a_regression_is_undecided() {
    let history = History::new();
    let mut command = history.command("run", CULPRIT, CULPRIT + 3);
    command.args(["--set", "bisect.max_pairs=48"]);
    let finished = finish(command);
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    let json = finished.json();
    assert_ne!(json["verdict"], "found");
    // It names no culprit and no change of strength.
    assert_eq!(json["culprit"].as_array().map(Vec::len), Some(0), "{json}");
    assert!(json["change"].is_null(), "{json}");
    let page = fs::read_to_string(history.out("run").join("report.html")).expect("a page");
    assert!(page.contains("<dt>Most probable</dt>"), "{page}");
    assert!(page.contains("<dt>Change, Elo</dt><dd class=\"value\">–</dd>"));
    for part in ["Culprit", "git show"] {
        assert!(!page.contains(part), "{part}");
    }
}

#[test]
fn mistakes_are_named() {
    let history = History::new();
    let refused = |arguments: &[&str]| {
        let mut command = history.repository.hone();
        command.arg("bisect").arg(history.config()).args(arguments);
        let finished = finish(command);
        assert_eq!(finished.code, Some(2), "{arguments:?}: {}", finished.stderr);
        finished.stderr
    };
    assert!(refused(&["--good", "HEAD~3"]).contains("--bad"));
    assert!(refused(&["--good", "nowhere", "--bad", "HEAD"]).contains("nowhere"));
    assert!(refused(&["--good", "HEAD", "--bad", "HEAD~3"]).contains("come after"));
    let odd = [
        "--good",
        "HEAD~3",
        "--bad",
        "HEAD",
        "--set",
        "bisect.probability=2.0",
    ];
    assert!(refused(&odd).contains("above 0.5"));
}

#[test]
fn a_faulty_commit_or_repository_has_its_place() {
    let history = History::new();
    let valid = fs::read_to_string(history.config()).expect("there");
    for (good, bad, skip, git) in [
        ("nowhere", "HEAD", "[]", "."),
        ("HEAD~3", "nowhere", "[]", "."),
        ("HEAD~3", "HEAD", "[\"HEAD~1\", \"nowhere\"]", "."),
        ("HEAD~3", "HEAD", "[]", "nowhere"),
    ] {
        let text = valid.replacen("git = \".\"", &format!("git = {git:?}"), 1);
        let text = format!("{text}[bisect]\ngood = {good:?}\nbad = {bad:?}\nskip = {skip}\n");
        fs::write(history.config(), &text).expect("written");
        let mut lines = (1..).zip(text.lines());
        let place = lines.find_map(|(number, line)| {
            let column = line.find("\"nowhere\"")? + 1;
            Some(format!("bisect.toml:{number}:{column}\n"))
        });
        let place = place.expect("there");
        let mut command = history.repository.hone();
        command.arg("bisect").arg(history.config());
        let refused = finish(command);
        assert_eq!(refused.code, Some(2), "{place}: {}", refused.stderr);
        assert!(
            refused.stderr.contains(&place),
            "{place}: {}",
            refused.stderr
        );
    }
}

/// The commits of a match that has begun are built again by another compiler: here, a script
/// that appends to the program.
#[test]
fn a_resumed_bisection_plays_the_same_programs() {
    let history = History::new();
    let last = 8;
    let compiler = history.out("compiler");
    let compile = |script: &str| fs::write(&compiler, script).expect("written");
    let config = fs::read_to_string(history.config()).expect("there");
    let build = format!("{BUILD} && sh {} {{out}}", compiler.display());
    fs::write(history.config(), config.replace(BUILD, &build)).expect("written");
    let first = "echo '# compiler 1' >>\"$1\"";
    compile(first);
    let mut command = history.command("run", 0, last);
    command.args(["--set", "match.concurrency=1"]);
    let whole = finish(command);
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    let run = history.out("run");
    let expected = digest(&run);

    // Cut within the first match of a commit between the ends.
    let builds = fs::read_to_string(run.join("builds.csv")).expect("there");
    let middle: Vec<&str> = builds.lines().nth(3).expect("built").split(',').collect();
    let (commit, pairs) = (middle[1], middle[2].parse::<usize>().expect("a number"));
    assert!(
        history.ids[1..last].iter().any(|id| id == commit),
        "{builds}"
    );
    let games = fs::read_to_string(run.join("games.csv")).expect("there");
    let kept: Vec<&str> = games
        .split_inclusive('\n')
        .take(1 + 2 * (pairs + 1))
        .collect();
    assert!(kept[kept.len() - 1].contains(&commit[..10]), "{games}");
    fs::write(run.join("games.csv"), kept.concat()).expect("written");
    let resumed_with = |script: &str| {
        compile(script);
        fs::remove_dir_all(history.repository.cache()).expect("removed");
        let mut resume = history.repository.hone();
        resume.arg("resume").arg(&run).arg("--replay-missing");
        finish(resume)
    };

    // A commit that has played is not skipped, and it is built a limited number of times:
    // the fourth build would succeed.
    let tries = history.out("tries");
    let failing = format!(
        "grep -q \"echo '[0{last}] nodes\" engine.sh || {{ echo >>{0}; [ $(wc -l <{0}) -gt 3 ] || exit 1; }}\n{first}",
        tries.display()
    );
    let failed = resumed_with(&failing);
    assert_eq!(failed.code, Some(4), "{}", failed.stderr);
    assert!(
        failed.stderr.contains("does not build"),
        "{}",
        failed.stderr
    );
    assert!(!failed.stderr.contains("skipped"), "{}", failed.stderr);

    let other = resumed_with("echo '# compiler 2' >>\"$1\"");
    assert_eq!(other.code, Some(4), "{}", other.stderr);
    let message = "is not the one this run was started with";
    assert!(other.stderr.contains(message), "{}", other.stderr);

    let same = resumed_with(first);
    assert_eq!(same.code, Some(0), "{}", same.stderr);
    assert_eq!(digest(&run), expected);
}

#[test]
fn a_bisection_without_a_cache_of_builds_is_not_started() {
    let repository = EngineRepository::new();
    let ids = [1, 2].map(|bench| repository.commit_engine("", bench, "Change"));
    let history = History::of(repository, ids.into());
    let mut command = history.command("run", 0, 1);
    for name in ["HONE_CACHE", "XDG_CACHE_HOME", "HOME"] {
        command.env_remove(name);
    }
    let refused = finish(command);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("set HONE_CACHE"),
        "{}",
        refused.stderr
    );
    assert!(!history.out("run").exists());
}
