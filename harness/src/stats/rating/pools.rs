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
    let n = games.names().len();
    let mut beats = vec![vec![false; n]; n];
    for game in games.units().iter().flat_map(|unit| unit.each()) {
        beats[game.white][game.black] |= game.half_points > 0;
        beats[game.black][game.white] |= game.half_points < 2;
    }
    // Players with a given rating can be compared.
    for i in 0..n {
        for j in 0..n {
            beats[i][j] |= anchored[i] && anchored[j];
        }
    }
    let reach: Vec<Vec<bool>> = (0..n).map(|from| reachable(&beats, from)).collect();
    let mut members: Vec<Vec<usize>> = Vec::new();
    for (player, reached) in reach.iter().enumerate() {
        let own = members.iter_mut().find(|pool| {
            let other = pool[0];
            reached[other] && reach[other][player]
        });
        match own {
            Some(pool) => pool.push(player),
            None => members.push(vec![player]),
        }
    }
    members.sort_by_key(|pool| {
        let one = pool[0];
        let has_games = (0..n).any(|other| beats[one][other] || beats[other][one]);
        // A pool that only lost to another one has more players above it.
        let above = (0..n).filter(|&other| reach[other][one] && !reach[one][other]);
        (!has_games, above.count(), Reverse(pool.len()))
    });
    let mut pools = vec![0; n];
    for (number, pool) in members.iter().enumerate() {
        pool.iter().for_each(|&player| pools[player] = number);
    }
    pools
}

fn reachable(beats: &[Vec<bool>], from: usize) -> Vec<bool> {
    let mut seen = vec![false; beats.len()];
    let mut open = vec![from];
    seen[from] = true;
    while let Some(player) = open.pop() {
        for (other, &edge) in beats[player].iter().enumerate() {
            if edge && !seen[other] {
                seen[other] = true;
                open.push(other);
            }
        }
    }
    seen
}
