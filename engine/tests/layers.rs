//! The modules of Stillwater are layers: no module imports from one below it in the list under
//! "# Layout" in `src/lib.rs`, apart from the exception that is described there.

use std::path::Path;

/// A file and what it may import from a higher layer.
const EXCEPTION: (&str, &str) = ("board/position.rs", "crate::eval::placement");

fn source() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a readable source")
}

/// The modules of the list, lowest first.
fn layers() -> Vec<String> {
    let text = read(&source().join("lib.rs"));
    let (_, list) = text.split_once("# Layout").expect("a Layout");
    let heads = list
        .lines()
        .filter_map(|line| line.strip_prefix("//! * [`"));
    let names = heads.map(|line| line.split('`').next().expect("a name"));
    names.map(String::from).collect()
}

/// Every source below a folder.
fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a readable folder");
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let below = |path: std::path::PathBuf| match path.is_dir() {
        true => files(&path),
        false if path.extension().is_some_and(|end| end == "rs") => vec![path],
        false => Vec::new(),
    };
    paths.flat_map(below).collect()
}

/// The imports of a file from layers above its own, or in a form that this test does not read.
fn faults(file: &str, text: &str, layers: &[String]) -> Vec<String> {
    let level = |name: &str| layers.iter().position(|layer| layer == name);
    let own = level(file.split(['/', '.']).next().expect("a first part"));
    let code = text
        .lines()
        .map(|line| line.split("//").next().expect("a first part"));
    let mut faults = Vec::new();
    for line in code {
        for (start, found) in line.match_indices("crate::") {
            let import = &line[start..];
            let name = import[found.len()..].split(|c: char| !c.is_alphanumeric() && c != '_');
            let to = name.into_iter().next().and_then(level);
            let is_excepted = file == EXCEPTION.0 && import.starts_with(EXCEPTION.1);
            if (to.is_none() || to > own) && !is_excepted {
                faults.push(format!("{file}: {line}"));
            }
        }
    }
    faults
}

#[test]
fn no_module_imports_from_a_higher_layer() {
    let layers = layers();
    let mut found = Vec::new();
    for path in files(source()) {
        let file = path.strip_prefix(source()).expect("a file below");
        let file = file.to_string_lossy().replace('\\', "/");
        match file.as_str() {
            "lib.rs" | "main.rs" | "processor.rs" => {}
            _ => found.extend(faults(&file, &read(&path), &layers)),
        }
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn every_module_has_a_layer() {
    let text = read(&source().join("lib.rs"));
    let modules = text
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod "));
    let mut modules: Vec<_> = modules.map(|name| name.trim_end_matches(';')).collect();
    let mut layers = layers();
    modules.sort_unstable();
    layers.sort_unstable();
    assert_eq!(layers, modules);
}

#[test]
fn an_import_from_a_higher_layer_is_found() {
    let layers = ["board", "eval"].map(String::from);
    let found = |file, text| faults(file, text, &layers).len();
    assert_eq!(found("board/moves.rs", "use crate::eval::Evaluator;"), 1);
    assert_eq!(
        found("board/moves.rs", "use crate::eval::placement::Placement;"),
        1
    );
    assert_eq!(found("board/position.rs", "use crate::eval::Evaluator;"), 1);
    assert_eq!(
        found(
            "board/position.rs",
            "use crate::eval::placement::Placement;"
        ),
        0
    );
    assert_eq!(found("eval/mod.rs", "use crate::{board, eval};"), 1);
    assert_eq!(
        found("eval/mod.rs", "use crate::board::Position; // crate::uci"),
        0
    );
}
