//! The machines and runs of a fleet.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The state of a fleet.
#[derive(Debug, Clone, Default)]
pub struct FleetStatus {
    pub server: String,
    pub machines: Vec<FleetMachine>,
    pub runs: Vec<FleetRun>,
    /// The same as `hone fleet status --json` prints it.
    pub json: Map<String, Value>,
}

/// A machine that plays for a fleet.
#[derive(Debug, Clone)]
pub struct FleetMachine {
    pub name: String,
    /// Its processor, platform and version.
    pub description: String,
    pub cores: usize,
    pub busy: usize,
    /// Games per minute.
    pub pace: f64,
    pub games: u64,
    pub time_forfeits: u64,
    pub failures: u64,
    /// Number of pairs that it plays, by the run's name on the fleet.
    pub holds: BTreeMap<String, u64>,
    /// The runs whose engines it builds.
    pub building: Vec<String>,
    /// The runs that it does not play, and why.
    pub refuses: BTreeMap<String, String>,
    pub leaving: bool,
}

/// A run that a fleet plays.
#[derive(Debug, Clone)]
pub struct FleetRun {
    /// Its name on the fleet.
    pub name: String,
    pub title: String,
    pub platform: String,
    pub priority: u32,
    /// Threads that a game needs.
    pub threads: usize,
    pub recorded: u64,
    pub in_flight: u64,
    /// Whether no further games are started.
    pub draining: bool,
    /// Machines that its configuration excludes.
    pub excluded: Vec<String>,
    /// Machines in quarantine, and why.
    pub quarantined: BTreeMap<String, String>,
}
