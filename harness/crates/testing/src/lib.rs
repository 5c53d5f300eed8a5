//! How a test reports that it was skipped.

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
