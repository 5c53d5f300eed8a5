//! `hone fastchess` and `hone cutechess-cli` as scripts and servers call them.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::{Finished, finish, hone, scripted};

/// Two engines that play short games, two a round.
pub(crate) const TWO: &str =
    "-engine cmd=ENGINE name=A -engine cmd=ENGINE name=B -each nodes=100 -maxmoves 4 -games 2";

/// [`TWO`], whose first engine has a failure.
pub(crate) fn failing(action: &str) -> String {
    TWO.replacen("name=A", &format!("name=A args={action}"), 1)
}

/// Milliseconds, longer than any answer takes on a busy machine.
pub(crate) const LONG_PING_MS: u32 = 60_000;

const BOOK: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n\
    rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n\
    rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2\n\
    rnbqkbnr/pppp1ppp/8/4p3/2P5/8/PP1PPPPP/RNBQKBNR w KQkq - 0 2\n";

/// A folder with a book, in which a command runs.
pub(crate) fn folder() -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("book.epd"), BOOK).expect("written");
    dir
}

/// `hone PROGRAM` in a folder, with the words of `line`, in which `ENGINE` is the scripted
/// engine.
pub(crate) fn dropin_command(program: &str, folder: &Path, line: &str) -> Command {
    let words = shlex::split(&line.replace("ENGINE", &scripted())).expect("quotes match");
    let mut command = hone();
    command.current_dir(folder).arg(program).args(words);
    command
}

/// Runs the command of [`dropin_command`] to its end.
pub(crate) fn run_dropin(program: &str, folder: &Path, line: &str) -> Finished {
    finish(dropin_command(program, folder, line))
}

/// The lines of standard output that begin with `start`.
pub(crate) fn lines<'a>(finished: &'a Finished, start: &str) -> Vec<&'a str> {
    let all = finished.stdout.lines();
    all.filter(|line| line.starts_with(start)).collect()
}
