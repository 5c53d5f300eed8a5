//! Plays pairs again in new engine processes, to find engines that keep state over games or do
//! not repeat their games.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::mpsc;

use super::deferred::DeferredResult;
use super::game::{self, GameError, Resources};
use super::position_command::PositionCommand;
use super::slot::EngineSlot;
use crate::executor::spot_checks::{has_failure, is_repeatable, is_spot, odd_one};
use crate::executor::{Boards, Event, PairJob};
use crate::files::findings::PairFinding;
use hone_experiment::PairResult;
use hone_stats::detect::{Rank, Test};
use hone_uci::rules::Movetext;
use hone_uci::rules::tablebase::Tables;

/// Which pairs are played again; all workers share it.
#[derive(Debug, Default)]
pub(super) struct SpotChecks {
    has_first: AtomicBool,
    /// Also after a play has differed: further ones would show the same.
    is_off: AtomicBool,
    /// Pairs that are being played again, or whose [`Event::Checked`] was not received.
    open: AtomicUsize,
}

impl SpotChecks {
    pub(super) fn new(is_on: bool) -> Self {
        Self {
            is_off: AtomicBool::new(!is_on),
            ..Self::default()
        }
    }

    /// Whether a pair is played again: the first one that can be, and some that an engine cannot
    /// know in advance.
    pub(super) fn chooses(&self, job: &PairJob, result: &PairResult) -> bool {
        let can_be =
            !self.is_off.load(Ordering::Relaxed) && is_repeatable(job) && !has_failure(result);
        can_be
            && (!self.has_first.swap(true, Ordering::Relaxed)
                || is_spot(&job.seed.to_le_bytes(), job.pair))
    }

    pub(super) fn begin(&self) {
        self.open.fetch_add(1, Ordering::SeqCst);
    }

    /// Its event was received.
    pub(super) fn end(&self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.load(Ordering::SeqCst) > 0
    }

    /// Turns them off. Returns whether they were on.
    pub(super) fn turn_off(&self) -> bool {
        !self.is_off.swap(true, Ordering::Relaxed)
    }
}

/// The games of a pair, for comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Play {
    pub(super) digests: [u64; 2],
    /// The last `position` command of each game.
    pub(super) lines: [String; 2],
}

/// What is needed to play games that do not count, with processes of their own.
pub(super) struct Replay {
    slots: [EngineSlot; 2],
    job: PairJob,
}

impl Replay {
    /// For a pair that was played. Each game gets new processes.
    pub(super) fn of(job: &PairJob) -> Self {
        let mut job = job.clone();
        for player in &mut job.players {
            player.restart = true;
        }
        Self {
            slots: Default::default(),
            job,
        }
    }

    /// Plays the pair again, and once more if its games differ from those of `first`. An error
    /// of a game says nothing about the first play, so it is not a finding.
    ///
    /// # Errors
    /// [`GameError`] if a game cannot be played.
    pub(super) async fn compare(
        &mut self,
        first: &Play,
        tables: Option<&Tables>,
    ) -> Result<Option<PairFinding>, GameError> {
        let Some(second) = self.play(tables).await? else {
            return Ok(None);
        };
        if second.digests == first.digests {
            return Ok(None);
        }
        let Some(third) = self.play(tables).await? else {
            return Ok(None);
        };
        Ok(Some(finding(&self.job, [first, &second, &third])))
    }

    /// Ends the processes.
    pub(super) async fn quit(&mut self, timeout: std::time::Duration) {
        let [first, second] = &mut self.slots;
        tokio::join!(first.quit(timeout), second.quit(timeout));
    }

    /// Plays both games; `None` if an engine fails.
    async fn play(&mut self, tables: Option<&Tables>) -> Result<Option<Play>, GameError> {
        // Nobody receives what these games report.
        let (nobody, _) = mpsc::unbounded_channel::<Event>();
        let mut movetext = Movetext::default();
        let mut command = PositionCommand::default();
        let mut play = Play::default();
        for number in 0..2 {
            let resources = Resources {
                slots: &mut self.slots,
                movetext: &mut movetext,
                command: &mut command,
                deferred: &mut DeferredResult::new(nobody.clone()),
                tables,
                board: &mut Boards::default().writer(0),
                started: &mut BTreeSet::new(),
                measure_due: &mut None,
            };
            let played = game::play(resources, &self.job, number).await?;
            if played.result.termination.is_failure() {
                return Ok(None);
            }
            play.digests[number] = played.result.digest;
            play.lines[number] = command.line();
        }
        Ok(Some(play))
    }
}

/// What three plays of a pair say, the first two of which differ.
fn finding(job: &PairJob, plays: [&Play; 3]) -> PairFinding {
    let [first, second, _] = plays;
    let different = (0..2).find_map(|game| first_difference(job, game, first, second));
    let (engine, place) = match &different {
        Some(at) => (format!("engine `{}`", at.name), at.words()),
        None => (
            "an engine".to_string(),
            format!("pair {} ended differently", job.pair + 1),
        ),
    };
    let (test, rank, what) = match odd_one(plays.map(|play| play.digests)) {
        Some(0) => (
            Test::StateOverGames,
            Rank::Doubtful,
            "keeps state over games: in two plays with new processes",
        ),
        _ => (
            Test::Unrepeatable,
            Rank::Note,
            "does not repeat its games: in new processes",
        ),
    };
    PairFinding::now(job.pair, test, rank, format!("{engine} {what}, {place}"))
}

/// The first move in which two plays of a game differ.
#[derive(Debug, PartialEq, Eq)]
struct Difference {
    name: String,
    pair: u64,
    game: usize,
    /// From 1, with those of the opening.
    ply: usize,
    moves: [String; 2],
}

impl Difference {
    fn words(&self) -> String {
        let [first, second] = &self.moves;
        format!(
            "ply {} of game {} of pair {} is {second} instead of {first}",
            self.ply,
            self.game + 1,
            self.pair + 1
        )
    }
}

/// `None` if one play has the moves of the other, as after an adjudication by other scores:
/// then both engines may be the reason.
fn first_difference(job: &PairJob, game: usize, first: &Play, second: &Play) -> Option<Difference> {
    let moves = |play: &Play| -> Vec<String> {
        let (_, moves) = play.lines[game].split_once(" moves ").unwrap_or_default();
        moves.split(' ').map(str::to_string).collect()
    };
    let (first, second) = (moves(first), moves(second));
    let mut both = first.into_iter().zip(second).enumerate();
    let (at, (one, other)) = both.find(|(_, (one, other))| one != other)?;
    let fen = job.opening.fen.as_deref().unwrap_or_default();
    let begins_black = fen.split(' ').nth(1) == Some("b");
    let is_black = begins_black != (at % 2 == 1);
    // The first player has White in game 0.
    let player = &job.players[game ^ usize::from(is_black)];
    Some(Difference {
        name: player.name.to_string(),
        pair: job.pair,
        game,
        ply: at + 1,
        moves: [one, other],
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::executor::Rules;
    use crate::samples::player;
    use hone_experiment::settings::{OnFailure, OnMachineFault};
    use hone_uci::openings::{Opening, Variant};
    use hone_uci::rules::{Limit, Termination};

    fn job(pair: u64, fen: Option<&str>) -> PairJob {
        PairJob {
            pair,
            players: [player(0, "new"), player(1, "old")],
            opening: Opening {
                fen: fen.map(Into::into),
                ..Opening::default()
            },
            opening_number: 1,
            rules: Arc::new(Rules {
                variant: Variant::Standard,
                margin_ms: 0,
                stall_ms: 1000,
                startup_ms: 1000,
                adjudication: toml::from_str("").expect("none"),
                record: toml::from_str("").expect("the usual style"),
                on_failure: OnFailure::Count,
                on_machine_fault: OnMachineFault::Keep,
            }),
            seed: 1,
        }
    }

    fn played(pair: u64) -> PairResult {
        PairResult {
            pair,
            engines: [0, 1],
            games: [0, 1].map(crate::samples::drawn_game),
        }
    }

    /// A pair whose second game has these moves.
    fn play(moves: &str) -> Play {
        let line = |moves: &str| format!("position startpos moves {moves}");
        let digest = moves
            .bytes()
            .fold(7u64, |sum, byte| sum.rotate_left(5) ^ u64::from(byte));
        Play {
            digests: [1, digest],
            lines: ["e2e4 e7e5", moves].map(line),
        }
    }

    const BLACK: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";

    #[test]
    fn the_engine_whose_move_differs_first_is_named() {
        let [a, b, c] = ["d2d4 d7d5 c2c4", "d2d4 g8f6 c2c4", "d2d4 e7e6"].map(play);
        let found = |fen, plays| finding(&job(6, fen), plays);
        let state = found(None, [&a, &b, &b]);
        assert_eq!((state.pair, state.test), (7, Test::StateOverGames));
        assert_eq!(state.rank, Rank::Doubtful);
        // In the second game the second engine has White, so `new` plays the second ply.
        assert_eq!(
            state.detail,
            "engine `new` keeps state over games: in two plays with new processes, ply 2 of \
             game 2 of pair 7 is g8f6 instead of d7d5"
        );
        let black = found(Some(BLACK), [&a, &b, &b]).detail;
        assert!(black.starts_with("engine `old` "), "{black}");
        for plays in [[&a, &b, &c], [&a, &b, &a]] {
            let found = found(None, plays);
            assert_eq!(found.test, Test::Unrepeatable, "{plays:?}");
            assert_eq!(found.rank, Rank::Note);
        }
        // Scores may have ended it earlier, and both engines have scores.
        let shorter = play("d2d4 d7d5");
        let ended = found(None, [&a, &shorter, &shorter]).detail;
        assert!(ended.starts_with("an engine keeps state"), "{ended}");
    }

    #[test]
    fn the_first_pair_and_one_in_fifty_are_played_again_until_a_play_differs() {
        let checks = SpotChecks::new(true);
        let chosen = |pair| checks.chooses(&job(pair, None), &played(pair));
        // The first that finishes need not have the number 0.
        assert!(chosen(3));
        let spots = (4..504).filter(|pair| chosen(*pair)).count();
        assert!((2..=25).contains(&spots), "{spots}");
        assert!(checks.turn_off() && !checks.turn_off());
        assert_eq!((4..504).filter(|pair| chosen(*pair)).count(), 0);
        assert!(!SpotChecks::new(false).chooses(&job(0, None), &played(0)));
    }

    #[test]
    fn a_pair_that_need_not_repeat_leaves_the_first_check_to_another() {
        let checks = SpotChecks::new(true);
        let mut timed = job(0, None);
        timed.players[1].limit = "1+0.01".parse::<Limit>().expect("a limit").into();
        let mut threads = job(0, None);
        threads.players[0].options = [("threads".to_string(), "2".to_string())].into();
        let mut crash = played(0);
        crash.games[1].termination = Termination::Disconnect;
        let mut replayed = played(0);
        replayed.games[0].effort[1].replayed = 1;
        for (job, result) in [
            (timed, played(0)),
            (threads, played(0)),
            (job(0, None), crash),
            (job(0, None), replayed),
        ] {
            assert!(!checks.chooses(&job, &result));
        }
        assert!(checks.chooses(&job(0, None), &played(0)));
    }
}
