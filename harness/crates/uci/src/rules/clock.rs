//! An engine's clock. The caller measures the time of each move.

use std::sync::Arc;
use std::time::Duration;

use super::limit::Limit;

/// An engine's clock over one game.
///
/// As in fastchess, each stage begins with one increment: `8+0.08` starts with 8.08 s.
#[derive(Debug, Clone)]
pub struct Clock {
    limit: Arc<Limit>,
    /// Microseconds left; below zero after an overrun within the margin.
    left: i64,
    /// Index of the current stage.
    stage: usize,
    /// Moves left in the stage, if it counts moves.
    moves_left: Option<u32>,
    /// Microseconds by which a move may exceed its time.
    margin: i64,
}

/// A clock as `go` sends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockState {
    /// At least 1.
    pub left_ms: u64,
    pub increment_ms: u64,
    /// Moves to the next stage, if the current one counts moves.
    pub moves_to_go: Option<u32>,
}

/// A time forfeit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overrun {
    /// By how much, without the margin.
    pub by: Duration,
}

impl Clock {
    /// A clock at the start of a game. A move may exceed its time by `margin`.
    pub fn new(limit: Arc<Limit>, margin: Duration) -> Self {
        let first = limit.stages().first().copied();
        Self {
            left: first.map_or(0, |stage| micros(stage.base + stage.increment)),
            moves_left: first.and_then(|stage| stage.moves),
            stage: 0,
            margin: i64::try_from(margin.as_micros()).unwrap_or(i64::MAX),
            limit,
        }
    }

    /// The limit of the clock.
    pub fn limit(&self) -> &Limit {
        &self.limit
    }

    /// The clock as `go` sends it; `None` if the limit has no clock.
    pub fn shown(&self) -> Option<ClockState> {
        let stage = self.limit.stages().get(self.stage)?;
        let left = u64::try_from(self.left / 1000).unwrap_or(0).max(1);
        Some(ClockState {
            left_ms: left,
            increment_ms: stage.increment,
            moves_to_go: self.moves_left,
        })
    }

    /// Microseconds that the next move may take, without the margin. `None` if the engine
    /// cannot lose on time.
    fn allowed(&self) -> Option<i64> {
        let clock = (!self.limit.stages().is_empty()).then_some(self.left);
        let fixed = self.limit.movetime.map(micros);
        clock.into_iter().chain(fixed).min()
    }

    /// How long the next move may take, margin included. `None` if the engine cannot lose
    /// on time.
    pub fn allowance(&self) -> Option<Duration> {
        let allowed = self.allowed()?.saturating_add(self.margin);
        Some(Duration::from_micros(allowed.unsigned_abs()))
    }

    /// Subtracts the time of a move and adds the increment, or the time of the next stage.
    /// An overrun within the margin stays on the clock as a debt.
    ///
    /// # Errors
    /// [`Overrun`] if the move exceeds its time by more than the margin.
    pub fn spend(&mut self, used: Duration) -> Result<(), Overrun> {
        let used = i64::try_from(used.as_micros()).unwrap_or(i64::MAX);
        if let Some(allowed) = self.allowed()
            && used > allowed.saturating_add(self.margin)
        {
            return Err(Overrun {
                by: Duration::from_micros((used - allowed).unsigned_abs()),
            });
        }
        let Some(stage) = self.limit.stages().get(self.stage).copied() else {
            return Ok(());
        };
        self.left = self.left.saturating_sub(used);
        match &mut self.moves_left {
            Some(1) => {
                self.stage = (self.stage + 1).min(self.limit.stages().len() - 1);
                let next = self.limit.stages()[self.stage];
                self.moves_left = next.moves;
                self.left += micros(next.base + next.increment);
            }
            Some(moves) => {
                *moves -= 1;
                self.left += micros(stage.increment);
            }
            None => self.left += micros(stage.increment),
        }
        Ok(())
    }
}

/// Whole milliseconds of a duration.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Milliseconds as microseconds.
fn micros(ms: u64) -> i64 {
    i64::try_from(ms.saturating_mul(1000)).unwrap_or(i64::MAX / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(limit: &str, margin_ms: u64) -> Clock {
        Clock::new(
            Arc::new(limit.parse().expect(limit)),
            Duration::from_millis(margin_ms),
        )
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn shown(left_ms: u64, increment_ms: u64, moves_to_go: u32) -> Option<ClockState> {
        Some(ClockState {
            left_ms,
            increment_ms,
            moves_to_go: Some(moves_to_go),
        })
    }

    /// The case of fastchess's own tests, except that the overrun of 100 ms is a debt.
    #[test]
    fn moves_increment_and_margin() {
        let mut clock = clock("3/10+0.1", 100);
        for (used, left, moves) in [(5555, 4645, 2), (4745, 1, 1), (50, 10_050, 3)] {
            assert_eq!(clock.spend(ms(used)), Ok(()));
            assert_eq!(clock.shown(), shown(left, 100, moves));
        }
        assert_eq!(clock.spend(ms(10_151)), Err(Overrun { by: ms(101) }));
    }

    #[test]
    fn the_margin_is_given_once_a_game_and_not_for_every_move() {
        let mut clock = clock("0.4+0.01", 400);
        assert_eq!(clock.spend(ms(800)), Ok(()));
        assert_eq!(clock.allowance(), Some(ms(20)));
        assert_eq!(clock.spend(ms(20)), Ok(()));
        assert_eq!(clock.spend(ms(11)), Err(Overrun { by: ms(401) }));
    }

    /// The case of fastchess's own tests.
    #[test]
    fn fixed_time_with_margin() {
        let mut clock = clock("movetime=5000", 200);
        assert_eq!(clock.spend(ms(5199)), Ok(()));
        assert_eq!(clock.spend(ms(5200)), Ok(()));
        assert_eq!(clock.spend(ms(5201)), Err(Overrun { by: ms(201) }));
        assert_eq!(clock.shown(), None);
    }

    #[test]
    fn stages_follow_each_other_and_the_last_repeats() {
        let mut clock = clock("2/10,1/5+1", 0);
        clock.spend(ms(4000)).expect("in time");
        clock.spend(ms(4000)).expect("in time");
        assert_eq!(clock.shown(), shown(8000, 1000, 1));
        clock.spend(ms(8000)).expect("in time");
        assert_eq!(clock.shown(), shown(6000, 1000, 1));
    }

    #[test]
    fn no_clock_never_runs_out() {
        let mut clock = clock("nodes=5000", 0);
        assert_eq!(clock.allowance(), None);
        assert_eq!(clock.spend(Duration::from_secs(1_000_000)), Ok(()));
    }

    #[test]
    fn the_shorter_of_two_times_counts() {
        let mut clock = clock("10+0 movetime=100", 0);
        assert_eq!(clock.allowance(), Some(ms(100)));
        assert_eq!(clock.spend(ms(101)), Err(Overrun { by: ms(1) }));
    }
}
