//! The roles of opponents.

use serde::{Deserialize, Serialize};

/// The role of an opponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The pinned reference.
    Anchor,
    /// The newest release before it.
    Release,
    /// The build of the previous nightly.
    Previous,
}

impl Role {
    /// Its name in the table of nights.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anchor => "anchor",
            Self::Release => "release",
            Self::Previous => "previous",
        }
    }

    /// The role of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        let all = [Self::Anchor, Self::Release, Self::Previous];
        all.into_iter().find(|role| role.name() == name)
    }
}
