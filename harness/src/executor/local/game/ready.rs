//! Both engines get ready for a game.

use std::time::{Duration, Instant};

use shakmaty::Color;

use super::{End, Game, lost, silence};
use crate::engine::uci::{AnswerError, PROMPT};

impl Game<'_> {
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
                let color = if index == self.white {
                    Color::White
                } else {
                    Color::Black
                };
                end = end.or(Some(lost(color, silence(error, false))));
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
