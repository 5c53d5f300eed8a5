//! Progress, speed and time left of a run.

use std::time::Duration;

use indicatif::FormattedDuration;

use crate::numbers::{counted, duration};
use hone_experiment::Experiment;
use hone_run::Progress;
use hone_stats::forecast;

/// Shortest and longest interval between two printed lines.
const SHORTEST: Duration = Duration::from_secs(10);
const LONGEST: Duration = Duration::from_secs(300);

/// Interval to the next printed line. It grows, so that the log of a long run stays short.
pub(crate) fn line_interval(elapsed: Duration) -> Duration {
    (elapsed / 20).clamp(SHORTEST, LONGEST)
}

/// The progress of a run: pairs, time, games in progress, speed. `at_a_time` is the number
/// of pairs that can be played at once; `None` on a fleet, where a pair in flight may not
/// have started.
pub fn progress_text(
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
    if let Some(awaited) = progress.awaited {
        text += &format!("  {awaited}");
    }
    text
}

/// The time left, estimated from the speed so far and, for a test, from its LLR.
pub(super) fn time_left(experiment: &impl Experiment, progress: &Progress<'_>) -> String {
    let Some(rate) = pairs_per_second(progress) else {
        return "time left: unknown until the first pair is finished".to_string();
    };
    let judged = progress.tally.judged_pairs();
    let left = experiment.budget().saturating_sub(judged) as f64;
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

/// Time to play `pairs` at the mean speed so far; `None` before the first pair.
pub fn time_for(pairs: u64, progress: &Progress<'_>) -> Option<String> {
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
    fn the_interval_of_lines_grows() {
        let seconds = |elapsed| line_interval(Duration::from_secs(elapsed)).as_secs();
        assert_eq!([0, 100, 1200, 360_000].map(seconds), [10, 10, 60, 300]);
    }
}
