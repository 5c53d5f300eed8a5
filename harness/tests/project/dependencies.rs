//! What `Cargo.toml` states: every dependency is used, and the compiler is the one
//! that the workflows install.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folders of the workspace's packages.
fn packages() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("harness/crates")).expect("a folder");
    let crates = crates.map(|entry| entry.expect("an entry").path());
    let mut packages: Vec<_> = ["harness", "engine", "engine/lab"]
        .map(|name| root().join(name))
        .into();
    packages.extend(crates);
    packages
}

fn manifest(path: &Path) -> toml::Table {
    let text = fs::read_to_string(path).expect("a manifest");
    text.parse().expect("a manifest is TOML")
}

/// All Rust code below some folders.
fn code(folders: &[PathBuf]) -> String {
    let mut text = String::new();
    let mut open = folders.to_vec();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                text += &fs::read_to_string(&path).expect("readable");
            }
        }
    }
    text
}

/// Names in the tables of dependencies, including those for a target.
fn dependencies(manifest: &toml::Table, table: &str) -> BTreeSet<String> {
    let of = |tables: &toml::Table| -> Vec<String> {
        let names = tables.get(table).and_then(toml::Value::as_table);
        names.map_or(Vec::new(), |names| names.keys().cloned().collect())
    };
    let targets = manifest.get("target").and_then(toml::Value::as_table);
    let targets = targets.into_iter().flat_map(toml::Table::values);
    let mut names: BTreeSet<String> = of(manifest).into_iter().collect();
    names.extend(targets.filter_map(toml::Value::as_table).flat_map(of));
    names
}

/// Whether `text` is in the code and not the end of a longer name.
fn has_word(code: &str, text: &str) -> bool {
    let in_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(text)
        .any(|(at, _)| !code[..at].ends_with(in_name))
}

#[test]
fn a_name_is_not_found_in_a_longer_one() {
    let code = "use one_two::Three;\n";
    assert!(has_word(code, "one_two::"));
    for text in ["one::", "two::", "use one;", "use one as "] {
        assert!(!has_word(code, text), "{text}");
    }
}

fn unused(package: &Path, table: &str, folders: &[&str]) -> Vec<String> {
    let manifest = manifest(&package.join("Cargo.toml"));
    let folders: Vec<PathBuf> = folders.iter().map(|name| package.join(name)).collect();
    let code = code(&folders);
    let is_used = |name: &String| {
        let name = name.replace('-', "_");
        // Of some crates, only a derive macro is used.
        [
            format!("{name}::"),
            format!("use {name};"),
            format!("use {name} as "),
        ]
        .iter()
        .any(|text| has_word(&code, text))
    };
    let names = dependencies(&manifest, table);
    names.into_iter().filter(|name| !is_used(name)).collect()
}

#[test]
fn every_dependency_is_used() {
    for package in packages() {
        assert_eq!(
            unused(&package, "dependencies", &["src"]),
            [""; 0],
            "{}",
            package.display()
        );
        let folders = ["src", "tests", "examples", "benches"];
        assert_eq!(
            unused(&package, "dev-dependencies", &folders),
            [""; 0],
            "{}",
            package.display()
        );
    }
}

#[test]
fn every_dependency_of_the_workspace_is_one_of_a_package() {
    let workspace = manifest(&root().join("Cargo.toml"));
    let listed = workspace["workspace"]["dependencies"].as_table();
    let listed: BTreeSet<String> = listed.expect("a table").keys().cloned().collect();
    let mut needed = BTreeSet::new();
    for package in packages() {
        let manifest = manifest(&package.join("Cargo.toml"));
        for table in ["dependencies", "dev-dependencies", "build-dependencies"] {
            needed.extend(dependencies(&manifest, table));
        }
    }
    assert_eq!(listed.difference(&needed).collect::<Vec<_>>(), [""; 0]);
}

/// CI builds with `rust-version`.
#[test]
fn the_workflows_install_the_oldest_compiler_that_is_supported() {
    let workspace = manifest(&root().join("Cargo.toml"));
    let oldest = workspace["workspace"]["package"]["rust-version"].as_str();
    let install = format!("rustup toolchain install {} ", oldest.expect("a version"));
    let workflows = root().join(".github/workflows");
    let mut installs = 0;
    for entry in fs::read_dir(workflows).expect("a folder").flatten() {
        let text = fs::read_to_string(entry.path()).expect("readable");
        for line in text
            .lines()
            .filter(|line| line.contains("rustup toolchain"))
        {
            assert!(
                line.contains(&install),
                "{}: {line}",
                entry.path().display()
            );
            installs += 1;
        }
    }
    assert!(installs > 0, "no workflow installs a compiler");
}
