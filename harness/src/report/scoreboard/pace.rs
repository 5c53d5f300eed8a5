//! How fast a run goes, and how long it will take.

use std::time::Duration;

use indicatif::FormattedDuration;

use crate::experiment::Experiment;
use crate::report::numbers::{counted, duration};
use crate::run::Progress;
use crate::stats::forecast;

/// Lines are printed this often at first, then ever more seldom.
const FIRST_LINE: Duration = Duration::from_secs(10);
const LAST_LINE: Duration = Duration::from_secs(300);

/// Time from one printed line to the next: a log of a long run stays short.
pub(crate) fn line_interval(elapsed: Duration) -> Duration {
    (elapsed / 20).clamp(FIRST_LINE, LAST_LINE)
}

/// What a run has done so far: pairs, time, games in progress, speed. `at_a_time`: pairs
/// that can be played at a time; `None` on a fleet, where it is not known how many of
/// those in flight are being played.
pub(crate) fn done(
    pairs: u64,
    budget: &str,
    progress: &Progress<'_>,
    at_a_time: Option<usize>,
) -> String {
    let playing = match at_a_time {
        Some(most) => {
            let games = progress.in_flight.min(most as u64);
            format!("{} in progress", counted(games, "game"))
        }
        None => format!("{} in flight", counted(progress.in_flight, "pair")),
    };
    let repeats = match progress.tally.dropped_pairs {
        0 => String::new(),
        dropped => format!(", {dropped} of them repeat earlier games"),
    };
    let mut text = format!(
        "{pairs} of {budget} pairs{repeats}  {} elapsed  {playing}",
        FormattedDuration(progress.elapsed)
    );
    if let Some(rate) = pairs_per_second(progress) {
        text += &match 2.0 * rate {
            fast if fast >= 1.0 => format!("  {fast:.1} games/s"),
            slow => format!("  {:.1} games/min", 60.0 * slow),
        };
    }
    text
}

/// The time left, as far as that is known.
pub(super) fn end(experiment: &impl Experiment, progress: &Progress<'_>) -> String {
    let Some(rate) = pairs_per_second(progress) else {
        return "time left: unknown until the first pair is finished".to_string();
    };
    let played = progress.tally.pairs + progress.tally.dropped_pairs;
    let left = experiment.budget().saturating_sub(played) as f64;
    let time = |pairs: f64| duration(pairs / rate);
    let Some(test) = experiment.test() else {
        return format!("time left: {}", time(left));
    };
    match forecast::remaining_pairs(test) {
        None => format!(
            "time left: at most {} (too few different pairs for an estimate)",
            time(left)
        ),
        Some(forecast) if forecast.low >= left => {
            format!(
                "time left: {}, probably undecided: the budget is too small",
                time(left)
            )
        }
        Some(forecast) => format!(
            "time left: about {} (95 %: {} to {}; at most {})",
            time(forecast.median.min(left)),
            time(forecast.low),
            time(forecast.high.min(left)),
            time(left)
        ),
    }
}

/// Time to play this many pairs at the present speed, if that is known.
pub(crate) fn time_for(pairs: u64, progress: &Progress<'_>) -> Option<String> {
    pairs_per_second(progress).map(|rate| duration(pairs as f64 / rate))
}

fn pairs_per_second(progress: &Progress<'_>) -> Option<f64> {
    let seconds = progress.elapsed.as_secs_f64();
    (progress.played > 0 && seconds > 0.0).then(|| progress.played as f64 / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_rare() {
        let seconds = |elapsed| line_interval(Duration::from_secs(elapsed)).as_secs();
        assert_eq!([0, 100, 1200, 360_000].map(seconds), [10, 10, 60, 300]);
    }
}
