//! `config.json`: what `-config file=` resumes. fastchess keeps its counts
//! there; here the file only names the run, whose ledger is the truth.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use serde::{Deserialize, Serialize};

/// Its name, unless `outname=` gives another.
pub(crate) const CONFIG_JSON: &str = "config.json";

/// The run that a command line started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StartedRun {
    /// The version that started it.
    pub hone: String,
    /// The run's folder.
    pub run: PathBuf,
    /// The words that started it, without the program's name.
    pub arguments: Vec<String>,
}

impl StartedRun {
    /// Reads the file.
    ///
    /// # Errors
    /// If it cannot be read, or fastchess itself has written it.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).map_err(|error| {
            anyhow!(
                "{} does not name a run of hone: {error}\nhelp: a run that fastchess started can only be resumed by fastchess",
                path.display()
            )
        })
    }

    /// Replaces the file, as a whole.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn write(&self, path: &Path) -> anyhow::Result<()> {
        let failed = || format!("cannot write {}", path.display());
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(folder).with_context(failed)?;
        let mut file = tempfile::NamedTempFile::new_in(folder).with_context(failed)?;
        let text = serde_json::to_string_pretty(self)?;
        file.write_all(text.as_bytes()).with_context(failed)?;
        file.write_all(b"\n").with_context(failed)?;
        file.persist(path).with_context(failed)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes_and_refuses_others() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("new/config.json");
        let started = StartedRun {
            hone: "1".to_string(),
            run: PathBuf::from("results/x"),
            arguments: vec!["-engine".to_string()],
        };
        started.write(&path).expect("written");
        assert_eq!(StartedRun::read(&path).expect("read"), started);
        fs::write(&path, "{\"rounds\": 2}").expect("written");
        let error = StartedRun::read(&path).expect_err("another's").to_string();
        assert!(error.contains("help: "), "{error}");
    }
}
