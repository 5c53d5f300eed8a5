//! Functions that several commands share.

use std::path::Path;

use anyhow::bail;

use super::Failure;
use crate::builds::Spec;
use crate::engine::analysis::EngineCommand;
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

/// Writes a page to the path that the user has given.
pub(super) fn write_page(path: &Path, page: Page) -> anyhow::Result<()> {
    page.save(path)?;
    errln!("wrote {}", path.display());
    Ok(())
}

/// The engine of a command that does not build engines, with the options to set.
///
/// # Errors
/// If it is not a program.
pub(super) fn program(
    engine: &str,
    options: Vec<(String, String)>,
) -> anyhow::Result<EngineCommand> {
    match engine.parse() {
        Ok(Spec::Commit { .. } | Spec::WorkTree { .. }) => bail!(
            "`{engine}` is not a program, and this command does not build engines\nhelp: build the engine and name its program, as in `./engine`"
        ),
        Ok(Spec::Program(program)) => Ok(EngineCommand::new(&program, options)?),
        Err(_) => Ok(EngineCommand::new(engine, options)?),
    }
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
