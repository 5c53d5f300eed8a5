//! The place of play of a program without fleets: this machine.

use std::path::Path;

use clap::Args;

use hone_kinds::Place;

/// The place where a run's pairs are played.
#[derive(Debug, Clone, Default, Args)]
pub(in crate::cli) struct PlaceArgs {}

#[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "as with fleets")]
impl PlaceArgs {
    pub(in crate::cli) fn is_fleet(&self) -> bool {
        false
    }

    pub(in crate::cli) fn place(&self) -> anyhow::Result<Place> {
        Ok(Place::Here)
    }

    pub(in crate::cli) fn place_of(&self, _run: &Path) -> anyhow::Result<Place> {
        Ok(Place::Here)
    }
}
