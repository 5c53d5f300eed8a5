//! An error in the value of a key that the parser accepts.

/// An error in the value of a key that an engine, the file system or another key proves wrong.
/// It is an error itself, or the context of one.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct FaultyKey {
    message: String,
    /// Names of tables and indices in lists, from the top.
    pub path: Vec<String>,
}

impl FaultyKey {
    pub fn new(message: impl Into<String>, path: &[&str]) -> Self {
        Self {
            message: message.into(),
            path: path.iter().map(|key| (*key).to_string()).collect(),
        }
    }
}
