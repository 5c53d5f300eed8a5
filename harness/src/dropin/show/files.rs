//! The files that a command line asks for, beside the run's folder.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::dropin::LogFile;
use crate::executor::GameText;

/// Games and final positions, appended as games are shown. Whatever happens to
/// these files, the run's folder has every game.
#[derive(Debug, Default)]
pub(crate) struct Files {
    pgn: Option<Written>,
    epd: Option<Written>,
    error: Option<anyhow::Error>,
}

/// One of the files.
#[derive(Debug)]
struct Written {
    path: PathBuf,
    file: File,
    /// The checksum of all of it, where it is printed.
    crc: Option<crc32fast::Hasher>,
}

/// A file that is asked for: its name and whether it is continued.
type Asked = Option<(PathBuf, bool)>;

impl Files {
    /// Opens the files; those of a run that is resumed are always continued.
    ///
    /// # Errors
    /// If one cannot be opened.
    pub(crate) fn open(pgn: Asked, epd: Asked, is_resumed: bool) -> anyhow::Result<Self> {
        let open = |file: Asked| {
            file.map(|(path, append)| Written::open(path, append || is_resumed))
                .transpose()
        };
        Ok(Self {
            pgn: open(pgn)?,
            epd: open(epd)?,
            error: None,
        })
    }

    /// Keeps the checksum of the games.
    ///
    /// # Errors
    /// If what they are appended to cannot be read.
    pub(crate) fn with_crc(mut self) -> anyhow::Result<Self> {
        if let Some(pgn) = &mut self.pgn {
            pgn.crc = Some(crc_of(&pgn.path)?);
        }
        Ok(self)
    }

    /// Writes a game. Returns the file of the games and its checksum.
    pub(super) fn write(&mut self, game: &GameText) -> Option<(&Path, u32)> {
        for (file, text) in [(&mut self.pgn, &game.pgn), (&mut self.epd, &game.epd)] {
            let Some(file) = file else {
                continue;
            };
            if let Err(error) = file.append(text) {
                self.error.get_or_insert(error);
            }
        }
        let pgn = self.pgn.as_ref()?;
        let crc = pgn.crc.clone()?.finalize();
        Some((&pgn.path, crc))
    }

    pub(super) fn take_error(&mut self) -> Option<anyhow::Error> {
        self.error.take()
    }
}

impl Written {
    fn open(path: PathBuf, append: bool) -> anyhow::Result<Self> {
        let file = open(&path, append)?;
        Ok(Self {
            path,
            file,
            crc: None,
        })
    }

    fn append(&mut self, text: &str) -> anyhow::Result<()> {
        if let Some(crc) = &mut self.crc {
            crc.update(text.as_bytes());
        }
        let written = self.file.write_all(text.as_bytes());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// The checksum of what a file has so far.
fn crc_of(path: &Path) -> anyhow::Result<crc32fast::Hasher> {
    let mut crc = crc32fast::Hasher::new();
    let failed = || format!("cannot read {}", path.display());
    let mut file = File::open(path).with_context(failed)?;
    let mut block = vec![0; 64 * 1024];
    loop {
        match file.read(&mut block).with_context(failed)? {
            0 => return Ok(crc),
            read => crc.update(&block[..read]),
        }
    }
}

impl LogFile {
    /// Opens the file; `None` if none has a name.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(crate) fn open(&self) -> anyhow::Result<Option<File>> {
        let path = self.path.as_deref();
        path.map(|path| open(path, self.append)).transpose()
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
