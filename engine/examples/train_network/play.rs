//! Many short searches: games with a random move now and then, whose positions are
//! labelled by what a search of a hundred nodes finds.

use crate::sample::Sample;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::sync::atomic::{AtomicU64, Ordering};
use stillwater::board::{Position, movegen};
use stillwater::engine::Engine;
use stillwater::params::{Params, Settings};
use stillwater::search::limits::{Limits, StopOrder};
use stillwater::search::score::is_mate;
use stillwater::search::{Game, Silent};

pub(crate) struct Plan {
    /// Nodes for each position.
    pub(crate) nodes: u64,
    /// Games to play.
    pub(crate) games: u64,
    /// How often a random move is played instead of the best one, 0 to 1.
    pub(crate) random: f64,
    pub(crate) threads: usize,
    pub(crate) seed: u64,
    /// Options of the engine.
    pub(crate) set: Vec<(String, String)>,
}

/// A game ends at this ply.
const MOST_PLIES: usize = 200;
/// A game ends when the score has been at least this many centipawns
const DECIDED: i32 = 1500;
/// this many times.
const OFTEN: usize = 6;

/// Plays games from `openings` and gives `take` the samples of each, from several
/// threads, in no particular order.
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
            let mut random = ChaCha8Rng::seed_from_u64(plan.seed ^ number << 16);
            take(play(plan, &mut engine, opening.clone(), &mut random))?;
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

fn play(
    plan: &Plan,
    engine: &mut Engine,
    opening: Position,
    random: &mut ChaCha8Rng,
) -> Vec<Sample> {
    let limits = Limits {
        nodes: Some(plan.nodes),
        ..Limits::default()
    };
    engine.new_game();
    let mut game = Game::new(opening);
    let mut samples = Vec::new();
    let mut decided = 0;
    while game.keys.len() <= MOST_PLIES && decided < OFTEN {
        let position = &game.position;
        let moves = movegen::legal_moves(position);
        if position.halfmoves >= 100 || position.insufficient_material() {
            break;
        }
        let Some(&any) = moves.choose(random) else {
            break;
        };
        let outcome = engine.search(&game, &limits, &mut Silent, &StopOrder::default(), 1);
        decided += usize::from(outcome.score.abs() >= DECIDED);
        if !position.in_check() && !position.is_noisy(outcome.best) && !is_mate(outcome.score) {
            samples.extend(Sample::new(position, outcome.score, None));
        }
        game.play(match random.random_bool(plan.random) {
            true => any,
            false => outcome.best,
        });
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    fn samples(seed: u64, random: f64) -> Vec<Sample> {
        let plan = Plan {
            nodes: 20,
            games: 3,
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
        run(&plan, &[Position::start()], take).unwrap();
        all.into_inner().unwrap()
    }

    #[test]
    fn games_depend_on_the_seed_alone_and_differ_by_their_random_moves() {
        let first = samples(1, 0.2);
        assert!(first.len() > 20, "{}", first.len());
        assert!(first.iter().all(|sample| !sample.position().in_check()));
        assert_eq!(first, samples(1, 0.2));
        assert_ne!(first, samples(2, 0.2));
        assert_eq!(samples(1, 0.0), samples(2, 0.0));
    }
}
