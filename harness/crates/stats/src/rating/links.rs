//! Whether players are linked by enough games to be compared.
//!
//! The sandwich estimate needs several observations in every direction. A single one
//! between two groups of players is fitted exactly: it leaves no residual, and the
//! difference of the groups would have no error.

use std::collections::{BTreeMap, VecDeque};

use super::games::Unit;
use crate::summary::MIN_UNITS;

/// The games as links between players.
pub(super) struct Links {
    /// By player: the others that it is linked to, and by how many units (pairs or
    /// single games).
    neighbours: Vec<Vec<(usize, u64)>>,
}

impl Links {
    /// The links of `units`. Players with a given rating are linked to each other.
    pub(super) fn new(units: &[Unit], anchored: &[bool]) -> Self {
        let players = anchored.len();
        let mut links: BTreeMap<[usize; 2], u64> = BTreeMap::new();
        let mut link = |one: usize, two: usize, units: u64| {
            *links.entry([one.min(two), one.max(two)]).or_default() += units;
        };
        for unit in units {
            if let Some(game) = unit.each().next() {
                link(game.white, game.black, unit.count);
            }
        }
        let mut anchors = (0..players).filter(|&player| anchored[player]);
        if let Some(first) = anchors.next() {
            anchors.for_each(|anchor| link(first, anchor, MIN_UNITS));
        }
        let mut neighbours: Vec<Vec<(usize, u64)>> = vec![Vec::new(); players];
        for ([one, two], units) in links {
            neighbours[one].push((two, units));
            neighbours[two].push((one, units));
        }
        Self { neighbours }
    }

    /// The smallest cut between two players, if fewer than [`MIN_UNITS`] units cross it:
    /// for each player whether it is on the side of the first one. By maximum flow
    /// (L. Ford, D. Fulkerson, 1956) along shortest paths (J. Edmonds, R. Karp, 1972).
    pub(super) fn cut(&self, one: usize, two: usize) -> Option<Vec<bool>> {
        let mut left = self.neighbours.clone();
        let mut flow = 0;
        while flow < MIN_UNITS {
            let before = reached(&left, one, two);
            let mut path = Vec::new();
            let mut to = two;
            while to != one {
                let Some(from) = before[to] else {
                    // No path is left: the cut is between the reached players and the rest.
                    return Some(before.iter().map(Option::is_some).collect());
                };
                path.push((from, to));
                to = from;
            }
            let most = path
                .iter()
                .map(|&(from, to)| *units_of(&mut left, from, to))
                .min()
                .unwrap_or(MIN_UNITS);
            for (from, to) in path {
                *units_of(&mut left, from, to) -= most;
                *units_of(&mut left, to, from) += most;
            }
            flow += most;
        }
        None
    }
}

/// The units that are left from one player to a neighbour.
fn units_of(left: &mut [Vec<(usize, u64)>], from: usize, to: usize) -> &mut u64 {
    let neighbours = left[from].iter_mut();
    let link = neighbours.into_iter().find(|(other, _)| *other == to);
    &mut link.expect("links go both ways").1
}

/// For each vertex that can be reached from `start`, the one before it; for `start`
/// itself `start`. The search stops at `end`.
fn reached(left: &[Vec<(usize, u64)>], start: usize, end: usize) -> Vec<Option<usize>> {
    let mut before = vec![None; left.len()];
    before[start] = Some(start);
    let mut open = VecDeque::from([start]);
    while before[end].is_none()
        && let Some(from) = open.pop_front()
    {
        for &(to, units) in &left[from] {
            if units > 0 && before[to].is_none() {
                before[to] = Some(from);
                open.push_back(to);
            }
        }
    }
    before
}

#[cfg(test)]
mod tests {
    use super::super::games::{Games, game};
    use super::*;

    /// Single games between players by number.
    fn games(links: &[(usize, usize, u64)]) -> Games {
        let mut games = Games::default();
        let most = links.iter().map(|(one, two, _)| one.max(two)).max();
        for player in 0..=*most.unwrap() {
            games.player(&player.to_string());
        }
        for &(white, black, count) in links {
            games.add_single(game(white, black, 1), count);
        }
        games
    }

    fn cut(links: &[(usize, usize, u64)], one: usize, two: usize) -> Option<Vec<bool>> {
        let games = games(links);
        let anchored = vec![false; games.names().len()];
        Links::new(&games.units(), &anchored).cut(one, two)
    }

    #[test]
    fn a_thin_link_cuts_and_many_thin_ones_together_do_not() {
        let two = [(0, 1, 100), (2, 3, 100), (1, 2, 59)];
        assert_eq!(cut(&two, 0, 3), Some(vec![true, true, false, false]));
        assert_eq!(cut(&two, 3, 1), Some(vec![false, false, true, true]));
        assert_eq!(cut(&two, 0, 1), None);
        // 59 games and one by another way.
        assert_eq!(cut(&[two[0], two[1], two[2], (3, 0, 1)], 0, 3), None);
        // A player with few games links as many as it has.
        let by_five = [(0, 1, 100), (2, 3, 100), (1, 4, 10), (4, 2, 10)];
        assert!(cut(&by_five, 0, 3).is_some());
        let anchored = [true, false, false, true];
        assert_eq!(Links::new(&games(&two).units(), &anchored).cut(0, 3), None);
    }

    /// Compared with all divisions of six players.
    #[test]
    fn a_cut_is_the_smallest() {
        use rand::{RngExt as _, SeedableRng as _};
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let mut found = 0;
        for _ in 0..300 {
            let mut links = Vec::new();
            for one in 0..6 {
                for two in one + 1..6 {
                    links.push((one, two, random.random_range(0..25)));
                }
            }
            let crossing = |side: &[bool]| -> u64 {
                let crosses = |link: &&(usize, usize, u64)| side[link.0] != side[link.1];
                links.iter().filter(crosses).map(|link| link.2).sum()
            };
            let sides = (0..64_u32).map(|mask| [0, 1, 2, 3, 4, 5].map(|at| mask >> at & 1 == 1));
            let parting = sides.filter(|side| side[0] && !side[5]);
            let smallest = parting.map(|side| crossing(&side)).min().unwrap();
            let cut = cut(&links, 0, 5);
            assert_eq!(cut.is_some(), smallest < 60, "{links:?}");
            if let Some(side) = cut {
                assert!(side[0] && !side[5]);
                assert_eq!(crossing(&side), smallest, "{links:?}");
                found += 1;
            }
        }
        assert!((50..250).contains(&found), "{found}");
    }
}
