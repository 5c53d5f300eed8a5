use super::*;

/// What is guessed of a folder with these files.
fn guess_of(files: &[(&str, &str)], cmd: Option<&str>) -> Result<Convention, NoConvention> {
    let folder = tempfile::tempdir().expect("made");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("in the folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    let files = Files::WorkTree(folder.path().to_path_buf());
    match cmd {
        Some(cmd) => build_of(&files, cmd).ok_or_else(NoConvention::default),
        None => guess(&files),
    }
}

/// The build command and program of a folder with these files.
fn guessed(files: &[(&str, &str)]) -> Option<(String, String)> {
    let found = guess_of(files, None).ok()?;
    Some((found.build, found.cmd))
}

fn build(line: &str, cmd: &str) -> Option<(String, String)> {
    Some((line.to_string(), cmd.to_string()))
}

#[test]
fn makefiles_that_take_exe_are_used() {
    let own = "EXE ?= engine\nall:\n\tcc -o $(EXE) a.c\n";
    assert_eq!(
        guessed(&[("Makefile", own)]),
        build("make EXE=hone-engine", "hone-engine")
    );
    assert_eq!(
        guessed(&[("src/makefile", own)]),
        build("make -C src EXE=hone-engine", "src/hone-engine")
    );
    let stockfish = "EXE = stockfish\nhelp:\n\techo\nbuild: net\n\tcc -o $(EXE)\n";
    assert_eq!(
        guessed(&[("src/Makefile", stockfish)]),
        build("make -C src build EXE=hone-engine", "src/hone-engine")
    );
    assert_eq!(guessed(&[("Makefile", "all:\n\tcc -o engine a.c\n")]), None);
    let both = [("Makefile", stockfish), ("GNUmakefile", own)];
    assert_eq!(guessed(&both), build("make EXE=hone-engine", "hone-engine"));
}

#[test]
fn one_program_of_cargo_is_used() {
    let cargo =
        |line: &str, program: &str| Some((line.to_string(), format!("target/release/{program}")));
    let package = ("Cargo.toml", "[package]\nname = \"viri\"\n");
    let main = ("src/main.rs", "fn main() {}");
    assert_eq!(
        guessed(&[package, main]),
        cargo("cargo build --release", "viri")
    );
    assert_eq!(guessed(&[package]), None);
    let bins = "[package]\nname = \"a\"\n[[bin]]\nname = \"b\"\n";
    assert_eq!(
        guessed(&[("Cargo.toml", bins)]),
        cargo("cargo build --release", "b")
    );
    let both = format!("{bins}[[bin]]\nname = \"c\"\n");
    assert_eq!(guessed(&[("Cargo.toml", &both)]), None);
    let members = [
        ("Cargo.toml", "[workspace]\nmembers = [\"e\", \"lib\"]\n"),
        ("e/Cargo.toml", "[package]\nname = \"eng\"\n"),
        ("e/src/main.rs", ""),
        ("lib/Cargo.toml", "[package]\nname = \"lib\"\n"),
    ];
    let eng = cargo("cargo build --release -p eng", "eng");
    assert_eq!(guessed(&members), eng);
    for (pattern, exclude, expected) in [
        ("*", "", eng.clone()),
        ("./*", "", eng.clone()),
        ("e*", "", eng.clone()),
        ("l*b", "", None),
        ("*/e", "", None),
        ("*", "e", None),
    ] {
        let root = format!("[workspace]\nmembers = [\"{pattern}\"]\nexclude = [\"{exclude}\"]\n");
        let mut members = members;
        members[0].1 = &root;
        assert_eq!(guessed(&members), expected, "{pattern} without {exclude}");
    }
}

#[test]
fn the_program_that_plays_is_told_from_helpers() {
    let package = |name: &str| format!("[package]\nname = \"{name}\"\n");
    let (eng, lib, tool) = (package("eng"), package("lib"), package("tool"));
    let workspace = |rest: &str| format!("[workspace]\nmembers = [\"e\", \"l\", \"t\"]\n{rest}");
    let members = |root: &str| {
        guessed(&[
            ("Cargo.toml", root),
            ("e/Cargo.toml", &eng),
            ("e/src/main.rs", ""),
            ("l/Cargo.toml", &lib),
            ("l/src/lib.rs", ""),
            ("t/Cargo.toml", &tool),
            ("t/src/main.rs", ""),
        ])
    };
    assert_eq!(members(&workspace("")), None);
    let default = workspace("default-members = [\"e\"]\n");
    let of_member = build("cargo build --release -p eng", "target/release/eng");
    assert_eq!(members(&default), of_member);
    let of_library = workspace("default-members = [\"l\", \"e\"]\n");
    assert_eq!(members(&of_library), of_member);
    // `cargo build` in the root builds only its own package.
    let main = ("src/main.rs", "");
    let root = format!("{}[workspace]\nmembers = [\"t\"]\n", package("a"));
    let tool_files = [("t/Cargo.toml", tool.as_str()), ("t/src/main.rs", "")];
    let own = build("cargo build --release", "target/release/a");
    assert_eq!(
        guessed(&[&[("Cargo.toml", root.as_str()), main], &tool_files[..]].concat()),
        own
    );
    let helpers = [("src/bin/gen.rs", ""), ("src/bin/tune/main.rs", "")];
    let a = package("a");
    let with_helpers = [&[("Cargo.toml", a.as_str()), main], &helpers[..]].concat();
    assert_eq!(guessed(&with_helpers), own);
    let only_helpers = [&[("Cargo.toml", a.as_str())], &helpers[..]].concat();
    assert_eq!(guessed(&only_helpers), None);
    let one = [("Cargo.toml", a.as_str()), helpers[0]];
    assert_eq!(
        guessed(&one),
        build("cargo build --release", "target/release/gen")
    );
}

#[test]
fn what_was_found_is_listed_with_help() {
    let message =
        |files: &[(&str, &str)]| guess_of(files, None).expect_err("nothing fits").to_string();
    let text = message(&[]);
    assert!(
        text.starts_with(
            "it has no Makefile in its root or in `src/`, and no Cargo program\nhelp: "
        ),
        "{text}"
    );
    let bins = "[package]\nname = \"x\"\n[[bin]]\nname = \"a\"\n[[bin]]\nname = \"b\"\n";
    let files = [("Cargo.toml", bins), ("src/Makefile", "all:\n\tcc a.c\n")];
    assert_eq!(
        message(&files),
        "it has no target that writes `$(EXE)` in `src/Makefile`, and its Cargo.toml has \
         several programs: `target/release/a`, `target/release/b`\n\
         help: name one, as in `--cmd target/release/a`, or in the configuration \
         `cmd = \"target/release/a\"`"
    );
    // As the help advises.
    let followed = guess_of(&files, Some("target/release/b")).expect("known");
    assert_eq!(followed.build, "cargo build --release");
    assert_eq!(followed.cmd, "target/release/b");
    assert!(guess_of(&files, Some("engine.py")).is_err());
    assert!(guess_of(&[], Some("target/release/b")).is_err());
    // The program of a makefile may be in another folder.
    let make = ("Makefile", "EXE = a\nall:\n\tcc a.c -o bin/$(EXE)\n");
    let followed = guess_of(&[make], Some("bin/hone-engine")).expect("known");
    assert_eq!(followed.build, "make EXE=hone-engine");
    assert_eq!(followed.cmd, "bin/hone-engine");
    assert!(guess_of(&[make, ("a.py", "")], Some("a.py --x")).is_err());
}

#[test]
fn members_of_a_commit_are_found_by_their_pattern() {
    let folder = tempfile::tempdir().expect("made");
    let run = |arguments: &[&str]| {
        let done = succeed(git(folder.path()).args(arguments));
        done.expect("git runs")
    };
    run(&["init", "-q"]);
    for (name, text) in [
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
        ("crates/e/Cargo.toml", "[package]\nname = \"eng\"\n"),
        ("crates/e/src/main.rs", ""),
    ] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("in the folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    run(&["add", "."]);
    let who = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
    run(&[&who[..], &["commit", "-qm", "x"]].concat());
    let commit = Revision::Commit("HEAD".to_string());
    let found = Convention::of(folder.path(), &commit, None).expect("read");
    let found = found.expect("a program");
    assert_eq!(found.build, "cargo build --release -p eng");
}

#[test]
fn a_makefile_goes_before_cargo() {
    let files = [
        ("Makefile", "all:\n\tcargo rustc -- --emit link=$(EXE)\n"),
        ("Cargo.toml", "[package]\nname = \"viri\"\n"),
        ("src/main.rs", ""),
    ];
    assert_eq!(
        guessed(&files),
        build("make EXE=hone-engine", "hone-engine")
    );
}
