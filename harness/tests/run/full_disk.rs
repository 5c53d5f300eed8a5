//! A full disk: one clear message, no partial files, and the run continues when there is room
//! again.
use std::io::ErrorKind;
use std::process::{Command, Stdio};

use crate::common::repository::{BUILD, EngineRepository};
use crate::common::skip::skipped;
use crate::common::{self, Setup, engines, scripted};

/// Runs a shell script in its own mount namespace with a file system of 64 KiB at `$DISK`.
/// Returns what it printed. `None`, and the test counts as skipped, if this system does not
/// allow it.
fn with_tiny_disk(setup: &Setup, script: &str) -> Option<String> {
    let disk = setup.run("disk");
    std::fs::create_dir(&disk).expect("made");
    let mount = "mount -t tmpfs -o size=64k tmpfs \"$DISK\" || exit 99\n";
    let output = Command::new("unshare")
        .args([
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            &format!("{mount}{script}"),
        ])
        .env("DISK", &disk)
        .env("HONE", env!("CARGO_BIN_EXE_hone"))
        .env("CONFIG", &setup.config)
        .current_dir(common::workspace())
        .stdin(Stdio::null())
        .output();
    let output = match output {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            skipped("`unshare` is not installed");
            return None;
        }
        output => output.expect("unshare starts"),
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(99) || errors.starts_with("unshare:") {
        skipped(&format!("no file system can be mounted here: {errors}"));
        return None;
    }
    Some(text + &errors)
}

fn setup() -> Setup {
    let players = engines(("a", &scripted(), ""), ("b", &scripted(), ""));
    Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=10\"\nconcurrency = 2\npairs = 12\nopenings = {{ file = \"books/quick.epd\" }}\n"
    ))
}

#[test]
fn a_run_stops_and_continues_when_there_is_room() {
    let script = r#"
        "$HONE" match "$CONFIG" --out "$DISK/run"; echo "code $?"
        mount -o remount,size=64m "$DISK" || exit 99
        "$HONE" resume "$DISK/run" >/dev/null 2>&1; echo "resumed $?"
        "$HONE" verify "$DISK/run"; echo "verified $?"
        grep -c '^1*[0-9]*,[12],' "$DISK/run/games.csv""#;
    let Some(printed) = with_tiny_disk(&setup(), script) else {
        return;
    };
    assert!(printed.contains("code 4"), "{printed}");
    assert!(printed.contains("No space left on device"), "{printed}");
    assert!(
        printed.contains("games.") && printed.contains("hone resume"),
        "{printed}"
    );
    assert!(printed.contains("resumed 0"), "{printed}");
    assert!(printed.contains("verified 0"), "{printed}");
    assert!(
        printed.contains("\n24\n"),
        "every pair is there once: {printed}"
    );
}

#[test]
fn a_limit_on_the_size_of_files_is_like_a_full_disk() {
    let setup = setup();
    let script = r#"
        (ulimit -f 32; "$HONE" match "$CONFIG" --out "$RUN"; echo "code $?")
        "$HONE" resume "$RUN" >/dev/null 2>&1; echo "resumed $?"
        "$HONE" verify "$RUN" >/dev/null; echo "verified $?""#;
    let output = Command::new("sh")
        .args(["-c", script])
        .env("RUN", setup.run("run"))
        .env("HONE", env!("CARGO_BIN_EXE_hone"))
        .env("CONFIG", &setup.config)
        .current_dir(common::workspace())
        .stdin(Stdio::null())
        .output()
        .expect("sh starts");
    let printed = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    for part in [
        "code 4",
        "File too large",
        "hone resume",
        "resumed 0",
        "verified 0",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_the_start() {
    let script = r#"
        head -c 65536 /dev/zero >"$DISK/filler" 2>/dev/null
        "$HONE" match "$CONFIG" --out "$DISK/run" --json; echo "code $?""#;
    let Some(printed) = with_tiny_disk(&setup(), script) else {
        return;
    };
    assert!(printed.contains("code 2"), "{printed}");
    assert!(
        printed.contains("cannot write") || printed.contains("cannot make"),
        "{printed}"
    );
}

/// A match against an engine that this command builds from a commit.
fn built_by(repository: &EngineRepository, build: &str) -> Setup {
    repository.commit_engine("", 1, "First");
    Setup::new(&format!(
        "[[engine]]\nname = \"a\"\ncmd = '{}'\n\
         [[engine]]\nname = \"b\"\ngit = '{}'\nrev = \"main\"\nbuild = \"{build}\"\n\
         [match]\nlimit = \"nodes=10\"\npairs = 1\nopenings = {{ file = \"books/quick.epd\" }}\n",
        scripted(),
        repository.path().display()
    ))
}

#[test]
fn a_build_without_room_is_not_a_fault_of_its_commit() {
    let script = r#"
        mount -o remount,size=4m "$DISK" || exit 99
        export HONE_CACHE="$DISK/cache"
        "$HONE" match "$CONFIG" --out "$DISK/run"; echo "code $?""#;
    let repository = EngineRepository::new();
    let setup = built_by(&repository, "head -c 9000000 /dev/zero > {out}");
    let Some(printed) = with_tiny_disk(&setup, script) else {
        return;
    };
    assert!(printed.contains("code 2"), "{printed}");
    assert!(
        printed.contains("/disk/cache is full\nhelp: make room"),
        "{printed}"
    );
    assert!(!printed.contains("does not build"), "{printed}");
}

#[test]
fn a_cache_of_builds_that_cannot_be_written_is_named_with_the_remedy() {
    let script = r#"
        export HONE_CACHE="$DISK/cache"
        mount -o remount,ro "$DISK" || exit 99
        "$HONE" match "$CONFIG" --out "$DISK/../run"; echo "read-only $?"
        test ! -e "$DISK/../run"; echo "no run $?"
        mount -o remount,rw,size=8m "$DISK"; mkdir "$DISK/cache"
        "$HONE" match "$CONFIG" --out "$DISK/../run" >/dev/null; echo "writable $?"
        mount -o remount,ro "$DISK" || exit 99
        "$HONE" match "$CONFIG" --out "$DISK/../again" >/dev/null; echo "cached $?""#;
    let repository = EngineRepository::new();
    let setup = built_by(&repository, BUILD);
    let Some(printed) = with_tiny_disk(&setup, script) else {
        return;
    };
    let help = "help: set HONE_CACHE to a folder of your own";
    assert!(
        printed.contains("Read-only file system") && printed.contains(help),
        "{printed}"
    );
    // A cached build is played from a cache that cannot be written.
    for part in ["read-only 2\n", "no run 0\n", "writable 0\n", "cached 0\n"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
}
