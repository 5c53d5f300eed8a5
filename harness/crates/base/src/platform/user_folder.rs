//! The folders in which a user's programs keep their files: those of the XDG Base Directory
//! Specification, on Windows those of the profile.

use std::ffi::OsString;
use std::path::PathBuf;

/// A purpose of a folder. On Windows, caches and data are in `%LOCALAPPDATA%` and
/// configurations in `%APPDATA%`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserFolder {
    /// `$XDG_CACHE_HOME` or `~/.cache`.
    Cache,
    /// `$XDG_CONFIG_HOME` or `~/.config`.
    Config,
    /// `$XDG_DATA_HOME` or `~/.local/share`.
    Data,
}

/// The path of a user's folder; `None` if no environment variable names one.
pub fn user_folder(folder: UserFolder) -> Option<PathBuf> {
    named_by(folder, |name| std::env::var_os(name))
}

/// [`user_folder`] with these environment variables. An empty variable counts as unset, and a
/// relative path of an XDG variable too, as the specification requires.
fn named_by(folder: UserFolder, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let (xdg, windows, below_home) = match folder {
        UserFolder::Cache => ("XDG_CACHE_HOME", "LOCALAPPDATA", ".cache"),
        UserFolder::Config => ("XDG_CONFIG_HOME", "APPDATA", ".config"),
        UserFolder::Data => ("XDG_DATA_HOME", "LOCALAPPDATA", ".local/share"),
    };
    let path = |name: &str| {
        let value = variable(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    path(xdg)
        .filter(|path| path.is_absolute())
        .or_else(|| path(windows).filter(|_| cfg!(windows)))
        .or_else(|| Some(path("HOME")?.join(below_home)))
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn an_empty_or_relative_variable_counts_as_unset() {
        for (value, expected) in [
            (None, Some("/user/.config")),
            (Some(""), Some("/user/.config")),
            (Some("relative"), Some("/user/.config")),
            (Some("/elsewhere"), Some("/elsewhere")),
        ] {
            let found = named_by(UserFolder::Config, |name| match name {
                "XDG_CONFIG_HOME" => value.map(OsString::from),
                "HOME" => Some("/user".into()),
                _ => None,
            });
            assert_eq!(found.as_deref(), expected.map(Path::new), "{value:?}");
        }
        assert_eq!(named_by(UserFolder::Cache, |_| None), None);
    }
}
