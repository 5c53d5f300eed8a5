//! Counts of results, always seen from the first engine.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// Counts of game pairs by the first engine's half points in the pair, 0 to 4:
/// LL, LD, DD+WL, WD, WW. Serialises as an array of five.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Counts one pair.
    ///
    /// # Panics
    /// If `half_points` is over 4.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points] += 1;
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Number of games: two for each pair.
    pub fn games(&self) -> u64 {
        2 * self.pairs()
    }

    /// The same pairs seen from the second engine.
    #[must_use]
    pub fn swapped(&self) -> Self {
        let mut counts = self.0;
        counts.reverse();
        Self(counts)
    }

    /// Pairs won divided by pairs lost; `None` if none was lost.
    pub fn pair_ratio(&self) -> Option<f64> {
        let [ll, ld, _, wd, ww] = self.0;
        ratio(wd + ww, ll + ld)
    }
}

/// Counts pairs by their half points, 0 to 4.
impl FromIterator<usize> for Pentanomial {
    fn from_iter<I: IntoIterator<Item = usize>>(pairs: I) -> Self {
        let mut counts = Self::default();
        for half_points in pairs {
            counts.0[half_points] += 1;
        }
        counts
    }
}

/// Counts of single games. Serialises as the array wins, draws, losses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "[u64; 3]", into = "[u64; 3]")]
pub struct Wdl {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

impl Wdl {
    /// Counts one game by the first engine's half points.
    ///
    /// # Panics
    /// If `half_points` is over 2.
    pub fn add(&mut self, half_points: usize) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            2 => self.wins += 1,
            _ => panic!("a game has at most two half points, not {half_points}"),
        }
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points of the first engine; a draw is half a point.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Share of points of the first engine, 0 to 1; `None` without games.
    pub fn score(&self) -> Option<f64> {
        mean_score(&self.by_score())
    }

    /// Losses, draws and wins: in the order of [`Sample::SCORES`](super::sample::Sample::SCORES).
    pub fn by_score(&self) -> [u64; 3] {
        [self.losses, self.draws, self.wins]
    }

    /// The same games seen from the second engine.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Self {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
        }
    }
}

/// `wins-draws-losses`.
impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.wins, self.draws, self.losses)
    }
}

impl From<[u64; 3]> for Wdl {
    fn from([wins, draws, losses]: [u64; 3]) -> Self {
        Self {
            wins,
            draws,
            losses,
        }
    }
}

impl From<Wdl> for [u64; 3] {
    fn from(wdl: Wdl) -> Self {
        [wdl.wins, wdl.draws, wdl.losses]
    }
}

/// Counts of either kind. Prefer pairs if there are any: the two games of one
/// opening are correlated, which counts of single games cannot show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    Pentanomial(Pentanomial),
    Wdl(Wdl),
}

impl Counts {
    /// Number of games.
    pub fn games(&self) -> u64 {
        match self {
            Counts::Pentanomial(pairs) => pairs.games(),
            Counts::Wdl(games) => games.games(),
        }
    }

    /// Number of units: pairs, or single games.
    pub fn units(&self) -> u64 {
        match self {
            Counts::Pentanomial(pairs) => pairs.pairs(),
            Counts::Wdl(games) => games.games(),
        }
    }

    /// Share of points of the first engine, 0 to 1; `None` without games.
    pub fn score(&self) -> Option<f64> {
        match self {
            Counts::Pentanomial(pairs) => mean_score(&pairs.0),
            Counts::Wdl(games) => games.score(),
        }
    }

    /// The share of units in the middle class: pairs that were level (two
    /// draws, or a win each), or drawn games. `None` without games.
    pub fn draw_ratio(&self) -> Option<f64> {
        match self {
            Counts::Pentanomial(pairs) => ratio(pairs.0[2], pairs.pairs()),
            Counts::Wdl(games) => ratio(games.draws, games.games()),
        }
    }

    /// Pairs won divided by pairs lost. `None` without pairs, or if none was
    /// lost.
    pub fn pair_ratio(&self) -> Option<f64> {
        match self {
            Counts::Pentanomial(pairs) => pairs.pair_ratio(),
            Counts::Wdl(_) => None,
        }
    }

    /// The same results seen from the second engine.
    #[must_use]
    pub fn swapped(&self) -> Self {
        match self {
            Counts::Pentanomial(pairs) => Counts::Pentanomial(pairs.swapped()),
            Counts::Wdl(games) => Counts::Wdl(games.swapped()),
        }
    }
}

impl From<Pentanomial> for Counts {
    fn from(pairs: Pentanomial) -> Self {
        Counts::Pentanomial(pairs)
    }
}

impl From<Wdl> for Counts {
    fn from(games: Wdl) -> Self {
        Counts::Wdl(games)
    }
}

impl AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }
}

impl AddAssign for Wdl {
    fn add_assign(&mut self, other: Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

impl Add for Pentanomial {
    type Output = Self;
    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl Add for Wdl {
    type Output = Self;
    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl Sum for Pentanomial {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}

impl Sum for Wdl {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn mean_score(counts: &[u64]) -> Option<f64> {
    let points: u64 = counts.iter().zip(0..).map(|(&n, points)| n * points).sum();
    let best = counts.iter().sum::<u64>() * (counts.len() as u64 - 1);
    ratio(points, best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_of_a_match() {
        let pairs = Pentanomial([1, 2, 4, 3, 0]);
        let counts = Counts::from(pairs);
        assert_eq!(pairs.games(), 20);
        assert_eq!(counts.score(), Some(19.0 / 40.0));
        assert_eq!(counts.draw_ratio(), Some(0.4));
        assert_eq!(counts.pair_ratio(), Some(1.0));
        assert_eq!(counts.swapped().score(), Some(21.0 / 40.0));
    }

    #[test]
    fn ratios_without_a_denominator_are_none() {
        let none = Counts::from(Pentanomial::default());
        assert_eq!(
            (none.score(), none.draw_ratio(), none.pair_ratio()),
            (None, None, None)
        );
        assert_eq!(Pentanomial([0, 0, 5, 5, 5]).pair_ratio(), None);
        assert_eq!(Wdl::default().score(), None);
    }

    #[test]
    fn points_of_single_games() {
        let wdl = Wdl::from([3, 1, 1]);
        assert_eq!((wdl.points(), wdl.score()), (3.5, Some(0.7)));
        assert_eq!(wdl.to_string(), "3-1-1");
    }

    #[test]
    fn written_as_arrays() {
        let wdl = Wdl::from([3, 2, 1]);
        assert_eq!(serde_json::to_string(&wdl).unwrap(), "[3,2,1]");
        assert_eq!(
            serde_json::to_string(&Pentanomial([1, 2, 3, 4, 5])).unwrap(),
            "[1,2,3,4,5]"
        );
    }
}
