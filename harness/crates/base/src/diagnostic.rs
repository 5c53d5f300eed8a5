//! Errors as values: what could not be done and why, the key concerned, the places in files,
//! and help.
//!
//! A [`Diagnostic`] is made where the fault is known and travels in the chain of any error. A
//! surface renders it once, from the [`Message`] of that error.

use std::error::Error;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use crate::text::excerpt;

/// A part of an error: its text, and what a surface shows apart from it. Without a text, it adds
/// to the error that has it as its source.
#[derive(Debug, Default)]
pub struct Diagnostic(Box<Parts>);

#[derive(Debug, Default)]
struct Parts {
    /// Empty if only the source has a text.
    what: String,
    key: Option<Vec<String>>,
    places: Vec<Place>,
    help: Vec<String>,
    source: Option<anyhow::Error>,
}

impl Diagnostic {
    /// A fault; `what` is one sentence.
    pub fn new(what: impl Into<String>) -> Self {
        let what = what.into();
        Self(Box::new(Parts {
            what,
            ..Parts::default()
        }))
    }

    /// Adds to another error, whose text it keeps.
    pub fn of(error: impl Into<anyhow::Error>) -> Self {
        Self::new("").because(error)
    }

    /// Puts words and a colon before the text.
    pub fn within(mut self, context: &str) -> Self {
        self.0.what = format!("{context}: {}", self.0.what);
        self
    }

    /// Gives its places another name of the file.
    pub fn in_file(mut self, name: &str) -> Self {
        for place in &mut self.0.places {
            place.file = name.to_string();
        }
        self
    }

    /// Sets the cause.
    pub fn because(mut self, source: impl Into<anyhow::Error>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Adds a line of help: something that works if it is followed.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help.push(help.into());
        self
    }

    /// Adds a place; the first one is shown first.
    pub fn at(mut self, place: Place) -> Self {
        self.0.places.push(place);
        self
    }

    /// The cause that was set.
    pub fn into_source(self) -> Option<anyhow::Error> {
        self.0.source
    }

    /// Sets the key whose value is faulty: names of tables and indices in lists, from the top.
    pub fn key(mut self, key: &[&str]) -> Self {
        self.0.key = Some(key.iter().map(|part| (*part).to_string()).collect());
        self
    }

    /// The text without its causes.
    pub fn what(&self) -> &str {
        &self.0.what
    }

    /// The lines of help, without those of its causes.
    pub fn help_lines(&self) -> &[String] {
        &self.0.help
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.source {
            Some(source) if self.0.what.is_empty() => write!(f, "{source}"),
            _ => f.write_str(&self.0.what),
        }
    }
}

impl Error for Diagnostic {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let source = self.0.source.as_ref()?;
        Some(&**source)
    }
}

/// Adds to the error of a result.
pub trait Advise<T> {
    /// # Errors
    /// The error with a line of help.
    fn help(self, help: impl Into<String>) -> anyhow::Result<T>;

    /// # Errors
    /// The diagnostic, because of the error.
    fn diagnosed(self, diagnostic: impl FnOnce() -> Diagnostic) -> anyhow::Result<T>;
}

impl<T, E: Into<anyhow::Error>> Advise<T> for Result<T, E> {
    fn help(self, help: impl Into<String>) -> anyhow::Result<T> {
        self.map_err(|error| Diagnostic::of(error).help(help).into())
    }

    fn diagnosed(self, diagnostic: impl FnOnce() -> Diagnostic) -> anyhow::Result<T> {
        self.map_err(|error| diagnostic().because(error).into())
    }
}

/// The faulty key that an error names.
pub fn faulty_key(error: &anyhow::Error) -> Option<&[String]> {
    let mut parts = error.chain().filter_map(parts);
    parts.find_map(|parts| parts.key.as_deref())
}

fn parts<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a Parts> {
    Some(&error.downcast_ref::<Diagnostic>()?.0)
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    /// From 1.
    pub line: u64,
    /// The column, from 1, and the line itself, or the part of it around the column.
    pub excerpt: Option<(usize, String)>,
}

impl Place {
    /// A line of a file, from 1.
    pub fn line(file: impl fmt::Display, line: u64) -> Self {
        Self {
            file: file.to_string(),
            line,
            excerpt: None,
        }
    }

    /// The start of byte range `span` of the file's text; without one, that of the text.
    pub fn of(file: impl fmt::Display, text: &str, span: Option<Range<usize>>) -> Self {
        let at = span.map_or(0, |span| span.start).min(text.len());
        let (before, after) = text.split_at(text.floor_char_boundary(at));
        let start = before.rsplit('\n').next().unwrap_or("");
        let rest = after.lines().next().filter(|_| !after.starts_with('\n'));
        let line = format!("{start}{}", rest.unwrap_or(""));
        let shown = excerpt(&line, start.len()).into_owned();
        Self {
            file: file.to_string(),
            line: before.matches('\n').count().saturating_add(1) as u64,
            excerpt: Some((start.chars().count().saturating_add(1), shown)),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, .. } = self;
        match &self.excerpt {
            None => write!(f, "  --> {file}:{line}"),
            Some((column, text)) => write!(f, "  --> {file}:{line}:{column}\n  {line} | {text}"),
        }
    }
}

/// All that an error and its causes show.
#[derive(Debug, Default)]
pub struct Message {
    /// The error and its causes. A cause that an error quotes is not repeated.
    pub text: String,
    pub places: Vec<Place>,
    pub help: Vec<String>,
}

impl Message {
    /// The message of an error and its causes.
    pub fn of<'a>(chain: impl Iterator<Item = &'a (dyn Error + 'static)>) -> Self {
        let mut message = Self::default();
        for cause in chain {
            if let Some(parts) = parts(cause) {
                message.places.splice(0..0, parts.places.iter().cloned());
                message.help.splice(0..0, parts.help.iter().cloned());
            }
            let text = cause.to_string();
            if message.text.is_empty() {
                message.text = text;
            } else if !message.text.contains(&text) {
                message.text = format!("{}: {text}", message.text);
            }
        }
        message
    }
}

impl Message {
    /// The message of an error of any type.
    pub fn of_error(error: &(dyn Error + 'static)) -> Self {
        Self::of(std::iter::successors(Some(error), |&error| error.source()))
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        for place in &self.places {
            write!(f, "\n{place}")?;
        }
        for help in &self.help {
            write!(f, "\nhelp: {help}")?;
        }
        Ok(())
    }
}

/// The error and its causes, then places and help.
pub fn with_causes(error: &anyhow::Error) -> String {
    Message::of(error.chain()).to_string()
}

/// As [`with_causes`], of an error of any type.
pub fn shown(error: &(dyn Error + 'static)) -> String {
    Message::of_error(error).to_string()
}

/// A setting as messages name it: by its key in a configuration, or by the flag of the command
/// line that the process was started with.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub key: &'static str,
    /// The key in words, as in `` `stall_ms` in [match] ``.
    pub words: &'static str,
}

/// The words for a key; `None` to keep those of the setting.
pub type Flags = fn(key: &str) -> Option<&'static str>;

/// A process has one command line, so it has one language.
static FLAGS: OnceLock<Flags> = OnceLock::new();

/// From now on, messages name settings by these flags.
pub fn name_settings_by(flags: Flags) {
    // Set once, by the command line.
    let _ = FLAGS.set(flags);
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = FLAGS.get().and_then(|flags| flags(self.key));
        f.write_str(flag.unwrap_or(self.words))
    }
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
        let missing = missing.expect_err("an error");
        assert_eq!(with_causes(&missing), "cannot write x: disk full");
    }

    /// `help: ` within a text, such as the output of a program, stays where it is.
    #[test]
    fn places_and_help_of_all_causes_come_last() {
        let text = "help: is not help\nlimt = 5";
        let place = Place::of("a.toml", text, Some(18..19));
        let cause = Diagnostic::new("unknown\nhelp: x").help("inner").at(place);
        let error: anyhow::Result<()> = Err(cause).context("engine `x`").help("outer");
        let error = error.context("cannot start").expect_err("an error");
        assert_eq!(
            with_causes(&error),
            "cannot start: engine `x`: unknown\nhelp: x\n  --> a.toml:2:1\n  2 | limt = 5\nhelp: inner\nhelp: outer"
        );
        let of_key = Diagnostic::of(error).key(&["match"]).into();
        assert_eq!(faulty_key(&of_key), Some(&["match".to_string()][..]));
    }

    #[test]
    fn a_long_line_is_cut_around_its_place() {
        let text = format!("a = 1\nb = \"{}\", c\n", "x".repeat(1 << 20));
        let at = text.find(", c").expect("there");
        let shown = Place::of("f", &text, Some(at..at)).to_string();
        assert!(
            shown.starts_with("  --> f:2:1048583\n  2 | …xxx"),
            "{shown}"
        );
        assert!(shown.ends_with("xx\", c") && shown.len() < 300, "{shown}");
    }
}
