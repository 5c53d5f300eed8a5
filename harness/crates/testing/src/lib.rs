//! How a test reports that it was skipped, and how snapshots are named and filtered.

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
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

/// What is replaced in every snapshot, because it differs from system to system: temporary
/// folders and the words of the system; besides the folder of the project and the version.
const FILTERS: [(&str, &str); 2] = [
    (r#"[^\s`"'(=]*[/\\]\.tmp\w{6}"#, "[TMP]"),
    (r"[A-Z][A-Za-z' ]+\.? \(os error \d+\)", "[SYSTEM]"),
];

/// The settings of a snapshot in `snapshots/NAME.snap` beside the test, with more filters.
pub fn snapshots(more: &[(&str, &str)]) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    // Those of the test are more exact.
    for (pattern, replacement) in more.iter().chain(&FILTERS) {
        settings.add_filter(pattern, *replacement);
    }
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."));
    let root = root.canonicalize().expect("the workspace");
    for (text, replacement) in [
        (root.to_string_lossy().trim_start_matches(r"\\?\"), "[ROOT]"),
        (env!("CARGO_PKG_VERSION"), "[VERSION]"),
    ] {
        let escape = |c: char| {
            if c.is_alphanumeric() {
                String::from(c)
            } else {
                format!(r"\{c}")
            }
        };
        let pattern: String = text.chars().map(escape).collect();
        settings.add_filter(&format!(r"{pattern}\b"), replacement);
    }
    if cfg!(windows) {
        settings.add_filter(r"\\([\w.])", "/$1");
    }
    settings
}

/// Inputs with their outputs, as one text: `> ` before each line of an input, and the output
/// below it.
pub fn listed<I: Display, O: Display>(rows: impl IntoIterator<Item = (I, O)>) -> String {
    let text = |(input, output): (I, O)| {
        let input = input.to_string();
        let input = input
            .lines()
            .map(|line| format!("> {line}").trim_end().to_string());
        let input = input.collect::<Vec<_>>().join("\n");
        format!("{input}\n{}\n", output.to_string().trim_end())
    };
    rows.into_iter().map(text).collect::<Vec<_>>().join("\n")
}
