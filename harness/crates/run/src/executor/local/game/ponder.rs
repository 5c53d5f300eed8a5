//! Pondering: thinking in the opponent's time.

use std::time::{Duration, Instant};

use shakmaty::Color::{self, Black, White};

use super::Game;
use crate::executor::local::ponder_search::{EndedPondering, PonderSearch};
use crate::executor::{PonderEnd, Pondered};
use hone_uci::engine::uci::AnswerError;
use hone_uci::rules::millis;

impl Game<'_> {
    /// Sends `go ponder` to the engine that has just moved, if it ponders and the move that
    /// it expects is legal and does not end the game.
    pub(super) async fn start_pondering(&mut self, color: Color, deadline: Instant) {
        let player = self.player(color);
        if !self.job.players[player].ponder {
            return;
        }
        let expected = self.resources.slots[player].client().ponder_move();
        let Some(legal) = self.referee.find(expected) else {
            return;
        };
        let mut after = self.referee.clone();
        if after.play(legal).is_some() {
            return;
        }
        let mut command = self.resources.command.after(self.uci(legal));
        let sent = command.with_go(&self.clocks, color, true);
        let client = self.resources.slots[player].client();
        client.clear_info();
        client.drop_unsolicited();
        // An engine that no longer reads fails at its next turn.
        if client.send(sent, deadline).await.is_ok() {
            self.pondering[color] = Some(PonderSearch {
                expected: legal,
                command,
                begun: Instant::now(),
            });
        }
    }

    /// Ends the pondering of the engine whose turn it is. Returns whether the opponent
    /// played the expected move; otherwise the search is stopped. The wait for the answer to
    /// `stop` is not charged: the engine's clock starts with its next `go`.
    ///
    /// # Errors
    /// [`AnswerError`] if the engine does not stop.
    pub(super) async fn end_pondering(&mut self, color: Color) -> Result<bool, AnswerError> {
        self.ended_pondering = None;
        let Some(search) = self.pondering[color].take() else {
            return Ok(false);
        };
        let guessed = self.last_move == Some(search.expected);
        let end = if guessed {
            PonderEnd::PonderHit
        } else {
            PonderEnd::Stop
        };
        self.ended_pondering = Some(EndedPondering {
            command: search.command,
            end: Pondered {
                end,
                after_ms: millis(search.begun.elapsed()),
            },
        });
        if guessed {
            return Ok(true);
        }
        let player = self.player(color);
        let at = Instant::now();
        let deadline = at + Duration::from_millis(self.job.rules.stall_ms);
        let slot = &mut self.resources.slots[player];
        let client = slot.client();
        client.send_at(at, b"stop\n", deadline).await?;
        let answer = client.wait_bestmove(deadline).await?;
        let took = answer.arrived.saturating_duration_since(at);
        let paused = client.pause_credit();
        slot.note_stop(took.saturating_sub(paused));
        self.ended_pondering = None;
        Ok(false)
    }

    /// Stops an engine that still ponders when the game is over.
    pub(super) async fn stop_pondering(&mut self) {
        for color in [White, Black] {
            if self.pondering[color].is_none() {
                continue;
            }
            // No expected move equals `None`, so that the search is stopped.
            self.last_move = None;
            if self.end_pondering(color).await.is_err() {
                let player = self.player(color);
                self.resources.slots[player].kill().await;
            }
        }
    }
}
