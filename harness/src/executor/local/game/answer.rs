//! Waiting for an engine's answer, and what it means when none comes in time.

use std::time::{Duration, Instant};

use shakmaty::Color;

use super::{End, Game, index, lost, silence};
use crate::engine::uci::{Answer, AnswerError, PROMPT};
use crate::platform::waited_by;
use crate::rules::Termination;

/// How long after its time an engine may still answer, so that it need not be
/// started anew.
const GRACE: Duration = Duration::from_millis(250);

impl Game<'_> {
    /// Waits for the answer to a `go` that was `written` by then. For one that
    /// takes its time on a clock, also says how long the engine's threads had
    /// waited for a processor before.
    pub(super) async fn await_move(
        &mut self,
        player: usize,
        written: Instant,
        deadline: Instant,
        timed: bool,
    ) -> (Result<Answer, AnswerError>, Option<Duration>) {
        let client = self.table.slots[player].client();
        if !timed {
            return (client.wait_bestmove(deadline).await, None);
        }
        let soon = deadline.min(written + PROMPT);
        let mut answer = client.wait_bestmove(soon).await;
        let mut waited = None;
        if answer == Err(AnswerError::TimedOut) {
            waited = waited_by(client.engine_pid());
            answer = client.wait_bestmove(deadline).await;
        }
        if answer == Err(AnswerError::TimedOut) {
            answer = self.late_answer(player).await;
        }
        (answer, waited)
    }

    /// Notes of a game lost on time if the machine kept the engine waiting for
    /// a processor for longer than it overran.
    pub(super) fn blame(&mut self, color: Color, end: End, waited: Option<Duration>) {
        let player = self.player(color);
        let client = self.table.slots[player].client();
        let waiting = match (waited, waited_by(client.engine_pid())) {
            (Some(before), Some(after)) => after.saturating_sub(before),
            _ => return,
        };
        if is_machines_fault(waiting, end.overrun) {
            self.effort[index(color)].starved_us =
                u64::try_from(waiting.as_micros()).unwrap_or(u64::MAX);
        }
    }

    /// An engine that is past its time gets `stop`, so that it can play the
    /// next game.
    async fn late_answer(&mut self, player: usize) -> Result<Answer, AnswerError> {
        let client = self.table.slots[player].client();
        let deadline = Instant::now() + GRACE;
        client.send(b"stop\n", deadline).await?;
        client.wait_bestmove(deadline).await
    }

    pub(super) fn no_answer(
        &mut self,
        color: Color,
        error: AnswerError,
        timed: bool,
        asked: Instant,
    ) -> End {
        let used = asked.elapsed();
        self.used[index(color)] += used;
        let mut end = lost(color, silence(error, timed));
        if end.ending.termination == Termination::TimeForfeit
            && let Err(overrun) = self.clocks[index(color)].spend(used)
        {
            end.overrun = overrun.by;
        }
        end
    }
}

/// Whether an engine that overran its time had waited for a processor for longer.
fn is_machines_fault(waiting: Duration, overrun: Duration) -> bool {
    waiting > overrun
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overrun_of_less_than_a_millisecond_is_not_excused_by_any_wait() {
        let micros = Duration::from_micros;
        assert!(is_machines_fault(micros(400), micros(350)));
        assert!(!is_machines_fault(micros(50), micros(350)));
        assert!(!is_machines_fault(micros(0), micros(0)));
    }
}
