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
    let speed = speed(progress).map_or(String::new(), |speed| format!("  {speed}"));
    format!(
        "{pairs} of {budget} pairs{repeats}  {} elapsed  {playing}{speed}{}",
        FormattedDuration(progress.elapsed),
        awaited(progress)
    )
}

/// The progress of a run in a log: pairs, time and speed.
pub(super) fn brief(pairs: u64, budget: u64, progress: &Progress<'_>) -> String {
    let repeats = match progress.tally.dropped_pairs {
        0 => String::new(),
        dropped => format!(" ({dropped} repeated)"),
    };
    let speed = speed(progress).map_or(String::new(), |speed| format!("  {speed}"));
    format!(
        "{pairs}/{budget} pairs{repeats}  {}{speed}{}",
        FormattedDuration(progress.elapsed),
        awaited(progress)
    )
}

/// The pair that later results wait for, if there is one.
fn awaited(progress: &Progress<'_>) -> String {
    progress
        .awaited
        .map_or(String::new(), |awaited| format!("  {awaited}"))
}

fn speed(progress: &Progress<'_>) -> Option<String> {
    Some(match 2.0 * pairs_per_second(progress)? {
        fast if fast >= 1.0 => format!("{fast:.1} games/s"),
        slow => format!("{:.1} games/min", 60.0 * slow),
    })
}

/// The time left in a log; `None` before the first pair.
pub(super) fn brief_time_left(
    experiment: &impl Experiment,
    progress: &Progress<'_>,
) -> Option<String> {
    let rate = pairs_per_second(progress)?;
    let judged = progress.tally.judged_pairs();
    let left = experiment.budget().saturating_sub(judged) as f64;
    let forecast = experiment.test().map(forecast::remaining_pairs);
    let (about, pairs) = match forecast {
        None => ("", left),
        Some(None) => ("at most ", left),
        Some(Some(forecast)) => ("about ", forecast.median.min(left)),
    };
    Some(format!("{about}{} left", time(pairs, rate, progress)))
}

/// Time to play `pairs` at `rate` pairs a second, at most until the time limit.
fn time(pairs: f64, rate: f64, progress: &Progress<'_>) -> String {
    let limit = progress
        .time_limit
        .map_or(f64::INFINITY, |limit| limit.as_secs_f64());
    duration((pairs / rate).min(limit))
}

/// The time left, estimated from the speed so far and, for a test, from its LLR.
pub(super) fn time_left(experiment: &impl Experiment, progress: &Progress<'_>) -> String {
    let Some(rate) = pairs_per_second(progress) else {
        return "time left: unknown until the first pair is finished".to_string();
    };
    let judged = progress.tally.judged_pairs();
    let left = experiment.budget().saturating_sub(judged) as f64;
    let time = |pairs: f64| time(pairs, rate, progress);
    let Some(test) = experiment.test() else {
        return format!("time left: {}", time(left));
    };
    match forecast::remaining_pairs(test) {
        None => format!("time left: at most {}", time(left)),
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

/// Time to play `pairs` at the mean speed so far, at most until the time limit; `None` before
/// the first pair.
pub fn time_for(pairs: u64, progress: &Progress<'_>) -> Option<String> {
    pairs_per_second(progress).map(|rate| time(pairs as f64, rate, progress))
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
