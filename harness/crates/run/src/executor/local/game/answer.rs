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
    /// [`PROMPT`], also returns what the machine had given to the engine by then.
    pub(super) async fn await_move(
        &mut self,
        player: usize,
        search: &PendingSearch,
    ) -> (Result<Answer, AnswerError>, Option<Waited>) {
        let deadline = search.deadline;
        if !search.timed {
            return (self.answer(player, deadline).await, None);
        }
        let prompt_deadline = deadline.min(search.written + PROMPT);
        let mut answer = self.answer(player, prompt_deadline).await;
        let mut waited = None;
        if answer == Err(AnswerError::TimedOut) {
            waited = self.waited(player);
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
    /// for a processor than it overran. `waited` is of an earlier time of the same
    /// search.
    pub(super) fn check_starvation(&mut self, color: Color, end: End, waited: Option<Waited>) {
        let player = self.player(color);
        let (Some(before), Some(after)) = (waited, self.waited(player)) else {
            return;
        };
        let threads = self.threads(player);
        let waiting = before.denied_until(&after, threads);
        if is_fault_of_machine(waiting, end.overrun.unwrap_or(GRACE)) {
            self.effort[color].starved_us = u64::try_from(waiting.as_micros()).unwrap_or(u64::MAX);
        }
    }

    /// What the machine has given to the engine so far; `None` on systems that do not tell.
    fn waited(&mut self, player: usize) -> Option<Waited> {
        let at = Instant::now();
        let slot = &mut self.resources.slots[player];
        Some(Waited {
            at,
            waited: processor_wait(slot.running()?.engine_pid())?,
            used: slot.processor_time(at),
        })
    }

    /// The value of the option `Threads` of a player.
    fn threads(&self, player: usize) -> u32 {
        let mut options = self.job.players[player].options.iter();
        let threads = options.find(|(name, _)| name.eq_ignore_ascii_case("threads"));
        let threads = threads.and_then(|(_, value)| value.parse().ok());
        threads.unwrap_or(1)
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

/// What the machine has given to an engine until a moment of its search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waited {
    at: Instant,
    /// How long its threads have waited for a processor.
    waited: Duration,
    /// The processor time that it has used; `None` if it is unknown.
    used: Option<Duration>,
}

impl Waited {
    /// How long the threads have waited for a processor until `after`, at most the processor
    /// time that the engine got less than its `Threads` could use: further threads of its own
    /// do not make a fault of the machine.
    fn denied_until(&self, after: &Self, threads: u32) -> Duration {
        let waiting = after.waited.saturating_sub(self.waited);
        let (Some(before), Some(used)) = (self.used, after.used) else {
            return waiting;
        };
        let usable = after
            .at
            .saturating_duration_since(self.at)
            .saturating_mul(threads);
        waiting.min(usable.saturating_sub(used.saturating_sub(before)))
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
    fn the_waits_of_further_threads_are_not_a_fault_of_the_machine() {
        let at = Instant::now();
        let ms = Duration::from_millis;
        let state = |after, waited, used: Option<u64>| Waited {
            at: at + ms(after),
            waited: ms(waited),
            used: used.map(ms),
        };
        let start = state(0, 10, Some(50));
        for (waited, used, threads, denied) in [
            // One thread that got nothing, and 24 threads on two processors.
            (910, Some(50), 1, 900),
            (21_010, Some(2050), 1, 0),
            // Four threads that got one processor.
            (2910, Some(1050), 4, 2900),
            (910, None, 1, 900),
        ] {
            let after = state(1000, waited, used);
            assert_eq!(start.denied_until(&after, threads), ms(denied), "{waited}");
        }
    }

    #[test]
    fn a_short_wait_does_not_explain_an_overrun_of_less_than_a_millisecond() {
        let micros = Duration::from_micros;
        assert!(is_fault_of_machine(micros(400), micros(350)));
        assert!(!is_fault_of_machine(micros(50), micros(350)));
        assert!(!is_fault_of_machine(micros(0), micros(0)));
    }
}
