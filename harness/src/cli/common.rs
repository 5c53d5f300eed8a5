//! What several commands share.

use std::path::Path;

use super::Failure;
use crate::report::html::Page;
use crate::run::SessionError;

/// Whether a page at `path` lies in the run's folder, so that its links may
/// be relative.
pub(super) fn is_inside(path: &Path, folder: &Path) -> bool {
    let parent = match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => return false,
    };
    match (parent.canonicalize(), folder.canonicalize()) {
        (Ok(parent), Ok(folder)) => parent == folder,
        _ => false,
    }
}

/// Writes a page where the user asked for it.
pub(super) fn write_page(path: &Path, page: Page) -> anyhow::Result<()> {
    page.save(path)?;
    errln!("wrote {}", path.display());
    Ok(())
}

pub(super) fn announce(what: &str) {
    errln!("{what}");
}

pub(super) fn failure(error: SessionError) -> Failure {
    if error.is_after_start() {
        Failure::failed(error)
    } else {
        error.into()
    }
}
