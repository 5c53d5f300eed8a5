//! Errors of the TOML parser in words.

use std::path::Path;

use toml_edit::DocumentMut;

use super::places::{KeyPath, Places};
use super::wording::{Fault, of_syntax, plain};
use hone_base::diagnostic::{Diagnostic, Place};

/// Parses the text of the file at `path`.
///
/// # Errors
/// If it is not TOML, with the place.
pub fn document(path: &Path, text: &str) -> Result<DocumentMut, Diagnostic> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let place = Place::of(path.display(), text, error.span());
        let line = place.excerpt.as_ref().map_or("", |(_, line)| line);
        of_syntax(error.message(), line).at(place)
    })
}

/// The error of a value in the text of the file at `path`, with its place.
pub fn of_value(path: &Path, text: &str, error: &toml::de::Error) -> Diagnostic {
    in_words(text, error).at(Place::of(path.display(), text, error.span()))
}

/// The key in `text` that an error is about.
pub(super) fn key_of(text: &str, error: &toml::de::Error) -> Option<KeyPath> {
    let places = Places::of(text);
    let (path, _) = places.at(error.span()?.start)?;
    Some(path.clone())
}

/// The error of a value in `text`, without names of Rust types.
pub(super) fn in_words(text: &str, error: &toml::de::Error) -> Diagnostic {
    let path = key_of(text, error);
    let fault = Fault::of(error.message());
    // An unknown name of a table is the last key of its path.
    let is_key = |key: &&String| key.parse::<usize>().is_err() && fault.name() != Some(key);
    let key = path.iter().flatten().rfind(is_key).map(String::as_str);
    plain(error.message(), &fault, key)
}
