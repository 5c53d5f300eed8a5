//! Writes a book to a file, compressed according to its name.

use std::{
    ffi::OsString,
    io::{self, Cursor, Write},
    path::{Path, PathBuf},
};

use flate2::{Compression, GzBuilder};
use thiserror::Error;
use zip::{DateTime, ZipWriter, write::SimpleFileOptions};

use super::opening::BookOpening;
use hone_base::diagnostic::Diagnostic;
use hone_base::platform::write_whole;
use hone_uci::openings::Format;

/// A book that could not be written.
#[derive(Debug, Error)]
pub enum OutputError {
    #[error("cannot write {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{0}")]
    Name(#[source] Diagnostic),
    #[error("cannot write {}: the folder does not exist", path.display())]
    Folder { path: PathBuf },
}

/// The compression of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    None,
    Gzip,
    Zip,
}

/// The destination of a book: a path with a known extension.
#[derive(Debug, Clone)]
pub struct Output {
    path: PathBuf,
    /// File name without the extension of the compression.
    inner: String,
    format: Format,
    packing: Packing,
}

impl Output {
    /// Parses a name like `book.epd`, `book.pgn.gz` or `book.epd.zip`.
    ///
    /// # Errors
    /// [`OutputError::Name`] for any other, [`OutputError::Folder`] if its folder is missing.
    pub fn new(path: &Path) -> Result<Self, OutputError> {
        let output = Self::of_name(path)?;
        let folder = path.parent().unwrap_or(path);
        if folder != Path::new("") && !folder.is_dir() {
            return Err(OutputError::Folder {
                path: path.to_owned(),
            });
        }
        Ok(output)
    }

    fn of_name(path: &Path) -> Result<Self, OutputError> {
        let name_error = || {
            let unknown = format!("cannot write {}: unknown format", path.display());
            let help = "the name must end in .epd or .pgn, then .gz or .zip to pack it";
            OutputError::Name(Diagnostic::new(unknown).help(help))
        };
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(name_error)?;
        let (inner, packing) = if let Some(inner) = name.strip_suffix(".gz") {
            (inner, Packing::Gzip)
        } else if let Some(inner) = name.strip_suffix(".zip") {
            (inner, Packing::Zip)
        } else {
            (name, Packing::None)
        };
        match Format::of_name(Path::new(inner)) {
            Some(format @ (Format::Epd | Format::Pgn)) => Ok(Self {
                path: path.to_owned(),
                inner: inner.to_owned(),
                format,
                packing,
            }),
            Some(Format::Polyglot) | None => Err(name_error()),
        }
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// EPD or PGN.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The path with a suffix added to its name.
    pub fn beside(&self, suffix: &str) -> PathBuf {
        let mut name = OsString::from(&self.path);
        name.push(suffix);
        PathBuf::from(name)
    }

    /// Output number `part` of `parts`: `book-1.epd` for `book.epd`.
    pub fn part(&self, part: usize, parts: usize) -> Self {
        let width = parts.to_string().len();
        let numbered = |name: &str| match name.split_once('.') {
            Some((stem, rest)) => format!("{stem}-{part:0width$}.{rest}"),
            None => format!("{name}-{part:0width$}"),
        };
        let name = self.path.file_name().and_then(|name| name.to_str());
        Self {
            path: self.path.with_file_name(numbered(name.unwrap_or_default())),
            inner: numbered(&self.inner),
            ..self.clone()
        }
    }

    /// Writes the book atomically. The same entries give the same bytes.
    ///
    /// # Errors
    /// [`OutputError::Io`].
    pub fn write<'a>(
        &self,
        entries: impl IntoIterator<Item = &'a BookOpening>,
    ) -> Result<(), OutputError> {
        let mut text = String::new();
        for entry in entries {
            match self.format {
                Format::Pgn => text.push_str(&entry.pgn()),
                Format::Epd | Format::Polyglot => {
                    text.push_str(&entry.epd());
                    text.push('\n');
                }
            }
        }
        self.pack(text.into_bytes())
            .and_then(|bytes| write_whole(&self.path, |file| file.write_all(&bytes)))
            .map_err(|source| OutputError::Io {
                path: self.path.clone(),
                source,
            })
    }

    fn pack(&self, bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        match self.packing {
            Packing::None => Ok(bytes),
            Packing::Gzip => {
                let mut encoder = GzBuilder::new().write(Vec::new(), Compression::best());
                encoder.write_all(&bytes)?;
                encoder.finish()
            }
            Packing::Zip => {
                let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
                let options = SimpleFileOptions::default().last_modified_time(DateTime::default());
                writer.start_file(self.inner.as_str(), options)?;
                writer.write_all(&bytes)?;
                Ok(writer.finish()?.into_inner())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_uci::openings::{Book, BookOptions};

    #[test]
    fn every_packing_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let entry = BookOpening::default();
        for name in ["a.epd", "a.pgn", "b.epd.gz", "b.pgn.zip"] {
            let output = Output::new(&folder.path().join(name)).unwrap();
            output.write([&entry, &entry]).unwrap();
            let options = BookOptions {
                plies: Some(0),
                ..BookOptions::default()
            };
            assert_eq!(
                Book::open(output.path(), options).unwrap().len(),
                2,
                "{name}"
            );
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
    }

    #[test]
    fn names_that_say_nothing_are_refused() {
        for name in ["book", "book.bin", "book.txt", "book.gz", ".."] {
            assert!(Output::new(Path::new(name)).is_err(), "{name}");
        }
    }

    #[test]
    fn a_missing_folder_is_refused_before_anything_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("none/book.epd");
        let error = Output::new(&path).unwrap_err().to_string();
        assert!(
            error.ends_with("book.epd: the folder does not exist"),
            "{error}"
        );
    }

    #[test]
    fn parts_are_numbered_before_the_extension() {
        let output = Output::of_name(Path::new("x/book.epd.gz")).unwrap();
        assert_eq!(output.part(3, 12).path(), Path::new("x/book-03.epd.gz"));
    }
}
