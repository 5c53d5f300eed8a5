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

use std::borrow::Cow;
use std::fmt;
use std::io::{self, IsTerminal, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use console::{Term, measure_text_width};

use crate::platform::accepts_escapes;

/// Formats like `print!`, for the result of a command.
macro_rules! out {
    ($($arg:tt)*) => { $crate::output::write_out(format_args!($($arg)*)) };
}

/// Formats like `println!`, for the result of a command.
macro_rules! outln {
    () => { $crate::output::write_out(format_args!("\n")) };
    ($($arg:tt)*) => { $crate::output::write_out(format_args!("{}\n", format_args!($($arg)*))) };
}

/// Formats like `eprint!`, for progress, warnings and errors.
macro_rules! err {
    ($($arg:tt)*) => { $crate::output::write_err(format_args!($($arg)*)) };
}

/// Formats like `eprintln!`, for progress, warnings and errors.
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
pub(crate) fn write_out(text: fmt::Arguments<'_>) {
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
pub(crate) fn write_err(text: fmt::Arguments<'_>) {
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

/// Lower-case hexadecimal digits of bytes.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Shows a message: a warning, or the next step that takes time.
pub(crate) type Announce<'a> = &'a mut dyn FnMut(&str);

/// The first of `stem`, `stem-2`, `stem-3` and so on that is free.
pub(crate) fn numbered(stem: &str, is_free: impl FnMut(&String) -> bool) -> String {
    (1_u64..)
        .map(|number| match number {
            1 => stem.to_string(),
            number => format!("{stem}-{number}"),
        })
        .find(is_free)
        .expect("numbers do not end")
}

/// Jaro-Winkler similarity, from 0 to 1, above which a name is suggested.
const SIMILARITY: f64 = 0.8;

/// The candidate most similar to `name`, regardless of case, if one is similar enough for
/// "did you mean".
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let name = name.to_lowercase();
    candidates
        .map(|candidate| {
            let similarity = strsim::jaro_winkler(&name, &candidate.to_lowercase());
            (similarity, candidate)
        })
        .filter(|(similarity, _)| *similarity > SIMILARITY)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// The text with U+FFFD in place of characters that affect a terminal: control characters
/// except line ends and tabs, and those that change the direction of text.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let is_unsafe = |c: char| {
        let is_bidi = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        is_bidi || (c.is_control() && !matches!(c, '\n' | '\t'))
    };
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n");
    Cow::Owned(text.replace(is_unsafe, "\u{fffd}"))
}

/// Fails if the result could not be written, except to a closed pipe.
pub(crate) fn finish() -> io::Result<()> {
    let mut state = OUT.lock().unwrap_or_else(PoisonError::into_inner);
    match std::mem::replace(&mut *state, State::Closed) {
        State::Failed(error) => Err(error),
        State::Open | State::Closed => Ok(()),
    }
}

/// Whether a block can be redrawn on standard error.
pub(crate) fn is_terminal() -> bool {
    io::stderr().is_terminal() && accepts_escapes()
}

/// Draws lines in place of those that were drawn before. Later messages appear
/// above them.
pub(crate) fn draw_block(lines: &str) {
    let mut block = drawn_block();
    let before = block.as_deref().map(erasing).unwrap_or_default();
    let lines = format!("{lines}\n");
    print(&format!("{before}{lines}"));
    *block = Some(lines);
}

/// Removes the lines that are drawn.
pub(crate) fn clear_block() {
    if let Some(block) = drawn_block().take() {
        print(&erasing(&block));
    }
}

/// Runs a command to its end. What it prints goes to standard error: directly
/// if that is a terminal, and otherwise through this process, so that a closed
/// pipe does not end the command.
pub(crate) fn run_forwarding(command: &mut Command) -> io::Result<ExitStatus> {
    if io::stderr().is_terminal() {
        command.stdout(Stdio::from(io::stderr()));
        clear_block();
        return command.status();
    }
    let (mut printed, writer) = io::pipe()?;
    let mut child = command.stdout(writer.try_clone()?).stderr(writer).spawn()?;
    // The command holds the writing ends, which must be closed here.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let (done, ended) = mpsc::channel();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = printed.read(&mut buffer) {
            let _ = io::stderr().lock().write_all(&buffer[..count]);
        }
        let _ = done.send(());
    });
    let status = child.wait();
    // A process that the command left in the background may hold the pipe.
    let _ = ended.recv_timeout(Duration::from_secs(1));
    status
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
pub(crate) struct Out;

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write_out(format_args!("{}", String::from_utf8_lossy(bytes)));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The error and its causes. A cause whose text an error contains is not repeated.
pub(crate) fn with_causes(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};

    use super::*;

    #[test]
    fn a_cause_is_not_repeated() {
        let io = std::io::Error::other("disk full");
        let contained = anyhow::Error::new(io).context("cannot write x: disk full");
        assert_eq!(with_causes(&contained), "cannot write x: disk full");
        let missing: anyhow::Result<()> = Err(anyhow!("disk full")).context("cannot write x");
        assert_eq!(
            with_causes(&missing.unwrap_err()),
            "cannot write x: disk full"
        );
    }

    #[test]
    fn only_a_similar_name_is_suggested() {
        let names = ["QsFutilityMargin", "Hash", "tc", "-engine"];
        for (written, suggested) in [
            ("qsfut", Some("QsFutilityMargin")),
            ("Hasch", Some("Hash")),
            ("-engne", Some("-engine")),
            ("xy", None),
            ("Threads", None),
        ] {
            assert_eq!(nearest(written, names.into_iter()), suggested, "{written}");
        }
    }

    #[test]
    fn no_control_character_is_printed() {
        assert_eq!(printable("a\tb\nc é ♞"), "a\tb\nc é ♞");
        assert_eq!(printable("a\r\nb\r\n"), "a\nb\n");
        let hostile = "\x1b]0;title\x07 \x1b[2Jx\r \u{9b}1m \u{202e}txt";
        let shown = printable(hostile);
        assert!(!shown.contains(|c: char| c.is_control() || c == '\u{202e}'));
        assert!(shown.contains("]0;title"), "{shown}");
    }
}
