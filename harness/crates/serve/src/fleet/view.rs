//! The data of a fleet's page.

use std::collections::BTreeMap;

use serde::Serialize;

use hone_fleet::{FleetOverview, Name};

/// The state of a fleet.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct FleetView {
    /// The last status received.
    #[serde(flatten)]
    pub fleet: Option<FleetOverview>,
    /// Time of that status, in milliseconds since 1970.
    pub heard_ms: Option<i64>,
    /// The error of the last request, if it failed.
    pub error: Option<String>,
    /// Tests of whether the results of a machine differ from those of the others, for each run
    /// in this folder that is being played.
    #[serde(rename = "residuals")]
    pub p_values: Vec<WorkerPValue>,
    /// The names on these pages of the fleet's runs that are in this folder.
    pub names: BTreeMap<Name, String>,
}

/// A test of whether the results of a machine differ from those of the others in a run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct WorkerPValue {
    pub worker: String,
    pub run: String,
    pub games: u64,
    /// Probability of a difference at least this large by chance (chi-square test).
    pub p_value: Option<f64>,
}

impl FleetView {
    /// The p-values of a machine.
    pub(crate) fn of_worker<'a>(
        &'a self,
        worker: &'a str,
    ) -> impl Iterator<Item = &'a WorkerPValue> + Clone {
        let p_values = self.p_values.iter();
        p_values.filter(move |one| one.worker == worker)
    }
}
