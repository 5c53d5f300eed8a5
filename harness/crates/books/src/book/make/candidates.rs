//! Positions from random play, from games, or both.

use std::collections::HashSet;

use rand_chacha::ChaCha8Rng;
use shakmaty::fen::Epd;
use shakmaty::{Chess, EnPassantMode, Move, Position, san::SanPlus, zobrist::Zobrist128};

use super::{Recipe, SourceKind};
use crate::book::chess960;
use crate::book::opening::BookOpening;
use hone_base::seeded::{uniform, words};
use hone_uci::openings::games::Game;
use hone_uci::openings::{Order, Schedule, Variant};

const PURPOSE: &[u8; 16] = b"hone book make 1";

/// A position that may be chosen for the book.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Number of the draw it came from, unique and increasing.
    pub draw: u64,
    /// The first move, or in Chess960 the start position.
    pub family: String,
    pub entry: BookOpening,
}

/// The infinite, reproducible sequence of candidates: draw `n` depends only on the recipe,
/// the games and `n`. Each position occurs once.
#[derive(Debug)]
pub struct Candidates {
    recipe: Recipe,
    games: Vec<PackedGame>,
    order: Option<Schedule>,
    seen: HashSet<Zobrist128>,
    draw: u64,
}

/// Leading moves of a game of the source.
#[derive(Debug)]
struct PackedGame {
    start: Option<Box<Chess>>,
    moves: Box<[Move]>,
}

/// Consecutive draws without a new position after which the source counts as exhausted.
pub(super) const BARREN: u64 = 100_000;

impl Candidates {
    /// The candidates of a recipe; `games` are those of the PGN source. Games too short for
    /// the recipe are left out.
    pub fn new(recipe: &Recipe, games: impl IntoIterator<Item = Game>) -> Self {
        let shortest = match recipe.source {
            SourceKind::Random => usize::MAX,
            SourceKind::Games => *recipe.plies.start(),
            SourceKind::Both => 1,
        };
        let games: Vec<PackedGame> = games
            .into_iter()
            .filter(|game| game.moves.len() >= shortest)
            .map(|game| PackedGame {
                start: game.start.map(Box::new),
                moves: game.moves.into(),
            })
            .collect();
        let order =
            (!games.is_empty()).then(|| Schedule::new(games.len(), Order::Random, recipe.seed, 0));
        Self {
            recipe: recipe.clone(),
            games,
            order,
            seen: HashSet::new(),
            draw: 0,
        }
    }

    /// Number of games that candidates are drawn from.
    pub fn games(&self) -> usize {
        self.games.len()
    }

    fn draw(&self, draw: u64) -> Option<Candidate> {
        let mut rng = words(PURPOSE, 0, self.recipe.seed, draw);
        let plies = within(&mut rng, &self.recipe.plies);
        let (start, mut moves, mut family) = match (&self.order, self.recipe.variant) {
            (Some(order), _) => {
                let game = &self.games[order.index(draw)];
                let lead = match self.recipe.source {
                    SourceKind::Both => within(&mut rng, &(1..=plies)),
                    SourceKind::Games | SourceKind::Random => plies,
                };
                let lead = lead.min(game.moves.len());
                (
                    game.start.as_deref().cloned(),
                    game.moves[..lead].to_vec(),
                    String::new(),
                )
            }
            (None, Variant::Standard) => (None, Vec::new(), String::new()),
            (None, Variant::Chess960) => {
                let number = uniform(&mut rng, chess960::COUNT);
                (
                    Some(chess960::start(number)),
                    Vec::new(),
                    number.to_string(),
                )
            }
        };
        let mut end = start.clone().unwrap_or_default();
        for &m in &moves {
            end.play_unchecked(m);
        }
        if self.recipe.source != SourceKind::Games {
            while moves.len() < plies {
                let m = random_move(&mut rng, &end)?;
                end.play_unchecked(m);
                moves.push(m);
            }
        }
        if moves.len() < *self.recipe.plies.start() {
            return None;
        }
        if family.is_empty() {
            family = match self.recipe.variant {
                Variant::Standard => first_move(start.as_ref(), &moves),
                Variant::Chess960 => start_fields(start.as_ref()),
            };
        }
        Some(Candidate {
            draw,
            family,
            entry: BookOpening {
                start,
                moves,
                end,
                variant: self.recipe.variant,
                ..BookOpening::default()
            },
        })
    }
}

impl Iterator for Candidates {
    type Item = Candidate;

    fn next(&mut self) -> Option<Candidate> {
        if self.recipe.source != SourceKind::Random && self.order.is_none() {
            return None;
        }
        for _ in 0..BARREN {
            let draw = self.draw;
            self.draw += 1;
            let Some(candidate) = self.draw(draw) else {
                continue;
            };
            let end = &candidate.entry.end;
            let over =
                end.is_check() || end.legal_moves().is_empty() || end.is_insufficient_material();
            if !over && self.seen.insert(end.zobrist_hash(EnPassantMode::Legal)) {
                return Some(candidate);
            }
        }
        None
    }
}

fn within(rng: &mut ChaCha8Rng, range: &std::ops::RangeInclusive<usize>) -> usize {
    let width = range.end() - range.start() + 1;
    range.start() + uniform(rng, width as u32) as usize
}

fn random_move(rng: &mut ChaCha8Rng, position: &Chess) -> Option<Move> {
    let legal = position.legal_moves();
    let count = u32::try_from(legal.len()).ok().filter(|&count| count > 0)?;
    Some(legal[uniform(rng, count) as usize])
}

fn first_move(start: Option<&Chess>, moves: &[Move]) -> String {
    let mut position = start.cloned().unwrap_or_default();
    moves.first().map_or_else(String::new, |&m| {
        SanPlus::from_move_and_play_unchecked(&mut position, m).to_string()
    })
}

/// The start position without its counters.
fn start_fields(start: Option<&Chess>) -> String {
    let start = start.cloned().unwrap_or_default();
    Epd::from_position(&start, EnPassantMode::Legal).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_uci::openings::games::Games;

    fn recipe(source: SourceKind) -> Recipe {
        Recipe {
            variant: Variant::Standard,
            source,
            plies: 4..=6,
            count: 1,
            window: 0..=0,
            nodes: 8,
            glance: 1,
            quiet: 0,
            per_family: None,
            seed: 1,
        }
    }

    fn games() -> Vec<Game> {
        let text = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 *\n\n\
            1. d4 d5 2. c4 e6 3. Nc3 Nf6 *\n\n1. c4 *\n";
        let all = Games::new(text.as_bytes(), Some(6), Variant::Standard);
        all.map(Result::unwrap).collect()
    }

    fn drawn(recipe: &Recipe, games: Vec<Game>, count: usize) -> Vec<Candidate> {
        Candidates::new(recipe, games).take(count).collect()
    }

    #[test]
    fn the_same_seed_draws_the_same() {
        let keys = |seed| {
            let recipe = Recipe {
                seed,
                ..recipe(SourceKind::Random)
            };
            let candidates = drawn(&recipe, Vec::new(), 50);
            candidates
                .iter()
                .map(|candidate| (candidate.draw, candidate.entry.epd()))
                .collect::<Vec<_>>()
        };
        assert_eq!(keys(1), keys(1));
        assert_ne!(keys(1), keys(2));
    }

    #[test]
    fn random_candidates_are_quiet_different_and_long_enough() {
        let recipe = recipe(SourceKind::Random);
        let mut seen = HashSet::new();
        for candidate in drawn(&recipe, Vec::new(), 2000) {
            let entry = &candidate.entry;
            assert!(recipe.plies.contains(&entry.moves.len()));
            assert!(!entry.end.is_check());
            assert!(entry.san().starts_with(&candidate.family));
            assert!(seen.insert(entry.end.clone()), "{}", entry.epd());
        }
    }

    #[test]
    fn games_end_when_all_their_positions_are_drawn() {
        // Plies 4, 5 and 6 of the two games that are long enough.
        let all = drawn(&recipe(SourceKind::Games), games(), 100);
        let mut lines: Vec<String> = all.iter().map(|c| c.entry.san()).collect();
        lines.sort();
        assert_eq!(
            lines,
            [
                "d4 d5 c4 e6",
                "d4 d5 c4 e6 Nc3",
                "d4 d5 c4 e6 Nc3 Nf6",
                "e4 e5 Nf3 Nc6",
                "e4 e5 Nf3 Nc6 Bb5",
                "e4 e5 Nf3 Nc6 Bb5 a6",
            ]
        );
    }

    #[test]
    fn both_sources_mix_in_one_candidate() {
        let all = drawn(&recipe(SourceKind::Both), games(), 200);
        assert_eq!(all.len(), 200);
        for candidate in &all {
            assert!(["e4", "d4", "c4"].contains(&candidate.family.as_str()));
        }
        let mut families: Vec<&str> = all.iter().map(|c| c.family.as_str()).collect();
        families.sort_unstable();
        families.dedup();
        assert_eq!(families, ["c4", "d4", "e4"]);
    }

    #[test]
    fn games_of_chess960_are_families_by_their_start() {
        let game = |fen: &str, m: &str| format!("[FEN \"{fen}\"]\n\n1. {m} e5 2. d3 d6 *\n\n");
        let first = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf -";
        let other = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let text = [
            game(&format!("{first} 0 1"), "e4"),
            game(&format!("{first} 0 3"), "e3"),
            game(&format!("{other} 0 1"), "f4"),
        ]
        .concat();
        let games = Games::new(text.as_bytes(), Some(6), Variant::Chess960);
        let recipe = Recipe {
            variant: Variant::Chess960,
            plies: 4..=4,
            ..recipe(SourceKind::Games)
        };
        let all = drawn(&recipe, games.map(Result::unwrap).collect(), 10);
        assert_eq!(all.len(), 3);
        let families: HashSet<&str> = all.iter().map(|c| c.family.as_str()).collect();
        assert_eq!(families.len(), 2, "{families:?}");
    }

    #[test]
    fn a_source_without_games_has_no_candidates() {
        assert!(drawn(&recipe(SourceKind::Games), Vec::new(), 1).is_empty());
    }

    #[test]
    fn few_positions_are_used_up() {
        let recipe = Recipe {
            plies: 1..=1,
            ..recipe(SourceKind::Random)
        };
        assert_eq!(drawn(&recipe, Vec::new(), 100).len(), 20);
    }
}
