//! Self-play with short searches and occasional random moves. Positions are labelled with
//! the score of the search and the result of the game.

use crate::network::sample::Sample;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::sync::atomic::{AtomicU64, Ordering};
use stillwater::board::{Color, Position, movegen};
use stillwater::engine::Engine;
use stillwater::params::{Params, Settings};
use stillwater::search::limits::{Limits, StopSignal};
use stillwater::search::score::is_mate;
use stillwater::search::{Game, Silent};

pub(crate) struct Plan {
    /// Nodes for each position.
    pub(crate) nodes: u64,
    /// Games to play.
    pub(crate) games: u64,
    /// Probability of a random move instead of the best one, 0 to 1.
    pub(crate) random: f64,
    pub(crate) threads: usize,
    pub(crate) seed: u64,
    /// Options of the engine.
    pub(crate) set: Vec<(String, String)>,
}

/// A game ends at this ply.
const MAX_PLIES: usize = 200;
/// Score in centipawns that counts towards adjudicating a win.
const DECIDED: i32 = 1500;
/// Number of such scores of one side after which it has won.
const DECIDED_COUNT: usize = 6;

/// Plays games from `openings` and calls `take` with the samples of each, from several
/// threads and in any order.
pub(crate) fn run(
    plan: &Plan,
    openings: &[Position],
    take: impl Fn(Vec<Sample>) -> anyhow::Result<()> + Sync,
) -> anyhow::Result<()> {
    let next = AtomicU64::new(0);
    let work = || {
        let settings = Settings {
            hash: 1,
            ..Settings::DEFAULT
        };
        let mut engine = Engine::new(Params::DEFAULT, settings);
        for (name, value) in &plan.set {
            engine.set(name, value).map_err(anyhow::Error::msg)?;
        }
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= plan.games {
                return Ok(());
            }
            let opening = &openings[number as usize % openings.len()];
            let is_new = number < openings.len() as u64;
            let mut random = ChaCha8Rng::seed_from_u64(plan.seed ^ number << 16);
            take(play(
                plan,
                &mut engine,
                opening.clone(),
                is_new,
                &mut random,
            ))?;
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..plan.threads).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            })
    })
}

/// The samples of one game. Only those after its last random move have its result. If the
/// opening has been used before, the first move is random: otherwise the earlier game would
/// be repeated up to its first random move.
fn play(
    plan: &Plan,
    engine: &mut Engine,
    opening: Position,
    is_new: bool,
    random: &mut ChaCha8Rng,
) -> Vec<Sample> {
    let limits = Limits {
        nodes: Some(plan.nodes),
        ..Limits::default()
    };
    engine.new_game();
    let mut game = Game::new(opening);
    // The quiet positions with the score for the side to move, and the number of them before
    // the last random move.
    let mut quiet = Vec::new();
    let mut disturbed = 0;
    let mut decided = [0; 2];
    let points = loop {
        let moves = movegen::legal_moves(&game.position);
        let points = white_points(&game, moves.is_empty(), decided);
        if points.is_some() || game.keys.len() > MAX_PLIES {
            break points;
        }
        let outcome = engine.search(&game, &limits, &mut Silent, &StopSignal::default(), 1);
        let position = &game.position;
        let ahead = if outcome.score >= 0 {
            position.turn
        } else {
            !position.turn
        };
        decided[ahead.index()] += usize::from(outcome.score.abs() >= DECIDED);
        if !position.in_check() && !position.is_noisy(outcome.best) && !is_mate(outcome.score) {
            quiet.push((position.clone(), outcome.score));
        }
        let is_first = !is_new && game.keys.len() == 1;
        let any = moves
            .choose(random)
            .filter(|_| random.random_bool(plan.random) || is_first);
        if any.is_some() {
            disturbed = quiet.len();
        }
        game.play(*any.unwrap_or(&outcome.best));
    };
    let sample = |(number, (position, score)): (usize, &(Position, i32))| {
        let points = points.filter(|_| number >= disturbed);
        let points = points.map(|white| match position.turn {
            Color::White => white,
            Color::Black => 1.0 - white,
        });
        Sample::new(position, *score, points)
    };
    quiet.iter().enumerate().filter_map(sample).collect()
}

/// White's points, if the game is over. `decided` counts the decided scores of each side.
fn white_points(game: &Game, no_move: bool, decided: [usize; 2]) -> Option<f32> {
    let position = &game.position;
    let won = |side| match side {
        Color::White => 1.0,
        Color::Black => 0.0,
    };
    let key = game.keys.last();
    let seen = game.keys.iter().filter(|other| Some(*other) == key).count();
    if no_move && position.in_check() {
        return Some(won(!position.turn));
    }
    if no_move || position.halfmoves >= 100 || position.insufficient_material() || seen >= 3 {
        return Some(0.5);
    }
    let winner = Color::BOTH
        .into_iter()
        .find(|side| decided[side.index()] >= DECIDED_COUNT);
    winner.map(won)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    fn samples(opening: &str, games: u64, seed: u64, random: f64) -> Vec<Sample> {
        let plan = Plan {
            nodes: 20,
            games,
            random,
            threads: 1,
            seed,
            set: vec![("Network".into(), "false".into())],
        };
        let all = Mutex::new(Vec::new());
        let take = |samples| {
            all.lock().unwrap().extend::<Vec<Sample>>(samples);
            Ok(())
        };
        let opening = Position::from_fen(opening).unwrap();
        run(&plan, &[opening], take).unwrap();
        all.into_inner().unwrap()
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn games_depend_on_the_seed_alone_and_differ_by_their_random_moves() {
        let first = samples(START, 3, 1, 0.2);
        assert!(first.len() > 20, "{}", first.len());
        assert!(first.iter().all(|sample| !sample.position().in_check()));
        assert_eq!(first, samples(START, 3, 1, 0.2));
        assert_ne!(first, samples(START, 3, 2, 0.2));
        assert_eq!(samples(START, 1, 1, 0.0), samples(START, 1, 2, 0.0));
    }

    #[test]
    fn games_from_the_same_opening_part_at_once() {
        let digests = |games: u64| -> Vec<u64> {
            let samples = samples(START, games, 1, 0.0);
            samples.iter().map(Sample::position_digest).collect()
        };
        let (one, two) = (digests(1), digests(2));
        let (first, second) = two.split_at(one.len());
        assert_eq!(first, one);
        assert_eq!(second[0], one[0]);
        assert!(second[1..].iter().all(|digest| !one.contains(digest)));
    }

    #[test]
    fn positions_after_the_last_random_move_know_the_result() {
        let points = |sample: &Sample| {
            // A part of 1 leaves the result alone, and without one the score.
            let [one, other] = [1.0, 100.0].map(|unit| sample.target(1.0, unit));
            (one == other && [0.0, 0.5, 1.0].contains(&one)).then_some(one)
        };
        let won = samples("4k3/pppp4/8/8/8/8/PPPP4/RQ2K3 w - - 0 1", 1, 1, 0.0);
        assert!(!won.is_empty());
        for sample in &won {
            let white = sample.position().turn == Color::White;
            assert_eq!(points(sample), Some(f32::from(white)));
        }
        let locked = "4k3/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/4K3 w - - 0 1";
        let drawn = samples(locked, 1, 1, 0.0);
        assert!(drawn.len() > 3);
        assert!(drawn.iter().all(|sample| points(sample) == Some(0.5)));
        let random = samples(START, 1, 1, 1.0);
        let known = random.iter().filter_map(points).count();
        assert!(known < 3, "{known}");
    }
}
