//! What a page is made from.

use std::path::Path;

use crate::ledger::{InOrder, LedgerError, Pairs};
use crate::run::{Manifest, RunFiles};

/// What a page is made from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    /// The run's folder.
    pub dir: &'a Path,
    pub manifest: &'a Manifest,
    /// The ledger.
    pub pairs: &'a Pairs,
    /// Whether the page is put into the run's folder, so that links to it can
    /// be relative.
    pub inside: bool,
}

impl<'a> Source<'a> {
    /// Of a run's files.
    pub(crate) fn of(files: &'a RunFiles, inside: bool) -> Self {
        Self {
            dir: files.folder.path(),
            manifest: &files.manifest,
            pairs: &files.pairs,
            inside,
        }
    }

    /// The first `pairs` pairs by number: those up to the verdict.
    pub(super) fn counted(&self, pairs: u64) -> Result<InOrder<'a>, LedgerError> {
        self.pairs.in_order(pairs)
    }
}
