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
    pub place: PageLocation<'a>,
}

/// On the live pages, between the address of a run or of a folder of nights and the name
/// of a run in its folder.
pub(crate) const BELOW: char = '~';

/// Where a page is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageLocation<'a> {
    /// In the run's folder, so that links to its files can be relative.
    Inside,
    /// In another folder.
    Elsewhere,
    /// On the live pages, which serve the games and the files of the run at this address.
    #[cfg_attr(
        not(feature = "serve"),
        allow(dead_code, reason = "there are no live pages in this build")
    )]
    Served(&'a str),
}

impl<'a> Source<'a> {
    /// Of a run's files.
    pub(crate) fn of(files: &'a RunFiles, place: PageLocation<'a>) -> Self {
        Self {
            dir: files.folder.path(),
            manifest: &files.manifest,
            pairs: &files.pairs,
            place,
        }
    }

    /// The first `pairs` pairs by number: those up to the verdict.
    pub(super) fn counted(&self, pairs: u64) -> Result<InOrder<'a>, LedgerError> {
        self.pairs.in_order(pairs)
    }
}
