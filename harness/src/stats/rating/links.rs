//! Which players are linked by enough games to be compared.
//!
//! The sandwich estimate needs several observations in every direction. One that
//! links two groups of players is fitted exactly: it leaves no residual, and the
//! difference of the groups would look certain.

use super::games::Games;

/// The groups of players: in one group are those that no cut with fewer than a number
/// of units (pairs or single games) parts.
pub(super) struct Groups {
    /// Of each player.
    pub(super) of: Vec<usize>,
    /// The cuts that part the groups: the players on both sides.
    cuts: Vec<[Vec<usize>; 2]>,
}

impl Groups {
    /// The sides of the cut that parts two players, that of the first one first.
    pub(super) fn parting(&self, one: usize, two: usize) -> Option<[&[usize]; 2]> {
        self.cuts.iter().find_map(|[left, right]| {
            if left.contains(&one) && right.contains(&two) {
                Some([&left[..], &right[..]])
            } else if right.contains(&one) && left.contains(&two) {
                Some([&right[..], &left[..]])
            } else {
                None
            }
        })
    }
}

/// The groups with at least `least` units across each cut. Given ratings link the
/// players that have them.
pub(super) fn groups(games: &Games, anchored: &[bool], least: u64) -> Groups {
    let players = games.names().len();
    let mut links = Links {
        weights: vec![vec![0; players]; players],
        least,
        groups: Groups {
            of: vec![0; players],
            cuts: Vec::new(),
        },
        count: 0,
    };
    for unit in games.units() {
        for game in unit.each().take(1) {
            links.weights[game.white][game.black] += unit.count;
            links.weights[game.black][game.white] += unit.count;
        }
    }
    for one in (0..players).filter(|&player| anchored[player]) {
        for two in (0..players).filter(|&player| anchored[player] && player != one) {
            links.weights[one][two] += least;
        }
    }
    links.split((0..players).collect());
    links.groups
}

struct Links {
    /// Units between two players.
    weights: Vec<Vec<u64>>,
    least: u64,
    groups: Groups,
    count: usize,
}

impl Links {
    /// Finds the groups of these players.
    fn split(&mut self, mut players: Vec<usize>) {
        // The cheap cuts first: players with few games are groups of their own.
        while let Some(at) = players.iter().position(|&player| {
            let own = players.iter().map(|&other| self.weights[player][other]);
            own.sum::<u64>() < self.least
        }) {
            let player = players.swap_remove(at);
            self.close(&[player]);
            self.groups.cuts.push([vec![player], players.clone()]);
        }
        if players.is_empty() {
            return;
        }
        let (cut, side) = self.least_cut(&players);
        if cut >= self.least {
            return self.close(&players);
        }
        players.retain(|player| !side.contains(player));
        self.groups.cuts.push([side.clone(), players.clone()]);
        self.split(side);
        self.split(players);
    }

    fn close(&mut self, players: &[usize]) {
        for &player in players {
            self.groups.of[player] = self.count;
        }
        self.count += 1;
    }

    /// The cut with the fewest units, and the players on one side of it (M. Stoer,
    /// F. Wagner, A simple min-cut algorithm, Journal of the ACM 44, 1997).
    fn least_cut(&self, players: &[usize]) -> (u64, Vec<usize>) {
        let row = |&one: &usize| players.iter().map(|&two| self.weights[one][two]).collect();
        let mut weights: Vec<Vec<u64>> = players.iter().map(row).collect();
        let mut merged: Vec<Vec<usize>> = players.iter().map(|&player| vec![player]).collect();
        let mut left: Vec<usize> = (0..players.len()).collect();
        let mut best = (u64::MAX, Vec::new());
        while left.len() > 1 {
            let (before, last, cut) = last_of_all(&left, &weights);
            if cut < best.0 {
                best = (cut, merged[last].clone());
            }
            for &other in &left {
                let weight = weights[last][other];
                weights[before][other] += weight;
                weights[other][before] += weight;
            }
            let moved = std::mem::take(&mut merged[last]);
            merged[before].extend(moved);
            left.retain(|&vertex| vertex != last);
        }
        best
    }
}

/// Takes the vertices one by one, each time the one with the most links to those
/// taken. The last but one, the last, and the links of the last.
fn last_of_all(left: &[usize], weights: &[Vec<u64>]) -> (usize, usize, u64) {
    let mut open = left.to_vec();
    let mut reach = vec![0; weights.len()];
    let (mut before, mut last) = (left[0], left[0]);
    while let Some(at) = (0..open.len()).max_by_key(|&at| reach[open[at]]) {
        (before, last) = (last, open.swap_remove(at));
        for &other in &open {
            reach[other] += weights[last][other];
        }
    }
    (before, last, reach[last])
}

#[cfg(test)]
mod tests {
    use super::super::Game;
    use super::*;

    /// Single games between players by number.
    fn games(links: &[(usize, usize, u64)]) -> Games {
        let mut games = Games::default();
        let most = links.iter().map(|(one, two, _)| one.max(two)).max();
        for player in 0..=*most.unwrap() {
            games.player(&player.to_string());
        }
        for &(white, black, count) in links {
            let half_points = 1;
            let game = Game {
                white,
                black,
                half_points,
            };
            games.add_single(game, count);
        }
        games
    }

    fn same(groups: &[usize]) -> Vec<Vec<usize>> {
        let mut found: Vec<Vec<usize>> = Vec::new();
        for (player, group) in groups.iter().enumerate() {
            match found.iter_mut().find(|one| groups[one[0]] == *group) {
                Some(one) => one.push(player),
                None => found.push(vec![player]),
            }
        }
        found
    }

    #[test]
    fn a_thin_link_divides_and_many_thin_ones_together_do_not() {
        let two = [(0, 1, 100), (2, 3, 100), (1, 2, 59)];
        assert_eq!(
            same(&groups(&games(&two), &[false; 4], 60).of),
            [vec![0, 1], vec![2, 3]]
        );
        // 59 games and one by another way.
        let ring = [two[0], two[1], two[2], (3, 0, 1)];
        assert_eq!(
            same(&groups(&games(&ring), &[false; 4], 60).of),
            [vec![0, 1, 2, 3]]
        );
        let anchored = [true, false, false, true];
        assert_eq!(same(&groups(&games(&two), &anchored, 60).of).len(), 1);
        // A round robin of 20 games a pairing: 60 for each player.
        let all: Vec<_> = (0..4)
            .flat_map(|one| (one + 1..4).map(move |two| (one, two, 20)))
            .collect();
        assert_eq!(same(&groups(&games(&all), &[false; 4], 60).of).len(), 1);
        assert_eq!(same(&groups(&games(&all), &[false; 4], 61).of).len(), 4);
    }

    /// Against all divisions, one by one.
    #[test]
    fn groups_cannot_be_divided_and_divisions_are_thin() {
        use rand::{RngExt as _, SeedableRng as _};
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for _ in 0..200 {
            let mut links = Vec::new();
            for one in 0..6 {
                for two in one + 1..6 {
                    links.push((one, two, random.random_range(0..25)));
                }
            }
            let cut = |inside: &[usize], side: &dyn Fn(usize) -> bool| -> u64 {
                let crosses = |&(one, two, _): &&(usize, usize, u64)| {
                    let both = inside.contains(one) && inside.contains(two);
                    both && side(*one) != side(*two)
                };
                links.iter().filter(crosses).map(|link| link.2).sum()
            };
            let found = groups(&games(&links), &[false; 6], 60).of;
            for group in same(&found) {
                for mask in 1..(1_u32 << group.len()) - 1 {
                    let side = |player: usize| {
                        let at = group.iter().position(|&one| one == player).unwrap();
                        mask >> at & 1 == 1
                    };
                    assert!(cut(&group, &side) >= 60, "{group:?} of {links:?}");
                }
            }
            // All of them are not one group only if some division is thin.
            if same(&found).len() > 1 {
                let all = [0, 1, 2, 3, 4, 5];
                let thin =
                    (1..63_u32).any(|mask| cut(&all, &|player| mask >> player & 1 == 1) < 60);
                assert!(thin, "{links:?}");
            }
        }
    }
}
