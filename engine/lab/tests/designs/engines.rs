//! Engines with the options of one or more design files.

use std::path::{Path, PathBuf};
use stillwater::board::Position;
use stillwater::command;
use stillwater::engine::Engine;
use stillwater::search::limits::{Limits, StopSignal};
use stillwater::search::{Game, Outcome, Silent};

pub(crate) const PLAIN: &str = "main/plain";
pub(crate) const SELECTIVE: &str = "main/selective";

/// `engine/lab/designs`.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("designs")
}

/// The names of the option files in a folder, without `.toml`.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder of options");
    let paths = entries.map(|entry| entry.expect("an entry of the folder").path());
    let files = paths.filter(|path| path.is_file());
    files
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect()
}

/// An engine with the options of `files`, paths below `engine/lab/designs` without
/// `.toml`, and then with the options in `set`, each `NAME=VALUE`.
pub(crate) fn engine(files: &[&str], set: &[&str]) -> Engine {
    let mut arguments = Vec::new();
    for file in files {
        let path = folder().join(file).with_extension("toml");
        let path = path.to_str().expect("a path in UTF-8").to_owned();
        arguments.extend(["--options".to_owned(), path]);
    }
    for option in set {
        arguments.extend(["--set".to_owned(), (*option).to_owned()]);
    }
    let (engine, _) = command::run(&arguments).unwrap_or_else(|error| panic!("{files:?}: {error}"));
    engine
}

/// A new game searched to `depth`.
pub(crate) fn search(engine: &mut Engine, position: &Position, depth: i32) -> Outcome {
    engine.new_game();
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let game = Game::new(position.clone());
    engine.search(&game, &limits, &mut Silent, &StopSignal::default(), 1)
}
