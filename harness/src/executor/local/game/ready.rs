//! Both engines get ready for a game.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{End, Game, GameError, Table, lost, silence};
use crate::engine::uci::{AnswerError, PROMPT};
use crate::executor::PairJob;
use crate::executor::local::slot::RestartError;
use crate::rules::Termination;

impl Table<'_> {
    /// Starts the engines that do not run. Returns why one could not be started that this
    /// worker has started before.
    ///
    /// # Errors
    /// [`GameError::Start`] if one has never run here, or if it is not the engine's fault.
    pub(super) async fn start_engines(
        &mut self,
        job: &PairJob,
    ) -> Result<[Option<String>; 2], GameError> {
        let mut missing = [None, None];
        for (index, player) in job.players.iter().enumerate() {
            if !self.slots[index].runs(player) {
                // A start takes seconds, and nobody's clock runs.
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
    /// The end of a game whose engine could not be started again. If neither could, the
    /// pair's first player loses.
    pub(super) fn without_engine(&self) -> Option<End> {
        let missing = self.missing.iter().position(Option::is_some)?;
        Some(lost(self.color(missing), Termination::Disconnect))
    }

    /// Brings both engines to the start of the game. They get ready at the
    /// same time. If both fail, the pair's first player loses.
    pub(super) async fn prepare(&mut self) -> Option<End> {
        if let Some(ending) = self.referee.ending() {
            return Some(ending.into());
        }
        let rules = &self.job.rules;
        let deadline = Instant::now() + Duration::from_millis(rules.stall_ms);
        let mut told = [Ok(()), Ok(())];
        for (index, player) in self.job.players.iter().enumerate() {
            told[index] = self.table.slots[index]
                .announce_game(player, rules, deadline)
                .await;
        }
        let mut end = None;
        // Also after a failure: a `readyok` that is left unread would answer the
        // `isready` of the next game.
        for (index, told) in told.into_iter().enumerate() {
            let ready = match told {
                Ok(()) => self.wait_ready(index, deadline).await,
                Err(error) => Err(error),
            };
            if let Err(error) = ready {
                self.unready[index] = true;
                end = end.or(Some(lost(self.color(index), silence(error, false))));
            }
        }
        end
    }

    /// An engine that is not prompt leaves time to hand over the last pair.
    async fn wait_ready(&mut self, slot: usize, deadline: Instant) -> Result<(), AnswerError> {
        let client = self.table.slots[slot].client();
        let soon = deadline.min(Instant::now() + PROMPT);
        match client.wait_ready(soon).await {
            Err(AnswerError::TimedOut) => {
                self.table.deferred.send();
                client.wait_ready(deadline).await
            }
            answer => answer,
        }
    }
}
