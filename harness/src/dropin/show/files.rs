//! The files that a command line asks for, beside the run's folder.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::dropin::OutFile;
use crate::executor::PlayedPair;

/// Games and final positions, appended as pairs finish. Whatever happens to
/// these files, the run's folder has every game.
#[derive(Debug, Default)]
pub(crate) struct Files {
    pgn: Option<(PathBuf, File)>,
    epd: Option<(PathBuf, File)>,
    error: Option<anyhow::Error>,
}

impl Files {
    /// Opens the files, each with whether it is continued; those of a run that is resumed are always continued.
    ///
    /// # Errors
    /// If one cannot be opened.
    pub(crate) fn open(
        pgn: Option<(PathBuf, bool)>,
        epd: Option<(PathBuf, bool)>,
        is_resumed: bool,
    ) -> anyhow::Result<Self> {
        let open = |file: Option<(PathBuf, bool)>| -> anyhow::Result<_> {
            let Some((path, append)) = file else {
                return Ok(None);
            };
            let file = open(&path, append || is_resumed)?;
            Ok(Some((path, file)))
        };
        Ok(Self {
            pgn: open(pgn)?,
            epd: open(epd)?,
            error: None,
        })
    }

    pub(super) fn write(&mut self, pair: &PlayedPair) {
        let texts = &pair.texts;
        let pgn = [texts[0].pgn.as_str(), &texts[1].pgn].concat();
        let epd = [texts[0].epd.as_str(), &texts[1].epd].concat();
        for (file, text) in [(&mut self.pgn, pgn), (&mut self.epd, epd)] {
            let Some((path, open)) = file else {
                continue;
            };
            if let Err(error) = open.write_all(text.as_bytes()) {
                let error = anyhow::Error::new(error);
                let error = error.context(format!("cannot write {}", path.display()));
                self.error.get_or_insert(error);
            }
        }
    }

    pub(super) fn take_error(&mut self) -> Option<anyhow::Error> {
        self.error.take()
    }
}

impl OutFile {
    /// Writes lines to it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn write_lines(&self, lines: &[String]) -> anyhow::Result<()> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        let mut file = open(path, self.append)?;
        for line in lines {
            writeln!(file, "{line}").with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

fn open(path: &Path, append: bool) -> anyhow::Result<File> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
    }
    File::options()
        .create(true)
        .write(true)
        .append(append)
        .truncate(!append)
        .open(path)
        .with_context(|| format!("cannot open {}", path.display()))
}
