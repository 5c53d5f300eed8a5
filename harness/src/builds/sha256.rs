//! Checksums.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::output::hex;

/// The sha256 of a file in hexadecimal digits.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn sha256_file(path: &Path) -> io::Result<String> {
    use sha2::{Digest, Sha256};
    use std::io::Read;
    let mut hasher = Sha256::new();
    let mut file = File::open(path)?;
    let mut chunk = vec![0; 64 * 1024];
    loop {
        match file.read(&mut chunk)? {
            0 => break,
            count => hasher.update(chunk.get(..count).unwrap_or_default()),
        }
    }
    Ok(hex(&hasher.finalize()))
}

/// The sha256 of bytes in hexadecimal digits.
pub(crate) fn sha256_of(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    hex(&Sha256::digest(bytes))
}
