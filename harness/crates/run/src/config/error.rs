//! Errors in a configuration.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use super::wording::of_syntax;
use hone_base::text::excerpt;

/// Maximum size of a configuration file in bytes.
pub(super) const LARGEST: u64 = 16 << 20;

/// An error in a configuration file, with its place.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read the configuration {}: {source}", path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("cannot read the configuration {}: it is UTF-16; save it as UTF-8", path.display())]
    Utf16 { path: PathBuf },
    #[error(
        "cannot read the configuration {}: it is larger than {} MiB",
        path.display(), LARGEST >> 20
    )]
    TooLarge { path: PathBuf },
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

impl ConfigError {
    /// The same error with another name of the text than that of its file.
    pub fn in_source(self, name: &str) -> Self {
        match self {
            Self::Content { place, .. } => Self::Content {
                path: PathBuf::from(name),
                place,
            },
            other => other,
        }
    }
}

fn at(place: Option<&(PathBuf, SourcePosition)>) -> String {
    place.map_or_else(String::new, |(path, place)| {
        format!("\n  --> {}:{place}", path.display())
    })
}

/// Number of characters of a message of the parser, which may contain a value of the file.
const SHOWN: usize = 1000;

/// A message without the middle, if it is very long.
fn bounded(message: String) -> String {
    let message = message.trim_end();
    let half = SHOWN / 2;
    let start = message.char_indices().nth(half).map(|(start, _)| start);
    let end = message.char_indices().rev().nth(half).map(|(end, _)| end);
    match (start, end) {
        (Some(start), Some(end)) if start < end => {
            let (start, _) = message.split_at(start);
            let (_, end) = message.split_at(end);
            format!("{start}…{end}")
        }
        _ => message.to_string(),
    }
}

/// A place in a file, with its line (the part around it, if the line is long) and a message.
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
        let line = format!("{of_line}{}", rest.unwrap_or(""));
        Self {
            line: before.matches('\n').count().saturating_add(1),
            column: of_line.chars().count().saturating_add(1),
            source_line: excerpt(&line, of_line.len()).into_owned(),
            message: bounded(message.into()),
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
            message: bounded(message.into()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_and_message_are_cut() {
        let text = format!("a = 1\nb = \"{}\", c\n", "x".repeat(1 << 20));
        let at = text.find(", c").expect("there");
        let place = SourcePosition::new(&text, Some(at..at), "y".repeat(1 << 20) + "; allowed: z");
        let shown = place.to_string();
        assert!(shown.starts_with("2:1048583\n  2 | …xxx"), "{shown}");
        assert!(shown.ends_with("xx\", c") && shown.len() < 300, "{shown}");
        let message = &place.message;
        assert!(
            message.ends_with("; allowed: z") && message.contains("y…y"),
            "{message}"
        );
        assert!(message.len() < 1100, "{message}");
    }
}
