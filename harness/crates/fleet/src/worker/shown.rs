//! Sends games to the spectators of a run.

use std::time::Instant;

use super::Worker;
use crate::ids::Name;
use crate::link::WorkerLink;
use crate::live_message::{MAX_GAMES, Shown};
use crate::message::encode;
use hone_run::executor::LiveGame;

impl<L: WorkerLink> Worker<L> {
    /// Sends the games of the watched runs.
    pub(super) async fn send_games(&mut self) {
        let now = Instant::now();
        for run in self.runs.due(now) {
            let games = self.games_of(&run);
            if !self.runs.must_send(&run, &games, now) {
                continue;
            }
            let shown = Shown {
                now_ms: jiff::Timestamp::now().as_millisecond(),
                games,
            };
            // Games that are too long for a message are not sent.
            if let Ok(bytes) = encode(&shown) {
                self.link.send_games(&run, bytes).await;
            }
        }
    }

    /// The games of a run that are being played, with the run's own numbers of
    /// engines.
    fn games_of(&self, run: &Name) -> Vec<LiveGame> {
        let games = self.slots.games().filter_map(|(ticket, mut game)| {
            let mut held = self.held.iter();
            let held = held.find(|held| held.ticket == ticket && held.run == *run)?;
            let players = &held.job.pair.players;
            let colours = [game.game, 1_usize.checked_sub(game.game)?];
            game.players = colours.map(|player| players[player].engine);
            (game.pair == held.job.pair.pair).then_some(game)
        });
        games.take(MAX_GAMES).collect()
    }
}
