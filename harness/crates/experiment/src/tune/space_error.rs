//! Why a set of parameters cannot be tuned.

/// Why a set of parameters cannot be tuned.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum SpaceError {
    #[error("parameter `{name}`: {reason}")]
    Param { name: String, reason: String },
    #[error(
        "no parameters to tune: [tune.params] names none, or `group` and `exclude` select none"
    )]
    Empty,
    #[error(
        "parameter `{0}`: its steps would be too large or too small for a number: check \
         `step`, `gain` and [tune.classic]"
    )]
    Steps(String),
    #[error("parameter `{0}` is named twice (UCI ignores upper and lower case in names)")]
    Duplicate(String),
}
