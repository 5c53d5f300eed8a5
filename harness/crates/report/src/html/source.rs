//! The data of a page, and where it is read.

use std::path::Path;

use hone_run::ledger::Pairs;
use hone_run::{Manifest, RunFiles};

/// The run that a page shows.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The run's folder.
    pub dir: &'a Path,
    pub manifest: &'a Manifest,
    pub pairs: &'a Pairs,
    /// Where the page will be read.
    pub place: PageLocation<'a>,
}

/// On the live pages, separates the address of a run (or of a folder of nights) from the
/// name of a run inside its folder.
pub const BELOW: char = '~';

/// Where a page is read: it decides the form of links to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageLocation<'a> {
    /// In the run's folder: links are relative.
    Inside,
    /// In another folder: links are absolute.
    Elsewhere,
    /// On the live pages, which serve the games and the files of the run at this address.
    Served(&'a str),
}

impl<'a> Source<'a> {
    /// Of a run's files.
    pub fn of(files: &'a RunFiles, place: PageLocation<'a>) -> Self {
        Self {
            dir: files.folder.path(),
            manifest: &files.manifest,
            pairs: &files.pairs,
            place,
        }
    }
}
