//! The folders of a test's stages: the first is the run itself, each further one has a folder
//! in that of the run.

use std::path::{Path, PathBuf};

use hone_run::{MANIFEST, Manifest, stage_folder_name};

/// The folder of stage `index` (from 0, and not the first).
pub(super) fn folder(dir: &Path, index: usize) -> PathBuf {
    dir.join(stage_folder_name(index))
}

/// The folders of the later stages that have been started.
pub(super) fn started(manifest: &Manifest, dir: &Path) -> Vec<PathBuf> {
    (1..manifest.config.stage.len())
        .map(|index| folder(dir, index))
        .take_while(|folder| folder.join(MANIFEST).exists())
        .collect()
}
