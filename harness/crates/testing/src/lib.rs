//! How a test reports that it was skipped, and how snapshots are named and filtered.

use std::fmt::Display;
use std::io::Write;
use std::path::PathBuf;
use std::{env, thread};

/// Prints `skipped: NAME: why`, past the capture of a test's output, for
/// `.ci/run` to count.
pub fn skipped(why: &str) {
    let thread = thread::current();
    let name = thread.name().unwrap_or("?");
    let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
    // Not `eprintln!`, which the test harness captures.
    let line = format!("skipped: {name}: {why}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// A folder of test data that is not in the repository: below
/// `HONE_TEST_DATA`, by default `../shared/data`. If it is missing, the test is
/// skipped; under `CI=true` it fails, unless `HONE_TEST_DATA=absent` states that
/// this machine has none.
pub fn data(folder: &str) -> Option<PathBuf> {
    let root = match env::var_os("HONE_TEST_DATA") {
        Some(root) if root == "absent" => {
            skipped(&format!("no `{folder}`: HONE_TEST_DATA=absent"));
            return None;
        }
        Some(root) => PathBuf::from(root),
        None => PathBuf::from(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../../../shared/data"
        )),
    };
    let path = root.join(folder);
    if path.is_dir() {
        return Some(path);
    }
    let missing = format!("no test data in {}", path.display());
    assert!(env::var_os("CI").is_none_or(|ci| ci != "true"), "{missing}");
    skipped(&missing);
    None
}

/// What is replaced in every snapshot, because it differs from run to run or from system to
/// system: the version of the program, temporary folders, words of the system.
const FILTERS: [(&str, &str); 3] = [
    (
        concat!(r"\b", env!("CARGO_PKG_VERSION"), r"\b"),
        "[VERSION]",
    ),
    (r#"[^\s`"'(=]*[/\\]\.tmp\w{6}"#, "[TMP]"),
    (
        r"[A-Z][A-Za-z' ]+\. ?\(os error \d+\)|[A-Z][A-Za-z' ]+ \(os error \d+\)",
        "[SYSTEM]",
    ),
];

/// The settings of a snapshot in `snapshots/NAME.snap` beside the test, and more filters.
pub fn snapshots(more: &[(&str, &str)]) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    // Those of the test are more exact.
    for (pattern, replacement) in more.iter().chain(&FILTERS) {
        settings.add_filter(pattern, *replacement);
    }
    if cfg!(windows) {
        settings.add_filter(r"\\([\w.])", "/$1");
    }
    settings
}

/// Inputs with their outputs, as one text: `> INPUT` and the output below it.
pub fn listed<I: Display, O: Display>(rows: impl IntoIterator<Item = (I, O)>) -> String {
    let rows = rows.into_iter();
    let texts: Vec<String> = rows
        .map(|(input, output)| format!("> {input}\n{}\n", output.to_string().trim_end()))
        .collect();
    texts.join("\n")
}
