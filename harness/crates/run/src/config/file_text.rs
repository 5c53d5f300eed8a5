//! The text of a configuration file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::error::LARGEST;
use hone_base::diagnostic::{Diagnostic, Place};
use hone_base::text::is_utf16;

/// Reads a configuration file.
///
/// # Errors
/// If it cannot be read, is larger than [`LARGEST`], or is not UTF-8: then with
/// the line of the first wrong byte.
pub(super) fn read(path: &Path) -> Result<String, Diagnostic> {
    let refused = |why: String| {
        Diagnostic::new(format!(
            "cannot read the configuration {}: {why}",
            path.display()
        ))
    };
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LARGEST.saturating_add(1)).read_to_end(&mut bytes))
        .map_err(|error| refused(error.to_string()))?;
    if bytes.len() as u64 > LARGEST {
        return Err(refused(format!("it is larger than {} MiB", LARGEST >> 20)));
    }
    if is_utf16(&bytes) {
        return Err(refused("it is UTF-16; save it as UTF-8".to_string()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let byte = error.as_bytes().get(at).copied().unwrap_or_default();
        let message = format!("the byte 0x{byte:02X} is not UTF-8; save the file as UTF-8");
        let text = String::from_utf8_lossy(error.as_bytes());
        Diagnostic::new(message).at(Place::of(path.display(), &text, Some(at..at)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_base::diagnostic::shown;

    fn error(content: &[u8]) -> String {
        let folder = tempfile::tempdir().expect("made");
        let path = folder.path().join("c.toml");
        std::fs::write(&path, content).expect("written");
        shown(&read(&path).expect_err("refused"))
    }

    #[test]
    fn a_text_that_is_not_utf_8_is_named() {
        let wide: Vec<u8> = "[match]\n".bytes().flat_map(|byte| [byte, 0]).collect();
        for text in [&[&b"\xff\xfe"[..], &wide].concat(), &wide] {
            let message = error(text);
            assert!(
                message.ends_with("it is UTF-16; save it as UTF-8"),
                "{message}"
            );
        }
        let message = error(b"# one\n# Jos\xe9\n[match]\n");
        assert!(
            message.starts_with("the byte 0xE9 is not UTF-8; save the file as UTF-8\n  --> "),
            "{message}"
        );
        assert!(message.contains("c.toml:2:6\n  2 | # Jos"), "{message}");
    }

    #[test]
    fn a_file_that_is_too_large_is_refused() {
        let folder = tempfile::tempdir().expect("made");
        let path = folder.path().join("c.toml");
        // A sparse file takes no space.
        let file = File::create(&path).expect("made");
        file.set_len(300 << 20).expect("set");
        let message = read(&path).expect_err("refused").to_string();
        assert!(
            message.ends_with("c.toml: it is larger than 16 MiB"),
            "{message}"
        );
    }
}
