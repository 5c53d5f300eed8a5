//! The content of a file while it is sent: another program may replace or overwrite the file
//! at any time, for example a build of the engine.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::message::{CHUNK, FileRef};
use hone_base::checksum::hex;

/// An open file, with the hashes that it had when it was opened.
#[derive(Debug)]
pub(super) struct Content {
    file: File,
    sha256: String,
    bytes: u64,
    /// The SHA-256 of each part of [`CHUNK`] bytes; the last part may be shorter.
    parts: Vec<[u8; 32]>,
}

impl Content {
    /// Opens a file and reads it once.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut content = Self {
            file: File::open(path)?,
            sha256: String::new(),
            bytes: 0,
            parts: Vec::new(),
        };
        let mut hasher = Sha256::new();
        loop {
            let part = content.read_part(content.parts.len() as u64)?;
            // An empty file has one part.
            if part.is_empty() && !content.parts.is_empty() {
                break;
            }
            hasher.update(&part);
            content.bytes += part.len() as u64;
            content.parts.push(Sha256::digest(&part).into());
            if part.len() < CHUNK {
                break;
            }
        }
        content.sha256 = hex(&hasher.finalize());
        Ok(content)
    }

    /// Whether it is the content of the file that a job describes.
    pub(super) fn is_of(&self, file: &FileRef) -> bool {
        self.sha256 == file.sha256 && self.bytes == file.bytes
    }

    /// A part; `None` if it has changed since the file was opened.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn part(&mut self, chunk: u64) -> io::Result<Option<Vec<u8>>> {
        let expected = usize::try_from(chunk)
            .ok()
            .and_then(|at| self.parts.get(at));
        let expected = expected.copied();
        let part = self.read_part(chunk)?;
        let found: [u8; 32] = Sha256::digest(&part).into();
        Ok((expected == Some(found)).then_some(part))
    }

    fn read_part(&mut self, chunk: u64) -> io::Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(chunk * CHUNK as u64))?;
        let mut bytes = Vec::with_capacity(CHUNK);
        (&self.file).take(CHUNK as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use hone_base::checksum::sha256_of;

    /// A file, and its description in a job.
    fn file(path: &Path, content: &[u8]) -> FileRef {
        fs::write(path, content).expect("written");
        FileRef {
            sha256: sha256_of(content),
            bytes: content.len() as u64,
            name: "file".to_string(),
            player: 0,
            option: None,
            bench: None,
        }
    }

    #[test]
    fn the_parts_make_up_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        for length in [0, 5, CHUNK, CHUNK * 2 + 5] {
            let bytes: Vec<u8> = (0..length).map(|i| (i / 7) as u8).collect();
            let described = file(&path, &bytes);
            let mut content = Content::open(&path).expect("read");
            assert!(content.is_of(&described), "{length}");
            let parts = (0..described.chunks())
                .flat_map(|at| content.part(at).expect("read").expect("unchanged"));
            assert_eq!(parts.collect::<Vec<_>>(), bytes, "{length}");
            assert_eq!(content.part(described.chunks()).expect("read"), None);
        }
    }

    #[test]
    fn a_file_that_changes_after_it_was_opened_gives_no_other_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        let described = file(&path, &vec![1; CHUNK * 2]);
        let mut content = Content::open(&path).expect("read");
        // Another file in its place does not change the open one.
        fs::rename(&path, folder.path().join("old")).expect("renamed");
        fs::write(&path, vec![2; CHUNK * 2]).expect("written");
        assert_eq!(content.part(0).expect("read"), Some(vec![1; CHUNK]));
        assert!(!Content::open(&path).expect("read").is_of(&described));
        // This overwrites the second part of the open file.
        let mut overwritten = vec![1; CHUNK];
        overwritten.extend(vec![2; CHUNK]);
        fs::write(folder.path().join("old"), overwritten).expect("written");
        assert_eq!(content.part(0).expect("read"), Some(vec![1; CHUNK]));
        assert_eq!(content.part(1).expect("read"), None);
    }
}
