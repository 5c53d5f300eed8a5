//! Replaces the endgame tables of a run by those of this machine.

use std::path::Path;
use std::sync::Arc;

use crate::message::is_tables_option;
use hone_run::executor::PairJob;

/// Replaces the endgame tables of a job by those in the folder `path`, for the
/// adjudication and for engines that use some.
pub(super) fn use_tables(job: &mut PairJob, path: &Path) {
    if job.rules.adjudication.syzygy.is_some() {
        let mut rules = (*job.rules).clone();
        if let Some(rule) = &mut rules.adjudication.syzygy {
            rule.path = path.to_path_buf();
        }
        job.rules = Arc::new(rules);
    }
    for player in &mut job.players {
        let mut options = player.options.to_vec();
        for (name, value) in &mut options {
            if is_tables_option(name) && !value.is_empty() {
                *value = path.display().to_string();
            }
        }
        player.options = options.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::pair_job;

    #[test]
    fn engines_use_the_endgame_tables_of_the_machine_that_they_play_on() {
        let mut job = pair_job(0);
        let options = [
            [("SyzygyPath", "C:\\tables"), ("Hash", "16")],
            [("syzygypath", ""), ("Book", "C:\\tables")],
        ];
        for (player, options) in job.players.iter_mut().zip(options) {
            player.options = options.map(|(a, b)| (a.to_string(), b.to_string())).into();
        }
        use_tables(&mut job, Path::new("/data/tables"));
        let values = job.players.map(|player| {
            let values = player.options.iter().map(|(_, value)| value.clone());
            values.collect::<Vec<_>>()
        });
        assert_eq!(values[0], ["/data/tables", "16"]);
        assert_eq!(values[1], ["", "C:\\tables"]);
    }
}
