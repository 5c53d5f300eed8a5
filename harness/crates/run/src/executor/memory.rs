//! Engines that use far more memory than their `Hash`.

use std::sync::Arc;

use crate::executor::Player;
use hone_uci::engine::uci::{EngineOption, MemorySize};

/// An engine whose memory is far above its `Hash`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryNote {
    /// Index in the configuration.
    pub engine: usize,
    pub name: Arc<str>,
    pub peak: MemorySize,
    pub hash: MemorySize,
}

impl MemoryNote {
    /// A note if `peak`, the peak memory of the player's process in bytes, is far above its
    /// `Hash`; `None` for an engine without that option.
    pub(super) fn of(player: &Player, declared: &[EngineOption], peak: u64) -> Option<Self> {
        let is_hash = |name: &str| name.eq_ignore_ascii_case("Hash");
        let set = player.options.iter().find(|(name, _)| is_hash(name));
        let hash = match set {
            Some((_, value)) => value.clone(),
            None => declared
                .iter()
                .find(|option| is_hash(&option.name))?
                .default_value()?,
        };
        let hash: u64 = hash.parse().ok()?;
        let peak = MemorySize::of_bytes(peak);
        is_far_above(peak.mib(), hash).then(|| Self {
            engine: player.engine,
            name: Arc::clone(&player.name),
            peak,
            hash: MemorySize::of_bytes(hash.saturating_mul(1 << 20)),
        })
    }
}

/// Whether the peak is above twice the hash plus 1 GiB: networks and tables of threads need
/// a few hundred MiB.
fn is_far_above(peak_mib: u64, hash_mib: u64) -> bool {
    peak_mib > hash_mib.saturating_mul(2).saturating_add(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_networks_and_threads_is_not_far_above_the_hash() {
        assert!(!is_far_above(1040, 16) && is_far_above(1057, 16));
        assert!(!is_far_above(9000, 4096) && is_far_above(9217, 4096));
        assert!(!is_far_above(u64::MAX, u64::MAX));
    }
}
