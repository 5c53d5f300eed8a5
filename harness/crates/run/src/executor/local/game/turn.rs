//! One turn: an engine searches, and its answer is checked.

use std::time::{Duration, Instant};

use shakmaty::{Color, Position};

use super::{End, Game, Unrecorded, lost, termination_of};
use hone_base::platform::DelayMeter;
use hone_uci::rules::Termination;

/// Faster moves are not checked for delays of `hone`: reading the statistics of the kernel
/// would take longer than the delay.
const DELAY_CHECK: Duration = Duration::from_millis(1);

/// A search whose `go` or `ponderhit` was sent.
pub(super) struct PendingSearch {
    /// When its clock started, before the command was written.
    pub(super) at: Instant,
    /// When the command was written.
    pub(super) written: Instant,
    /// When the clock runs out, margin included; without a clock, when the engine stalls.
    pub(super) deadline: Instant,
    /// Whether a clock or a fixed time runs.
    pub(super) timed: bool,
    /// The processor time of both players when it was written, if it is measured.
    pub(super) processor: Option<[Duration; 2]>,
}

impl Game<'_> {
    /// Plays one move. Returns the end of the game, if the move ends it.
    ///
    /// ```text
    ///           start_search    await_move                 judge
    /// engine     |-- position, go --> thinks --> bestmove --|
    /// hone       |-- do_deferred_work                       |
    /// opponent   |        |-- ponders …                     |
    /// ```
    pub(super) async fn turn(&mut self) -> Option<End> {
        let color = self.referee.turn();
        let search = match self.start_search(color).await {
            Ok(search) => search,
            Err(end) => return Some(end),
        };
        self.do_deferred_work(color, &search).await;
        let (answer, waited) = self.await_move(self.player(color), &search).await;
        let end = match answer {
            Ok(answer) => {
                let used = answer.arrived.saturating_duration_since(search.at);
                self.measure(color, &search, used);
                let latency = self.latency(color, &search, used);
                self.judge(color, used, latency)
            }
            Err(error) => {
                self.used[color] += search.at.elapsed();
                Some(lost(color, termination_of(error, search.timed)))
            }
        };
        if let Some(end) = end
            && end.ending.termination == Termination::TimeForfeit
        {
            self.check_starvation(color, end, waited);
        }
        end
    }

    /// Sends the engine of the side to move its `go`, or `ponderhit`.
    ///
    /// # Errors
    /// The end of the game if the engine no longer reads, or does not stop pondering.
    async fn start_search(&mut self, color: Color) -> Result<PendingSearch, End> {
        self.resources.command.drop_go();
        let guessed = self.end_pondering(color).await;
        let guessed = guessed.map_err(|error| lost(color, termination_of(error, false)))?;
        let allowance = self.clocks[color].allowance();
        let timed = allowance.is_some();
        let timeout = allowance.unwrap_or(Duration::from_millis(self.job.rules.stall_ms));
        let player = self.player(color);
        let commands = self.resources.command.with_go(&self.clocks, color, false);
        let client = self.resources.slots[player].client();
        // After a correct guess, the output of pondering belongs to the move.
        if !guessed {
            client.clear_info();
            client.drop_unsolicited();
        }
        let commands: &[u8] = if guessed { b"ponderhit\n" } else { commands };
        let at = Instant::now();
        let deadline = at + timeout;
        let written = client.send_at(at, commands, deadline).await;
        let written = written.map_err(|error| lost(color, termination_of(error, timed)))?;
        DelayMeter::begin(written);
        let processor = self.measure_if_due(written);
        Ok(PendingSearch {
            at,
            written,
            deadline,
            timed,
            processor,
        })
    }

    /// Does what can wait until the engine thinks: records the opponent's last move (before
    /// the first move, sends the result of the previous pair), and lets the opponent ponder.
    async fn do_deferred_work(&mut self, color: Color, search: &PendingSearch) {
        self.flush();
        self.show_thinking(search.at);
        self.resources.deferred.send();
        self.start_pondering(!color, search.deadline).await;
    }

    /// The part of the time `used` that is not charged to the engine: `hone` wrote the
    /// commands, or was kept from reading the answer.
    fn latency(&mut self, color: Color, search: &PendingSearch, used: Duration) -> Duration {
        let mut latency = search.written.duration_since(search.at).min(used);
        if used >= DELAY_CHECK {
            let player = self.player(color);
            let pause_credit = self.resources.slots[player].client().pause_credit();
            latency += DelayMeter::waited().max(pause_credit);
        }
        latency.min(used)
    }

    /// Checks an answer, plays its move and checks for the end of the game. An illegal move
    /// comes before a time forfeit.
    fn judge(&mut self, color: Color, used: Duration, latency: Duration) -> Option<End> {
        let player = self.player(color);
        let client = self.resources.slots[player].client();
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
        self.resources.command.push(self.uci(legal));
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
            .or_else(|| self.resources.tables?.judge(position))
            .or(adjudicated)
            .map(End::from)
    }
}
