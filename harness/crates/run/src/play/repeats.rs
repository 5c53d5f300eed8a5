//! Pairs that repeat games of earlier pairs.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use hone_experiment::PairResult;

/// What a run does with a pair both of whose games were played before by the
/// same engines with the same colours. Its manifest fixes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RepeatRule {
    /// It is counted as a repeat, and as evidence: with a time control, in tunings, whose
    /// options change, and in runs of versions before this rule.
    #[default]
    Count,
    /// It is not evidence: with a limit of nodes or depth it only shows that the engines
    /// are deterministic.
    Drop,
}

/// This number of dropped pairs in a row ends a run.
const STREAK: u64 = 20;

/// The games so far, and which pairs repeated them. Eight bytes for each
/// distinct game.
#[derive(Debug, Clone, Default)]
pub struct Repeats {
    rule: RepeatRule,
    games: HashSet<u64>,
    /// Numbers of the pairs that were left out, ascending.
    dropped: Vec<u64>,
    /// Number of the last pairs in a row that were left out.
    streak: u64,
}

/// The comparison of a pair with the earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judged {
    /// Games of the pair that were not played before.
    pub(crate) new_games: u64,
    pub is_dropped: bool,
}

impl Repeats {
    pub fn new(rule: RepeatRule) -> Self {
        Self {
            rule,
            ..Self::default()
        }
    }

    /// Compares the next pair in pair order with the earlier ones, and adds it.
    pub fn take(&mut self, result: &PairResult) -> Judged {
        let keys = [0, 1].map(|number| self.key(result, number));
        // Before insertion, because both games may be the same.
        let known = keys.map(|key| self.games.contains(&key));
        self.games.extend(keys);
        let new_games = known.iter().filter(|is_known| !**is_known).count() as u64;
        let is_dropped = new_games == 0 && self.rule == RepeatRule::Drop;
        if is_dropped {
            self.streak += 1;
            self.dropped.push(result.pair);
        } else {
            self.streak = 0;
        }
        Judged {
            new_games,
            is_dropped,
        }
    }

    /// Adds the games of a pair that belongs to an earlier run.
    pub(super) fn know(&mut self, result: &PairResult) {
        let keys = [0, 1].map(|number| self.key(result, number));
        self.games.extend(keys);
    }

    /// The key of a game: its players and moves. If repeats are dropped, the move counters
    /// of the start position do not make a different game.
    fn key(&self, result: &PairResult, number: usize) -> u64 {
        let game = &result.games[number];
        let digest = match self.rule {
            RepeatRule::Drop => game.line.unwrap_or(game.digest),
            RepeatRule::Count => game.digest,
        };
        let [white, black] = result.players(number).map(|engine| engine as u64 + 1);
        // Odd constants: each step is a bijection of the digest.
        (digest ^ white.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .wrapping_mul(0xd6e8_feb8_6659_fd93)
            .rotate_left(32)
            ^ black.wrapping_mul(0xa076_1d64_78bd_642f)
    }

    /// Whether a pair was left out.
    pub(super) fn is_dropped(&self, pair: u64) -> bool {
        self.dropped.binary_search(&pair).is_ok()
    }

    /// Whether the run only repeats games: no game was new in the last [`STREAK`] pairs, or
    /// in as many as there are pairings if that is more.
    pub(super) fn is_exhausted(&self, pairings: usize) -> bool {
        self.streak >= STREAK.max(pairings as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_uci::rules::GameResult;

    fn pair(number: u64, engines: [usize; 2], digests: [u64; 2]) -> PairResult {
        PairResult {
            pair: number,
            engines,
            games: digests.map(|digest| GameResult {
                line: Some(digest % 100),
                ..crate::samples::drawn_game(digest)
            }),
        }
    }

    fn new_games(repeats: &mut Repeats, engines: [usize; 2], digests: [u64; 2]) -> u64 {
        repeats.take(&pair(0, engines, digests)).new_games
    }

    #[test]
    fn a_game_is_known_by_its_players_and_its_moves() {
        let mut repeats = Repeats::new(RepeatRule::Count);
        assert_eq!(new_games(&mut repeats, [0, 1], [7, 8]), 2);
        assert_eq!(new_games(&mut repeats, [0, 1], [7, 8]), 0);
        assert_eq!(new_games(&mut repeats, [0, 1], [7, 9]), 1);
        // The other engine has White.
        assert_eq!(new_games(&mut repeats, [0, 1], [8, 7]), 2);
        assert_eq!(new_games(&mut repeats, [0, 2], [7, 8]), 2);
        assert_eq!(new_games(&mut repeats, [1, 0], [8, 7]), 0);
        // Two engines that play alike.
        assert_eq!(new_games(&mut repeats, [3, 4], [5, 5]), 2);
    }

    #[test]
    fn move_counters_do_not_make_a_new_game_if_repeats_are_dropped() {
        let mut counting = Repeats::new(RepeatRule::Count);
        let mut dropping = Repeats::new(RepeatRule::Drop);
        for repeats in [&mut counting, &mut dropping] {
            new_games(repeats, [0, 1], [7, 8]);
        }
        assert_eq!(new_games(&mut counting, [0, 1], [107, 108]), 2);
        assert_eq!(new_games(&mut dropping, [0, 1], [107, 108]), 0);
    }

    #[test]
    fn twenty_dropped_pairs_in_a_row_exhaust_a_run() {
        let mut repeats = Repeats::new(RepeatRule::Drop);
        for number in 0..40 {
            // Every fifteenth pair has a new game.
            let digests = if number % 15 == 0 {
                [number, 50]
            } else {
                [0, 50]
            };
            repeats.take(&pair(number, [0, 1], digests));
        }
        assert!(!repeats.is_exhausted(1));
        assert!(repeats.is_dropped(1) && !repeats.is_dropped(15));
        for number in 40..51 {
            repeats.take(&pair(number, [0, 1], [0, 50]));
        }
        assert!(repeats.is_exhausted(1) && repeats.is_exhausted(20));
        assert!(!repeats.is_exhausted(21));
        let mut counting = Repeats::new(RepeatRule::Count);
        for number in 0..50 {
            counting.take(&pair(number, [0, 1], [0, 50]));
        }
        assert!(!counting.is_exhausted(1));
    }
}
