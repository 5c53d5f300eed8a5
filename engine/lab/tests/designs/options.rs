//! Every file of a design has a header, and options that the engine accepts.

use crate::engines::folder;
use std::path::{Path, PathBuf};
use stillwater::command;
use stillwater::params::Params;

/// Every file of options below `folder`.
fn option_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files.extend(option_files(&path));
        } else {
            files.push(path);
        }
    }
    files
}

#[test]
fn the_designs_are_options_of_this_engine() {
    let folder = folder();
    let files = option_files(&folder);
    assert!(files.len() >= 50, "{}", files.len());
    let read = |paths: &[&Path]| {
        let words = paths
            .iter()
            .flat_map(|path| ["--options", path.to_str().unwrap()]);
        let words: Vec<String> = words.map(str::to_owned).collect();
        let (engine, output) = command::run(&words).unwrap();
        assert!(output.is_none());
        engine.params().clone()
    };
    let plain = folder.join("main/plain.toml");
    for path in files {
        // Additions to the plain search are applied on top of it.
        let (set, over) = if path.starts_with(folder.join("ordering/plain")) {
            (read(&[&plain, &path]), read(&[&plain]))
        } else {
            (read(&[&path]), Params::DEFAULT)
        };
        let name = path.file_stem().unwrap().to_str().unwrap();
        let nothing = ["default", "selective", "base"].contains(&name);
        assert_eq!(set == over, nothing, "{}", path.display());
        let header = std::fs::read_to_string(&path).unwrap();
        assert!(
            header.starts_with("# "),
            "{} says what it is",
            path.display()
        );
    }
}
