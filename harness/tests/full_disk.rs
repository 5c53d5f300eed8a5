//! A disk that is full: one clear message, nothing half-written, and the run
//! continues once there is room.
#![cfg(target_os = "linux")]

mod common;

use std::process::{Command, Stdio};

use common::{Setup, engines, scripted};

/// Runs a shell script in a mount namespace of its own with a tiny file system
/// at `$DISK`. `None` where this system allows no such thing.
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
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(99) || errors.starts_with("unshare:") {
        common::skip::skipped(&format!("no file system can be mounted here: {errors}"));
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
fn a_run_stops_and_goes_on_once_there_is_room() {
    let script = r#"
        "$HONE" match "$CONFIG" --out "$DISK/run"; echo "code $?"
        mount -o remount,size=64m "$DISK" || exit 99
        "$HONE" resume "$DISK/run" >/dev/null 2>&1; echo "resumed $?"
        "$HONE" verify "$DISK/run"; echo "verified $?"
        grep -c '^1*[0-9]*,[12],' "$DISK/run/games.csv""#;
    let Some(said) = with_tiny_disk(&setup(), script) else {
        return;
    };
    assert!(said.contains("code 4"), "{said}");
    assert!(said.contains("No space left on device"), "{said}");
    assert!(
        said.contains("games.") && said.contains("hone resume"),
        "{said}"
    );
    assert!(said.contains("resumed 0"), "{said}");
    assert!(said.contains("verified 0"), "{said}");
    assert!(said.contains("\n24\n"), "every pair is there once: {said}");
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_the_start() {
    let script = r#"
        head -c 65536 /dev/zero >"$DISK/filler" 2>/dev/null
        "$HONE" match "$CONFIG" --out "$DISK/run" --json; echo "code $?""#;
    let Some(said) = with_tiny_disk(&setup(), script) else {
        return;
    };
    assert!(said.contains("code 2"), "{said}");
    assert!(
        said.contains("cannot write") || said.contains("cannot make"),
        "{said}"
    );
}
