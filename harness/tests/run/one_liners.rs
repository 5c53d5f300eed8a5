//! What a new user types first: engines on the command line, short options, short names
//! of runs, the options of other programs.
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
#[cfg(unix)]
use std::process::Command;

use crate::common::repository::{BUILD, EngineRepository, WEAK};
#[cfg(unix)]
use crate::common::skip::skipped;
use crate::common::{Finished, finish, hone_in, scripted, workspace};

fn book() -> String {
    workspace().join("books/quick.epd").display().to_string()
}

fn run_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder.join("results")).expect("there are runs");
    let names = entries.flatten().map(|entry| entry.file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name != ".gitignore").collect();
    names.sort();
    names
}

#[test]
fn engines_of_a_match_are_operands() {
    let folder = tempfile::tempdir().expect("made");
    let (engine, book) = (scripted(), book());
    let spec = format!("path:{engine}");
    let finished = hone_in(
        folder.path(),
        &[
            "match",
            &engine,
            &spec,
            &engine,
            "--rounds",
            "1",
            "--limit",
            "nodes=10",
            "--book",
            &book,
            "--set",
            "adjudication.max_moves=20",
            "--json",
        ],
    );
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let json = finished.json();
    let names: Vec<_> = json["engines"].as_array().expect("a list").iter().collect();
    assert_eq!(names[1]["name"], "scripted_engine-2");
    assert_eq!(json["pairings"].as_array().map(Vec::len), Some(3));
    assert_eq!(json["games"], 6);
    // One operand is a configuration.
    let one = hone_in(folder.path(), &["match", &engine]);
    assert_eq!(one.code, Some(2));
    let message = format!(
        "error: cannot run the match: `{engine}` is a program, and a match needs at least two engines\nhelp: "
    );
    assert!(one.stderr.starts_with(&message), "{}", one.stderr);
    let mixed = hone_in(folder.path(), &["match", "a.toml", &engine]);
    assert_eq!(mixed.code, Some(2), "{}", mixed.stderr);
    assert!(
        mixed.stderr.contains("`a.toml` is a configuration"),
        "{}",
        mixed.stderr
    );
}

#[test]
fn options_override_the_profile_and_contradictions_are_refused() {
    let folder = tempfile::tempdir().expect("made");
    let (engine, book) = (scripted(), book());
    let test = |more: &[&str]| {
        let own = [
            "sprt", "--dev", &engine, "--base", &engine, "--book", &book, "--json",
        ];
        hone_in(folder.path(), &[&own, more].concat())
    };
    let short = [
        "--limit",
        "nodes=10",
        "--pairs",
        "1",
        "--profile",
        "non-regression",
    ];
    let set = test(&[&short[..], &["--set", "sprt.elo0=-30"]].concat());
    assert_eq!(set.code, Some(3), "{}", set.stderr);
    assert_eq!(set.json()["sprt"]["elo0"], -30.0);
    assert_eq!(set.json()["sprt"]["elo1"], 0.0);
    let flag = test(&[&short[..], &["--elo0", "-7", "--elo1", "-2"]].concat());
    assert_eq!(flag.json()["sprt"]["elo0"], -7.0, "{}", flag.stderr);
    let before = run_names(folder.path()).len();
    for (line, parts) in [
        (
            &["--limit", "nodes=10", "--set", "match.limit=nodes=20"][..],
            ["`--limit nodes=10`", "`--set match.limit=nodes=20`"],
        ),
        (
            &["--pairs", "3", "--set", "sprt.max_pairs=4"],
            ["`--pairs 3`", "`--set sprt.max_pairs=4`"],
        ),
        (
            &["--concurrency", "1", "--set", "match.concurrency=2"],
            ["`--concurrency 1`", "`--set match.concurrency=2`"],
        ),
        (
            &["--max-time", "1m", "--set", "match.max_time=2m"],
            ["`--max-time 1m`", "`--set match.max_time=2m`"],
        ),
        (
            &["--set", "match.openings.file=other.epd"],
            ["`--book ", "`--set match.openings.file=other.epd`"],
        ),
        (
            &[
                "--dev-option",
                "Hash=1",
                "--set",
                "engine.dev.options.hash=2",
            ],
            ["`--dev-option Hash=1`", "`--set engine.dev.options.hash=2`"],
        ),
        (
            &["--hash", "1", "--option", "Hash=2"],
            ["`--hash 1`", "`--option Hash=2`"],
        ),
        (
            &["--set", "engine.base.cmd=x"],
            ["`--base ", "`--set engine.base.cmd=x`"],
        ),
        // Impossible together.
        (
            &["--profile", "gain", "--elo0", "6"],
            ["`--profile gain`", "`--elo0 6`"],
        ),
    ] {
        let refused = test(line);
        assert_eq!(refused.code, Some(2), "{line:?}: {}", refused.stderr);
        for part in parts {
            assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
        }
    }
    assert_eq!(run_names(folder.path()).len(), before);
}

#[test]
fn a_bisection_needs_no_configuration() {
    let repository = EngineRepository::new();
    repository.write("Makefile", "EXE ?= engine\nall:\n\tsh build.sh $(EXE)\n");
    for number in 1..=3 {
        repository.commit_engine("", number, &format!("Change {number}"));
    }
    let book = book();
    let mut command = repository.hone();
    command.args([
        "bisect",
        "--good",
        "HEAD~2",
        "--bad",
        "main",
        "--limit",
        "nodes=50",
        "--book",
        &book,
        "--hash",
        "1",
        "--set",
        "bisect.max_pairs=4",
        "--set",
        "bisect.batch=2",
        "--set",
        "adjudication.max_moves=20",
        "--json",
    ]);
    let finished = finish(command);
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    assert_eq!(finished.json()["kind"], "bisect");
    assert!(
        finished
            .stderr
            .contains("`make EXE=hone-engine`, as Makefile suggests"),
        "{}",
        finished.stderr
    );
    let list = hone_in(&repository.path(), &["runs"]);
    assert!(list.stdout.contains("undecided"), "{}", list.stdout);
    assert!(list.stdout.contains("Change 1) .. "), "{}", list.stdout);
}

/// A merge names the branch that changed the engine, but not the commit.
#[test]
fn a_merge_as_culprit_comes_with_the_command_that_bisects_its_branch() {
    let repository = EngineRepository::new();
    repository.write("Makefile", "EXE ?= engine\nall:\n\tsh build.sh $(EXE)\n");
    let start = repository.commit_engine("", 1, "First");
    repository.git(&["checkout", "--quiet", "-b", "change"]);
    repository.commit_engine("", 2, "Second");
    let last = repository.commit_engine(WEAK, 3, "Third");
    repository.git(&["checkout", "--quiet", "main"]);
    repository.git(&["merge", "--quiet", "--no-ff", "--message=Merge", "change"]);
    let mut command = repository.hone();
    command.args(["bisect", "--good", "HEAD^1", "--bad", "main", "--hash=1"]);
    command.args(["--limit=nodes=1", "--out=run"]);
    command.args(["--set", "adjudication.max_moves=20"]);
    command.args([
        "--set",
        "adjudication.resign={count=2,score=500,twosided=false}",
    ]);
    let found = finish(command);
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    let next = format!(
        "It is a merge. To bisect the merged branch, run `hone bisect --good {} --bad {}` with",
        &start[..10],
        &last[..10]
    );
    assert!(found.stdout.contains(&next), "{}", found.stdout);
    // The built-in book has fewer openings than the pairs of all matches together.
    let planned = "pairs of two engines are planned";
    assert!(!found.stderr.contains(planned), "{}", found.stderr);
}

#[test]
fn runs_in_the_repository_do_not_count_as_changes() {
    let repository = EngineRepository::new();
    let commit = repository.commit_engine("", 5, "Main");
    let book = book();
    let test = |more: &[&str]| {
        let mut command = repository.hone();
        command
            .args([
                "sprt",
                "--dev",
                "worktree:",
                "--base",
                "git:main",
                "--build",
                BUILD,
            ])
            .args(["--limit", "nodes=50", "--pairs", "1", "--book", &book])
            .args(["--set", "adjudication.max_moves=20", "--json"])
            .args(more);
        let finished = finish(command);
        assert_eq!(finished.code, Some(3), "{}", finished.stderr);
        finished
    };
    let is_clean = |finished: &Finished| {
        let dev = &finished.json()["engines"][0];
        assert_eq!(dev["commit"], commit.as_str());
        assert_eq!(dev["subject"], "Main");
        assert!(dev["uncommitted"].is_null(), "{dev}");
    };
    assert!(test(&[]).stderr.contains("building"));
    let again = test(&[]);
    is_clean(&again);
    assert!(!again.stderr.contains("building"), "{}", again.stderr);
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
    // A run in a folder that git does not ignore.
    is_clean(&test(&["--out", "my runs/one"]));
    assert_ne!(repository.git(&["status", "--porcelain"]), "");
    let after = test(&[]);
    is_clean(&after);
    assert!(!after.stderr.contains("building"), "{}", after.stderr);
    // A change of the engine is still noticed, and named in summary, folder and list.
    repository.write_engine(WEAK, 5);
    let changed = test(&["--summary", "summary.md"]);
    assert_eq!(changed.json()["engines"][0]["uncommitted"], true);
    let summary = fs::read_to_string(repository.path().join("summary.md")).expect("written");
    assert!(
        summary.contains("Main and uncommitted changes"),
        "{summary}"
    );
    let names = run_names(&repository.path());
    let newest = names.iter().find(|name| name.contains('+')).expect("there");
    assert!(newest.contains("-sprt-worktree."), "{newest}");
    assert!(
        newest.contains(&format!("{}+-main.", &commit[..7])),
        "{newest}"
    );
    assert!(newest.ends_with("-nodes_50"), "{newest}");
    let read =
        |file: &str| fs::read_to_string(repository.path().join("results").join(newest).join(file));
    let games = read("games.pgn").expect("games");
    for tag in ["[White \"worktree\"]", "[Black \"main\"]"] {
        assert!(games.contains(tag), "{tag} in {games}");
    }
    let page = read("report.html").expect("a page");
    assert!(page.contains("<title>worktree against main</title>"));
    assert!(
        changed.stdout.contains("\"name\":\"worktree\""),
        "{}",
        changed.stdout
    );
    let list = hone_in(&repository.path(), &["runs"]).stdout;
    for part in [
        "worktree",
        "(Main) + uncommitted changes",
        "nodes=50",
        "quick.epd",
        "undecided",
    ] {
        assert!(list.contains(part), "{part}: {list}");
    }
}

#[test]
fn runs_have_short_names() {
    let folder = tempfile::tempdir().expect("made");
    let (engine, book) = (scripted(), book());
    let play = |out: &str, pairs: &str| {
        let line = [
            "match",
            &engine,
            &engine,
            "--pairs",
            pairs,
            "--limit",
            "nodes=10",
            "--book",
            &book,
            "--out",
            out,
            "--set",
            "adjudication.max_moves=20",
        ];
        let finished = hone_in(folder.path(), &line);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    };
    play("results/alpha-1", "1");
    play("results/alpha-2", "2");
    let pairs = |named: &str| {
        let report = hone_in(folder.path(), &["report", named, "--json"]);
        assert_eq!(report.code, Some(0), "{named}: {}", report.stderr);
        report.json()["pairs"].clone()
    };
    assert_eq!(pairs("alpha-1"), 1);
    assert_eq!(pairs("latest"), 2);
    assert_eq!(pairs("results/alpha-2"), 2);
    play("results/beta", "1");
    assert_eq!(pairs("b"), 1);
    assert_eq!(pairs("latest"), 1);
    for command in ["verify", "resume"] {
        let finished = hone_in(folder.path(), &[command, "latest"]);
        assert_eq!(finished.code, Some(0), "{command}: {}", finished.stderr);
    }
    let rated = hone_in(folder.path(), &["calc", "rate", "latest", "alpha-1"]);
    assert_eq!(rated.code, Some(0), "{}", rated.stderr);
    let plan = hone_in(folder.path(), &["calc", "plan", "--run", "alpha-2"]);
    assert!(
        plan.stderr.contains("all pairs have the same result"),
        "{}",
        plan.stderr
    );
    let several = hone_in(folder.path(), &["report", "alpha"]);
    assert_eq!(several.code, Some(2));
    assert!(
        several.stderr.contains("2 runs: alpha-1, alpha-2"),
        "{}",
        several.stderr
    );
    let missing = hone_in(folder.path(), &["runs", "/no/such"]);
    assert_eq!(missing.code, Some(2));
    assert!(
        missing.stderr.contains("/no/such is not a folder"),
        "{}",
        missing.stderr
    );
    // Before the first run the list is empty, which is not an error.
    let empty = tempfile::tempdir().expect("made");
    assert_eq!(hone_in(empty.path(), &["runs"]).code, Some(0));
    let wrong = hone_in(folder.path(), &["resume", "latest", "--verify"]);
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong.stderr.contains("--verify is for tunings"),
        "{}",
        wrong.stderr
    );
}

/// Presses Tab at the end of the command line `$1`, and prints the candidates.
#[cfg(unix)]
const TAB: &str = r#"
source <(hone completions bash)
read -ra COMP_WORDS <<<"$1"
[[ "$1" == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_clap_complete_hone hone "${COMP_WORDS[COMP_CWORD]}" "" 2>/dev/null
for candidate in "${COMPREPLY[@]}"; do [[ "$candidate" == -* ]] || echo "$candidate"; done
"#;

#[cfg(unix)]
#[test]
fn the_shell_completes_names_of_runs() {
    if Command::new("bash").arg("--version").output().is_err() {
        return skipped("bash is not installed");
    }
    let folder = tempfile::tempdir().expect("made");
    let write = |path: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, "").expect("written");
    };
    for file in [
        "results/a-1/run.toml",
        "results/b-2/run.toml",
        "results/b-2/failures/3-1/replay.toml",
        "results/no-run/file",
        "elsewhere/run/run.toml",
        "bin/engine",
    ] {
        write(file);
    }
    let hone = Path::new(env!("CARGO_BIN_EXE_hone"));
    let mut path = vec![hone.parent().expect("a folder").to_path_buf()];
    path.extend(std::env::split_paths(
        &std::env::var_os("PATH").unwrap_or_default(),
    ));
    let path = std::env::join_paths(path).expect("a PATH");
    for (line, expected) in [
        ("hone report ", "latest b-2 a-1"),
        ("hone verify b", "b-2"),
        ("hone resume --concurrency 2 a", "a-1"),
        ("hone pool a-1 b", "b-2"),
        ("hone calc plan --run l", "latest"),
        ("hone calc rate a-1 b", "b-2"),
        (
            "hone report results/",
            "results/a-1/ results/b-2/ results/no-run/",
        ),
        ("hone report e", "elsewhere/"),
        ("hone replay ", "b-2/failures/3-1"),
        ("hone match bin/", "bin/engine"),
        ("hone sprt --dev bin/e", "bin/engine"),
        ("hone check bin/", "bin/engine"),
        ("hone sprt --profile q", "quick"),
        ("hone help tun", "tuning"),
        ("hone ver", "verify"),
    ] {
        let mut command = Command::new("bash");
        command.args(["--norc", "-c", TAB, "bash", line]);
        command.env("PATH", &path).current_dir(folder.path());
        let finished = finish(command);
        let words: Vec<&str> = finished.stdout.split_whitespace().collect();
        assert_eq!(words.join(" "), expected, "{line}: {}", finished.stderr);
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().expect("made");
    let finished = hone_in(folder.path(), &["man", "--out", "share/man1"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let mut expected = BTreeSet::from(["hone.1".to_string()]);
    let help = |args: &[&str]| hone_in(folder.path(), &[args, &["--help"]].concat()).stdout;
    for command in listed(&help(&[])) {
        expected.insert(format!("hone-{command}.1"));
        let text = help(&[command.as_str()]);
        let list = text
            .split_once("\nCommands:\n")
            .map_or("", |(_, list)| list);
        let subcommands = listed(list).into_iter();
        expected.extend(subcommands.map(|name| format!("hone-{command}-{name}.1")));
    }
    assert!(expected.contains("hone-book-make.1"), "{expected:?}");
    let mut pages = BTreeSet::new();
    for entry in fs::read_dir(folder.path().join("share/man1")).expect("made") {
        let path = entry.expect("a page").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        let page = fs::read_to_string(&path).expect("a page");
        let title = format!(".TH {} 1", name.trim_end_matches(".1"));
        assert!(page.contains(&title), "{title}: {page}");
        pages.insert(name.into_owned());
    }
    assert_eq!(pages, expected);
}

/// The commands that a help lists before its options.
fn listed(help: &str) -> Vec<String> {
    let list = help.split("\nOptions:\n").next().unwrap_or_default();
    let lines = list.lines().filter_map(|line| line.strip_prefix("  "));
    let commands = lines.filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
    let names = commands.filter_map(|line| line.split(' ').next());
    names.map(str::to_string).collect()
}
