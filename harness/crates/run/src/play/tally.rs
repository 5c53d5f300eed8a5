//! Running totals over the pairs absorbed so far. Their size does not depend on
//! the number of pairs.

use std::array::from_fn;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

use serde::Serialize;

use hone_experiment::{PairResult, fails_too_often};
use hone_stats::{Pentanomial, Wdl};
use hone_uci::rules::{GameResult, Termination};

/// Totals of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    pub pairs: u64,
    /// By the indices of the first and second engine.
    pub pairings: BTreeMap<[usize; 2], PairingTally>,
    pub engines: Vec<EngineTally>,
    /// Games by how they ended: won by White, drawn, won by Black.
    pub terminations: BTreeMap<Termination, [u64; 3]>,
    /// Games won by White, drawn, won by Black.
    pub by_colour: [u64; 3],
    pub plies: u64,
    /// Games that scores ended within [`SHORT_GAME`] plies.
    pub short_games: u64,
    /// Games that do not repeat an earlier one.
    pub distinct_games: u64,
    /// Pairs whose games had both been played before, and those of them that
    /// were left out of everything above except the engines' efforts and
    /// failures.
    pub repeated_pairs: u64,
    pub dropped_pairs: u64,
    /// Pairs whose two games have the same moves.
    pub mirrored_pairs: u64,
}

/// Plies after the opening within which scores should not end a game.
pub const SHORT_GAME: u32 = 16;

/// Totals of one pairing, from the first engine's side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairingTally {
    pub pentanomial: Pentanomial,
    pub wdl: Wdl,
    /// Level pairs of a win and a loss; the others are of two draws.
    pub won_and_lost: u64,
    /// Pairs by the first engine's half points in the first game, in which it
    /// is White, and in the second.
    pub outcomes: [[u64; 3]; 3],
}

impl PairingTally {
    /// The same pairs from the second engine's side.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Self {
            pentanomial: self.pentanomial.swapped(),
            wdl: self.wdl.swapped(),
            won_and_lost: self.won_and_lost,
            outcomes: from_fn(|white| from_fn(|black| self.outcomes[2 - black][2 - white])),
        }
    }
}

impl AddAssign for PairingTally {
    fn add_assign(&mut self, other: Self) {
        self.pentanomial += other.pentanomial;
        self.wdl += other.wdl;
        self.won_and_lost += other.won_and_lost;
        let own = self.outcomes.as_flattened_mut().iter_mut();
        for (count, more) in own.zip(other.outcomes.as_flattened()) {
            *count += more;
        }
    }
}

/// Games lost by failure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Failures {
    pub time_forfeit: u64,
    pub crash: u64,
    pub stall: u64,
    pub illegal_move: u64,
}

/// Totals of one engine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EngineTally {
    pub games: u64,
    pub as_white: Wdl,
    pub as_black: Wdl,
    pub failures: Failures,
    pub moves: u64,
    pub ms: u64,
    pub nodes: u64,
    /// Sums over the moves.
    pub depth: u64,
    pub seldepth: u64,
    pub latency_us: u64,
    /// Its time forfeits in which it waited for a processor longer than it overran.
    pub starved: u64,
    pub illegal_pvs: u64,
    /// Its failures that did not count, because the game or the pair was played again.
    pub replayed: u64,
    /// Games lost by its own scores, and games lost on the board or by tablebases.
    pub resigned: u64,
    pub beaten: u64,
    /// Games in which more than [`LONG_PAUSE_US`] of its time were not charged.
    pub paused_games: u64,
    /// See [`hone_uci::rules::Effort`].
    pub measured_us: u64,
    pub cpu_us: u64,
    pub idle_cpu_us: u64,
}

/// Time in a game, in microseconds, that `hone` does not charge to an engine because it was
/// paused itself; shorter ones are ordinary.
const LONG_PAUSE_US: u64 = 500_000;

impl EngineTally {
    /// Adds a game from the side of the engine of `colour` (0 for White, 1 for Black).
    pub fn add_effort(&mut self, game: &GameResult, colour: usize) {
        let effort = game.effort[colour];
        self.games += 1;
        self.moves = self.moves.saturating_add(u64::from(effort.moves));
        self.ms = self.ms.saturating_add(game.ms[colour]);
        self.nodes = self.nodes.saturating_add(game.nodes[colour]);
        self.depth = self.depth.saturating_add(effort.depth);
        self.seldepth = self.seldepth.saturating_add(effort.seldepth);
        self.latency_us = self.latency_us.saturating_add(effort.latency_us);
        self.starved += u64::from(effort.starved_us > 0);
        self.illegal_pvs += u64::from(effort.illegal_pvs);
        self.replayed += u64::from(effort.replayed);
        self.paused_games += u64::from(effort.latency_us > LONG_PAUSE_US);
        self.measured_us = self.measured_us.saturating_add(effort.measured_us);
        self.cpu_us = self.cpu_us.saturating_add(effort.cpu_us);
        self.idle_cpu_us = self.idle_cpu_us.saturating_add(effort.idle_cpu_us);
    }

    /// Counts a lost game by how it ended.
    fn count_loss(&mut self, termination: Termination) {
        self.failures.count(termination);
        match termination {
            Termination::ResignAdjudication => self.resigned += 1,
            Termination::Checkmate | Termination::Tablebase => self.beaten += 1,
            _ => {}
        }
    }

    /// Games that it lost by failing, except the time forfeits that the machine caused, and
    /// all its games; with `counts_replays`, both include games that were played again.
    pub fn failed(&self, counts_replays: bool) -> [u64; 2] {
        let replayed = if counts_replays { self.replayed } else { 0 };
        let own = self.failures.total().saturating_sub(self.starved);
        [own, self.games].map(|count| count.saturating_add(replayed))
    }
}

fn is_by_scores(game: &GameResult) -> bool {
    matches!(
        game.termination,
        Termination::ResignAdjudication | Termination::DrawAdjudication
    )
}

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "time forfeits {}, crashes {}, stalls {}, illegal moves {}",
            self.time_forfeit, self.crash, self.stall, self.illegal_move
        )
    }
}

impl Failures {
    pub fn total(&self) -> u64 {
        self.time_forfeit + self.crash + self.stall + self.illegal_move
    }

    /// Counts a game, if an engine failed in it.
    pub fn count(&mut self, termination: Termination) {
        match termination {
            Termination::TimeForfeit => self.time_forfeit += 1,
            Termination::Disconnect => self.crash += 1,
            Termination::Stall => self.stall += 1,
            Termination::IllegalMove => self.illegal_move += 1,
            _ => {}
        }
    }
}

impl Tally {
    /// Totals of `engines` engines before the first pair.
    pub fn new(engines: usize) -> Self {
        Self {
            engines: vec![EngineTally::default(); engines],
            ..Self::default()
        }
    }

    /// All pairs so far, including those that are left out.
    pub fn judged_pairs(&self) -> u64 {
        self.pairs + self.dropped_pairs
    }

    /// Adds a pair.
    pub fn absorb(&mut self, result: &PairResult) {
        self.pairs += 1;
        self.mirrored_pairs += u64::from(result.games[0].digest == result.games[1].digest);
        self.add_efforts(result);
        let pairing = self.pairings.entry(result.engines).or_default();
        let halves = [0, 1].map(|game| result.first_half_points(game));
        pairing.pentanomial.add(halves[0] + halves[1]);
        pairing.outcomes[halves[0]][halves[1]] += 1;
        pairing.wdl.add(halves[0]);
        pairing.wdl.add(halves[1]);
        if halves[0] + halves[1] == 2 && halves[0] != 1 {
            pairing.won_and_lost += 1;
        }
        for (number, game) in result.games.iter().enumerate() {
            self.plies += u64::from(game.plies);
            self.short_games += u64::from(game.plies <= SHORT_GAME && is_by_scores(game));
            let white_half_points = game.outcome.white_half_points();
            self.by_colour[2 - white_half_points] += 1;
            self.terminations.entry(game.termination).or_default()[2 - white_half_points] += 1;
            let [white, black] = result.players(number);
            self.engines[white].as_white.add(white_half_points);
            self.engines[black].as_black.add(2 - white_half_points);
        }
    }

    /// Adds the efforts and failures in a pair that is left out as a repeat.
    pub fn pass_over(&mut self, result: &PairResult) {
        self.dropped_pairs += 1;
        self.add_efforts(result);
    }

    fn add_efforts(&mut self, result: &PairResult) {
        for (number, game) in result.games.iter().enumerate() {
            let players = result.players(number);
            for (colour, engine) in players.into_iter().enumerate() {
                self.engines[engine].add_effort(game, colour);
            }
            if let Some(loser) = game.outcome.loser() {
                self.engines[players[loser]].count_loss(game.termination);
            }
        }
    }

    /// Games absorbed as evidence.
    pub fn games(&self) -> u64 {
        self.pairs * 2
    }

    /// The engines that have lost at least ten games and more than this share of their games
    /// by failing. With `counts_replays`, games that were played again count too.
    pub(crate) fn failing_engines(
        &self,
        max_share: f64,
        counts_replays: bool,
    ) -> impl Iterator<Item = usize> {
        let engines = self.engines.iter().enumerate();
        let fails = move |(_, engine): &(usize, &EngineTally)| {
            let [failures, games] = engine.failed(counts_replays);
            fails_too_often(failures, games, max_share)
        };
        engines.filter(fails).map(|(number, _)| number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_uci::rules::{Effort, Outcome};

    #[test]
    fn a_pairing_swapped_is_that_of_the_second_engine() {
        // The first engine wins with White and draws with Black; then both lose with White.
        let mut own = PairingTally::default();
        for [first, second] in [[2, 1], [0, 2]] {
            own += of_pair(first, second);
        }
        let mut other = PairingTally::default();
        for [first, second] in [[1, 0], [0, 2]] {
            other += of_pair(first, second);
        }
        assert_eq!(own.wdl, Wdl::from([2, 1, 1]));
        assert_eq!(own.swapped(), other);
        assert_eq!(own.swapped().swapped(), own);
    }

    /// What findings about one of the engines are made of.
    #[test]
    fn short_games_losses_and_pauses_are_counted() {
        let game = |termination, plies, latency_us| GameResult {
            outcome: Outcome::White,
            termination,
            plies,
            effort: [
                Effort::default(),
                Effort {
                    latency_us,
                    ..Effort::default()
                },
            ],
            ms: [0; 2],
            nodes: [0; 2],
            digest: 0,
            line: None,
        };
        let mut tally = Tally::new(2);
        for games in [
            [
                game(
                    Termination::ResignAdjudication,
                    SHORT_GAME,
                    LONG_PAUSE_US + 1,
                ),
                game(Termination::Checkmate, SHORT_GAME, LONG_PAUSE_US),
            ],
            [
                game(Termination::ResignAdjudication, SHORT_GAME + 1, 0),
                game(Termination::Tablebase, SHORT_GAME, 0),
            ],
        ] {
            tally.absorb(&PairResult {
                pair: 0,
                engines: [0, 1],
                games,
            });
        }
        assert_eq!(tally.short_games, 1);
        let of = |engine: &EngineTally| [engine.resigned, engine.beaten, engine.paused_games];
        assert_eq!(
            [0, 1].map(|engine: usize| of(&tally.engines[engine])),
            [[0, 2, 0], [2, 0, 1]]
        );
    }

    /// A pair by the half points of an engine with White and with Black.
    fn of_pair(white: usize, black: usize) -> PairingTally {
        let mut tally = PairingTally::default();
        tally.pentanomial.add(white + black);
        tally.wdl.add(white);
        tally.wdl.add(black);
        tally.won_and_lost = u64::from(white + black == 2 && white != 1);
        tally.outcomes[white][black] = 1;
        tally
    }
}
