//! Time controls scaled by the speed of a machine: `scale = "bench"`.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use hone_run::executor::PairJob;
use hone_run::files::machines::CLOCKS;
pub(crate) use hone_run::files::machines::ClockRow;
use hone_run::files::table::Table;

/// The allowed factors. A machine with another factor is unsuitable for the time control,
/// or its speed was measured wrongly.
const FACTORS: std::ops::RangeInclusive<f64> = 0.05..=20.0;

/// The speed that scaled time controls refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reference {
    /// Nodes per second of the second player's engine.
    pub nps: u64,
}

impl Reference {
    /// The factor of all times on a machine of this speed, in nodes per second, rounded to
    /// 0.001; `None` if it is not allowed.
    pub(crate) fn factor(self, speed: u64) -> Option<f64> {
        let factor = (1000.0 * self.nps as f64 / speed as f64).round() / 1000.0;
        FACTORS.contains(&factor).then_some(factor)
    }

    /// Scales the time controls of a job for a machine of this speed, in nodes per second.
    pub(crate) fn scale(self, job: &mut PairJob, speed: u64) {
        if let Some(factor) = self.factor(speed) {
            for player in &mut job.players {
                player.limit = Arc::new(player.limit.scaled(factor));
            }
        }
    }
}

/// Opens the table of scaled clocks in a run's folder.
///
/// # Errors
/// Those of [`Table::open`].
pub(crate) fn open(dir: &Path) -> anyhow::Result<Table> {
    Ok(Table::open::<ClockRow>(dir.join(CLOCKS))?.0)
}

#[cfg(test)]
mod tests {
    use super::super::samples::pair_job;
    use super::*;

    #[test]
    fn a_slow_machine_gets_more_time() {
        let reference = Reference { nps: 1_000_000 };
        assert_eq!(reference.factor(500_000), Some(2.0));
        assert_eq!(reference.factor(3_000_000), Some(0.333));
        assert_eq!(reference.factor(0), None);
        assert_eq!(reference.factor(1), None);
        let mut job = pair_job(0);
        for player in &mut job.players {
            player.limit = Arc::new("8+0.08".parse().expect("a limit"));
        }
        reference.scale(&mut job, 800_000);
        assert_eq!(job.players[1].limit.to_string(), "10+0.1");
    }
}
