//! How many pairs of an existing run are played at the same time.

use std::path::Path;

use super::of;
use super::tune::test_folder;
use crate::config::check_concurrency;
use crate::ledger::{Lock, Recovery};
use crate::run::{Manifest, prepare::setup::placement};

/// Changes it in a run and in those that have followed it in its folder.
///
/// # Errors
/// If the number is out of range, or a run is being played or cannot be read or
/// written.
pub(crate) fn set_concurrency(
    dir: &Path,
    pairs: usize,
    recovery: Recovery,
    announce: &mut dyn FnMut(&str),
) -> anyhow::Result<()> {
    check_concurrency(pairs).map_err(|error| anyhow::anyhow!("`--concurrency`: {error}"))?;
    let mut manifest = Manifest::read(dir)?;
    // The workers of a pool's sources have the next numbers.
    let own = manifest.pooled.iter().map(|run| run.first_worker).min();
    if let Some(own) = own.filter(|own| pairs > *own) {
        anyhow::bail!(
            "`--concurrency`: {pairs} is out of range: a pool of runs has {own} worker number{} for this machine",
            if own == 1 { "" } else { "s" }
        );
    }
    // Not while another process plays it.
    let _held = Lock::resume(dir, recovery)?;
    let mut followers = of(manifest.kind).later(&manifest, dir);
    followers.extend(test_folder(&manifest, dir));
    manifest.concurrency = pairs;
    // For runs that are still to follow.
    manifest.config.r#match.concurrency = Some(pairs);
    manifest.placement = placement(&manifest.config, &manifest.engines, pairs, announce)?;
    // First those that another process may hold.
    for follower in followers {
        set_concurrency(&follower, pairs, recovery, &mut |_| {})?;
    }
    manifest.write(dir)?;
    Ok(())
}
