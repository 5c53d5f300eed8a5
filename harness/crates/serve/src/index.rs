//! The index of a run's games, for searching.

use serde::{Deserialize, Serialize};

use hone_run::ledger::{PgnSpan, RecordedPair};
use hone_uci::rules::{Outcome, Termination};

/// Default number of games in an answer.
const PAGE: usize = 25;
/// Maximum number of games in an answer.
const MOST: usize = 200;

/// A finished game.
#[derive(Debug, Clone, Copy)]
pub(super) struct GameRow {
    /// Index of the pair, from 0.
    pub pair: u64,
    /// Index in the pair: 0 or 1.
    pub game: u8,
    /// Indices of White and Black.
    pub players: [u32; 2],
    pub outcome: Outcome,
    pub termination: Termination,
    pub plies: u32,
    pub opening: u64,
    pub worker: u32,
    pub finished_ms: i64,
    pub pgn: PgnSpan,
}

/// The games of a run in the order of arrival.
#[derive(Debug, Default)]
pub(super) struct GameIndex {
    rows: Vec<GameRow>,
    /// Number of the first pair, from 0, after the verdict.
    end: Option<u64>,
}

/// A search for games.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Query {
    /// Number of the pair, from 1.
    pub pair: Option<u64>,
    pub result: Option<WantedResult>,
    pub termination: Option<Termination>,
    /// Number of White's engine, from 0.
    pub white: Option<u32>,
    pub opening: Option<u64>,
    /// Only games in which an engine failed.
    pub failed: bool,
    pub min_plies: Option<u32>,
    pub max_plies: Option<u32>,
    pub worker: Option<u32>,
    pub order: Order,
    pub offset: usize,
    pub limit: Option<usize>,
}

/// The order of the games found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Order {
    #[default]
    Newest,
    Oldest,
    Longest,
    Shortest,
}

impl Query {
    fn finds(&self, row: &GameRow) -> bool {
        self.pair.is_none_or(|pair| pair == row.pair + 1)
            && self.result.is_none_or(|result| result.is_of(row))
            && self.termination.is_none_or(|t| t == row.termination)
            && self.white.is_none_or(|white| white == row.players[0])
            && self.opening.is_none_or(|opening| opening == row.opening)
            && (!self.failed || row.termination.is_failure())
            && self.min_plies.is_none_or(|plies| row.plies >= plies)
            && self.max_plies.is_none_or(|plies| row.plies <= plies)
            && self.worker.is_none_or(|worker| worker == row.worker)
    }
}

/// A result that a game must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) enum WantedResult {
    Outcome(Outcome),
    /// Won by the engine with this number, from 0.
    Won(u32),
    /// Lost by it.
    Lost(u32),
}

impl TryFrom<String> for WantedResult {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let engine = |number: &str| number.parse().ok();
        let result = match text.split_once(':') {
            None => match text.as_str() {
                "w" => Some(Self::Outcome(Outcome::White)),
                "d" => Some(Self::Outcome(Outcome::Draw)),
                "b" => Some(Self::Outcome(Outcome::Black)),
                _ => None,
            },
            Some(("won", number)) => engine(number).map(Self::Won),
            Some(("lost", number)) => engine(number).map(Self::Lost),
            Some(_) => None,
        };
        result.ok_or_else(|| format!("expected `w`, `d`, `b`, `won:N` or `lost:N`, found `{text}`"))
    }
}

impl WantedResult {
    fn is_of(self, row: &GameRow) -> bool {
        let side = |engine: u32| row.players.iter().position(|player| *player == engine);
        let loser = row.outcome.loser();
        match self {
            Self::Outcome(outcome) => row.outcome == outcome,
            Self::Won(engine) => loser.is_some_and(|loser| side(engine) == Some(1 - loser)),
            Self::Lost(engine) => loser.is_some() && side(engine) == loser,
        }
    }
}

impl GameIndex {
    /// Adds both games of a pair.
    pub(super) fn absorb(&mut self, entry: &RecordedPair) {
        for (number, game) in entry.result.games.iter().enumerate() {
            self.rows.push(GameRow {
                pair: entry.result.pair,
                game: number as u8,
                players: entry.result.players(number).map(|engine| engine as u32),
                outcome: game.outcome,
                termination: game.termination,
                plies: game.plies,
                opening: entry.opening_number,
                worker: entry.worker as u32,
                finished_ms: entry.finished_ms,
                pgn: entry.pgn[number],
            });
        }
    }

    /// Sets the number of the first pair, from 0, after the verdict; `None` before the verdict.
    pub(super) fn set_end(&mut self, end: Option<u64>) {
        self.end = end;
    }

    /// Whether a game was finished after the verdict, and so does not count.
    pub(super) fn is_after_verdict(&self, row: &GameRow) -> bool {
        self.end.is_some_and(|end| row.pair >= end)
    }

    /// Number of all games.
    pub(super) fn count(&self) -> usize {
        self.rows.len()
    }

    /// A game by the number of its pair and its number in the pair, both from 1.
    pub(super) fn game(&self, pair: u64, game: u64) -> Option<GameRow> {
        let row = |row: &&GameRow| row.pair + 1 == pair && u64::from(row.game) + 1 == game;
        self.rows.iter().find(row).copied()
    }

    /// The number of games found, and those of the requested page.
    pub(super) fn find(&self, query: &Query) -> (usize, Vec<GameRow>) {
        let rows = self.rows.iter();
        let mut found: Vec<&GameRow> = rows.filter(|row| query.finds(row)).collect();
        match query.order {
            Order::Newest => found.reverse(),
            Order::Oldest => {}
            Order::Longest => found.sort_by_key(|row| std::cmp::Reverse(row.plies)),
            Order::Shortest => found.sort_by_key(|row| row.plies),
        }
        let limit = query.limit.unwrap_or(PAGE).clamp(1, MOST);
        let page = found.iter().skip(query.offset).take(limit);
        (found.len(), page.map(|row| **row).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> GameIndex {
        let row = |pair, game, players, outcome, termination, plies| GameRow {
            pair,
            game,
            players,
            outcome,
            termination,
            plies,
            opening: pair + 10,
            worker: 0,
            finished_ms: 0,
            pgn: PgnSpan::default(),
        };
        let rows = vec![
            row(0, 0, [0, 1], Outcome::White, Termination::Checkmate, 40),
            row(0, 1, [1, 0], Outcome::Draw, Termination::Repetition, 80),
            row(2, 0, [0, 1], Outcome::Black, Termination::TimeForfeit, 20),
            row(2, 1, [1, 0], Outcome::White, Termination::Checkmate, 60),
        ];
        GameIndex { rows, end: None }
    }

    fn found(query: Query) -> Vec<(u64, u8)> {
        let (count, rows) = index().find(&query);
        assert!(count >= rows.len());
        let numbers = rows.iter().map(|row| (row.pair + 1, row.game + 1));
        numbers.collect()
    }

    #[test]
    fn games_are_found_by_every_filter() {
        let all = Query::default();
        assert_eq!(found(all.clone()), [(3, 2), (3, 1), (1, 2), (1, 1)]);
        let result = |text: &str| Query {
            result: Some(text.to_string().try_into().expect("a result")),
            order: Order::Oldest,
            ..Query::default()
        };
        assert_eq!(found(result("w")), [(1, 1), (3, 2)]);
        assert_eq!(found(result("won:0")), [(1, 1)]);
        assert_eq!(found(result("lost:0")), [(3, 1), (3, 2)]);
        assert_eq!(found(result("won:7")), []);
        let failed = Query {
            failed: true,
            ..Query::default()
        };
        assert_eq!(found(failed), [(3, 1)]);
        let longest = Query {
            order: Order::Longest,
            min_plies: Some(30),
            max_plies: Some(70),
            ..Query::default()
        };
        assert_eq!(found(longest), [(3, 2), (1, 1)]);
        let second = Query {
            offset: 1,
            limit: Some(2),
            ..Query::default()
        };
        assert_eq!(found(second), [(3, 1), (1, 2)]);
        for query in [
            Query {
                pair: Some(1),
                opening: Some(10),
                white: Some(1),
                ..Query::default()
            },
            Query {
                termination: Some(Termination::Repetition),
                worker: Some(0),
                ..Query::default()
            },
        ] {
            assert_eq!(found(query), [(1, 2)]);
        }
        assert_eq!(index().game(3, 2).map(|row| row.plies), Some(60));
        assert!(index().game(2, 1).is_none());
    }

    #[test]
    fn games_after_the_verdict_are_known() {
        let mut index = index();
        let late = |index: &GameIndex| {
            let (_, rows) = index.find(&Query::default());
            let late = rows.iter().filter(|row| index.is_after_verdict(row));
            late.count()
        };
        assert_eq!((late(&index), index.count()), (0, 4));
        index.set_end(Some(1));
        assert_eq!(late(&index), 2);
    }
}
