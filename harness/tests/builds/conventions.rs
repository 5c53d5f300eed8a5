//! Builds by convention, and where their program is.

use std::fs;
use std::path::Path;

use crate::common::repository::EngineRepository;
use hone_base::diagnostic::shown;
use hone_builds::{Convention, Recipe, Revision};

#[test]
fn a_makefile_may_run_its_program() {
    for (folder, makefile, run) in [
        ("", "Makefile", "./$(EXE) bench"),
        ("src", "makefile", "./$(EXE) bench"),
        ("", "GNUmakefile", "@./\"${EXE}\" bench >/dev/null"),
        ("", "Makefile", "cd . && $(CURDIR)/$(EXE) bench"),
        ("", "Makefile", "$(PWD)/$(EXE) bench"),
    ] {
        // As makefiles of OpenBench engines with profile-guided optimisation do.
        let text =
            format!("EXE = engine\npgo:\n\tcp engine.sh $(EXE) && chmod +x $(EXE)\n\t{run}\n");
        let repository = EngineRepository::new();
        let inside = repository.path().join(folder);
        fs::create_dir_all(&inside).expect("made");
        repository.write_engine("", 5);
        if !folder.is_empty() {
            fs::rename(
                repository.path().join("engine.sh"),
                inside.join("engine.sh"),
            )
            .expect("moved");
        }
        fs::write(inside.join(makefile), text).expect("written");
        repository.commit("First");
        let revision = Revision::Commit("HEAD".to_string());
        let found = Convention::of(&repository.path(), &revision, None).expect("read");
        let found = found.expect("a convention");
        let recipe = repository.recipe("HEAD", &found.build, &found.cmd);
        let built = repository.build(&recipe).expect("built");
        assert_eq!(built.record.bench, Some(5));
        // An absolute path fails, and the help works.
        let make = if folder.is_empty() {
            "make"
        } else {
            "make -C src"
        };
        let absolute = repository.recipe("HEAD", &format!("{make} EXE={{out}}"), "");
        let error = repository
            .build(&absolute)
            .expect_err("`.//…` is not a program");
        let help = "as in `--build 'make EXE=engine' --cmd engine`";
        let error = shown(&error);
        assert!(error.contains(help), "{error}");
        let cmd = Path::new(folder).join("engine").display().to_string();
        let bare = repository.recipe("HEAD", &format!("{make} EXE=engine"), &cmd);
        repository.build(&bare).expect("built");
    }
}

#[test]
fn a_message_about_a_missing_program_lists_what_was_made() {
    let repository = EngineRepository::new();
    repository.commit_engine("", 5, "First");
    let line = "mkdir bin && sh build.sh bin/other && : > bin/engine.o";
    let error = repository.build(&repository.recipe("HEAD", line, "bin/engine"));
    let error = error.expect_err("no such program");
    assert!(error.is_of_commit());
    let text = shown(&error);
    let found =
        "its program `bin/engine` is missing; the build made `bin/other`\nhelp: `--cmd bin/other`";
    assert!(text.contains(found), "{text}");
    let followed = repository.recipe("HEAD", line, "bin/other");
    repository.build(&followed).expect("built");
    let nothing = repository.build(&repository.recipe("HEAD", "true # {out}", ""));
    let text = shown(&nothing.expect_err("no program"));
    let none = "its program `{out}` is missing; the build did not make any other executable file";
    assert!(text.ends_with(none), "{text}");
}

/// A script of a commit finds the files beside it, also those of its folder.
#[test]
fn a_program_of_the_commit_keeps_its_neighbours() {
    let repository = EngineRepository::new();
    fs::create_dir_all(repository.path().join("bot/data")).expect("made");
    repository.write("bot/data/nodes", "7 nodes 1 nps");
    repository.write(
        "bot/run.sh",
        "#!/bin/sh\ncat \"$(dirname \"$0\")/data/nodes\"\n",
    );
    repository.git(&["add", "--all"]);
    repository.git(&["update-index", "--chmod=+x", "bot/run.sh"]);
    repository.git(&["commit", "--quiet", "--message", "A script"]);
    repository.git(&["checkout", "--quiet", "--force", "HEAD"]);
    let recipe = Recipe {
        build: None,
        ..repository.recipe("HEAD", "", "bot/run.sh --fast")
    };
    let built = repository.build(&recipe).expect("built");
    assert_eq!(built.record.bench, Some(7));
    assert!(built.program.ends_with("tree/bot/run.sh"));
    assert_eq!(built.args, ["--fast"]);
    let record = hone_builds::record_of(&built.program, &built.record.sha256);
    assert_eq!(record.as_ref(), Some(&built.record));
    assert!(repository.build(&recipe).expect("cached").was_cached);
    fs::write(&built.program, "changed").expect("written");
    assert!(!repository.build(&recipe).expect("again").was_cached);
}
