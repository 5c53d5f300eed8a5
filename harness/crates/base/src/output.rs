//! Standard output and standard error.
//!
//! The result of a command goes to standard output ([`out!`], [`outln!`]);
//! progress, warnings and errors go to standard error ([`err!`], [`errln!`]).
//! None of the four panics. A closed pipe ends printing quietly. A standard
//! output that cannot be written for another reason, such as a full disk, is
//! an error that [`finish`] returns; a standard error that cannot be written
//! is ignored, because there is no other place to report it.
//!
//! Many messages contain text of others (engine output, commit subjects, file names): its
//! control characters are replaced before they reach the terminal.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use console::{Term, measure_text_width};

use crate::platform::accepts_escapes;
use crate::text::printable;

/// Formats like `print!`, for the result of a command.
#[macro_export]
macro_rules! out {
    ($($arg:tt)*) => { $crate::output::write_out(format_args!($($arg)*)) };
}

/// Formats like `println!`, for the result of a command.
#[macro_export]
macro_rules! outln {
    () => { $crate::output::write_out(format_args!("\n")) };
    ($($arg:tt)*) => { $crate::output::write_out(format_args!("{}\n", format_args!($($arg)*))) };
}

/// Formats like `eprint!`, for progress, warnings and errors.
#[macro_export]
macro_rules! err {
    ($($arg:tt)*) => { $crate::output::write_err(format_args!($($arg)*)) };
}

/// Formats like `eprintln!`, for progress, warnings and errors.
#[macro_export]
macro_rules! errln {
    () => { $crate::output::write_err(format_args!("\n")) };
    ($($arg:tt)*) => { $crate::output::write_err(format_args!("{}\n", format_args!($($arg)*))) };
}

/// The state of standard output.
static OUT: Mutex<State> = Mutex::new(State::Open);

/// The lines that are drawn on the terminal while a run is played.
static BLOCK: Mutex<Option<String>> = Mutex::new(None);

enum State {
    Open,
    /// The reader closed the pipe: nothing more is written.
    Closed,
    Failed(io::Error),
}

/// Writes a part of the result to standard output.
pub fn write_out(text: fmt::Arguments<'_>) {
    let mut state = OUT.lock().unwrap_or_else(PoisonError::into_inner);
    if !matches!(*state, State::Open) {
        return;
    }
    let text = text.to_string();
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(printable(&text).as_bytes());
    if let Err(error) = written.and_then(|()| stdout.flush()) {
        *state = match error.kind() {
            io::ErrorKind::BrokenPipe => State::Closed,
            _ => State::Failed(error),
        };
    }
}

/// Writes a message to standard error, above the block on the terminal if one
/// is drawn.
pub fn write_err(text: fmt::Arguments<'_>) {
    // In one write, so that lines of several threads do not mix.
    let text = text.to_string();
    let text = printable(&text);
    match &*drawn_block() {
        Some(block) => print(&format!("{}{text}{block}", erasing(block))),
        None => print(&text),
    }
}

fn print(text: &str) {
    // A failure of standard error cannot be reported anywhere.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Shows a message: a warning, or the next step that takes time.
pub type Announce<'a> = &'a mut dyn FnMut(&str);

/// Fails if the result could not be written, except to a closed pipe.
pub fn finish() -> io::Result<()> {
    let mut state = OUT.lock().unwrap_or_else(PoisonError::into_inner);
    match std::mem::replace(&mut *state, State::Closed) {
        State::Failed(error) => Err(error),
        State::Open | State::Closed => Ok(()),
    }
}

/// Whether a block can be redrawn on standard error.
pub fn is_terminal() -> bool {
    io::stderr().is_terminal() && accepts_escapes()
}

/// Draws lines in place of those that were drawn before. Later messages appear
/// above them.
pub fn draw_block(lines: &str) {
    let mut block = drawn_block();
    let before = block.as_deref().map(erasing).unwrap_or_default();
    let lines = format!("{lines}\n");
    print(&format!("{before}{lines}"));
    *block = Some(lines);
}

/// Removes the lines that are drawn.
pub fn clear_block() {
    if let Some(block) = drawn_block().take() {
        print(&erasing(&block));
    }
}

fn drawn_block() -> MutexGuard<'static, Option<String>> {
    BLOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The escape sequence that moves the cursor to the first of the drawn lines and clears the
/// screen from there. Lines are wrapped if the terminal has become narrower.
fn erasing(block: &str) -> String {
    let width = usize::from(Term::stderr().size().1).max(1);
    let rows = |line: &str| measure_text_width(line).div_ceil(width).max(1);
    let rows: usize = block.lines().map(rows).sum();
    format!("\r\u{1b}[{rows}A\u{1b}[J")
}

/// Standard output as a writer that never fails. A call must not write half a character.
#[derive(Debug)]
pub struct Out;

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write_out(format_args!("{}", String::from_utf8_lossy(bytes)));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
