//! Starts both engines and waits until they are ready for a game.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{End, Game, GameError, Resources, lost, termination_of};
use crate::executor::PairJob;
use crate::executor::local::slot::RestartError;
use hone_uci::engine::uci::{AnswerError, PROMPT};
use hone_uci::rules::Termination;

impl Resources<'_> {
    /// Starts the engines that do not run. Returns for each player why its engine could not
    /// be started again.
    ///
    /// # Errors
    /// [`GameError::Start`] if this worker has never started the engine before, or if the
    /// failure is not the engine's.
    pub(super) async fn start_engines(
        &mut self,
        job: &PairJob,
    ) -> Result<[Option<String>; 2], GameError> {
        let mut missing = [None, None];
        for (index, player) in job.players.iter().enumerate() {
            if !self.slots[index].runs(player) {
                // A start may take seconds, and no clock runs.
                self.deferred.send();
            }
            match self.slots[index].ensure_running(player, &job.rules).await {
                Ok(()) => {
                    self.started.insert(player.engine);
                }
                Err(RestartError::Start(source))
                    if source.is_of_engine() && self.started.contains(&player.engine) =>
                {
                    missing[index] = Some(source.to_string());
                }
                Err(source) => {
                    let name = Arc::clone(&player.name);
                    return Err(GameError::Start { name, source });
                }
            }
        }
        Ok(missing)
    }
}

impl Game<'_> {
    /// The end of a game if an engine could not be started again. If both could not, the
    /// pair's first player loses.
    pub(super) fn without_engine(&self) -> Option<End> {
        let missing = self.missing.iter().position(Option::is_some)?;
        Some(lost(self.color(missing), Termination::Disconnect))
    }

    /// Announces the game to both engines and waits until both are ready. If both fail, the
    /// pair's first player loses.
    pub(super) async fn prepare(&mut self) -> Option<End> {
        if let Some(ending) = self.referee.ending() {
            return Some(ending.into());
        }
        let rules = &self.job.rules;
        let deadline = Instant::now() + Duration::from_millis(rules.stall_ms);
        let mut announced = [Ok(()), Ok(())];
        for (index, player) in self.job.players.iter().enumerate() {
            announced[index] = self.resources.slots[index]
                .announce_game(player, rules, deadline)
                .await;
        }
        let mut end = None;
        // Also after the other engine failed: a `readyok` that is left unread would answer
        // the `isready` of the next game.
        for (index, announced) in announced.into_iter().enumerate() {
            let ready = match announced {
                Ok(()) => self.wait_ready(index, deadline).await,
                Err(error) => Err(error),
            };
            if let Err(error) = ready {
                self.unready[index] = true;
                end = end.or(Some(lost(self.color(index), termination_of(error, false))));
            }
        }
        end
    }

    /// Waits until an engine is ready. If that takes longer than [`PROMPT`], sends the
    /// result of the previous pair meanwhile.
    async fn wait_ready(&mut self, slot: usize, deadline: Instant) -> Result<(), AnswerError> {
        let client = self.resources.slots[slot].client();
        let prompt_deadline = deadline.min(Instant::now() + PROMPT);
        match client.wait_ready(prompt_deadline).await {
            Err(AnswerError::TimedOut) => {
                self.resources.deferred.send();
                client.wait_ready(deadline).await
            }
            answer => answer,
        }
    }
}
