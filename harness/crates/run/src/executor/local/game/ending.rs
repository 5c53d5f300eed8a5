//! The end of a game: its result, its texts, the evidence of a failure, and the engines
//! that must be restarted.

use std::time::Duration;

use super::{End, Game, white_first};
use crate::executor::local::evidence;
use crate::executor::local::slot::EngineSlot;
use crate::executor::{Evidence, GameText};
use hone_uci::openings::Variant;
use hone_uci::rules::{
    Clock, Detail, Ending, GameHeader, GameResult, Termination, final_epd, millis, write_game,
};

impl Game<'_> {
    /// The result and the texts of the finished game.
    pub(super) fn finish(
        &mut self,
        end: End,
        started: &jiff::Zoned,
        duration: Duration,
    ) -> (GameResult, GameText) {
        let job = self.job;
        let Ending {
            outcome,
            termination,
        } = end.ending;
        let style = &job.rules.record;
        let detail = match termination {
            Termination::IllegalMove => {
                let player = self.player(end.loser());
                Detail::of_answer(self.resources.slots[player].client().best_move())
            }
            _ => end.detail(),
        };
        let reason = termination.reason(outcome, &detail);
        self.digest_moves();
        let digests = self.digest.clone().finish(outcome);
        let result = GameResult {
            outcome,
            termination,
            plies: self.resources.movetext.plies() - self.opening_plies,
            ms: white_first(self.used.map(millis)),
            nodes: white_first(self.nodes),
            effort: white_first(self.effort),
            digest: digests.game,
            line: Some(digests.line),
        };
        let [white, black] = [self.white, 1 - self.white].map(|index| &job.players[index]);
        let limits = [white, black].map(|player| player.limit.to_string());
        let header = GameHeader {
            white: &white.name,
            black: &black.name,
            round: job.pair + 1,
            outcome,
            termination,
            fen: job.opening.fen.as_deref(),
            chess960: job.rules.variant == Variant::Chess960,
            plies: self.resources.movetext.plies(),
            limits: [&limits[0], &limits[1]],
            started,
            duration,
        };
        let mut text = GameText::default();
        let movetext = self
            .resources
            .movetext
            .finish(style, &reason, outcome.as_str());
        write_game(&mut text.pgn, style, &header, movetext);
        if style.epd {
            text.epd = final_epd(self.referee.position());
        }
        text.detail = detail;
        (result, text)
    }

    /// The evidence of an engine's failure.
    pub(super) async fn evidence(&mut self, end: End) -> Evidence {
        let loser = end.loser();
        let player = self.player(loser);
        let status = match &self.missing[player] {
            Some(why) => why.clone(),
            None => self.resources.slots[player].client().exit_status().await,
        };
        let (command, pondered) = match &self.ended_pondering {
            Some(ended) => (&ended.command, Some(ended.end)),
            None => (&*self.resources.command, None),
        };
        evidence::collect(&evidence::Failure {
            job: self.job,
            game: self.white,
            player,
            reason: end.reason(),
            status,
            position: self.referee.position(),
            command: command.split(),
            pondered,
            clocks: white_first(self.clocks.as_ref().map(Clock::shown)),
            allowance: self.clocks[loser].allowance(),
            clients: self.resources.slots.each_ref().map(EngineSlot::running),
        })
    }

    /// Kills the engines that failed or did not get ready; they are restarted before the
    /// next game. An engine that answered late keeps running.
    pub(super) async fn kill_failed(&mut self, end: End) {
        for (slot, unready) in self.resources.slots.iter_mut().zip(self.unready) {
            if unready {
                slot.kill().await;
            }
        }
        let player = self.player(end.loser());
        let failed = match end.ending.termination {
            Termination::Disconnect | Termination::Stall => true,
            Termination::TimeForfeit => end.overrun.is_none(),
            _ => false,
        };
        if failed {
            self.resources.slots[player].kill().await;
        }
    }
}
