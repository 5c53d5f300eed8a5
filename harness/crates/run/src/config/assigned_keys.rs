//! Which keys of a configuration do not come from its file.

/// Paths of the keys that are not set by the file, but by the command line, a profile or `hone`
/// itself. They are equal to any others: two configurations with the same values are equal,
/// wherever the values come from.
#[derive(Debug, Clone, Default)]
pub struct AssignedKeys(Vec<Vec<String>>);

impl AssignedKeys {
    /// Whether this key, or a table that contains it, is among them.
    pub(super) fn contain(&self, keys: &[String]) -> bool {
        self.0.iter().any(|set| keys.starts_with(set))
    }
}

impl FromIterator<Vec<String>> for AssignedKeys {
    fn from_iter<T: IntoIterator<Item = Vec<String>>>(paths: T) -> Self {
        Self(paths.into_iter().collect())
    }
}

impl PartialEq for AssignedKeys {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
