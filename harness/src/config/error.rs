//! Errors in a configuration.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use super::wording::of_syntax;

/// An error in a configuration file, with its place.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read the configuration {}: {source}", path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{}\n  --> {}:{place}", place.message, path.display())]
    Content {
        path: PathBuf,
        place: SourcePosition,
    },
    /// A mistake in what a command line sets.
    #[error("{sources}: {reason}{}", at(place.as_deref()))]
    Said {
        sources: String,
        reason: String,
        /// The place of a value in the file that conflicts with it.
        place: Option<Box<(PathBuf, SourcePosition)>>,
    },
    #[error(
        "`{one}` and `{other}` contradict each other: both set `{key}`\nhelp: give only one of them"
    )]
    Contradiction {
        one: String,
        other: String,
        key: String,
    },
}

fn at(place: Option<&(PathBuf, SourcePosition)>) -> String {
    place.map_or_else(String::new, |(path, place)| {
        format!("\n  --> {}:{place}", path.display())
    })
}

/// A place in a file, with the line itself and a message.
#[derive(Debug)]
pub struct SourcePosition {
    line: usize,
    column: usize,
    source_line: String,
    message: String,
}

impl SourcePosition {
    /// The place of byte range `span` of `text`.
    pub fn new(text: &str, span: Option<Range<usize>>, message: impl Into<String>) -> Self {
        let at = span.map_or(0, |span| span.start).min(text.len());
        let (before, after) = text.split_at(text.floor_char_boundary(at));
        let of_line = before.rsplit('\n').next().unwrap_or("");
        let rest = after.lines().next().filter(|_| !after.starts_with('\n'));
        Self {
            line: before.matches('\n').count().saturating_add(1),
            column: of_line.chars().count().saturating_add(1),
            source_line: format!("{of_line}{}", rest.unwrap_or("")),
            message: message.into().trim_end().to_string(),
        }
    }

    /// The place of a syntax error; `message` is that of the parser.
    pub(super) fn of_syntax(text: &str, span: Option<Range<usize>>, message: &str) -> Self {
        let place = Self::new(text, span, "");
        let message = of_syntax(message, &place.source_line);
        place.saying(message)
    }

    /// The same place with another message.
    pub(super) fn saying(self, message: impl Into<String>) -> Self {
        Self {
            message: message.into().trim_end().to_string(),
            ..self
        }
    }
}

impl fmt::Display for SourcePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}\n  {} | {}",
            self.line, self.column, self.line, self.source_line
        )
    }
}
