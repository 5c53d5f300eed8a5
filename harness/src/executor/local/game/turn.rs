//! One turn: an engine thinks, and its answer is judged.

use std::time::{Duration, Instant};

use shakmaty::{Color, Position};

use super::{End, Game, Unrecorded, lost, silence};
use crate::platform::DelayMeter;
use crate::rules::Termination;

/// Moves faster than this are not checked for delays, hone's or the engine's:
/// reading the kernel's account would cost more than it could find.
const DELAY_CHECK: Duration = Duration::from_millis(1);

/// A `go` that an engine has got.
pub(super) struct PendingSearch {
    /// When its time began.
    pub(super) at: Instant,
    /// When it was written.
    pub(super) written: Instant,
    /// When its time is over: its clock's, or that of a stall.
    pub(super) deadline: Instant,
    /// Whether it thinks on a clock.
    pub(super) timed: bool,
}

impl Game<'_> {
    /// One move.
    ///
    /// ```text
    ///           ask             await_move                 judge
    /// engine     |-- position, go --> thinks --> bestmove --|
    /// hone       |-- use_the_wait                           |
    /// opponent   |        |-- ponders …                     |
    /// ```
    pub(super) async fn turn(&mut self) -> Option<End> {
        let color = self.referee.turn();
        let asked = match self.ask(color).await {
            Ok(asked) => asked,
            Err(end) => return Some(end),
        };
        self.use_the_wait(color, &asked).await;
        let (answer, waited) = self.await_move(self.player(color), &asked).await;
        let end = match answer {
            Ok(answer) => {
                let used = answer.arrived.saturating_duration_since(asked.at);
                let latency = self.latency(color, &asked, used);
                self.judge(color, used, latency)
            }
            Err(error) => {
                self.used[color] += asked.at.elapsed();
                Some(lost(color, silence(error, asked.timed)))
            }
        };
        if let Some(end) = end
            && end.ending.termination == Termination::TimeForfeit
        {
            self.blame(color, end, waited);
        }
        end
    }

    /// Lets the engine of the side to move think.
    ///
    /// # Errors
    /// The end of the game if it no longer reads.
    async fn ask(&mut self, color: Color) -> Result<PendingSearch, End> {
        self.table.command.drop_go();
        let guessed = self.end_pondering(color).await;
        let guessed = guessed.map_err(|error| lost(color, silence(error, false)))?;
        let allowance = self.clocks[color].allowance();
        let timed = allowance.is_some();
        let patience = allowance.unwrap_or(Duration::from_millis(self.job.rules.stall_ms));
        let player = self.player(color);
        let commands = self.table.command.with_go(&self.clocks, color, false);
        let client = self.table.slots[player].client();
        // What it has found while it pondered belongs to its move.
        if !guessed {
            client.clear_info();
            client.drop_unasked();
        }
        // An engine that has guessed its opponent's move has the position.
        let commands: &[u8] = match guessed {
            true => b"ponderhit\n",
            false => commands,
        };
        let at = Instant::now();
        let deadline = at + patience;
        let written = client.send_at(at, commands, deadline).await;
        let written = written.map_err(|error| lost(color, silence(error, timed)))?;
        DelayMeter::begin(written);
        Ok(PendingSearch {
            at,
            written,
            deadline,
            timed,
        })
    }

    /// While the engine thinks, the opponent's last move is recorded; before the first
    /// move, the previous game. Then the opponent begins to ponder.
    async fn use_the_wait(&mut self, color: Color, asked: &PendingSearch) {
        self.flush();
        self.show_thinking(asked.at);
        self.table.deferred.send();
        self.start_pondering(!color, asked.deadline).await;
    }

    /// The part of the time used that is not the engine's: what hone took to write the
    /// commands and to read the answer.
    fn latency(&mut self, color: Color, asked: &PendingSearch, used: Duration) -> Duration {
        let mut latency = asked.written.duration_since(asked.at).min(used);
        if used >= DELAY_CHECK {
            let player = self.player(color);
            let unwatched = self.table.slots[player].client().unwatched();
            latency += DelayMeter::waited().max(unwatched);
        }
        latency.min(used)
    }

    /// Judges an answer: an illegal move loses before the clock is looked at.
    fn judge(&mut self, color: Color, used: Duration, latency: Duration) -> Option<End> {
        let player = self.player(color);
        let client = self.table.slots[player].client();
        let info = client.info();
        let score = info.score;
        self.used[color] += used;
        self.nodes[color] = self.nodes[color].saturating_add(info.nodes);
        let effort = &mut self.effort[color];
        effort.moves += 1;
        effort.depth = effort.depth.saturating_add(u64::from(info.depth));
        effort.seldepth = effort.seldepth.saturating_add(u64::from(info.seldepth));
        let latency_us = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        effort.latency_us = effort.latency_us.saturating_add(latency_us);
        let Some((legal, san)) = self.referee.find_written(client.best_move()) else {
            return Some(lost(color, Termination::IllegalMove));
        };
        // What kept hone from reading the answer is not the engine's time.
        if let Err(overrun) = self.clocks[color].spend(used - latency) {
            return Some(End {
                overrun: Some(overrun.by),
                ..lost(color, Termination::TimeForfeit)
            });
        }
        self.unrecorded = Some(Unrecorded {
            before: self.referee.position().clone(),
            legal,
            san,
            used,
            latency,
            left: self.clocks[color].shown().map(|clock| clock.left_ms),
        });
        self.table.command.push(self.uci(legal));
        self.last_move = Some(legal);
        let natural = self.referee.play(legal);
        let position = self.referee.position();
        let adjudicated = self.adjudicator.observe(
            color,
            score,
            position.halfmoves(),
            position.fullmoves().get(),
        );
        natural
            .or_else(|| self.table.tables?.judge(position))
            .or(adjudicated)
            .map(End::from)
    }
}
