//! Engines from shallow clones and from repositories with remotes or submodules.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::repository::{BUILD, EngineRepository};
use hone_base::diagnostic::shown;
use hone_builds::{Builder, Cache, Recipe, Repository, Revision};

/// Clones the repository into a folder beside it.
fn clone(of: &EngineRepository, arguments: &[&str]) -> PathBuf {
    let to = of.dir.path().join("clone");
    let url = format!("file://{}", of.path().display());
    let place = to.to_str().expect("text");
    of.git(&[&["clone", "--quiet"], arguments, &[&url, place]].concat());
    to
}

#[test]
fn the_files_that_the_last_commit_of_a_shallow_clone_changes_are_unknown() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    for text in ["one", "two"] {
        repository.write("README", text);
        repository.commit("Documentation");
    }
    repository.git(&["branch", "other", "HEAD^"]);
    let clone = clone(&repository, &["--depth", "1", "--no-single-branch"]);
    let shallow = Repository::open(&clone).expect("a repository");
    let paths = ["engine.sh".to_string()];
    let refused = [
        shallow.newest_changing(&paths, "HEAD").map(drop),
        shallow.changing(&paths, None, "HEAD").map(drop),
    ];
    for refused in refused {
        let error = shown(&refused.expect_err("unknown"));
        for part in ["because the clone is shallow", "git fetch --unshallow"] {
            assert!(error.contains(part), "{error}");
        }
    }
    assert!(shallow.newest_changing(&[], "HEAD").is_ok());
    let whole = Repository::open(&repository.path()).expect("a repository");
    let first = whole.newest_changing(&paths, "HEAD").expect("known");
    assert_eq!(first.expect("there").subject, "First");
}

#[test]
fn a_revision_that_is_missing_here_may_be_elsewhere() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    repository.commit("Second");
    repository.git(&["branch", "other"]);
    let clone = clone(&repository, &["--depth", "1", "--no-single-branch"]);
    let shallow = Repository::open(&clone).expect("a repository");
    for (rev, help) in [
        ("other", "write `origin/other`"),
        ("HEAD^1", "git fetch --unshallow"),
    ] {
        let error = shown(&shallow.commit(rev).expect_err("missing"));
        let missing = format!("has no commit, tag or branch `{rev}`\nhelp: ");
        assert!(error.contains(&missing) && error.contains(help), "{error}");
    }
    let whole = Repository::open(&repository.path()).expect("a repository");
    let error = shown(&whole.commit("other2").expect_err("missing"));
    assert!(!error.contains("help"), "{error}");
}

/// `origin/HEAD^1` is a commit, but not a branch.
#[test]
fn only_a_name_is_looked_for_among_the_branches_of_the_remote() {
    let repository = EngineRepository::new();
    for subject in ["First", "Second", "Third"] {
        repository.commit(subject);
    }
    let clone = clone(&repository, &["--depth", "2"]);
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        let status = command.arg("-C").arg(&clone).args(arguments).status();
        assert!(status.expect("git starts").success(), "git {arguments:?}");
    };
    let error = || {
        let cloned = Repository::open(&clone).expect("a repository");
        shown(&cloned.commit("HEAD^1").expect_err("missing"))
    };
    git(&["checkout", "--quiet", "--detach", "HEAD^"]);
    let shallow = error();
    assert!(shallow.contains("git fetch --unshallow"), "{shallow}");
    assert!(!shallow.contains("origin/"), "{shallow}");
    git(&["fetch", "--quiet", "--unshallow"]);
    git(&["checkout", "--quiet", "--detach", "HEAD^"]);
    let whole = error();
    assert!(!whole.contains("help"), "{whole}");
}

/// Adds another repository as the submodule `sub`. Returns the commit.
fn add_submodule(repository: &EngineRepository, library: &EngineRepository) -> String {
    repository.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        library.path().to_str().expect("text"),
        "sub",
    ]);
    repository.commit("With a submodule")
}

/// Of a submodule, a snapshot has only the commit.
#[test]
fn changes_inside_a_submodule_are_refused() {
    let library = EngineRepository::new();
    library.commit_engine("", 5, "Library");
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    add_submodule(&repository, &library);
    let recipe = Recipe {
        repository: repository.path(),
        revision: Revision::WorkTree { tree: None },
        build: Some(BUILD.to_string()),
        cmd: String::new(),
    };
    let build = || Builder::with_cache(Cache::at(&repository.cache())).build(&recipe, &mut |_| {});
    // A new file may be a leftover of a build.
    repository.write("sub/object.o", "built");
    build().expect("nothing has changed");
    repository.write("sub/engine.sh", "changed");
    let error = build().expect_err("a change would be lost").to_string();
    assert!(error.contains("sub has uncommitted changes"), "{error}");
}

/// Like a makefile without dependencies for its objects in `sub`.
const BUILD_IN_SUBMODULE: &str = "set -e
git -c protocol.file.allow=always submodule --quiet update --init
test -e sub/engine.sh
test -e sub/object || cp engine.sh sub/object
cp sub/object \"$1\"
chmod +x \"$1\"
";

#[test]
fn files_that_a_build_leaves_in_a_submodule_are_removed_for_other_commits() {
    let library = EngineRepository::new();
    library.write(".gitignore", "object\n");
    library.commit_engine("", 5, "Library");
    let repository = EngineRepository::new();
    let commit = |nodes, build: &str| {
        repository.write_engine("", nodes);
        repository.write("build.sh", build);
        repository.commit("An engine")
    };
    commit(1, BUILD_IN_SUBMODULE);
    let first = add_submodule(&repository, &library);
    let second = commit(2, BUILD_IN_SUBMODULE);
    // The submodule becomes a folder like any other.
    repository.git(&["rm", "--quiet", "--force", "sub"]);
    fs::create_dir(repository.path().join("sub")).expect("made");
    repository.write("sub/file", "of the repository");
    let third = commit(
        3,
        "test -e sub/file && test ! -e sub/.git && cp engine.sh \"$1\" && chmod +x \"$1\"",
    );
    for (rev, nodes) in [(&first, 1), (&second, 2), (&third, 3)] {
        let built = repository.build(&repository.recipe(rev, BUILD, ""));
        assert_eq!(built.expect("built").record.bench, Some(nodes));
    }
}

#[test]
fn a_build_that_fails_without_its_submodules_names_the_remedy() {
    let library = EngineRepository::new();
    library.commit_engine("", 5, "Library");
    let repository = EngineRepository::new();
    repository.write_engine("", 5);
    repository.write("build.sh", "test -e sub/engine.sh");
    let error = |line: &str| {
        let failed = repository.build(&repository.recipe("HEAD", line, ""));
        shown(&failed.expect_err("it does not build"))
    };
    repository.commit("Needs a library");
    assert!(!error(BUILD).contains("submodule"), "{}", error(BUILD));
    add_submodule(&repository, &library);
    let failed = error(BUILD);
    let help = "\nhelp: this repository has submodules, which the build command must fetch";
    assert!(failed.contains(help), "{failed}");
    let fetched = error("git submodule status && exit 1 # {out}");
    assert!(!fetched.contains(help), "{fetched}");
}

#[test]
fn a_build_finds_the_address_of_origin() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    let clone = clone(&repository, &[]);
    let found = repository.dir.path().join("found");
    let line = format!(
        "git config --get remote.origin.url >'{}'; {BUILD}",
        found.display()
    );
    let recipe = Recipe {
        repository: clone,
        revision: Revision::Commit("HEAD".to_string()),
        build: Some(line),
        cmd: String::new(),
    };
    let builder = Builder::with_cache(Cache::at(&repository.cache()));
    builder.build(&recipe, &mut |_| {}).expect("built");
    let url = fs::read_to_string(&found).expect("written");
    let origin: &Path = url.trim().strip_prefix("file://").expect("a URL").as_ref();
    assert_eq!(origin, repository.path());
}

/// Builds if the submodule `sub`, fetched from where `.gitmodules` says, has a file `name`.
fn build_with(name: &str) -> String {
    format!(
        "git -c protocol.file.allow=always submodule --quiet update --init && test -e sub/{name} && {BUILD}"
    )
}

#[test]
fn the_address_of_a_submodule_may_change() {
    let [old, new] = ["old", "new"].map(|name| {
        let library = EngineRepository::new();
        library.write(name, "a library");
        library.commit(name);
        library
    });
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    let first = add_submodule(&repository, &old);
    repository.git(&["rm", "--quiet", "--force", "sub"]);
    fs::remove_dir_all(repository.path().join(".git/modules")).expect("removed");
    let second = add_submodule(&repository, &new);
    for (rev, name) in [(&first, "old"), (&second, "new"), (&first, "old")] {
        let built = repository.build(&repository.recipe(rev, &build_with(name), ""));
        built.expect("built");
    }
}

#[test]
fn a_relative_address_of_a_submodule_starts_at_the_repository() {
    let library = EngineRepository::new();
    library.write("file", "a library");
    library.commit("Library");
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    add_submodule(&repository, &library);
    let beside = repository.dir.path().join("library");
    fs::rename(library.path(), &beside).expect("moved");
    let relative = "[submodule \"sub\"]\n\tpath = sub\n\turl = ../library\n";
    repository.write(".gitmodules", relative);
    let commit = repository.commit("A relative address");
    let clone_beside = clone(&repository, &[]);
    let bare = repository.dir.path().join("bare.git");
    let bare = bare.to_str().expect("text");
    let path = repository.path();
    let path = path.to_str().expect("text");
    repository.git(&["clone", "--quiet", "--bare", path, bare]);
    // Without `origin`, with one, and with a relative one.
    for (folder, origin) in [
        (repository.path(), None),
        (clone_beside.clone(), None),
        (clone_beside, Some("../engine")),
        (PathBuf::from(bare), None),
    ] {
        if let Some(url) = origin {
            let mut set = Command::new("git");
            set.arg("-C").arg(&folder);
            let set = set.args(["config", "remote.origin.url", url]).status();
            assert!(set.expect("git starts").success());
        }
        let recipe = Recipe {
            repository: folder,
            ..repository.recipe(&commit, &build_with("file"), "")
        };
        let cache = tempfile::tempdir().expect("a folder");
        let builder = Builder::with_cache(Cache::at(cache.path()));
        builder.build(&recipe, &mut |_| {}).expect("built");
    }
}

#[test]
fn a_partial_clone_is_refused_with_a_command_that_completes_it() {
    let repository = EngineRepository::new();
    repository.git(&["config", "uploadpack.allowFilter", "true"]);
    repository.commit_engine("", 5, "First");
    repository.commit_engine("", 6, "Second");
    for filter in ["blob:none", "blob:limit=1", "tree:0"] {
        let partial = clone(&repository, &["--filter", filter]);
        // Each filter has builds of its own.
        let build = format!("{BUILD} && : {filter}");
        let of = |rev: &str| Recipe {
            repository: partial.clone(),
            ..repository.recipe(rev, &build, "")
        };
        repository.build(&of("HEAD")).expect("its files are there");
        let error = repository
            .build(&of("HEAD^"))
            .expect_err("files are missing");
        let error = shown(&error);
        let (what, help) = error.split_once("\nhelp: `git ").expect("help");
        let commit = repository.git(&["rev-parse", "HEAD^"]);
        let expected = format!(
            "cannot check out {}: {} is a partial clone, which lacks some of its files",
            &commit[..10],
            partial.join(".git").display()
        );
        assert_eq!(what, expected);
        let (line, _) = help.split_once('`').expect("a command");
        let words = shlex::split(line).expect("words");
        let followed = Command::new("git").args(words).status();
        assert!(followed.expect("git starts").success(), "{line}");
        let built = repository.build(&of("HEAD^")).expect("built");
        assert_eq!(built.record.bench, Some(5));
        fs::rename(&partial, repository.dir.path().join(filter)).expect("moved");
    }
}

#[test]
fn a_repository_may_have_sha256_ids() {
    let repository = EngineRepository::new();
    fs::remove_dir_all(repository.path().join(".git")).expect("removed");
    repository.git(&["init", "--quiet", "--object-format=sha256"]);
    let commit = repository.commit_engine("", 5, "First");
    assert_eq!(commit.len(), 64);
    repository.git(&["tag", "v1"]);
    for revision in [
        Revision::Commit(commit[..12].to_string()),
        Revision::Commit("v1".to_string()),
        Revision::Commit("HEAD".to_string()),
        Revision::Commit(commit),
        Revision::WorkTree { tree: None },
    ] {
        let recipe = Recipe {
            revision,
            ..repository.recipe("", BUILD, "")
        };
        assert_eq!(
            repository.build(&recipe).expect("built").record.bench,
            Some(5)
        );
    }
    repository.write_engine("", 6);
    let changes = Recipe {
        revision: Revision::WorkTree { tree: None },
        ..repository.recipe("", BUILD, "")
    };
    assert_eq!(
        repository.build(&changes).expect("built").record.bench,
        Some(6)
    );
}
