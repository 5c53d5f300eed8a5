//! One search before the first game: whether an engine answers under the run's
//! limit, and keeps to it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use shakmaty::Position;

use crate::config::Config;
use crate::engine::uci::{AnswerError, Client};
use crate::rules::openings::Opening;
use crate::rules::{Clock, Limit, Referee, Score, Spending, departure, push_go};

/// An engine that thinks longer under a clock is stopped; without a clock the
/// user sees what `hone` waits for.
const SOON: Duration = Duration::from_secs(2);

/// Why an engine is not fit for a game.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PreflightError {
    #[error("cannot start: engine `{name}` did not answer `{go}` within {seconds} s")]
    Silent {
        name: String,
        go: String,
        seconds: u64,
    },
    #[error("cannot start: engine `{name}` ended ({status}) after `{go}`")]
    Ended {
        name: String,
        go: String,
        status: String,
    },
    #[error("cannot start: engine `{name}` answered `{go}` with the illegal move `{best}`")]
    Illegal {
        name: String,
        go: String,
        best: String,
    },
}

/// The search: the run's first opening under the engine's own limit.
#[derive(Clone, Copy)]
pub(super) struct Preflight<'a> {
    pub(super) name: &'a str,
    pub(super) limit: &'a Limit,
    pub(super) opening: &'a Opening,
    pub(super) config: &'a Config,
}

/// An answer, in time or after a `stop`.
struct Answered {
    used: Duration,
    was_stopped: bool,
}

impl Preflight<'_> {
    /// Lets the engine search. It must be ready; its process is not to be used
    /// for games afterwards.
    ///
    /// # Errors
    /// If it does not answer, ends, or answers with an illegal move.
    pub(super) async fn search(
        &self,
        client: &mut Client,
        announce: &mut dyn FnMut(&str),
    ) -> Result<(), PreflightError> {
        let Ok(position) = self.opening.position(self.config.r#match.variant) else {
            // The game itself names an opening that cannot be played.
            return Ok(());
        };
        let referee = Referee::new(position.clone());
        if referee.ending().is_some() {
            return Ok(());
        }
        let clock = || Clock::new(Arc::new(self.limit.clone()), Duration::ZERO);
        let mut go = Vec::new();
        let side = usize::from(position.turn().is_black());
        push_go(&mut go, &[clock(), clock()], side, false);
        let go = String::from_utf8_lossy(&go).trim_end().to_string();
        let answered = match self.answer(client, &go, announce).await {
            Ok(answered) => answered,
            Err((error, waited)) => return Err(self.failure(error, waited, go, client).await),
        };
        if referee.find(client.best_move()).is_none() {
            return Err(PreflightError::Illegal {
                name: self.name.to_string(),
                go,
                best: String::from_utf8_lossy(client.best_move()).into_owned(),
            });
        }
        let is_forced = position.legal_moves().len() == 1
            || matches!(client.info().score, Some(Score::Mate(_)));
        if !is_forced && !answered.was_stopped {
            self.judge(client, answered.used, announce);
        }
        Ok(())
    }

    /// Asks, and waits for the move. An error comes with how long it took.
    async fn answer(
        &self,
        client: &mut Client,
        go: &str,
        announce: &mut dyn FnMut(&str),
    ) -> Result<Answered, (AnswerError, Duration)> {
        let stall = Duration::from_millis(self.config.r#match.stall_ms);
        let is_timed = self.limit.is_timed();
        let command = format!("{}\n{go}\n", position_command(self.opening));
        let asked = Instant::now();
        let failed = |error| (error, asked.elapsed());
        let soon = if is_timed { SOON } else { SOON.min(stall) };
        client.clear_info();
        client
            .send(command.as_bytes(), asked + stall)
            .await
            .map_err(failed)?;
        let mut was_stopped = false;
        let answer = match client.wait_bestmove(asked + soon).await {
            Err(AnswerError::TimedOut) if is_timed || soon < stall => {
                announce(&format!("waiting for {} to answer `{go}`", self.name));
                let deadline = if is_timed {
                    asked + soon + stall
                } else {
                    asked + stall
                };
                if is_timed {
                    was_stopped = true;
                    client.send(b"stop\n", deadline).await.map_err(failed)?;
                }
                client.wait_bestmove(deadline).await
            }
            answer => answer,
        };
        let answer = answer.map_err(failed)?;
        Ok(Answered {
            used: answer.arrived.saturating_duration_since(asked),
            was_stopped,
        })
    }

    async fn failure(
        &self,
        error: AnswerError,
        waited: Duration,
        go: String,
        client: &mut Client,
    ) -> PreflightError {
        let name = self.name.to_string();
        match error {
            AnswerError::TimedOut => PreflightError::Silent {
                name,
                go,
                seconds: waited.as_secs_f64().round().max(1.0) as u64,
            },
            AnswerError::Disconnected => PreflightError::Ended {
                name,
                go,
                status: client.exit_status().await,
            },
        }
    }

    /// Warns of a search that was far from its limit.
    fn judge(&self, client: &Client, used: Duration, announce: &mut dyn FnMut(&str)) {
        let spent = Spending::of_search(client.info(), used);
        if let Some(departure) = departure(self.limit, &spent) {
            announce(&format!(
                "warning: engine `{}` does not keep to its limit in a first search: {departure}",
                self.name
            ));
        }
    }
}

fn position_command(opening: &Opening) -> String {
    let mut command = match &opening.fen {
        Some(fen) => format!("position fen {fen}"),
        None => "position startpos".to_string(),
    };
    if !opening.moves.is_empty() {
        command += " moves ";
        command += &opening.moves;
    }
    command
}
