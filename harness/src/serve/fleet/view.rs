//! What the page of a fleet shows.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::fleet::{Name, Overview};

/// What is known of a fleet.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct FleetView {
    /// What was heard last.
    #[serde(flatten)]
    pub fleet: Option<Overview>,
    /// When: milliseconds since 1970.
    pub heard_ms: Option<i64>,
    /// Why nothing is heard now.
    pub error: Option<String>,
    /// How the results of a machine differ from those of the others, for each
    /// run in this folder that is being played.
    #[serde(rename = "residuals")]
    pub p_values: Vec<WorkerPValue>,
    /// The runs of the fleet that are in this folder: their names on these
    /// pages.
    pub names: BTreeMap<Name, String>,
}

/// How the results of a machine differ from those of the others in a run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct WorkerPValue {
    pub worker: String,
    pub run: String,
    pub games: u64,
    /// How often good data would look at least as different (chi-square).
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
