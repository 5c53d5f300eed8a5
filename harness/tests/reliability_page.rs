//! `docs/reliability.md` names a test for each defect that was found: the
//! tests are there.

mod common;

use std::fs;
use std::path::Path;

/// All sources below a folder, one after the other.
fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            *text += &fs::read_to_string(&path).expect("a source");
        }
    }
}

#[test]
fn each_test_that_is_named_exists() {
    let mut code = String::new();
    for folder in ["harness/src", "harness/tests", "engine/tests"] {
        sources(&common::workspace().join(folder), &mut code);
    }
    let page = common::workspace().join("docs/reliability.md");
    let page = fs::read_to_string(page).expect("there");
    let (_, table) = page
        .split_once("## What an adversary found")
        .expect("the section");
    let (table, _) = table.split_once("\n## ").expect("the next one");
    let mut named = 0;
    for row in table.lines().filter(|line| line.starts_with('|')).skip(2) {
        let cell = row.rsplit(" | ").next().expect("cells");
        for name in cell.split('`').skip(1).step_by(2) {
            let test = name.rsplit("::").next().expect("a name");
            assert!(code.contains(&format!("fn {test}()")), "{name}: {row}");
            named += 1;
        }
    }
    assert!(named >= 30, "only {named} tests are named");
}

#[test]
fn each_file_of_tests_that_is_named_exists() {
    let page = common::workspace().join("docs/reliability.md");
    let page = fs::read_to_string(page).expect("there");
    let tests = common::workspace().join("harness/tests");
    let words: Vec<&str> = page.split_whitespace().collect();
    let options = words
        .windows(2)
        .filter_map(|pair| (pair[0].trim_matches('`') == "--test").then_some(pair[1]));
    let paths = page.split('`').filter_map(|quoted| {
        let path = quoted.strip_prefix("harness/tests/")?;
        path.strip_suffix(".rs")
    });
    let mut named = 0;
    for name in options.chain(paths) {
        let name = name.trim_end_matches(['`', '.', ',']);
        let exists = tests.join(format!("{name}.rs")).exists()
            || tests.join(format!("{name}/main.rs")).exists();
        assert!(exists, "no file of tests is named {name}");
        named += 1;
    }
    assert!(named >= 30, "only {named} files of tests are named");
}
