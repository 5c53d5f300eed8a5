//! The scripts of `packaging/`, with a fake `cargo`, and the container image's settings.
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::repository::EngineRepository;
use crate::common::skip::skipped;
use crate::common::{finish, script, workspace};

/// Fake `cargo build`: a program whose manual has one page. `MODE` are the permissions that an
/// earlier build has given to it.
const CARGO: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do
    case "$1" in --profile) profile=$2 ;; --target) target=$2 ;; --bin) name=$2 ;; esac
    shift
done
folder=$CARGO_TARGET_DIR/$target/$profile
mkdir -p "$folder"
printf '#!/bin/sh\n[ "$1" != man ] || echo .TH HONE 1 >"$3/hone.1"\n' >"$folder/$name"
chmod "$MODE" "$folder/$name"
"#;

/// Archive and Debian package, built in `folder` under a umask.
fn packages(folder: &Path, umask: &str, mode: &str) -> [Vec<u8>; 2] {
    const TARGET: &str = "x86_64-unknown-linux-musl";
    fs::create_dir(folder).expect("made");
    script(folder, "cargo", CARGO);
    let path = std::env::var("PATH").unwrap_or_default();
    let out = folder.join("dist");
    let stage = out.join(format!("hone-{TARGET}"));
    let run = |name: &str, arguments: &[&Path]| {
        let mut sh = Command::new("sh");
        sh.args(["-c", r#"umask "$0"; exec "$@""#, umask])
            .arg(workspace().join("packaging").join(name))
            .args(arguments)
            .env("PATH", format!("{}:{path}", folder.display()))
            .env("CARGO_TARGET_DIR", folder.join("target"))
            .env("MODE", mode)
            .env("SOURCE_DATE_EPOCH", "1700000000")
            .env_remove("HOST_HONE")
            .env_remove("CARGO_FLAGS");
        let done = finish(sh);
        assert_eq!(done.code, Some(0), "{umask}: {done:?}");
    };
    run("build.sh", &[Path::new(TARGET), &out]);
    run("deb.sh", &[&stage]);
    let package = fs::read_dir(&out).expect("a folder").find_map(|entry| {
        let path = entry.expect("an entry").path();
        path.extension()
            .is_some_and(|end| end == "deb")
            .then_some(path)
    });
    let archive = out.join(format!("hone-{TARGET}.tar.gz"));
    [archive, package.expect("a package")].map(|path| fs::read(path).expect("there"))
}

#[test]
fn packages_have_the_same_bytes_under_any_umask() {
    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        skipped("dpkg-deb is not installed");
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary folder");
    let [usual, ours, private] = [("022", "755"), ("002", "775"), ("077", "700")]
        .map(|(umask, mode)| packages(&dir.path().join(umask), umask, mode));
    for (other, umask) in [(ours, "002"), (private, "077")] {
        let is_same = [usual[0] == other[0], usual[1] == other[1]];
        assert_eq!(is_same, [true, true], "archive and package, umask {umask}");
    }
}

#[test]
fn the_image_accepts_a_repository_of_another_user() {
    let containerfile = workspace().join("packaging/Containerfile");
    let containerfile = fs::read_to_string(containerfile).expect("there");
    let repository = EngineRepository::new();
    let settings = repository.dir.path().join("gitconfig");
    let in_image = |command: &str| {
        let mut sh = Command::new("sh");
        sh.args(["-c", command])
            .current_dir(repository.path())
            .env("GIT_CONFIG_SYSTEM", &settings)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "true");
        finish(sh)
    };
    let status = || in_image("git status --short");
    let refused = status();
    assert!(refused.stderr.contains("dubious ownership"), "{refused:?}");
    let commands = containerfile
        .lines()
        .filter_map(|line| line.strip_prefix("RUN git "));
    for command in commands {
        let done = in_image(&format!("git {command}"));
        assert_eq!(done.code, Some(0), "{done:?}");
    }
    let accepted = status();
    assert_eq!(accepted.code, Some(0), "{accepted:?}");
}
