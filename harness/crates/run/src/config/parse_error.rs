//! Errors of the TOML parser in words.

use std::path::Path;

use toml_edit::DocumentMut;

use super::error::{ConfigError, SourcePosition};
use super::places::{KeyPath, Places};
use super::wording::plain;

/// Parses the text of the file at `path`.
///
/// # Errors
/// [`ConfigError`] if it is not TOML.
pub fn document(path: &Path, text: &str) -> Result<DocumentMut, ConfigError> {
    text.parse()
        .map_err(|error: toml_edit::TomlError| ConfigError::Content {
            path: path.to_path_buf(),
            place: SourcePosition::of_syntax(text, error.span(), error.message()),
        })
}

/// The error of a value in the text of the file at `path`, with its place.
pub fn of_value(path: &Path, text: &str, error: &toml::de::Error) -> ConfigError {
    ConfigError::Content {
        path: path.to_path_buf(),
        place: SourcePosition::new(text, error.span(), in_words(text, error)),
    }
}

/// The key in `text` that an error is about.
pub(super) fn key_of(text: &str, error: &toml::de::Error) -> Option<KeyPath> {
    let places = Places::of(text);
    let (path, _) = places.at(error.span()?.start)?;
    Some(path.clone())
}

/// The message about a value in `text`, without names of Rust types.
pub(super) fn in_words(text: &str, error: &toml::de::Error) -> String {
    let path = key_of(text, error);
    // An unknown name of a table is the last key of its path.
    let is_key = |key: &&String| {
        key.parse::<usize>().is_err() && !error.message().contains(&format!("`{key}`, exp"))
    };
    let key = path.iter().flatten().rfind(is_key).map(String::as_str);
    plain(error.message(), key)
}
