//! One search before the first game, which checks that an engine answers and keeps to its
//! limit.

use std::sync::Arc;
use std::time::{Duration, Instant};

use shakmaty::{ByColor, Position};

use crate::config::Config;
use hone_base::diagnostic::{Diagnostic, Setting, shown};
use hone_base::output::Announce;
use hone_uci::engine::uci::{AnswerError, Client, push_go, push_position};
use hone_uci::openings::Opening;
use hone_uci::rules::{Clock, Limit, Referee, Score, Spending, departure};

/// After this time a message names the engine that `hone` waits for, and a search with a time
/// control is stopped.
const NOTICE_DELAY: Duration = Duration::from_secs(2);

/// Why an engine is not fit for a game.
#[derive(Debug, thiserror::Error)]
pub enum PreflightError {
    #[error("engine `{name}` did not answer `{go}` within {seconds} s{details}")]
    Silent {
        name: String,
        go: String,
        seconds: u64,
        /// [`Client::details`], with further help.
        #[source]
        details: Diagnostic,
    },
    #[error("engine `{name}` ended ({status}) after `{go}`{details}")]
    Ended {
        name: String,
        go: String,
        status: String,
        /// [`Client::details`].
        #[source]
        details: Diagnostic,
    },
    #[error("engine `{name}` answered `{go}` with the illegal move `{best}`")]
    Illegal {
        name: String,
        go: String,
        best: String,
    },
}

pub(super) const STALL: Setting = Setting {
    key: "match.stall_ms",
    words: "`stall_ms` in [match]",
};
const MARGIN: Setting = Setting {
    key: "match.margin_ms",
    words: "`margin_ms` in [match]",
};
const LIMIT: Setting = Setting {
    key: "match.limit",
    words: "another `limit`",
};

/// The search: the run's first opening under the engine's own limit.
#[derive(Clone, Copy)]
pub(super) struct Preflight<'a> {
    pub(super) name: &'a str,
    pub(super) limit: &'a Limit,
    pub(super) opening: &'a Opening,
    pub(super) config: &'a Config,
    /// Whether a failure is an error, and not only a warning.
    pub(super) is_required: bool,
}

/// An answer, in time or after a `stop`.
struct Answered {
    used: Duration,
    was_stopped: bool,
}

impl Preflight<'_> {
    /// [`Preflight::search`]; a failure is only a warning unless the search is required.
    ///
    /// # Errors
    /// As [`Preflight::search`].
    pub(super) async fn try_out(
        &self,
        client: &mut Client,
        announce: Announce<'_>,
    ) -> Result<(), PreflightError> {
        match self.search(client, announce).await {
            Err(error) if !self.is_required => {
                announce(&format!(
                    "warning: before the first game, {}",
                    shown(&error)
                ));
                Ok(())
            }
            searched => searched,
        }
    }

    /// Has the engine search. It must be ready; its process must not be used for games
    /// afterwards.
    ///
    /// # Errors
    /// If it does not answer, ends, or answers with an illegal move.
    async fn search(
        &self,
        client: &mut Client,
        announce: Announce<'_>,
    ) -> Result<(), PreflightError> {
        let Ok(position) = self.opening.position(self.config.r#match.variant) else {
            // The game reports an opening that cannot be played.
            return Ok(());
        };
        self.begin_game(client, announce).await?;
        let referee = Referee::new(position.clone());
        if referee.ending().is_some() {
            return Ok(());
        }
        let limit = Arc::new(self.limit.clone());
        let clocks = ByColor::new_with(|_| Clock::new(Arc::clone(&limit), Duration::ZERO));
        let mut go = Vec::new();
        push_go(&mut go, &clocks, position.turn(), false);
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
        let warning = self.score_warning(client);
        if let Some(warning) = warning.filter(|_| !is_forced) {
            announce(&warning);
        }
        if !answered.was_stopped {
            let spent = Spending::of_search(client.info(), answered.used);
            let spent = (!is_forced).then_some(&spent);
            if let Some(warning) = self.warning(spent, answered.used) {
                announce(&warning);
            }
        }
        Ok(())
    }

    /// Sends the engine what it gets before each game of the run, and waits until it is
    /// ready.
    async fn begin_game(
        &self,
        client: &mut Client,
        announce: Announce<'_>,
    ) -> Result<(), PreflightError> {
        let stall = Duration::from_millis(self.config.r#match.stall_ms);
        let asked = Instant::now();
        let deadline = asked + stall;
        let ready = async {
            client.announce_game(deadline).await?;
            match client.wait_ready(deadline.min(asked + NOTICE_DELAY)).await {
                Err(AnswerError::TimedOut) if NOTICE_DELAY < stall => {
                    announce(&format!(
                        "waiting for {} to get ready for a game",
                        self.name
                    ));
                    client.wait_ready(deadline).await
                }
                ready => ready,
            }
        };
        match ready.await {
            Ok(()) => Ok(()),
            Err(error) => {
                let sent = "ucinewgame, isready".to_string();
                Err(self.failure(error, asked.elapsed(), sent, client).await)
            }
        }
    }

    /// Sends `go`, and waits for the move.
    ///
    /// # Errors
    /// The error, and the time since `go`.
    async fn answer(
        &self,
        client: &mut Client,
        go: &str,
        announce: Announce<'_>,
    ) -> Result<Answered, (AnswerError, Duration)> {
        let stall = Duration::from_millis(self.config.r#match.stall_ms);
        let is_timed = self.limit.is_timed();
        let mut command = Vec::new();
        push_position(
            &mut command,
            self.opening.fen.as_deref(),
            &self.opening.moves,
        );
        command.extend_from_slice(format!("\n{go}\n").as_bytes());
        let asked = Instant::now();
        let failed = |error| (error, asked.elapsed());
        let delay = if is_timed {
            NOTICE_DELAY
        } else {
            NOTICE_DELAY.min(stall)
        };
        client.clear_info();
        client.send(&command, asked + stall).await.map_err(failed)?;
        let mut was_stopped = false;
        let answer = match client.wait_bestmove(asked + delay).await {
            Err(AnswerError::TimedOut) if is_timed || delay < stall => {
                announce(&format!("waiting for {} to answer `{go}`", self.name));
                let deadline = if is_timed {
                    asked + delay + stall
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
                seconds: waited.as_secs_f64().round().max(1.0) as u64,
                details: self
                    .stall_help(&go)
                    .into_iter()
                    .fold(client.details(error), Diagnostic::help),
                go,
            },
            AnswerError::Disconnected => PreflightError::Ended {
                name,
                go,
                status: client.exit_status().await,
                details: client.details(error),
            },
        }
    }

    /// The help about an answer to `sent` that did not come.
    fn stall_help(&self, sent: &str) -> Vec<String> {
        let longer = format!("if it needs longer, raise {STALL}");
        let mut words = sent.split(' ');
        match (words.next(), words.next()) {
            (Some("go"), _) if self.limit.is_timed() => Vec::new(),
            (Some("go"), Some(kind)) => {
                let other = format!("if it does not support `go {kind}`, give it {LIMIT}");
                vec![other, longer]
            }
            _ => vec![longer],
        }
    }

    /// The warning of a search without a score, if scores adjudicate games.
    fn score_warning(&self, client: &Client) -> Option<String> {
        let rules = &self.config.adjudication;
        let needs_scores = rules.draw.is_some() || rules.resign.is_some();
        if !needs_scores || client.info().score.is_some() {
            return None;
        }
        let line = client.line_with_score();
        let line = line.map(|line| format!(" (that in `{line}` cannot be read)"));
        Some(format!(
            "warning: engine `{}` gave no score in a first search{}: the resign and draw rules \
             cannot judge moves without a score",
            self.name,
            line.unwrap_or_default()
        ))
    }

    /// The warning of a search that was far from its limit (not checked if `spent` is
    /// `None`), or took so long that games may be lost.
    fn warning(&self, spent: Option<&Spending>, used: Duration) -> Option<String> {
        let name = self.name;
        let departure = spent.and_then(|spent| departure(self.limit, spent));
        if let Some(departure) = departure {
            return Some(format!(
                "warning: engine `{name}` does not keep to its limit in a first search: {departure}"
            ));
        }
        let play = &self.config.r#match;
        let margin = Duration::from_millis(play.margin_ms);
        if let Err(overrun) = Clock::new(Arc::new(self.limit.clone()), margin).spend(used) {
            return Some(format!(
                "warning: engine `{name}` overran its time by {:.1} ms in a first search: such a move loses the game\nhelp: {MARGIN}, now {}, allows moves that are a little late",
                overrun.by.as_secs_f64() * 1000.0,
                play.margin_ms
            ));
        }
        let stall = Duration::from_millis(play.stall_ms);
        (!self.limit.is_timed() && used > stall / 3).then(|| {
            format!(
                "warning: engine `{name}` took {:.1} s for a first search, and a game is lost after {:.1} s without an answer\nhelp: raise {STALL}",
                used.as_secs_f64(),
                stall.as_secs_f64()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(unix)]
    use hone_uci::engine::uci::Launch;

    fn warning(limit: &str, set: impl FnOnce(&mut Config), used_ms: u64) -> Option<String> {
        let limit = limit.parse().expect(limit);
        let mut config: Config = toml::from_str("").expect("every key has a default");
        set(&mut config);
        let preflight = Preflight {
            name: "a",
            limit: &limit,
            opening: &Opening::default(),
            config: &config,
            is_required: true,
        };
        preflight.warning(None, Duration::from_millis(used_ms))
    }

    #[test]
    fn a_search_that_would_lose_on_time_gets_the_hint_of_a_margin() {
        let text = warning("movetime=50", |_| {}, 54).expect("late");
        assert!(text.contains("overran its time by 4.0 ms"), "{text}");
        assert!(
            text.contains("help: `margin_ms` in [match], now 0"),
            "{text}"
        );
        let margin = |config: &mut Config| config.r#match.margin_ms = 4;
        assert_eq!(warning("movetime=50", margin, 54), None);
        assert!(warning("movetime=50", margin, 55).is_some());
        assert_eq!(warning("8+0.08", |_| {}, 1900), None);
    }

    #[test]
    fn a_search_without_an_answer_gets_the_help_that_fits_its_limit() {
        let help = |limit: &str, sent| {
            let limit = limit.parse().expect(limit);
            let config: Config = toml::from_str("").expect("every key has a default");
            let preflight = Preflight {
                name: "a",
                limit: &limit,
                opening: &Opening::default(),
                config: &config,
                is_required: true,
            };
            preflight.stall_help(sent)
        };
        let longer = "if it needs longer, raise `stall_ms` in [match]";
        assert_eq!(
            help("nodes=2000", "go nodes 2000"),
            [
                "if it does not support `go nodes`, give it another `limit`",
                longer
            ]
        );
        assert!(help("8+0.08", "go wtime 8000 btime 8000").is_empty());
        for limit in ["nodes=2000", "8+0.08"] {
            let ready = help(limit, "ucinewgame, isready");
            assert_eq!(ready, [longer]);
        }
    }

    /// What is announced of scores if an engine writes `info` and then moves.
    #[cfg(unix)]
    fn announced(info: &str, adjudication: &str) -> Vec<String> {
        let script = format!(
            "read uci; echo uciok; read game; read ready; echo readyok\n\
             read position; read go; echo '{info}'; echo bestmove e2e4; read quit"
        );
        let launch = Launch {
            program: "sh".into(),
            args: vec!["-c".into(), script],
            ..Launch::default()
        };
        let config = format!("[match]\nstall_ms = 60000\n[adjudication]\n{adjudication}");
        let config: Config = toml::from_str(&config).expect("valid");
        let limit = "nodes=10".parse().expect("a limit");
        let preflight = Preflight {
            name: "a",
            limit: &limit,
            opening: &Opening::default(),
            config: &config,
            is_required: true,
        };
        let mut announced = Vec::new();
        let runtime = hone_base::platform::runtime().expect("a runtime");
        runtime.block_on(async {
            let client = Client::start(&launch, Duration::from_secs(60)).await;
            let mut announce = |text: &str| announced.push(text.to_string());
            let mut client = client.expect("it starts");
            let searched = preflight.search(&mut client, &mut announce).await;
            searched.expect("a move");
        });
        announced.retain(|text| text.contains("score"));
        announced
    }

    #[cfg(unix)]
    #[test]
    fn a_search_without_a_score_is_named_if_scores_adjudicate() {
        let rules = "resign = { count = 3, score = 600 }";
        let warning = |line: &str| {
            format!(
                "warning: engine `a` gave no score in a first search{line}: the resign and draw \
                 rules cannot judge moves without a score"
            )
        };
        let line = "info depth 1 score cp 0.11 pv e2e4";
        let of_line = warning(&format!(" (that in `{line}` cannot be read)"));
        assert_eq!(announced(line, rules), [of_line]);
        assert_eq!(announced("info depth 1 pv e2e4", rules), [warning("")]);
        let none: [String; 0] = [];
        assert_eq!(announced("info depth 1 score cp 11", rules), none);
        assert_eq!(announced(line, "max_moves = 100"), none);
    }

    #[test]
    fn an_untimed_search_near_the_stall_limit_is_named() {
        let stall = |config: &mut Config| config.r#match.stall_ms = 3000;
        assert_eq!(warning("nodes=1000", stall, 1000), None);
        let text = warning("nodes=1000", stall, 1001).expect("near");
        assert!(text.contains("after 3.0 s without an answer"), "{text}");
        assert!(text.contains("help: raise `stall_ms`"), "{text}");
        assert_eq!(warning("depth=30 movetime=60000", stall, 2000), None);
    }
}
