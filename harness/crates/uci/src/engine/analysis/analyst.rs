//! An engine process that evaluates positions one after another.

use std::time::{Duration, Instant};

use thiserror::Error;

use super::{EngineCommand, SearchLimit, at_once};
use crate::engine::uci::{
    AnswerError, Client, OptionError, StartError, options_for, push_position, supports,
};
use crate::openings::Variant;
use crate::rules::Score;

/// Time limit for `uciok` and for `readyok`.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Time limit for the answer to a search without its own time limit.
const STALL: Duration = Duration::from_secs(600);

/// Iterations kept of one search.
const MAX_ITERATIONS: usize = 4096;

/// An engine's evaluation of a position.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evaluation {
    /// In UCI notation; empty if the engine sent none.
    pub best_move: String,
    /// From the side to move.
    pub score: Option<Score>,
    pub nodes: u64,
    /// One for each change of the first move, the score or the depth, in order: the first
    /// [`MAX_ITERATIONS`] - 1 and the last.
    pub iterations: Vec<Iteration>,
    pub elapsed: Duration,
}

/// The engine's choice at one point of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Iteration {
    pub depth: u32,
    /// First move of the principal variation, in UCI notation.
    pub best_move: String,
    /// From the side to move.
    pub score: Option<Score>,
    pub nodes: u64,
    pub elapsed: Duration,
}

/// Why a position was not evaluated.
#[derive(Debug, Error)]
pub enum AnalysisError {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error("the engine does not support Chess960 (no option `UCI_Chess960`)")]
    NoChess960,
    #[error("{engine}: {source} ({place})")]
    Answer {
        engine: String,
        /// Which position, in words.
        place: String,
        source: AnswerError,
    },
    #[error("engine `{engine}` stalls: no answer for {} s ({place})", after.as_secs_f64())]
    Stall {
        engine: String,
        /// Which position, in words.
        place: String,
        after: Duration,
    },
}

/// A running engine with its options set.
#[derive(Debug)]
pub struct Analyst {
    client: Client,
    stall: Duration,
}

impl Analyst {
    /// Starts an engine and sets its options.
    ///
    /// # Errors
    /// If the engine does not start, does not accept one of the options, does not support
    /// the variant, or does not get ready.
    pub async fn start(engine: &EngineCommand, variant: Variant) -> Result<Self, AnalysisError> {
        let client = Client::start(&engine.launch, HANDSHAKE).await?;
        let options = engine.options.iter().map(|(n, v)| (n.as_str(), v.as_str()));
        client.check_options(options)?;
        if !supports(client.options(), variant) {
            return Err(AnalysisError::NoChess960);
        }
        let wanted = options_for(variant, false, &engine.options);
        let mut analyst = Self {
            client,
            stall: STALL,
        };
        let deadline = Instant::now() + HANDSHAKE;
        let set = analyst.client.configure(&wanted, deadline).await;
        analyst.answered(set, "before the first position")?;
        analyst.forget().await?;
        Ok(analyst)
    }

    /// Starts `count` processes of the same engine in parallel.
    ///
    /// # Errors
    /// The first failure of [`Analyst::start`].
    pub async fn start_several(
        count: usize,
        engine: &EngineCommand,
        variant: Variant,
    ) -> Result<Vec<Self>, AnalysisError> {
        let starts = (0..count).map(|_| {
            let engine = engine.clone();
            async move { Self::start(&engine, variant).await }
        });
        at_once(starts).await
    }

    /// Sets the time limit for searches without their own; by default 600 s.
    pub fn set_stall(&mut self, after: Duration) {
        self.stall = after;
    }

    /// The engine's `id name`.
    pub fn name(&self) -> &str {
        self.client.name()
    }

    /// Starts a new game, so that an evaluation does not depend on those before it.
    ///
    /// # Errors
    /// [`AnalysisError::Answer`] if the engine does not get ready.
    pub async fn forget(&mut self) -> Result<(), AnalysisError> {
        let deadline = Instant::now() + HANDSHAKE;
        let ready = self.client.begin_game(deadline).await;
        self.answered(ready, "before the next position")
    }

    /// Searches a position, given as six-field FEN. `place` names it in errors.
    ///
    /// # Errors
    /// [`AnalysisError::Answer`] if the engine ends, [`AnalysisError::Stall`] if it does
    /// not answer in time.
    pub async fn evaluate(
        &mut self,
        fen: &str,
        place: &str,
        limit: SearchLimit,
    ) -> Result<Evaluation, AnalysisError> {
        let started = Instant::now();
        let timeout = limit.timeout(self.stall);
        let deadline = started + timeout;
        self.client.clear_info();
        let mut command = Vec::new();
        push_position(&mut command, Some(fen), "");
        command.push(b'\n');
        command.extend_from_slice(limit.go().as_bytes());
        let sent = self.client.send(&command, deadline).await;
        self.answered(sent, place)?;
        let mut iterations: Vec<Iteration> = Vec::new();
        let answer = self
            .client
            .watch_bestmove(deadline, |_, info| {
                let first = info.pv.split(u8::is_ascii_whitespace).next();
                let first = first.unwrap_or_default();
                let is_unchanged = iterations.last().is_some_and(|last| {
                    last.depth == info.depth
                        && last.score == info.score
                        && last.best_move.as_bytes() == first
                });
                if first.is_empty() || is_unchanged {
                    return;
                }
                iterations.truncate(MAX_ITERATIONS - 1);
                iterations.push(Iteration {
                    depth: info.depth,
                    best_move: String::from_utf8_lossy(first).into_owned(),
                    score: info.score,
                    nodes: info.nodes,
                    elapsed: started.elapsed(),
                });
            })
            .await;
        if matches!(answer, Err(AnswerError::TimedOut)) {
            return Err(AnalysisError::Stall {
                engine: self.client.name().to_owned(),
                place: place.to_owned(),
                after: timeout,
            });
        }
        let answer = self.answered(answer, place)?;
        let info = self.client.info();
        Ok(Evaluation {
            best_move: String::from_utf8_lossy(self.client.best_move()).into_owned(),
            score: info.score,
            nodes: info.nodes,
            iterations,
            elapsed: answer.arrived.duration_since(started),
        })
    }

    /// Ends the engine within 1 s.
    pub async fn quit(self) {
        self.client.quit(Duration::from_secs(1)).await;
    }

    fn answered<T>(&self, result: Result<T, AnswerError>, place: &str) -> Result<T, AnalysisError> {
        result.map_err(|source| AnalysisError::Answer {
            engine: self.client.name().to_owned(),
            place: place.to_owned(),
            source,
        })
    }
}
