//! Waiting for an engine's answer, and what it means when none comes in time.

use std::time::{Duration, Instant};

use shakmaty::Color;

use super::turn::PendingSearch;
use super::{End, Game};
use crate::engine::uci::{Answer, AnswerError, PROMPT};
use crate::platform::waited_by;

/// How long after its time an engine may still answer, so that it need not be
/// started anew.
const GRACE: Duration = Duration::from_millis(250);

impl Game<'_> {
    /// Waits for the answer to a `go`. For one that takes its time on a clock, also
    /// returns how long the engine's threads had waited for a processor before.
    pub(super) async fn await_move(
        &mut self,
        player: usize,
        asked: &PendingSearch,
    ) -> (Result<Answer, AnswerError>, Option<Duration>) {
        let deadline = asked.deadline;
        if !asked.timed {
            return (self.answer(player, deadline).await, None);
        }
        let soon = deadline.min(asked.written + PROMPT);
        let mut answer = self.answer(player, soon).await;
        let mut waited = None;
        if answer == Err(AnswerError::TimedOut) {
            waited = waited_by(self.table.slots[player].client().engine_pid());
            answer = self.answer(player, deadline).await;
        }
        if answer == Err(AnswerError::TimedOut) {
            answer = self.late_answer(player).await;
        }
        (answer, waited)
    }

    /// Waits for a player's answer, and reads what its opponent writes meanwhile, if that
    /// ponders.
    async fn answer(&mut self, player: usize, deadline: Instant) -> Result<Answer, AnswerError> {
        let [first, second] = &mut *self.table.slots;
        let (asked, other) = match player {
            0 => (first, second),
            _ => (second, first),
        };
        let answer = asked.client().wait_bestmove(deadline);
        if self.pondering.white.is_none() && self.pondering.black.is_none() {
            return answer.await;
        }
        tokio::select! {
            biased;
            answer = answer => answer,
            never = other.client().read_along() => match never {},
        }
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
        if is_machines_fault(waiting, end.overrun.unwrap_or(GRACE)) {
            self.effort[color].starved_us = u64::try_from(waiting.as_micros()).unwrap_or(u64::MAX);
        }
    }

    /// An engine that is past its time gets `stop`, so that it can play the
    /// next game.
    async fn late_answer(&mut self, player: usize) -> Result<Answer, AnswerError> {
        let client = self.table.slots[player].client();
        let deadline = Instant::now() + GRACE;
        client.send(b"stop\n", deadline).await?;
        self.answer(player, deadline).await
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
