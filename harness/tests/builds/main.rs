//! Engines from commits: builds, the cache, and the user's repository, which stays unchanged.

#![cfg(unix)]

mod bisect;
#[path = "../common/building.rs"]
mod building;
mod clones;
#[path = "../common/mod.rs"]
mod common;
mod conventions;
mod hostile_repositories;
mod interrupted;
mod runs;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use common::repository::{BUILD, EngineRepository, WEAK};
use hone_base::diagnostic::shown;
use hone_builds::{BenchCheck, BuildError, Cache, Recipe, Repository, Revision};

/// All files of a folder with their contents and times.
fn state(dir: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(dir).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(state(&path));
        } else {
            let time = entry.metadata().and_then(|file| file.modified());
            files.insert(path.clone(), (fs::read(&path).unwrap(), time.unwrap()));
        }
    }
    files
}

#[test]
fn a_commit_is_built_once_and_the_repository_is_unchanged() {
    let repository = EngineRepository::new();
    let old = repository.commit_engine("", 5, "First\n\nBench: 5");
    repository.git(&["tag", "v1"]);
    repository.commit_engine(WEAK, 6, "Second");
    repository.write("engine.sh", "broken, uncommitted");
    repository.write("new file", "not added");
    let before = state(&repository.path());

    let mut by_tag = repository
        .build(&repository.recipe("v1", BUILD, ""))
        .expect("built");
    assert!(!by_tag.was_cached);
    assert_eq!(by_tag.record.commit, old);
    assert_eq!(by_tag.record.subject, "First");
    assert_eq!(by_tag.record.bench, Some(5));
    assert_eq!(by_tag.record.expected_bench, Some(5));
    assert!(by_tag.check_bench(BenchCheck::Commit, false).is_ok());
    assert!(matches!(
        by_tag.check_bench(BenchCheck::Nodes(9), false),
        Err(BuildError::Bench { .. })
    ));
    let by_id = repository
        .build(&repository.recipe(&old, BUILD, ""))
        .expect("cached");
    assert!(by_id.was_cached);
    assert_eq!(by_id.program, by_tag.program);

    let copied = repository.recipe("main", "sh build.sh made/here", "made/here");
    let failed = repository.build(&copied).expect_err("no such folder");
    assert!(failed.is_of_commit(), "{failed}");
    let copied = repository.recipe(
        "main",
        "mkdir made && sh build.sh made/here",
        "made/here --x",
    );
    let built = repository.build(&copied).expect("built");
    assert_eq!(built.args, ["--x"]);
    assert_eq!(built.record.bench, Some(6));
    assert_eq!(state(&repository.path()), before);
}

#[test]
fn a_damaged_build_is_built_again() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    let recipe = repository.recipe("HEAD", BUILD, "");
    let first = repository.build(&recipe).expect("built");
    fs::write(&first.program, "cut off").expect("written");
    let again = repository.build(&recipe).expect("built");
    assert!(!again.was_cached);
    assert_eq!(again.record.sha256, first.record.sha256);
    let cache = Cache::at(&repository.cache());
    let freed = cache.prune(Duration::ZERO).expect("pruned");
    assert_eq!((freed.builds, freed.in_use), (0, 1), "it may be started");
    let sha256 = first.record.sha256.clone();
    drop((first, again));
    let (mut builds, mut trees) = (0, freed.trees);
    common::wait_until("the end of all locks", || {
        // A process that another test has just started holds a copy of the
        // locks until it becomes its program.
        let freed = cache.prune(Duration::ZERO).expect("pruned");
        builds += freed.builds;
        trees += freed.trees;
        (builds, trees) == (1, 1)
    });
    assert!(cache.list().is_empty());
    let pruned = repository.build(&recipe).expect("built");
    assert_eq!(pruned.record.sha256, sha256);
}

/// A power failure leaves an empty record, a killed `prune` leaves none.
#[test]
fn a_damaged_build_is_replaced_by_a_complete_one() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    let recipe = repository.recipe("HEAD", BUILD, "");
    let first = repository.build(&recipe).expect("built");
    let (program, sha256) = (first.program.clone(), first.record.sha256.clone());
    let content = fs::read(&program).expect("there");
    let record = program.with_file_name("build.toml");
    let empty = || {
        fs::write(&program, "another program")?;
        fs::write(&record, "")
    };
    let no_record = || {
        fs::write(&program, "another program")?;
        fs::remove_file(&record)
    };
    let no_program = || fs::remove_file(&program);
    let damages: [&dyn Fn() -> std::io::Result<()>; 3] = [&empty, &no_record, &no_program];
    for damage in damages {
        damage().expect("damaged");
        let again = repository.build(&recipe).expect("built");
        assert!(!again.was_cached);
        assert_eq!(again.record.sha256, sha256);
        assert_eq!(fs::read(&program).expect("there"), content);
        let cached = repository.build(&recipe).expect("cached");
        assert!(cached.was_cached);
    }
}

#[test]
fn pruning_all_removes_the_leftovers_of_a_killed_prune() {
    let dir = tempfile::tempdir().expect("a folder");
    let [left, unfinished] = ["0123-4567", "0123-4567.partial-1"].map(|name| {
        let folder = dir.path().join("builds").join(name);
        fs::create_dir_all(&folder).expect("made");
        fs::write(folder.join("engine"), "left").expect("written");
        folder
    });
    let cache = Cache::at(dir.path());
    let freed = cache.prune(Duration::ZERO).expect("pruned");
    assert_eq!((freed.builds, freed.bytes), (1, 4));
    assert!(!left.exists());
    assert!(unfinished.exists(), "another process may be building it");
}

#[test]
fn a_failed_build_leaves_its_log_and_is_tried_again() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    let gate = repository.dir.path().join("open");
    let line = format!("echo first line; test -e '{}' && {BUILD}", gate.display());
    let recipe = repository.recipe("HEAD", &line, "");
    let error = repository.build(&recipe).expect_err("the gate is shut");
    let BuildError::Failed(failed) = &error else {
        panic!("{error}");
    };
    assert!(failed.excerpt.contains("first line"), "{error}");
    assert_eq!(
        fs::read_to_string(&failed.log).expect("kept"),
        "first line\n"
    );
    let log = failed.log.clone();
    // Of a build that prints nothing, no log is quoted or named.
    let line = "exit 3 # {out}";
    let silent = repository.build(&repository.recipe("HEAD", line, ""));
    let silent = shown(&silent.expect_err("it fails"));
    let message = format!("does not build (exit status: 3): {line}");
    assert!(silent.ends_with(&message), "{silent}");
    fs::write(&gate, "").expect("written");
    assert!(!repository.build(&recipe).expect("built").was_cached);
    assert!(!log.exists());
}

#[test]
fn a_quoted_log_has_neither_long_lines_nor_escape_sequences() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    let line = r"printf '\033[31merror\033[0m: x\a\n'; head -c 100000 /dev/zero | tr '\0' y; exit 1 # {out}";
    let error = repository.build(&repository.recipe("HEAD", line, ""));
    let Err(BuildError::Failed(failed)) = error else {
        panic!("{error:?}");
    };
    let (first, second) = failed.excerpt.split_once('\n').expect("two lines");
    assert_eq!(first, "  | error: x\u{fffd}");
    assert!(second.starts_with("  | yyy"), "{second}");
    assert!(
        second.ends_with('…') && second.chars().count() < 300,
        "{second}"
    );
}

/// In the cache, `chmod` would not mend the next build.
#[test]
fn a_build_must_set_the_permission_to_execute() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    let refused = |recipe: &Recipe| {
        let error = repository.build(recipe).expect_err("not executable");
        assert!(error.is_of_commit(), "{error}");
        shown(&error)
    };
    let no_build = Recipe {
        build: None,
        ..repository.recipe("HEAD", "", "engine.sh")
    };
    for (recipe, help) in [
        (
            repository.recipe("HEAD", "cp engine.sh {out}", ""),
            "the build command must set the permission to execute: `… && chmod +x {out}`",
        ),
        (
            repository.recipe("HEAD", "cp engine.sh my", "my"),
            "the build command must set the permission to execute: `… && chmod +x my`",
        ),
        (no_build, "`git update-index --chmod=+x engine.sh`"),
    ] {
        let error = refused(&recipe);
        let message = "(First) was built, but its program is not executable\nhelp: ";
        assert!(error.contains(message) && error.contains(help), "{error}");
    }
}

#[test]
fn uncommitted_changes_are_built_as_they_are() {
    let repository = EngineRepository::new();
    let commit = repository.commit_engine("", 5, "First");
    repository.write(".gitignore", "*.o\n");
    let changes = |tree: Option<String>| Recipe {
        revision: Revision::WorkTree { tree },
        ..repository.recipe("", BUILD, "")
    };
    // A change, a new file, and an ignored one.
    repository.write_engine(WEAK, 7);
    repository.write(
        "build.sh",
        "test ! -e x.o && cat extra && cp engine.sh $1 && chmod +x $1\n",
    );
    repository.write("extra", "a new file");
    repository.write("x.o", "ignored");
    let before = state(&repository.path());
    let built = repository.build(&changes(None)).expect("built");
    assert_eq!(state(&repository.path()), before);
    assert_eq!(built.record.commit, commit);
    assert_eq!(built.record.bench, Some(7));
    assert_eq!(built.record.expected_bench, None);
    let tree = built.record.tree.clone();
    assert!(tree.is_some());
    assert!(repository.build(&changes(None)).expect("cached").was_cached);

    // After other changes, the earlier ones are in the cache until it is pruned.
    repository.write("extra", "changed");
    let pinned = repository.build(&changes(tree.clone())).expect("cached");
    assert_eq!(pinned.record.tree, tree);
    let other = repository.build(&changes(None)).expect("built");
    assert_ne!(other.record.tree, tree);
    drop((built, pinned, other));
    let cache = Cache::at(&repository.cache());
    common::wait_until("the end of all locks", || {
        cache.prune(Duration::ZERO).expect("pruned");
        cache.list().is_empty()
    });
    let gone = repository.build(&changes(tree)).expect_err("changed");
    assert!(matches!(gone, BuildError::ChangesGone { .. }), "{gone}");

    repository.commit("Second");
    let clean = repository.build(&changes(None)).expect("built");
    assert_eq!(clean.record.tree, None);
}

/// Git does not read a file again if its times are those in the index and the index is newer.
#[test]
fn a_change_right_after_the_commit_is_built() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    let set_time = |name: &str| {
        let file = File::options()
            .write(true)
            .open(repository.path().join(name));
        file.and_then(|file| file.set_modified(time)).expect("set");
    };
    // Git ignores the change time (ctime), which a test cannot set.
    repository.git(&["config", "core.trustctime", "false"]);
    set_time("engine.sh");
    repository.git(&["add", "--all"]);
    let script = fs::read_to_string(repository.path().join("engine.sh")).expect("there");
    repository.write("engine.sh", &script.replace("echo '5", "echo '7"));
    set_time("engine.sh");
    set_time(".git/index");
    let changed = repository.git(&["--no-optional-locks", "status", "--porcelain"]);
    assert_eq!(changed, "M engine.sh");
    let changes = Recipe {
        revision: Revision::WorkTree { tree: None },
        ..repository.recipe("", BUILD, "")
    };
    let built = repository.build(&changes).expect("built");
    assert!(built.record.tree.is_some());
    assert_eq!(built.record.bench, Some(7));
}

#[test]
fn a_bench_that_failed_runs_again_when_it_is_needed() {
    let repository = EngineRepository::new();
    let broken = repository.dir.path().join("broken");
    fs::write(&broken, "").expect("written");
    let bench = format!(
        "test -e '{}' && exit 3; echo 5 nodes 1 nps",
        broken.display()
    );
    repository.write("engine.sh", &format!("#!/bin/sh\n{bench}\n"));
    repository.write("build.sh", "cp engine.sh \"$1\"; chmod +x \"$1\"");
    repository.commit("First\n\nBench: 5");
    let recipe = repository.recipe("HEAD", BUILD, "");
    let mut built = repository.build(&recipe).expect("built");
    assert_eq!(built.record.bench, None);
    let error = built.check_bench(BenchCheck::Commit, false);
    let error = error.expect_err("still broken").to_string();
    assert!(
        error.contains("its `bench` failed (exit status: 3)"),
        "{error}"
    );
    fs::remove_file(&broken).expect("removed");
    let mut built = repository.build(&recipe).expect("cached");
    assert!(built.was_cached);
    built.check_bench(BenchCheck::Commit, false).expect("right");
    let again = repository.build(&recipe).expect("cached");
    assert_eq!(again.record.bench, Some(5), "it is recorded");
}

/// Commits a cargo package whose program prints this number of nodes.
fn commit_package(repository: &EngineRepository, nodes: &str) -> String {
    fs::create_dir_all(repository.path().join("src")).expect("made");
    repository.write(
        "Cargo.toml",
        "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
    );
    repository.write(
        "src/main.rs",
        &format!("fn main() {{ println!(\"{nodes} nodes 1 nps\"); }}\n"),
    );
    repository.commit(nodes)
}

#[test]
fn output_that_cargo_keeps_is_never_used_for_another_commit() {
    let repository = EngineRepository::new();
    let first = commit_package(&repository, "1");
    let second = commit_package(&repository, "2");
    repository.write("README", "nothing that is compiled");
    let third = repository.commit("third");
    fs::remove_dir_all(repository.path().join("src")).expect("removed");
    repository.write("Cargo.toml", "[workspace]\n");
    let empty = repository.commit("no program any more");
    let program = "target/debug/tiny";
    let line = "cargo build --offline --quiet";
    let bench = |rev: &str| {
        repository
            .build(&repository.recipe(rev, line, program))
            .map(|built| built.record.bench)
    };
    for (rev, nodes) in [(&second, 2), (&first, 1), (&third, 2)] {
        assert_eq!(bench(rev).expect("built"), Some(nodes));
    }
    // Whether or not its build succeeds, this commit has no program; the one of another
    // commit is still in the folder.
    let error = bench(&empty).expect_err("no program");
    assert!(error.is_of_commit(), "{error}");
}

#[test]
fn other_builds_start_from_a_clean_tree() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 1, "First");
    // Like a makefile that does not list the sources of its objects.
    repository.write(
        "build.sh",
        "test -e object || cp engine.sh object; cp object \"$1\"; chmod +x \"$1\"",
    );
    let first = repository.commit("keeps its objects");
    let second = {
        let script = fs::read_to_string(repository.path().join("engine.sh")).expect("there");
        repository.write("engine.sh", &script.replace("1 nodes", "2 nodes"));
        repository.commit("another engine")
    };
    for (rev, nodes) in [(first, 1), (second, 2)] {
        let built = repository
            .build(&repository.recipe(&rev, BUILD, ""))
            .expect("built");
        assert_eq!(built.record.bench, Some(nodes));
    }
}

#[test]
fn builds_at_the_same_time_wait_for_each_other() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 1, "First");
    let count = repository.dir.path().join("count");
    let line = format!(
        "mkdir busy && sleep 0.2 && rmdir busy && echo x >> '{}' && {BUILD}",
        count.display()
    );
    let recipe = repository.recipe("HEAD", &line, "");
    thread::scope(|scope| {
        let builds: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| repository.build(&recipe).expect("built")))
            .collect();
        let built = builds
            .into_iter()
            .map(|build| build.join().expect("no panic"));
        assert_eq!(built.filter(|built| !built.was_cached).count(), 1);
    });
    assert_eq!(fs::read_to_string(count).expect("written"), "x\n");
}

#[test]
fn history_is_read_along_first_parents() {
    let repository = EngineRepository::new();
    let first = repository.commit_engine("", 1, "First");
    repository.git(&["tag", "v1"]);
    repository.git(&["checkout", "--quiet", "-b", "side"]);
    repository.commit("On the side");
    repository.git(&["checkout", "--quiet", "main"]);
    let second = repository.commit("Second");
    repository.git(&["merge", "--quiet", "--no-ff", "-m", "Merge", "side"]);
    let merge = repository.git(&["rev-parse", "HEAD"]);
    let opened = Repository::open(&repository.path()).expect("opens");
    let history = opened.first_parents("v1", "main").expect("reads");
    let ids: Vec<_> = history.iter().map(|commit| commit.id.clone()).collect();
    assert_eq!(ids, [second, merge]);
    assert_eq!(
        opened.newest_tag("main", "v*").expect("reads").as_deref(),
        Some("v1")
    );
    assert_eq!(opened.commit("v1").expect("there").id, first);
    for rev in ["nothing", "", "--all", "-1"] {
        let error = opened.commit(rev).expect_err(rev);
        assert!(!BuildError::from(error).is_of_commit());
    }
    // Commits are read as UTF-8, whatever encoding the user's git prints.
    repository.git(&["config", "i18n.logOutputEncoding", "UTF-16"]);
    assert_eq!(opened.commit("v1").expect("there").subject, "First");
    let nowhere = Repository::open(&repository.dir.path().join("nowhere"));
    assert!(nowhere.is_err());
}
