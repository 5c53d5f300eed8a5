//! The budget of a run that is limited only by time: the pairs that this machine plays in it.

use std::time::{Duration, Instant};

use anyhow::Context;

use crate::Place;
use crate::match_::Match;
use crate::session::Session;
use hone_base::output::Announce;
use hone_experiment::settings::{Shard, TimeSpan};
use hone_experiment::tune::TuneSection;
use hone_experiment::{Sharded, TournamentExperiment};
use hone_report::counted;
use hone_run::config::{Config, default_concurrency};
use hone_run::{Ended, Progress, RepeatRule, SessionError, StopRequests};

/// The measurement takes a fiftieth of the time, from 2 s to 10 min.
const DIVISOR: u32 = 50;
const SHORTEST: Duration = Duration::from_secs(2);
const LONGEST: Duration = Duration::from_secs(600);

/// Share of the remaining time that is planned, 0 to 1: the machine's speed varies, and a
/// schedule that is cut off at its end has not converged.
const PLANNED_SHARE: f64 = 0.9;

/// Measures how many pairs, in whole batches, are played in `time`: by games of the unchanged
/// engine against itself, which are not kept. `None` if the user interrupts the measurement.
///
/// # Errors
/// [`SessionError`].
pub(super) fn measured(
    config: &Config,
    time: TimeSpan,
    announce: Announce<'_>,
) -> Result<Option<u64>, SessionError> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut config = config.clone();
    let TuneSection { batch, window, .. } = config.tune.take().unwrap_or_default();
    config.r#match.concurrency = Some(at_a_time(config.r#match.concurrency, window));
    let probe = folder.path().join("probe");
    let limit = (time.duration() / DIVISOR).clamp(SHORTEST, LONGEST);
    let session = Session::<Match>::create(config, Some(&probe), Place::Here, &mut |_| {})?;
    let mut session = session.ending_at(Instant::now() + limit);
    // Repeats count too, because only the speed is measured.
    session.manifest.repeats = RepeatRule::Count;
    announce(&format!(
        "measuring the speed: playing {} at a time for {} s",
        counted(session.manifest.concurrency as u64, "pair"),
        limit.as_secs()
    ));
    let mut stop = StopRequests::listen()?;
    let started = Instant::now();
    let endless = TournamentExperiment::round_robin(2, u64::MAX / 4);
    let endless = Sharded::new(endless, Shard::WHOLE);
    let mut silent = |_: &Sharded<TournamentExperiment>, _: Progress<'_>| {};
    let played = session.play(endless, &mut silent, &mut stop, announce);
    let (ended, fold) = played.map_err(SessionError::of_measurement)?;
    if ended == Ended::Interrupted {
        return Ok(None);
    }
    let spent = started.elapsed();
    let pairs = planned(fold.absorbed(), spent, time.duration(), batch);
    announce(&format!(
        "{} pairs in {:.0} s: the budget is {pairs} pairs",
        fold.absorbed(),
        spent.as_secs_f64()
    ));
    Ok(Some(pairs))
}

/// Pairs at a time, limited by the window of the tuning.
fn at_a_time(concurrency: Option<usize>, window: u64) -> usize {
    let concurrency = concurrency.unwrap_or_else(default_concurrency);
    concurrency.min(usize::try_from(window).unwrap_or(usize::MAX))
}

fn planned(played: u64, spent: Duration, time: Duration, batch: u64) -> u64 {
    let rate = played as f64 / spent.as_secs_f64().max(1e-3);
    let pairs = rate * time.saturating_sub(spent).as_secs_f64() * PLANNED_SHARE;
    (pairs as u64 / batch).max(1) * batch
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speed_is_that_within_the_window() {
        assert_eq!(at_a_time(Some(12), 8), 8);
        assert_eq!(at_a_time(Some(2), 32), 2);
        assert_eq!(at_a_time(None, 1), 1);
    }

    #[test]
    fn the_budget_is_what_fits_into_the_rest_of_the_time() {
        let seconds = Duration::from_secs;
        assert_eq!(planned(20, seconds(10), seconds(1010), 8), 1800);
        assert_eq!(planned(20, seconds(10), seconds(1009), 8), 1792);
        assert_eq!(planned(0, seconds(10), seconds(1000), 8), 8);
        assert_eq!(planned(5, seconds(10), seconds(5), 8), 8);
    }
}
