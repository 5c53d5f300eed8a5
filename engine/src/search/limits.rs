//! When a search ends: limits, the clock, and the stop signal.

use crate::board::{Color, Move};
use crate::params::Params;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The arguments of `go`.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Start of the clock; `None` for the start of the search.
    pub start: Option<Instant>,
    pub depth: Option<i32>,
    /// Maximum number of nodes, never exceeded.
    pub nodes: Option<u64>,
    /// Stop when a mate in at most this many moves is found.
    pub mate: Option<i32>,
    /// Milliseconds for this move.
    pub movetime: Option<u64>,
    /// Milliseconds on the clocks of White and Black.
    pub time: [Option<u64>; 2],
    pub increment: [u64; 2],
    pub moves_to_go: Option<u64>,
    /// Search until the stop signal.
    pub infinite: bool,
    /// Root moves to search; empty for all.
    pub search_moves: Vec<Move>,
}

/// The stop signal of searches and other jobs. Jobs are numbered from 1 in the order of
/// request; stopping job N stops all jobs up to N, including those not started yet.
#[derive(Default)]
pub struct StopSignal(AtomicU64);

impl StopSignal {
    /// Stops all searches up to the one with this number.
    pub fn stop_up_to(&self, number: u64) {
        self.0.fetch_max(number, Ordering::Relaxed);
    }

    pub fn covers(&self, number: u64) -> bool {
        number <= self.0.load(Ordering::Relaxed)
    }
}

/// A stop signal, and the number of a job that it may cover.
pub type Stop<'a> = (&'a StopSignal, u64);

/// The time limits and the stop signal of one search.
pub struct Clock<'a> {
    start: Instant,
    /// Time after which no new iteration begins.
    soft: Option<Duration>,
    /// Time at which the search is stopped.
    hard: Option<Duration>,
    stop: Stop<'a>,
}

impl<'a> Clock<'a> {
    pub fn new(
        limits: &Limits,
        turn: Color,
        overhead: u64,
        params: &Params,
        stop: Stop<'a>,
    ) -> Clock<'a> {
        let [soft, hard] = allot(limits, turn, overhead, params);
        Clock {
            start: limits.start.unwrap_or_else(Instant::now),
            soft,
            hard,
            stop,
        }
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether the move is played on a game clock.
    pub fn is_timed(&self) -> bool {
        self.soft.is_some()
    }

    /// Whether the hard time has passed or the stop signal is set.
    pub fn is_over(&self) -> bool {
        self.is_stop_requested() || self.hard.is_some_and(|hard| self.elapsed() >= hard)
    }

    /// Whether the soft time, multiplied by `factor`, has passed.
    pub fn is_late(&self, factor: f64) -> bool {
        self.soft
            .is_some_and(|soft| self.elapsed() >= soft.mul_f64(factor))
    }

    pub fn is_stop_requested(&self) -> bool {
        self.stop.0.covers(self.stop.1)
    }
}

/// Soft and hard time of a move (TimeMoves, TimeIncrement, TimeSoftLimit,
/// TimeHardLimit, TimeHard, TimeReserve).
fn allot(limits: &Limits, turn: Color, overhead: u64, params: &Params) -> [Option<Duration>; 2] {
    if let Some(time) = limits.movetime {
        let time = Duration::from_millis(time.saturating_sub(overhead).max(1));
        return [None, Some(time)];
    }
    let Some(left) = limits.time[turn.index()] else {
        return [None, None];
    };
    let increment = limits.increment[turn.index()] as f64;
    // Reserve for delays on a busy machine: with increments, this much is left on the
    // clock at the end of a long game.
    let reserve = (params.time_reserve as u64 * overhead).min(left / 2);
    let left = left.saturating_sub(overhead + reserve).max(1) as f64;
    let to_go = limits.moves_to_go.unwrap_or(u64::MAX).max(1);
    let moves = f64::from(params.time_moves).min(to_go as f64);
    let share = left / moves + increment * f64::from(params.time_increment) / 100.0;
    let of_clock = |percent: i32| f64::from(percent) / 100.0 * left;
    let soft = share.min(of_clock(params.time_soft_limit));
    let hard = soft * f64::from(params.time_hard) / 100.0;
    let hard = hard.min(of_clock(params.time_hard_limit)).max(1.0);
    let seconds = |ms: f64| Some(Duration::from_secs_f64(ms / 1000.0));
    [seconds(soft), seconds(hard)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_covers_earlier_searches_only() {
        let stop = StopSignal::default();
        assert!(!stop.covers(1));
        stop.stop_up_to(2);
        assert!(stop.covers(1) && stop.covers(2) && !stop.covers(3));
        stop.stop_up_to(1);
        assert!(stop.covers(2));
    }

    #[test]
    fn the_allotted_time_never_exceeds_the_clock() {
        for left in [1, 5, 12, 50, 200, 1000, 60_000] {
            for increment in [0, 2, 10, 5000] {
                for moves_to_go in [None, Some(1), Some(2), Some(40)] {
                    let limits = Limits {
                        time: [Some(left), None],
                        increment: [increment, 0],
                        moves_to_go,
                        ..Limits::default()
                    };
                    let [soft, hard] = allot(&limits, Color::White, 10, &Params::DEFAULT);
                    let available = Duration::from_millis(left.saturating_sub(10).max(1));
                    assert!(hard.unwrap() <= available, "{limits:?} {hard:?}");
                    assert!(soft.unwrap() <= available);
                    assert_eq!(
                        allot(&limits, Color::Black, 10, &Params::DEFAULT),
                        [None, None]
                    );
                }
            }
        }
    }
}
