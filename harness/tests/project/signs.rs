//! Numbers with a sign have one format: `hone_report` writes them, and a number that is
//! rounded to zero has no sign.

use std::fs;
use std::path::{Path, PathBuf};

/// Files that may format signs: the one format; comments of PGN, as engines write them; a
/// difference of which zero is tested.
const ALLOWED: [&str; 3] = [
    "crates/report/src/numbers.rs",
    "crates/books/src/book/opening.rs",
    "crates/kinds/src/tune/page.rs",
];

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            sources(&path, files);
        } else {
            files.push(path);
        }
    }
}

#[test]
fn only_one_module_formats_signs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "crates"] {
        sources(&root.join(folder), &mut files);
    }
    let is_rust = |path: &&PathBuf| path.extension().is_some_and(|end| end == "rs");
    let formatting: Vec<String> = files
        .iter()
        .filter(is_rust)
        .filter(|path| {
            let text = fs::read_to_string(path).expect("a readable source");
            text.contains(":+.") || text.contains(":+}")
        })
        .map(|path| {
            let path = path.strip_prefix(root).expect("a source");
            path.to_string_lossy().replace('\\', "/")
        })
        .filter(|path| !ALLOWED.contains(&path.as_str()))
        .collect();
    assert!(
        formatting.is_empty(),
        "use `hone_report::signed`: {formatting:?}"
    );
}
