//! Commits and repositories of others: files outside the cache stay unchanged, only the build
//! command runs, and text cannot control the terminal.
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::common::repository::{BUILD, EngineRepository, WEAK};
use crate::common::skip::skipped;
use crate::common::{Finished, finish, script, wrapped};
use hone_builds::{BuildError, Recipe, Revision};

/// In a commit, the folder of the program is a symbolic link to a folder of the user.
#[test]
fn nothing_outside_the_work_tree_is_deleted() {
    let repository = EngineRepository::new();
    let outside = repository.dir.path().join("outside");
    fs::create_dir(&outside).expect("made");
    fs::write(outside.join("engine"), "the user's").expect("written");
    let link = repository.path().join("bin");
    std::os::unix::fs::symlink(&outside, &link).expect("linked");
    repository.commit_engine("", 5, "A link");
    fs::remove_file(&link).expect("removed");
    repository.commit_engine("", 6, "No link");
    let of = |rev| repository.recipe(rev, "mkdir -p bin && sh build.sh bin/engine", "bin/engine");
    for rev in ["HEAD~1", "HEAD", "HEAD~1"] {
        let built = repository.build(&of(rev));
        match rev {
            "HEAD" => assert_eq!(built.expect("built").record.bench, Some(6)),
            _ => {
                let error = built.expect_err("refused");
                assert!(matches!(error, BuildError::LeadsOutside { .. }), "{error}");
                assert!(error.is_of_commit());
            }
        }
        let kept = fs::read_to_string(outside.join("engine")).expect("there");
        assert_eq!(kept, "the user's");
    }
}

/// Submodules whose names have line ends and other bytes, and one whose folder a build has
/// replaced by a symbolic link that leads out.
#[test]
fn hostile_submodules_are_cleaned_and_nothing_outside() {
    // Other systems do not allow such a name.
    let not_text: &[u8] = if cfg!(target_os = "linux") {
        b"caf\xe9"
    } else {
        b"cafe"
    };
    let repository = EngineRepository::new();
    let outside = repository.dir.path().join("outside");
    fs::create_dir_all(outside.join("sub")).expect("made");
    fs::write(outside.join("sub/kept"), "the user's").expect("written");
    repository.commit_engine("", 5, "First");
    let replace = format!("rm -r d; ln -s '{}' d\n", outside.display());
    let build: [&[u8]; 6] = [
        b"set -e\nfor sub in 'line\nend' '",
        not_text,
        b"'; do test -e \"$sub/object\" || cp engine.sh \"$sub/object\"\n",
        b"cmp engine.sh \"$sub/object\"; done\n",
        replace.as_bytes(),
        b"cp engine.sh \"$1\"; chmod +x \"$1\"\n",
    ];
    for nodes in [6, 7] {
        repository.write_engine("", nodes);
        fs::write(repository.path().join("build.sh"), build.concat()).expect("written");
        repository.commit("An engine");
        for name in [b"line\nend".as_slice(), not_text, b"d/sub"] {
            let mut entry = format!("160000,{},", "1".repeat(40)).into_bytes();
            entry.extend(name);
            let mut add = Command::new("git");
            add.arg("-C").arg(repository.path());
            add.args(["update-index", "--add", "--cacheinfo"]);
            let added = add.arg(OsStr::from_bytes(&entry)).status();
            assert!(added.expect("git starts").success());
        }
        repository.git(&["commit", "--quiet", "--message", "With submodules"]);
        let built = repository.build(&repository.recipe("HEAD", BUILD, ""));
        assert_eq!(built.expect("built").record.bench, Some(nodes));
    }
    assert!(outside.join("sub/kept").exists());
}

/// Filters, hooks and the file system monitor of the repository do not run.
#[test]
fn only_the_build_command_of_a_repository_runs() {
    let repository = EngineRepository::new();
    repository.write(".gitattributes", "*.sh filter=spy\nextra filter=second\n");
    repository.commit_engine("", 5, "First");
    let ran = repository.dir.path().join("ran");
    let text = format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", ran.display());
    let spy = script(repository.dir.path(), "spy", &text);
    let spy_path = spy.display().to_string();
    for (key, value) in [
        ("core.fsmonitor", spy_path.as_str()),
        ("filter.spy.clean", &spy_path),
        ("filter.spy.smudge", &spy_path),
        ("filter.spy.required", "true"),
        ("filter.second.process", &spy_path),
    ] {
        repository.git(&["config", key, value]);
    }
    for hook in ["post-index-change", "post-checkout", "pre-commit"] {
        let hooks = repository.path().join(".git/hooks");
        fs::create_dir_all(&hooks).expect("made");
        fs::copy(&spy, hooks.join(hook)).expect("copied");
    }
    repository.write_engine(WEAK, 7);
    repository.write("extra", "new");
    let changes = Recipe {
        revision: Revision::WorkTree { tree: None },
        ..repository.recipe("", BUILD, "")
    };
    let built = repository.build(&changes).expect("built");
    assert_eq!(built.record.bench, Some(7));
    let built = repository
        .build(&repository.recipe("HEAD", BUILD, ""))
        .expect("built");
    assert_eq!(built.record.bench, Some(5));
    assert!(!ran.exists(), "{}", fs::read_to_string(&ran).expect("text"));
}

#[test]
fn control_characters_of_a_subject_are_removed() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "\u{1b}]0;title\u{7}Faster \u{1b}[31m\u{202e}red");
    let built = repository
        .build(&repository.recipe("HEAD", BUILD, ""))
        .expect("built");
    let subject = &built.record.subject;
    assert!(subject.contains("Faster"), "{subject:?}");
    assert!(
        !subject.contains(['\u{1b}', '\u{7}', '\u{202e}']),
        "{subject:?}"
    );
}

/// Runs a command with another user's rights. `None`, and the test counts as skipped, if that
/// is not possible.
fn as_nobody(mut command: Command) -> Option<Finished> {
    const NOBODY: u32 = 65_534;
    // SAFETY: geteuid is always safe to call.
    if unsafe { libc::geteuid() } != 0 {
        skipped("another user's rights need root");
        return None;
    }
    command.uid(NOBODY).gid(NOBODY).current_dir("/");
    match command.output() {
        Ok(output) => Some(Finished::of(output)),
        Err(error) => {
            skipped(&format!("another user cannot start hone: {error}"));
            None
        }
    }
}

/// Programs in the cache are run, so other users must not be able to write there.
#[test]
fn a_cache_that_others_can_write_to_is_refused() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    let build = || {
        let mut command = repository.hone();
        command.args(["match", "git:HEAD", "git:HEAD", "--build", BUILD]);
        command.args(["--pairs", "1", "--limit", "nodes=1", "--out"]);
        command.arg(repository.dir.path().join("run"));
        command
    };
    let cache = repository.cache();
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("changed");
    };
    for writable in [cache.clone(), cache.join("builds")] {
        fs::create_dir_all(&writable).expect("made");
        mode(&writable, 0o777);
        let refused = finish(build());
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        let words = format!(
            "every user can write to the cache of builds {}",
            writable.display()
        );
        assert!(refused.stderr.contains(&words), "{}", refused.stderr);
        mode(&writable, 0o755);
    }
    // A cache of another owner is refused.
    fs::remove_dir_all(&cache).expect("removed");
    fs::create_dir(&cache).expect("made");
    if std::os::unix::fs::chown(&cache, Some(65_534), None).is_err() {
        return skipped("another user's folder needs root");
    }
    let refused = finish(build());
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let words = "belongs to another user (uid 65534), whose programs would run with your rights";
    assert!(refused.stderr.contains(words), "{}", refused.stderr);
    assert!(!repository.dir.path().join("run").exists());
    assert_eq!(fs::read_dir(&cache).expect("there").count(), 0);
}

#[test]
fn a_cache_that_cannot_be_written_to_is_named() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    let world = tempfile::tempdir().expect("a folder");
    for path in [repository.dir.path(), world.path()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("changed");
    }
    let cache = world.path().join("cache");
    fs::create_dir(&cache).expect("made");
    let mut command = repository.hone();
    command
        .env("HONE_CACHE", &cache)
        // Git must not refuse the repository first.
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "safe.directory")
        .env("GIT_CONFIG_VALUE_0", "*")
        .args(["sprt", "--build", BUILD, "--dev"])
        .arg(format!("git:{}@HEAD", repository.path().display()))
        .args(["--base", "/bin/true"]);
    let Some(refused) = as_nobody(command) else {
        return;
    };
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    for words in [
        &format!("{}", cache.display()),
        "Permission denied",
        "help: set HONE_CACHE to a folder of your own",
    ] {
        assert!(
            refused.stderr.contains(words),
            "{words}: {}",
            refused.stderr
        );
    }
}

#[test]
fn only_the_user_can_read_a_new_cache() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    repository
        .build(&repository.recipe("HEAD", BUILD, ""))
        .expect("built");
    let mode = fs::metadata(repository.cache())
        .expect("there")
        .permissions();
    assert_eq!(mode.mode() & 0o777, 0o700);
}

/// Containers of some CI systems have this umask.
#[test]
fn a_cache_that_is_made_without_a_umask_can_be_used_again() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    let play = |out: &str| {
        let mut command = repository.hone();
        command.args(["match", "git:HEAD", "git:HEAD", "--build", BUILD]);
        command.args(["--pairs", "1", "--limit", "nodes=1", "--out"]);
        command.arg(repository.dir.path().join(out));
        let mut shell = Command::new("sh");
        shell.args(["-c", "umask 000 && exec \"$@\"", "sh"]);
        let played = finish(wrapped(shell, &command));
        assert_eq!(played.code, Some(0), "{}", played.stderr);
    };
    play("first");
    for folder in ["builds", "trees"] {
        let made = fs::metadata(repository.cache().join(folder)).expect("there");
        assert_eq!(made.permissions().mode() & 0o777, 0o700, "{folder}");
    }
    play("second");
}

#[test]
fn a_folder_that_cannot_be_the_cache_is_named_with_help() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    let file = repository.dir.path().join("file");
    fs::write(&file, "").expect("written");
    let below = file.join("cache");
    let missing = Path::new("/proc/none/cache");
    let builds = ["builds"];
    let prune = ["builds", "prune", "--all"];
    let test = [
        "sprt",
        "--dev=git:HEAD",
        "--base=git:HEAD",
        "--build",
        BUILD,
    ];
    let refused = |cache: &Path, arguments: &[&str]| {
        let mut command = repository.hone();
        command.env("HONE_CACHE", cache).args(arguments);
        let refused = finish(command);
        assert_eq!(refused.code, Some(2), "{arguments:?}: {}", refused.stderr);
        let words = format!("cannot use the cache of builds {}: ", cache.display());
        for part in [&words, "help: set HONE_CACHE to a folder of your own"] {
            assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
        }
    };
    for cache in [&file, &below] {
        for arguments in [&builds[..], &prune, &test] {
            refused(cache, arguments);
        }
    }
    if cfg!(target_os = "linux") {
        refused(missing, &test);
    }
}

#[test]
fn a_repository_of_another_user_is_refused_with_the_remedy() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    let mut command = repository.hone();
    command
        .args(["sprt", "--dev=git:HEAD", "--base=git:HEAD"])
        // A variable of git's own tests.
        .env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    let refused = finish(command);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    for part in [
        "git refuses the repository ., because it belongs to another user\n",
        "help: if you trust it, run `git config --global --add safe.directory ",
    ] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    assert!(!refused.stderr.contains("fatal"), "{}", refused.stderr);
}

#[test]
fn a_cache_path_that_is_not_text_is_refused() {
    let repository = EngineRepository::new();
    let mut command = repository.hone();
    command
        .env("HONE_CACHE", OsStr::from_bytes(b"/tmp/caf\xe9"))
        .arg("builds");
    let refused = finish(command);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("is not UTF-8"),
        "{}",
        refused.stderr
    );
}
