//! Plays one game between two engine processes.

mod answer;
mod ending;
mod measure;
mod ponder;
mod ready;
mod shown;
mod turn;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::{ByColor, Chess, Color, Move, Position};

use super::deferred::DeferredResult;
use super::ponder_search::{EndedPondering, PonderSearch};
use super::position_command::PositionCommand;
use super::slot::{EngineSlot, RestartError};
use crate::executor::{BoardWriter, Evidence, GameText, PairJob, Player};
use hone_base::diagnostic::Setting;
use hone_uci::engine::uci::AnswerError;
use hone_uci::openings::StartError as OpeningError;
use hone_uci::rules::tablebase::{TablebaseError, Tables};
use hone_uci::rules::{
    Adjudicator, Clock, Detail, Effort, Ending, GameDigest, GameResult, Movetext, Outcome,
    PlayedMove, Referee, Termination, illegal_move, millis,
};

const STOP: Setting = Setting {
    key: "match.on_failure",
    words: "`on_failure` is \"stop\"",
};

/// Why a run must stop at a game.
#[derive(Debug, thiserror::Error)]
pub(super) enum GameError {
    #[error("cannot restart {name}: {source}")]
    Start {
        name: Arc<str>,
        source: RestartError,
    },
    #[error(transparent)]
    Tablebase(#[from] TablebaseError),
    #[error("cannot play opening {number}: {source}")]
    Opening { number: u64, source: OpeningError },
    #[error("{name} failed in game {game} of pair {pair} ({reason}), and {STOP}")]
    Failure {
        name: Arc<str>,
        game: usize,
        pair: u64,
        reason: String,
    },
}

impl GameError {
    /// The failure that ended game `number` (0 or 1) of the pair.
    pub(super) fn failure(
        job: &PairJob,
        number: usize,
        result: &GameResult,
        text: &GameText,
    ) -> Self {
        let loser = match result.outcome {
            Outcome::White => 1 - number,
            _ => number,
        };
        Self::Failure {
            name: Arc::clone(&job.players[loser].name),
            game: number + 1,
            pair: job.pair + 1,
            reason: result.termination.reason(result.outcome, &text.detail),
        }
    }
}

/// The parts of a worker that a game uses.
pub(super) struct Resources<'a> {
    /// Engines of the pair's first and second player.
    pub(super) slots: &'a mut [EngineSlot; 2],
    pub(super) movetext: &'a mut Movetext,
    pub(super) command: &'a mut PositionCommand,
    pub(super) deferred: &'a mut DeferredResult,
    pub(super) tables: Option<&'a Tables>,
    pub(super) board: &'a mut BoardWriter,
    /// Engines that this worker has started, by their index in the configuration.
    pub(super) started: &'a mut BTreeSet<usize>,
    /// When the next measurement of the engines' processor time is due.
    pub(super) measure_due: &'a mut Option<Instant>,
}

/// Plays game `number` (0 or 1) of a pair. A failure of an engine is a result, not an
/// error.
///
/// # Errors
/// [`GameError`] if the game cannot be played.
pub(super) async fn play(
    mut resources: Resources<'_>,
    job: &PairJob,
    number: usize,
) -> Result<PlayedGame, GameError> {
    let missing = resources.start_engines(job).await?;
    let mut game = Game::new(resources, job, number, missing)?;
    let started = jiff::Zoned::now();
    let clock = Instant::now();
    let mut end = match game.without_engine() {
        None => game.prepare().await,
        end => end,
    };
    while end.is_none() {
        end = game.turn().await;
    }
    game.flush();
    game.resources.board.end();
    let end = end.expect("the loop runs until the game ends");
    let (result, text) = game.finish(end, &started, clock.elapsed());
    let evidence = if end.ending.termination.is_failure() {
        Some(game.evidence(end).await)
    } else {
        None
    };
    game.kill_failed(end).await;
    game.stop_pondering().await;
    Ok(PlayedGame {
        result,
        text,
        evidence,
    })
}

/// A game that has been played.
pub(super) struct PlayedGame {
    pub(super) result: GameResult,
    pub(super) text: GameText,
    /// The evidence of the failure that ended it.
    pub(super) evidence: Option<Evidence>,
}

/// How a game ended.
#[derive(Debug, Clone, Copy)]
struct End {
    ending: Ending,
    /// By how much a move was late that lost on time; `None` without an answer.
    overrun: Option<Duration>,
}

impl End {
    fn reason(self) -> String {
        let Ending {
            outcome,
            termination,
        } = self.ending;
        termination.reason(outcome, &self.detail())
    }

    fn detail(self) -> Detail {
        match (self.ending.termination, self.overrun) {
            (Termination::TimeForfeit, Some(overrun)) => Detail::Overrun(millis(overrun)),
            (Termination::TimeForfeit, None) => Detail::NoAnswer,
            _ => Detail::None,
        }
    }

    /// The colour that lost; White after a draw.
    fn loser(self) -> Color {
        Color::from_white(self.ending.outcome.loser() != Some(1))
    }
}

impl From<Ending> for End {
    fn from(ending: Ending) -> Self {
        Self {
            ending,
            overrun: None,
        }
    }
}

/// A move that is recorded when the opponent is thinking.
struct Unrecorded {
    before: Chess,
    legal: Move,
    san: San,
    used: Duration,
    latency: Duration,
    left: Option<u64>,
}

/// A game in progress. Arrays of two, here and in its resources and job, are indexed by
/// player ([`Game::player`]); values of the two colours are in a [`ByColor`].
struct Game<'a> {
    resources: Resources<'a>,
    job: &'a PairJob,
    /// Which of the pair's players has White.
    white: usize,
    referee: Referee,
    adjudicator: Adjudicator,
    clocks: ByColor<Clock>,
    used: ByColor<Duration>,
    nodes: ByColor<u64>,
    effort: ByColor<Effort>,
    unrecorded: Option<Unrecorded>,
    digest: GameDigest,
    opening_plies: u32,
    last_move: Option<Move>,
    pondering: ByColor<Option<PonderSearch>>,
    /// The ponder search of the engine to move, if it continues as its search or is being
    /// stopped.
    ended_pondering: Option<EndedPondering>,
    /// Whether the engine of each player did not get ready.
    unready: [bool; 2],
    /// Why the engine of each player could not be started again.
    missing: [Option<String>; 2],
}

impl<'a> Game<'a> {
    fn new(
        resources: Resources<'a>,
        job: &'a PairJob,
        number: usize,
        missing: [Option<String>; 2],
    ) -> Result<Self, GameError> {
        let variant = job.rules.variant;
        let position = job
            .opening
            .start(variant)
            .map_err(|source| GameError::Opening {
                number: job.opening_number,
                source,
            })?;
        resources.movetext.clear();
        resources.command.begin(job.opening.fen.as_deref());
        let margin = Duration::from_millis(job.rules.margin_ms);
        let clock = |player: &Player| Clock::new(Arc::clone(&player.limit), margin);
        let white = number;
        let mut game = Self {
            job,
            white,
            referee: Referee::new(position),
            adjudicator: Adjudicator::new(&job.rules.adjudication),
            clocks: ByColor {
                white: clock(&job.players[white]),
                black: clock(&job.players[1 - white]),
            },
            used: ByColor::default(),
            nodes: ByColor::default(),
            effort: ByColor::default(),
            unrecorded: None,
            digest: GameDigest::new(job.opening.fen.as_deref()),
            opening_plies: 0,
            last_move: None,
            pondering: ByColor::default(),
            ended_pondering: None,
            unready: [false; 2],
            missing,
            resources,
        };
        game.play_opening()?;
        game.show_start();
        Ok(game)
    }

    fn play_opening(&mut self) -> Result<(), GameError> {
        if self.job.opening.plies() == 0 {
            return Ok(());
        }
        // Books check their openings, but a job may come from another machine.
        self.job
            .opening
            .position(self.job.rules.variant)
            .map_err(|source| GameError::Opening {
                number: self.job.opening_number,
                source,
            })?;
        for text in self.job.opening.uci_moves() {
            let legal = self
                .referee
                .find(text.as_bytes())
                .expect("the opening's moves have just been checked");
            let before = self.referee.position().clone();
            self.resources.command.push(self.uci(legal));
            self.referee.play(legal);
            self.resources.movetext.push_book(
                &self.job.rules.record,
                &before,
                legal,
                self.referee.position(),
            );
        }
        self.opening_plies = self.resources.movetext.plies();
        Ok(())
    }

    /// Index of the player of a colour in the pair.
    fn player(&self, color: Color) -> usize {
        match color {
            Color::White => self.white,
            Color::Black => 1 - self.white,
        }
    }

    /// The colour of one of the pair's players.
    fn color(&self, player: usize) -> Color {
        Color::from_white(player == self.white)
    }

    /// Records the last move, unless that is done.
    fn flush(&mut self) {
        let Some(last) = self.unrecorded.take() else {
            return;
        };
        let color = last.before.turn();
        let player = self.player(color);
        let client = self.resources.slots[player].client();
        let info = client.info();
        let after = self.referee.position();
        let illegal_pv = illegal_move(&last.before, client.best_move(), after, &info.pv);
        self.effort[color].illegal_pvs += u32::from(illegal_pv.is_some());
        let shown = shown::live_move(&last, info, self.job.rules.variant.castling_mode());
        let played = PlayedMove {
            before: &last.before,
            legal: last.legal,
            san: last.san,
            after,
            info,
            used: last.used,
            latency: last.latency,
            left: last.left,
            illegal_pv: illegal_pv.as_deref(),
        };
        self.resources
            .movetext
            .push(&self.job.rules.record, &played);
        self.resources.board.push(shown);
        self.digest_moves();
    }

    fn digest_moves(&mut self) {
        self.digest.push(self.resources.command.take_new_moves());
    }

    /// A move in UCI notation.
    fn uci(&self, legal: Move) -> UciMove {
        legal.to_uci(self.job.rules.variant.castling_mode())
    }
}

/// The values of White and Black.
fn white_first<T>(of: ByColor<T>) -> [T; 2] {
    [of.white, of.black]
}

fn lost(loser: Color, termination: Termination) -> End {
    Ending {
        outcome: Outcome::won_by(!loser),
        termination,
    }
    .into()
}

/// The termination when an engine does not answer. `timed`: whether a clock runs.
fn termination_of(error: AnswerError, timed: bool) -> Termination {
    match error {
        AnswerError::Disconnected => Termination::Disconnect,
        AnswerError::TimedOut if timed => Termination::TimeForfeit,
        AnswerError::TimedOut => Termination::Stall,
    }
}
