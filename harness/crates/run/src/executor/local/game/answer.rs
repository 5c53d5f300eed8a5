//! Waiting for an engine's answer, and late answers.

use std::time::{Duration, Instant};

use shakmaty::Color;

use super::turn::PendingSearch;
use super::{End, Game};
use hone_base::platform::processor_wait;
use hone_uci::engine::uci::{Answer, AnswerError, PROMPT};

/// How long after its deadline an answer is still read, so that the engine need not be
/// restarted.
const GRACE: Duration = Duration::from_millis(250);

impl Game<'_> {
    /// Waits for the answer to a `go`. If a clock runs and the answer does not come within
    /// [`PROMPT`], also returns how long the engine's threads had waited for a processor by
    /// then.
    pub(super) async fn await_move(
        &mut self,
        player: usize,
        search: &PendingSearch,
    ) -> (Result<Answer, AnswerError>, Option<Duration>) {
        let deadline = search.deadline;
        if !search.timed {
            return (self.answer(player, deadline).await, None);
        }
        let prompt_deadline = deadline.min(search.written + PROMPT);
        let mut answer = self.answer(player, prompt_deadline).await;
        let mut waited = None;
        if answer == Err(AnswerError::TimedOut) {
            waited = processor_wait(self.resources.slots[player].client().engine_pid());
            answer = self.answer(player, deadline).await;
        }
        if answer == Err(AnswerError::TimedOut) {
            answer = self.late_answer(player).await;
        }
        (answer, waited)
    }

    /// Waits for a player's answer. Meanwhile reads the output of an opponent that ponders.
    async fn answer(&mut self, player: usize, deadline: Instant) -> Result<Answer, AnswerError> {
        let [first, second] = &mut *self.resources.slots;
        let (slot, other) = match player {
            0 => (first, second),
            _ => (second, first),
        };
        let answer = slot.client().wait_bestmove(deadline);
        if self.pondering.white.is_none() && self.pondering.black.is_none() {
            return answer.await;
        }
        tokio::select! {
            biased;
            answer = answer => answer,
            never = other.client().read_while_pondering() => match never {},
        }
    }

    /// Records the starvation of an engine that lost on time, if its threads waited longer
    /// for a processor than it overran. `waited` is their total wait at an earlier time of
    /// the same search.
    pub(super) fn check_starvation(
        &mut self,
        color: Color,
        end: End,
        waited: Option<Duration>,
        search: &PendingSearch,
    ) {
        let player = self.player(color);
        let client = self.resources.slots[player].client();
        let waiting = match (waited, processor_wait(client.engine_pid())) {
            (Some(before), Some(after)) => after.saturating_sub(before),
            _ => return,
        };
        let waiting = waiting.min(self.denied(color, search).unwrap_or(waiting));
        if is_fault_of_machine(waiting, end.overrun.unwrap_or(GRACE)) {
            self.effort[color].starved_us = u64::try_from(waiting.as_micros()).unwrap_or(u64::MAX);
        }
    }

    /// Sends `stop` to an engine that is past its deadline, and waits for its answer for
    /// [`GRACE`].
    async fn late_answer(&mut self, player: usize) -> Result<Answer, AnswerError> {
        let client = self.resources.slots[player].client();
        let deadline = Instant::now() + GRACE;
        client.send(b"stop\n", deadline).await?;
        self.answer(player, deadline).await
    }
}

/// Whether an engine waited longer for a processor than it overran its time.
fn is_fault_of_machine(waiting: Duration, overrun: Duration) -> bool {
    waiting > overrun
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_wait_does_not_explain_an_overrun_of_less_than_a_millisecond() {
        let micros = Duration::from_micros;
        assert!(is_fault_of_machine(micros(400), micros(350)));
        assert!(!is_fault_of_machine(micros(50), micros(350)));
        assert!(!is_fault_of_machine(micros(0), micros(0)));
    }
}
