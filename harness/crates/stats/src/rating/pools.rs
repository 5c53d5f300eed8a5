//! Which players can be compared.
//!
//! The likelihood has a maximum only among players of whom each has scored
//! against each of the others, directly or over others: the strongly connected
//! components of the graph "scored against". Between components a difference
//! is either unknown (no game) or without limit (only wins).

use std::cmp::Reverse;

use super::games::Games;

/// The pool of each player. Pools are numbered as they are ranked: one whose players
/// only beat those of another comes before it, otherwise the larger one; players
/// without games come last.
pub(super) fn pools(games: &Games, anchored: &[bool]) -> Vec<usize> {
    let graph = Graph::new(games, anchored);
    let players = anchored.len();
    let mut is_in_pool = vec![false; players];
    let mut pools: Vec<Pool> = Vec::new();
    for player in 0..players {
        if !is_in_pool[player] {
            let pool = graph.pool_of(player);
            pool.members
                .iter()
                .for_each(|&member| is_in_pool[member] = true);
            pools.push(pool);
        }
    }
    pools.sort_by_key(|pool| (!pool.has_games, pool.above, Reverse(pool.members.len())));
    let mut numbers = vec![0; players];
    for (number, pool) in pools.iter().enumerate() {
        pool.members
            .iter()
            .for_each(|&player| numbers[player] = number);
    }
    numbers
}

/// Players that can be compared.
struct Pool {
    members: Vec<usize>,
    has_games: bool,
    /// How many other players scored against it, directly or over others. A pool that only
    /// lost to another one has more players above it.
    above: usize,
}

/// Who scored against whom.
struct Graph {
    /// By player: those against whom it scored.
    below: Vec<Vec<usize>>,
    /// By player: those who scored against it.
    above: Vec<Vec<usize>>,
}

impl Graph {
    /// The graph of `games`. Players with a given rating can be compared.
    fn new(games: &Games, anchored: &[bool]) -> Self {
        let players = anchored.len();
        let mut graph = Self {
            below: vec![Vec::new(); players],
            above: vec![Vec::new(); players],
        };
        for game in games.units().iter().flat_map(|unit| unit.each()) {
            if game.half_points > 0 {
                graph.add(game.white, game.black);
            }
            if game.half_points < 2 {
                graph.add(game.black, game.white);
            }
        }
        if let Some(first) = anchored.iter().position(|is_anchor| *is_anchor) {
            for anchor in (first..players).filter(|&player| anchored[player]) {
                graph.add(first, anchor);
                graph.add(anchor, first);
            }
        }
        for neighbours in graph.below.iter_mut().chain(&mut graph.above) {
            neighbours.sort_unstable();
            neighbours.dedup();
        }
        graph
    }

    fn add(&mut self, winner: usize, loser: usize) {
        self.below[winner].push(loser);
        self.above[loser].push(winner);
    }

    /// The pool of a player: all that it reaches and that reach it.
    fn pool_of(&self, player: usize) -> Pool {
        let reached = reachable(&self.below, player);
        let reaching = reachable(&self.above, player);
        let both = reached.iter().zip(&reaching);
        let members = (0..).zip(both).filter(|(_, (to, from))| **to && **from);
        let members: Vec<usize> = members.map(|(member, _)| member).collect();
        let sources = reaching.iter().filter(|is_reaching| **is_reaching).count();
        Pool {
            above: sources - members.len(),
            members,
            has_games: !self.below[player].is_empty() || !self.above[player].is_empty(),
        }
    }
}

/// For each player whether `from` is linked to it, directly or over others.
fn reachable(neighbours: &[Vec<usize>], from: usize) -> Vec<bool> {
    let mut seen = vec![false; neighbours.len()];
    let mut open = vec![from];
    seen[from] = true;
    while let Some(player) = open.pop() {
        for &other in &neighbours[player] {
            if !seen[other] {
                seen[other] = true;
                open.push(other);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    use super::super::games::game;
    use super::*;

    /// Compared with the definition, by the closure of the relation "scored against".
    #[test]
    fn pools_are_ranked_classes_of_players_that_reach_each_other() {
        const PLAYERS: usize = 7;
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for count in (0..400).map(|at| at % 14) {
            let mut games = Games::default();
            for player in 0..PLAYERS {
                games.player(&player.to_string());
            }
            let anchored: Vec<bool> = (0..PLAYERS)
                .map(|_| random.random_range(0..5) == 0)
                .collect();
            let mut reach = [[false; PLAYERS]; PLAYERS];
            for (one, is_one) in anchored.iter().enumerate() {
                for (two, is_two) in anchored.iter().enumerate() {
                    reach[one][two] = *is_one && *is_two;
                }
            }
            for _ in 0..count {
                let white = random.random_range(0..PLAYERS);
                let black = (white + random.random_range(1..PLAYERS)) % PLAYERS;
                let half_points = random.random_range(0..3);
                games.add_single(game(white, black, half_points), 1);
                reach[white][black] |= half_points > 0;
                reach[black][white] |= half_points < 2;
            }
            for over in 0..PLAYERS {
                for from in 0..PLAYERS {
                    for to in 0..PLAYERS {
                        reach[from][to] |= reach[from][over] && reach[over][to];
                    }
                }
            }
            let is_one = |a: usize, b: usize| a == b || reach[a][b] && reach[b][a];
            let key = |player: usize| {
                let above = (0..PLAYERS).filter(|&a| reach[a][player] && !is_one(a, player));
                let members = (0..PLAYERS).filter(|&other| is_one(other, player));
                let has_games =
                    reach[player].contains(&true) || reach.iter().any(|row| row[player]);
                let size = members.clone().count();
                (!has_games, above.count(), Reverse(size), members.min())
            };
            let keys: BTreeSet<_> = (0..PLAYERS).map(key).collect();
            let expected: Vec<usize> = (0..PLAYERS)
                .map(|player| keys.iter().position(|one| *one == key(player)).unwrap())
                .collect();
            assert_eq!(pools(&games, &anchored), expected, "{games:?} {anchored:?}");
        }
    }
}
