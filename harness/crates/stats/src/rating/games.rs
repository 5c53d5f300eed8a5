//! The games that ratings are made of, as counts.

use std::collections::BTreeMap;

use crate::counts::{Counts, Pentanomial, Wdl};

/// One game by indices of players.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Game {
    pub white: usize,
    pub black: usize,
    /// White's half points, 0 to 2.
    pub half_points: usize,
}

/// Games between any number of players: pairs, whose two games are
/// correlated, and single games.
#[derive(Debug, Clone, Default)]
pub struct Games {
    names: Vec<String>,
    index: BTreeMap<String, usize>,
    /// By the players with White in the first and in the second game, then by
    /// White's half points in both.
    pairs: BTreeMap<[usize; 2], [[u64; 3]; 3]>,
    /// By White and Black, then by White's half points.
    singles: BTreeMap<[usize; 2], [u64; 3]>,
}

/// Equal pairs, or equal single games, with their number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    /// One game, or the two of a pair.
    pub(super) games: [Option<Game>; 2],
    pub(super) count: u64,
}

impl Games {
    /// The index of a player, who is added if new.
    pub fn player(&mut self, name: &str) -> usize {
        if let Some(&index) = self.index.get(name) {
            return index;
        }
        let index = self.names.len();
        self.names.push(name.to_owned());
        self.index.insert(name.to_owned(), index);
        index
    }

    /// The index of a player; `None` if unknown.
    pub(super) fn index_of(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// The names, by index.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Adds this number of games that belong to no pair.
    ///
    /// # Panics
    /// If a player is not known, plays itself, or has over two half points.
    pub fn add_single(&mut self, game: Game, count: u64) {
        self.check(game);
        let counts = self.singles.entry([game.white, game.black]).or_default();
        counts[game.half_points] += count;
    }

    /// Adds a pair: two games with colours reversed.
    ///
    /// # Panics
    /// As [`Games::add_single`], or if the colours are not reversed.
    pub fn add_pair(&mut self, pair: [Game; 2]) {
        self.add_pairs(pair, 1);
    }

    /// Adds this many pairs with the same results.
    ///
    /// # Panics
    /// As [`Games::add_pair`].
    pub fn add_pairs(&mut self, [one, two]: [Game; 2], count: u64) {
        self.check(one);
        assert_eq!(
            (one.white, one.black),
            (two.black, two.white),
            "colours are reversed"
        );
        let counts = self.pairs.entry([one.white, two.white]).or_default();
        counts[one.half_points][two.half_points] += count;
    }

    fn check(&self, game: Game) {
        assert!(game.white < self.names.len() && game.black < self.names.len());
        assert_ne!(game.white, game.black, "a player cannot play itself");
        assert!(game.half_points <= 2);
    }

    /// How many units are pairs.
    pub fn pairs(&self) -> u64 {
        self.pairs.values().flatten().flatten().sum()
    }

    /// All pairs and single games, without those of count zero.
    pub(super) fn units(&self) -> Vec<Unit> {
        let mut units = Vec::new();
        for (&[first, second], counts) in &self.pairs {
            for (i, row) in counts.iter().enumerate() {
                for (j, &count) in row.iter().enumerate() {
                    let one = game(first, second, i);
                    let two = game(second, first, j);
                    units.push(Unit {
                        games: [Some(one), Some(two)],
                        count,
                    });
                }
            }
        }
        for (&[white, black], counts) in &self.singles {
            for (i, &count) in counts.iter().enumerate() {
                units.push(Unit {
                    games: [Some(game(white, black, i)), None],
                    count,
                });
            }
        }
        units.retain(|unit| unit.count > 0);
        units
    }
}

impl Unit {
    /// Its one or two games.
    pub(super) fn each(&self) -> impl Iterator<Item = Game> {
        self.games.into_iter().flatten()
    }
}

/// The results of the players on one side (`true`) against those on the other, from
/// their side: their pairs, or their single games if those are more games. Some
/// players may be on no side.
pub(super) fn results_of(units: &[Unit], side: impl Fn(usize) -> Option<bool>) -> Counts {
    let mut results = Results::default();
    for unit in units {
        results.add(unit, |game| match (side(game.white), side(game.black)) {
            (Some(true), Some(false)) => Some(game.half_points),
            (Some(false), Some(true)) => Some(2 - game.half_points),
            _ => None,
        });
    }
    results.counts()
}

/// The results of each of this number of players against all others, as [`results_of`]
/// counts them.
pub(super) fn results_of_each(units: &[Unit], players: usize) -> Vec<Counts> {
    let mut results = vec![Results::default(); players];
    for unit in units {
        let Some(first) = unit.games[0] else {
            continue;
        };
        for player in [first.white, first.black] {
            results[player].add(unit, |game| {
                if game.white == player {
                    Some(game.half_points)
                } else {
                    Some(2 - game.half_points)
                }
            });
        }
    }
    results.iter().map(Results::counts).collect()
}

/// Pairs and single games from one side.
#[derive(Debug, Clone, Copy, Default)]
struct Results {
    pairs: Pentanomial,
    games: Wdl,
}

impl Results {
    /// Adds a unit by the half points of the side in each game; `None` if the game is not one
    /// of the side against the other.
    fn add(&mut self, unit: &Unit, half_points: impl Fn(Game) -> Option<usize>) {
        let own = unit.games.map(|game| game.and_then(&half_points));
        match own {
            [Some(one), Some(two)] => self.pairs.0[one + two] += unit.count,
            [Some(0), None] => self.games.losses += unit.count,
            [Some(1), None] => self.games.draws += unit.count,
            [Some(_), None] => self.games.wins += unit.count,
            [None, _] => {}
        }
    }

    /// The pairs, or the single games if those are more games.
    fn counts(&self) -> Counts {
        if self.games.games() > self.pairs.games() {
            self.games.into()
        } else {
            self.pairs.into()
        }
    }
}

pub(super) fn game(white: usize, black: usize, half_points: usize) -> Game {
    Game {
        white,
        black,
        half_points,
    }
}
