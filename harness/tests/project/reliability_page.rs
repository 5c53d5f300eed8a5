//! `FAULTS.md` names a test for each fault that was found, and `docs/reliability.md` and
//! `docs/robustness.md` name test files: all of them exist.

use crate::common;
use std::fs;
use std::path::Path;

/// Appends all sources below a folder.
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

/// The code of a module as `FAULTS.md` names it: `folder::file` in `harness/tests`,
/// `a::b::tests` in `harness/src`, or with `engine: ` before it in `engine/tests` or `engine/src`.
fn code_of(module: &str) -> String {
    let (member, module) = match module.strip_prefix("engine: ") {
        Some(module) => ("engine", module),
        None => ("harness", module),
    };
    let names = module.split("::").take_while(|name| *name != "tests");
    let names: Vec<&str> = names.collect();
    let mut code = String::new();
    for folder in ["tests", "src"] {
        let path = common::workspace().join(member).join(folder);
        let path = path.join(names.join("/"));
        code += &fs::read_to_string(path.with_extension("rs")).unwrap_or_default();
        if path.is_dir() {
            sources(&path, &mut code);
        }
    }
    code
}

fn page(path: &str) -> String {
    fs::read_to_string(common::workspace().join(path)).expect("a page")
}

/// The rows of all tables of a page, without their heads.
fn rows(page: &str) -> impl Iterator<Item = &str> {
    let is_in_table = |line: &&str| line.starts_with('|');
    let tables = page.split("\n\n").filter(move |part| is_in_table(part));
    tables.flat_map(|table| table.lines().skip(2))
}

#[test]
fn each_test_that_is_named_exists() {
    let page = page("harness/tests/FAULTS.md");
    let (mut faults, mut named) = (0, 0);
    for row in rows(&page) {
        let (_, cell) = row.rsplit_once(" | ").expect("two cells");
        let names: Vec<_> = cell.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test: {row}");
        let mut code = String::new();
        for name in &names {
            let test = match name.rsplit_once("::") {
                Some((module, test)) => {
                    code = code_of(module);
                    test
                }
                None => *name,
            };
            assert!(code.contains(&format!("fn {test}()")), "{name}: {row}");
        }
        faults += 1;
        named += names.len();
    }
    // No row is removed.
    assert!(faults >= 660, "only {faults} faults are listed");
    assert!(named >= 945, "only {named} tests are named");
}

#[test]
fn each_test_file_that_is_named_exists() {
    let page = page("docs/reliability.md") + &page("docs/robustness.md");
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
        assert!(exists, "no test file is named {name}");
        named += 1;
    }
    assert!(named >= 30, "only {named} test files are named");
}
