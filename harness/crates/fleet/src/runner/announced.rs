//! How a run is announced to the workers of a fleet.

use std::path::Path;

use hone_report::limits;
use hone_run::prepare::processors::processors_a_game;
use hone_run::{EngineIdentity, Manifest, option_value};
use hone_uci::rules::tablebase::most_pieces;

use super::FleetRun;
use crate::access::Access;
use crate::message::Notice;
use crate::worker::platform;

impl FleetRun {
    /// The run in `dir`. `priority` is its share of the machines, relative to other runs.
    ///
    /// # Errors
    /// If the folder of endgame tables cannot be read.
    pub fn new(
        access: Access,
        priority: u32,
        manifest: &Manifest,
        dir: &Path,
    ) -> anyhow::Result<Self> {
        let fleet = manifest.config.fleet.as_ref();
        let scaled = fleet.filter(|fleet| fleet.scale.is_some());
        Ok(Self {
            access,
            dir: dir.to_path_buf(),
            notice: notice(manifest, priority)?,
            reference: scaled.and_then(|fleet| fleet.reference),
        })
    }
}

/// Whether another machine can build an engine.
fn is_buildable(engine: &EngineIdentity) -> bool {
    engine.commit.is_some() && !engine.is_uncommitted()
}

/// The announcement of a run.
fn notice(manifest: &Manifest, priority: u32) -> anyhow::Result<Notice> {
    let config = &manifest.config;
    let mut hashes: Vec<u64> = config
        .engine
        .iter()
        .map(|engine| {
            let hash = option_value(engine, &manifest.engines, "Hash");
            hash.and_then(|text| text.parse().ok()).unwrap_or(16)
        })
        .collect();
    hashes.sort_unstable();
    let tables = config.adjudication.syzygy.as_ref();
    let tables = tables.map(|rule| match rule.pieces {
        Some(pieces) => Ok(pieces),
        None => most_pieces(&rule.path),
    });
    let engines = manifest.names().join(" - ");
    Ok(Notice {
        title: format!("{} {engines}, {}", manifest.kind.name(), limits(config)),
        priority,
        threads: processors_a_game(config, &manifest.engines),
        // 64 MB for the program and the network, besides the hash.
        memory_mb: hashes.iter().rev().take(2).map(|hash| hash + 64).sum(),
        platform: platform(),
        has_sources: manifest.engines.iter().all(is_buildable),
        tables: tables.transpose()?,
        recorded: 0,
        in_flight: 0,
        draining: false,
        exclude: config.fleet.clone().unwrap_or_default().exclude,
        quarantined: Default::default(),
    })
}
