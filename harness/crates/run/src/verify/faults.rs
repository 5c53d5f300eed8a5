//! The faults of a run, those with the same cause as one.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::collections::BTreeMap;

/// Number of places that a fault names.
const NAMED: usize = 3;

/// The faults of a run. Those of pairs and games whose texts differ only in words with digits
/// (numbers, moves, results) have the same cause: one edit can make every game faulty.
#[derive(Debug, Default)]
pub struct Faults {
    faults: Vec<Fault>,
    /// Indices of the faults, by [`cause`].
    known: BTreeMap<String, usize>,
}

#[derive(Debug)]
struct Fault {
    /// That of the first place.
    text: String,
    /// The first [`NAMED`] pairs or games; empty for a fault of the whole run.
    places: Vec<String>,
    /// Number of all places; 1 for the whole run.
    count: u64,
}

impl Faults {
    /// Adds a fault of the whole run.
    pub(super) fn of_run(&mut self, text: String) {
        self.faults.push(Fault {
            text,
            places: Vec::new(),
            count: 1,
        });
    }

    /// Adds a fault of a pair (from 0).
    pub(super) fn of_pair(&mut self, pair: u64, text: String) {
        self.add(format!("pair {}", pair.saturating_add(1)), text);
    }

    /// Adds a fault of a game: pair and game from 0.
    pub(super) fn of_game(&mut self, pair: u64, game: usize, text: String) {
        let [pair, game] = [pair, game as u64].map(|number| number.saturating_add(1));
        self.add(format!("pair {pair}, game {game}"), text);
    }

    fn add(&mut self, place: String, text: String) {
        let index = *self.known.entry(cause(&text)).or_insert(self.faults.len());
        match self.faults.get_mut(index) {
            Some(fault) => {
                fault.count = fault.count.saturating_add(1);
                if fault.places.len() < NAMED {
                    fault.places.push(place);
                }
            }
            None => self.faults.push(Fault {
                text,
                places: vec![place],
                count: 1,
            }),
        }
    }

    /// Number of faults, each place counted.
    pub fn count(&self) -> u64 {
        self.faults
            .iter()
            .fold(0, |sum, fault| sum.saturating_add(fault.count))
    }

    /// One line for each cause, in the order in which they were found.
    pub fn lines(&self) -> Vec<String> {
        self.faults.iter().map(Fault::line).collect()
    }
}

impl Fault {
    fn line(&self) -> String {
        let Some((first, others)) = self.places.split_first() else {
            return self.text.clone();
        };
        let line = format!("{first}: {}", self.text);
        let more = match self.count.saturating_sub(1) {
            0 => return line,
            1 => "1 more fault".to_string(),
            more => format!("{more} more faults"),
        };
        let is_cut = self.count > self.places.len() as u64;
        let others = others.iter().map(String::as_str);
        let places: Vec<&str> = others.chain(is_cut.then_some("…")).collect();
        format!("{line} (and {more} like it: {})", places.join("; "))
    }
}

/// The words of a fault that are the same for every pair or game.
fn cause(text: &str) -> String {
    let has_digit = |word: &&str| word.bytes().any(|byte| byte.is_ascii_digit());
    let words = text.split_whitespace().filter(|word| !has_digit(word));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_with_the_same_cause_are_one_line() {
        let mut faults = Faults::default();
        assert_eq!((faults.count(), faults.lines()), (0, Vec::new()));
        faults.of_run("games.pgn has 9 bytes, the games of the ledger make 8".to_string());
        for pair in 0..400 {
            let opening = format!("the ledger has opening {pair}, but by the order it is 7");
            faults.of_pair(pair, opening);
            for game in 0..2 {
                let illegal = format!("e{pair} is not a legal move after e2e4 e7e{game}");
                faults.of_game(pair, game, illegal);
            }
        }
        faults.of_game(2, 0, "White differs between ledger and PGN".to_string());
        faults.of_game(2, 1, "White differs between ledger and PGN".to_string());
        faults.of_pair(
            8,
            "its games do not start from opening 3 of the book".to_string(),
        );
        assert_eq!(faults.count(), 1204);
        assert_eq!(
            faults.lines(),
            [
                "games.pgn has 9 bytes, the games of the ledger make 8",
                "pair 1: the ledger has opening 0, but by the order it is 7 \
                 (and 399 more faults like it: pair 2; pair 3; …)",
                "pair 1, game 1: e0 is not a legal move after e2e4 e7e0 \
                 (and 799 more faults like it: pair 1, game 2; pair 2, game 1; …)",
                "pair 3, game 1: White differs between ledger and PGN \
                 (and 1 more fault like it: pair 3, game 2)",
                "pair 9: its games do not start from opening 3 of the book",
            ]
        );
    }
}
