//! What `hone fastchess` and `hone cutechess-cli` report of errors: exit codes, the
//! words of the command line, engines that fail from the start.

use std::fs;
#[cfg(target_os = "linux")]
use std::process::Stdio;

use crate::common::ENGINE;
#[cfg(target_os = "linux")]
use crate::common::dropin::dropin_command;
use crate::common::dropin::{TWO, failing, run_dropin};
use hone_testing::{listed, snapshots};

/// In a test, exit code 1 means H0: no error may have it.
#[test]
fn with_the_codes_of_hone_an_error_is_not_a_verdict() {
    let dir = tempfile::tempdir().expect("a folder");
    let test = "-rounds 5 -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05";
    let absent = TWO.replacen("cmd=ENGINE", "cmd=./absent", 1);
    for (line, code) in [
        (format!("{absent} {test}"), 2),
        (format!("{TWO} {test} -nonsense"), 2),
        (format!("{} {test} -strict", failing("go=illegal")), 2),
        (format!("{} {test} -strict", failing("go:2=illegal")), 4),
    ] {
        for (codes, expected) in [("verdict", code), ("program", 1)] {
            let line = format!("{line} --exit-code {codes}");
            let finished = run_dropin("fastchess", dir.path(), &line);
            assert_eq!(finished.code, Some(expected), "{line}: {}", finished.stderr);
        }
    }
    let unfinished = format!("{TWO} --exit-code verdict --out");
    assert_eq!(
        run_dropin("fastchess", dir.path(), &unfinished).code,
        Some(2)
    );
}

#[cfg(target_os = "linux")]
#[test]
fn with_the_codes_of_hone_lost_output_is_not_a_verdict() {
    let dir = tempfile::tempdir().expect("a folder");
    for (codes, code) in [("verdict", 4), ("program", 1)] {
        let line = format!("{TWO} -rounds 1 --exit-code {codes}");
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let mut command = dropin_command("fastchess", dir.path(), &line);
        command.stdout(full.expect("opened")).stderr(Stdio::null());
        let status = command.status().expect("hone starts");
        assert_eq!(status.code(), Some(code), "{codes}");
    }
}

/// Servers count failures in the lines of finished games only.
#[test]
fn an_engine_that_fails_its_first_search_plays_and_loses() {
    for (action, reason, warning) in [
        (
            "go=exit:1",
            " disconnects}",
            "ended (exit status 1) after `go nodes 100`",
        ),
        (
            "go=illegal",
            " makes an illegal move}",
            "with the illegal move `a1a1`",
        ),
        (
            "go=silent",
            "'s connection stalls}",
            "did not answer `go nodes 100` within 3 s",
        ),
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        let line = format!("{} -rounds 1 -ping-ms 3000 -recover", failing(action));
        let finished = run_dropin("fastchess", dir.path(), &line);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert_eq!(
            finished.stdout.matches(reason).count(),
            2,
            "{}",
            finished.stdout
        );
        let start = "warning: before the first game, engine `A` ";
        let (_, rest) = finished.stderr.split_once(start).expect("a warning");
        assert!(rest.contains(warning), "{rest}");
        for line in finished.stdout.lines().chain(finished.stderr.lines()) {
            let is_counted = ["disconnect", "stall"]
                .iter()
                .any(|word| line.contains(word));
            assert!(!is_counted || line.starts_with("Finished game"), "{line}");
        }
    }
}

#[test]
fn without_recover_a_crash_in_the_first_search_ends_the_match_after_its_pair() {
    for (program, key, code) in [("fastchess", "args", 1), ("cutechess-cli", "arg", 0)] {
        let dir = tempfile::tempdir().expect("a folder");
        let line = failing("go=exit:1").replace("args=", &format!("{key}="));
        let finished = run_dropin(program, dir.path(), &format!("{line} -rounds 9"));
        assert_eq!(finished.code, Some(code), "{}", finished.stderr);
        let crashes = finished.stdout.matches(" disconnects}").count();
        assert!((2..18).contains(&crashes), "{}", finished.stdout);
    }
}

/// These commands have no configuration file, so errors name flags instead of keys.
#[test]
fn errors_name_flags() {
    let dir = tempfile::tempdir().expect("a folder");
    let chess960 = "nqbnrkrb/pppppppp/8/8/8/8/PPPPPPPP/NQBNRKRB w KQkq - 0 1\n";
    fs::write(dir.path().join("frc.epd"), chess960).expect("written");
    let silent = format!("{} -ping-ms 3000 -strict", failing("go=silent"));
    let illegal = format!("{} -strict", failing("go:2=illegal"));
    let shown = [
        "-engne cmd=a".to_string(),
        TWO.replace("cmd=ENGINE", "cmd=./absent"),
        format!("{TWO} -tb ./absent"),
        format!("{TWO} -openings file=frc.epd"),
        silent,
        illegal,
    ]
    .map(|line| {
        let finished = run_dropin("fastchess", dir.path(), &line);
        assert_eq!(finished.code, Some(1), "{}", finished.stderr);
        assert_eq!(
            finished.stdout.contains("Started game"),
            line.contains("go:2")
        );
        (line, finished.stderr)
    });
    let started = (r"results/[\d-]+-match", "results/[TIME]-match");
    snapshots(&[ENGINE, started]).bind(|| insta::assert_snapshot!("errors", listed(shown)));
}
