//! `config.json`: the file by which `-config file=` resumes a run. fastchess stores its counts
//! there; the file of `hone` only names the run, whose ledger has them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use serde::{Deserialize, Serialize};

use hone_base::diagnostic::Diagnostic;
use hone_base::platform::{read_text, write_whole};

/// Default name of the file, without `outname=`.
pub const CONFIG_JSON: &str = "config.json";

/// The run that a command line started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartedRun {
    /// Version of `hone` that started it.
    pub hone: String,
    /// The program of the command line; files of earlier versions are of fastchess.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The run's folder.
    pub run: PathBuf,
    /// The command line that started it, without the program's name.
    pub arguments: Vec<String>,
}

impl StartedRun {
    /// Reads the file.
    ///
    /// # Errors
    /// If it cannot be read, or was written by fastchess itself.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = read_text(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).map_err(|error| {
            anyhow!(
                Diagnostic::new(format!(
                    "{} does not name a run of hone: {error}",
                    path.display()
                ))
                .help("a run that fastchess started can only be resumed by fastchess")
            )
        })
    }

    /// Replaces the file atomically. It writes to a device or a pipe, and follows a symbolic
    /// link.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let failed = || format!("cannot write {}", path.display());
        let text = serde_json::to_string_pretty(self)? + "\n";
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(failed)?;
        }
        write_whole(path, |file| file.write_all(text.as_bytes())).with_context(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_base::diagnostic::with_causes;

    #[test]
    fn reads_what_it_writes_and_refuses_others() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("new/config.json");
        let started = StartedRun {
            hone: "1".to_string(),
            program: Some("fastchess".to_string()),
            run: PathBuf::from("results/x"),
            arguments: vec!["-engine".to_string()],
        };
        started.write(&path).expect("written");
        assert_eq!(StartedRun::read(&path).expect("read"), started);
        #[cfg(unix)]
        {
            use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
            let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode();
            fs::write(dir.path().join("usual"), "").expect("written");
            assert_eq!(mode(&path), mode(&dir.path().join("usual")));
            // A link is followed.
            let link = dir.path().join("link.json");
            symlink(&path, &link).expect("linked");
            fs::remove_file(&path).expect("removed");
            fs::write(&path, "old").expect("written");
            started.write(&link).expect("written");
            assert!(link.is_symlink());
            assert_eq!(StartedRun::read(&path).expect("read"), started);
            // A pipe is written to.
            let pipe = dir.path().join("pipe");
            let made = std::process::Command::new("mkfifo").arg(&pipe).status();
            assert!(made.expect("mkfifo").success());
            let reader = std::thread::spawn({
                let pipe = pipe.clone();
                move || fs::read_to_string(pipe)
            });
            started.write(&pipe).expect("written");
            let read = reader.join().expect("ended").expect("read");
            assert!(read.contains("results/x"), "{read}");
            assert!(fs::metadata(&pipe).expect("there").file_type().is_fifo());
        }
        fs::write(&path, "{\"rounds\": 2}").expect("written");
        let error = with_causes(&StartedRun::read(&path).expect_err("another's"));
        assert!(error.contains("help: "), "{error}");
    }
}
