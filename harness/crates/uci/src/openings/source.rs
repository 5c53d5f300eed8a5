//! The bytes of a plain or compressed file, and their format.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::{
    borrow::Cow,
    io::{self, Cursor, Read},
    path::{Path, PathBuf},
};

use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;
use zip::ZipArchive;

use hone_base::checksum::hex;
use hone_base::diagnostic::Diagnostic;
use hone_base::platform::{open_regular, quoted};
use hone_base::text::is_utf16;

/// The format of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// One position in each line: EPD or FEN.
    #[serde(alias = "fen")]
    Epd,
    /// Games in portable game notation.
    Pgn,
    /// A binary table of moves by position, `.bin`.
    Polyglot,
}

impl Format {
    /// The format of a file by the extension of its name.
    pub fn of_name(name: &Path) -> Option<Self> {
        let extension = name.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "epd" | "fen" => Some(Format::Epd),
            "pgn" => Some(Format::Pgn),
            "bin" => Some(Format::Polyglot),
            _ => None,
        }
    }

    /// The format of a file that may be compressed, as `book.epd.gz`, by its name.
    pub fn of_packed_name(name: &Path) -> Option<Self> {
        Self::of_name(name).or_else(|| Self::of_name(Path::new(name.file_stem()?)))
    }

    /// The format of a text: PGN begins with a tag, a comment or a move number; anything else
    /// counts as positions.
    fn of_text(text: &[u8]) -> Self {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        match text.trim_ascii_start() {
            [b'[' | b'{' | b'%', ..] => Format::Pgn,
            [digit, b'.', ..] if digit.is_ascii_digit() => Format::Pgn,
            _ => Format::Epd,
        }
    }
}

/// The mark that some editors write before UTF-8 text.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A file that could not be read or unpacked.
#[derive(Debug, Error)]
pub enum SourceError {
    #[error("cannot read {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is not a readable zip archive: {source}", path.display())]
    Zip {
        path: PathBuf,
        source: zip::result::ZipError,
    },
    #[error(
        "{} must contain exactly one .epd, .fen, .pgn or .bin file; it contains {found}",
        path.display()
    )]
    Members { path: PathBuf, found: String },
    #[error("{} is UTF-16; save it as UTF-8", path.display())]
    Utf16 { path: PathBuf },
    /// It must be unpacked or split first.
    #[error("{0}")]
    Packed(#[source] Diagnostic),
}

/// First bytes of compressed files that are not read, with the program that unpacks them and
/// its arguments that keep the file.
const OTHER_PACKERS: [(&[u8], &str, &str); 4] = [
    (b"\xfd7zXZ\0", "xz", "-dk"),
    (b"BZh", "bzip2", "-dk"),
    (b"\x28\xb5\x2f\xfd", "zstd", "-d"),
    (b"7z\xbc\xaf\x27\x1c", "7z", "x"),
];

/// Maximum unpacked size of an archive, in bytes.
const LARGE: u64 = 1 << 30;
/// Unpacked size in bytes that is allowed for any archive.
const SMALL: u64 = 64 << 20;
/// Maximum ratio of unpacked to packed size above [`SMALL`]: books compress to a tenth.
const RATIO: u64 = 100;
/// Maximum number of names that an error lists.
const LISTED: usize = 8;

/// The program that unpacks a file with these first bytes, with arguments that keep it; `None`
/// if the file is not compressed.
pub fn unpacker_of(start: &[u8]) -> Option<(&'static str, &'static str)> {
    match start {
        [0x1f, 0x8b, ..] => Some(("gzip", "-dk")),
        [b'P', b'K', 3 | 5, 4 | 6, ..] => Some(("unzip", "")),
        _ => {
            let mut packers = OTHER_PACKERS.iter();
            let (_, program, unpack) = packers.find(|(mark, ..)| start.starts_with(mark))?;
            Some((program, unpack))
        }
    }
}

/// The unpacked contents of a file.
#[derive(Debug)]
pub struct Source {
    pub bytes: Vec<u8>,
    /// Format by the name, or else by the content.
    pub format: Format,
    /// SHA-256 of the file on disk, compressed or not, in hexadecimal.
    pub sha256: String,
}

impl Source {
    /// The content of a file named `path`, which may be compressed.
    ///
    /// # Errors
    /// See [`SourceError`].
    pub fn of_file(path: &Path, packed: Vec<u8>) -> Result<Self, SourceError> {
        let sha256 = hex(&Sha256::digest(&packed));
        let (mut bytes, name) = unpack(path, packed)?;
        let format = Format::of_name(&name).unwrap_or_else(|| Format::of_text(&bytes));
        if format != Format::Polyglot {
            if is_utf16(&bytes) {
                let path = path.to_owned();
                return Err(SourceError::Utf16 { path });
            }
            end_lines_with_line_feeds(&mut bytes);
        }
        Ok(Self {
            bytes,
            format,
            sha256,
        })
    }
}

/// Reads a whole file of up to 4 GiB, unpacking gzip and zip (recognised by
/// their first bytes, whatever the file name is).
///
/// # Errors
/// See [`SourceError`].
pub fn read(path: &Path) -> Result<Source, SourceError> {
    let io_error = |source| SourceError::Io {
        path: path.to_owned(),
        source,
    };
    let mut packed = Vec::new();
    open_regular(path)
        .and_then(|file| file.take(u64::from(u32::MAX) + 1).read_to_end(&mut packed))
        .map_err(io_error)?;
    if u32::try_from(packed.len()).is_err() {
        let large = format!("{} is larger than 4 GiB", path.display());
        return Err(SourceError::Packed(
            Diagnostic::new(large).help("split it first"),
        ));
    }
    Source::of_file(path, packed)
}

/// Replaces the line ends of old Macintosh programs, a carriage return alone, by line feeds.
fn end_lines_with_line_feeds(text: &mut [u8]) {
    // A text has no NUL, a Polyglot table without its extension has.
    if memchr::memchr2(b'\n', b'\0', text).is_none() {
        for byte in text.iter_mut().filter(|byte| **byte == b'\r') {
            *byte = b'\n';
        }
    }
}

/// The unpacked content and its name. Nothing is written to disk, so malicious names in an
/// archive are harmless.
fn unpack(path: &Path, packed: Vec<u8>) -> Result<(Vec<u8>, PathBuf), SourceError> {
    let limit = (packed.len() as u64)
        .saturating_mul(RATIO)
        .clamp(SMALL, LARGE);
    match packed.as_slice() {
        [0x1f, 0x8b, ..] => {
            let contents = MultiGzDecoder::new(packed.as_slice());
            let bytes = inflate(path, contents, limit)?;
            Ok((bytes, path.with_extension("")))
        }
        [b'P', b'K', 3 | 5, 4 | 6, ..] => {
            let zip_error = |source| SourceError::Zip {
                path: path.to_owned(),
                source,
            };
            let mut archive = ZipArchive::new(Cursor::new(packed)).map_err(zip_error)?;
            let name = only_member(path, &archive)?;
            let member = archive.by_name(&name).map_err(zip_error)?;
            let bytes = inflate(path, member, limit)?;
            Ok((bytes, PathBuf::from(name)))
        }
        other => {
            let mut packers = OTHER_PACKERS.iter();
            match packers.find(|(start, ..)| other.starts_with(start)) {
                Some((_, program, unpack)) => {
                    let compressed = format!(
                        "{} is compressed with {program}; `hone` reads gzip and zip",
                        path.display()
                    );
                    let help = format!("unpack it: `{program} {unpack} {}`", quoted(path));
                    Err(SourceError::Packed(Diagnostic::new(compressed).help(help)))
                }
                None => Ok((packed, path.to_owned())),
            }
        }
    }
}

/// Reads at most `limit` bytes; the size stated in an archive is not trusted.
fn inflate(path: &Path, contents: impl Read, limit: u64) -> Result<Vec<u8>, SourceError> {
    let path = path.to_owned();
    let mut bytes = Vec::new();
    match contents
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
    {
        Ok(length) if length as u64 > limit => {
            let inflates = format!(
                "{} unpacks to more than {} MiB: an archive may unpack to 1024 MiB, and to {RATIO} times its size if that is more than {} MiB",
                path.display(),
                limit >> 20,
                SMALL >> 20
            );
            let help = "unpack it first, if it is a book";
            Err(SourceError::Packed(Diagnostic::new(inflates).help(help)))
        }
        Ok(_) => Ok(bytes),
        Err(source) => Err(SourceError::Io { path, source }),
    }
}

/// The only member of an archive that is a book, or its only file.
fn only_member<R: Read + io::Seek>(
    path: &Path,
    archive: &ZipArchive<R>,
) -> Result<String, SourceError> {
    let mut files = archive
        .file_names()
        .map(|name| name.map(Cow::into_owned))
        .collect::<Result<Vec<String>, _>>()
        .map_err(|source| SourceError::Zip {
            path: path.to_owned(),
            source,
        })?;
    files.retain(|name| !name.ends_with('/') && !is_attribute_of_macos(name));
    let mut books = files.clone();
    books.retain(|name| Format::of_name(Path::new(name)).is_some());
    match (books.as_slice(), files.as_slice()) {
        ([only], _) | ([], [only]) => Ok(only.clone()),
        ([], []) => Err(SourceError::Members {
            path: path.to_owned(),
            found: "no file".to_owned(),
        }),
        ([], several) | (several, _) => Err(SourceError::Members {
            path: path.to_owned(),
            found: listed(several),
        }),
    }
}

/// Whether macOS added the member: it holds attributes of another file.
fn is_attribute_of_macos(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    name.starts_with("__MACOSX/") || file.starts_with("._")
}

/// The first names of a list, without control characters.
fn listed(names: &[String]) -> String {
    let shown = names.iter().take(LISTED);
    let mut text = shown
        .map(|name| name.escape_debug().to_string())
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > LISTED {
        text += &format!(" and {} more", names.len().saturating_sub(LISTED));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};
    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::*;
    use hone_base::diagnostic::shown;

    const TEXT: &[u8] = b"8/8/4k3/8/8/4K3/4P3/8 w - -\n";

    fn zipped(path: &Path, members: &[&str]) {
        let mut writer = ZipWriter::new(File::create(path).unwrap());
        for name in members {
            writer
                .start_file(*name, SimpleFileOptions::default())
                .unwrap();
            writer.write_all(TEXT).unwrap();
        }
        writer.finish().unwrap();
    }

    #[test]
    fn packed_or_not_the_contents_are_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("a.epd");
        std::fs::write(&plain, TEXT).unwrap();
        let gzip = folder.path().join("a.epd.gz");
        let mut encoder = GzEncoder::new(File::create(&gzip).unwrap(), Compression::default());
        encoder.write_all(TEXT).unwrap();
        encoder.finish().unwrap();
        let zip = folder.path().join("a.epd.zip");
        zipped(&zip, &["README", "a.epd"]);
        let of_macos = folder.path().join("b.zip");
        let attributes = ["__MACOSX/._a.epd", "__MACOSX/b/c.epd", "b/._d.pgn"];
        zipped(&of_macos, &[&["b/a.epd"], &attributes[..]].concat());
        for path in [plain, gzip, zip, of_macos] {
            let source = read(&path).unwrap();
            assert_eq!(source.bytes, TEXT, "{}", path.display());
            assert_eq!(source.format, Format::Epd);
        }
    }

    #[test]
    fn carriage_returns_alone_end_lines() {
        let read = |text: &[u8]| Source::of_file(Path::new("a"), text.to_vec()).unwrap();
        assert_eq!(read(b"1. e4 *\r\r1. d4 *\r").bytes, b"1. e4 *\n\n1. d4 *\n");
        for text in [&b"1. e4 *\r\n1. d4 *"[..], b"\0\r"] {
            assert_eq!(read(text).bytes, text);
        }
    }

    #[test]
    fn utf_16_is_named() {
        for name in ["a.epd", "a.pgn", "a"] {
            for text in [&b"\xff\xfe1\0.\0"[..], b"1\0.\0 \0e\0"] {
                let error = Source::of_file(Path::new(name), text.to_vec()).unwrap_err();
                assert_eq!(
                    error.to_string(),
                    format!("{name} is UTF-16; save it as UTF-8")
                );
            }
        }
        assert!(Source::of_file(Path::new("a.bin"), b"\xff\xfe".to_vec()).is_ok());
    }

    #[test]
    fn sha256_is_of_the_file_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abc");
        std::fs::write(&path, "abc").unwrap();
        // FIPS 180-2, appendix B.1.
        assert_eq!(
            read(&path).unwrap().sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn archives_with_no_or_several_books_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("books.zip");
        zipped(&path, &["a.epd", "b.pgn"]);
        let message = read(&path).unwrap_err().to_string();
        assert!(message.contains("a.epd, b.pgn"), "{message}");
        zipped(&path, &[]);
        let message = read(&path).unwrap_err().to_string();
        assert!(message.contains("no file"), "{message}");
        std::fs::write(&path, b"PK\x03\x04 and then nothing").unwrap();
        assert!(matches!(read(&path), Err(SourceError::Zip { .. })));
    }

    #[test]
    fn other_compression_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.epd.packed");
        // The first bytes of `printf x | xz`, and so on.
        for (start, program) in [
            (&b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4\x46"[..], "xz"),
            (b"BZh91AY&SY\x77\x4b\xb0\x14", "bzip2"),
            (b"\x28\xb5\x2f\xfd\x04\x58\x09\x00", "zstd"),
            (b"7z\xbc\xaf\x27\x1c\x00\x04", "7z"),
        ] {
            std::fs::write(&path, start).unwrap();
            let message = shown(&read(&path).unwrap_err());
            let words = format!("is compressed with {program}; `hone` reads gzip and zip\nhelp: ");
            assert!(message.contains(&words), "{message}");
        }
    }

    #[test]
    fn a_small_archive_cannot_fill_the_memory() {
        let folder = tempfile::tempdir().unwrap();
        let megabyte = vec![b'8'; 1 << 20];
        let gzip = folder.path().join("a.epd.gz");
        let mut encoder = GzEncoder::new(File::create(&gzip).unwrap(), Compression::best());
        let zip = folder.path().join("a.epd.zip");
        let mut writer = ZipWriter::new(File::create(&zip).unwrap());
        let options = SimpleFileOptions::default();
        writer.start_file("../../a.epd", options).unwrap();
        for _ in 0..65 {
            encoder.write_all(&megabyte).unwrap();
            writer.write_all(&megabyte).unwrap();
        }
        encoder.finish().unwrap();
        writer.finish().unwrap();
        for path in [gzip, zip] {
            let message = shown(&read(&path).unwrap_err());
            assert!(
                message.contains("unpacks to more than 64 MiB") && message.contains("help: unpack"),
                "{message}"
            );
        }
        assert_eq!(inflate(&folder.path().join("x"), TEXT, 28).unwrap(), TEXT);
        assert!(inflate(&folder.path().join("x"), TEXT, 27).is_err());
    }

    #[test]
    fn names_in_archives_are_only_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("books.zip");
        let names: Vec<String> = (0..20).map(|n| format!("../\u{1b}[31m{n}.epd")).collect();
        zipped(&path, &names.iter().map(String::as_str).collect::<Vec<_>>());
        let message = read(&path).unwrap_err().to_string();
        assert!(message.ends_with("7.epd and 12 more"), "{message}");
        assert!(!message.contains('\u{1b}'), "{message}");
        zipped(&path, &["../../escaped.epd"]);
        assert_eq!(read(&path).unwrap().bytes, TEXT);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn contents_tell_the_format_where_the_name_does_not() {
        for (text, format) in [
            ("[Event \"?\"]", Format::Pgn),
            ("\u{feff}\n1. e4 e5", Format::Pgn),
            ("{ notes } 1. e4", Format::Pgn),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
                Format::Epd,
            ),
            ("1k6/8/8/8/8/8/4P3/4K3 w - -", Format::Epd),
            ("# positions", Format::Epd),
            ("", Format::Epd),
        ] {
            assert_eq!(Format::of_text(text.as_bytes()), format, "{text}");
        }
    }
}
