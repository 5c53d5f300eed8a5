//! Checks where a game's opening ends, and which opening a pair has.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use shakmaty::Color;

use super::replay::Replayed;
use crate::play::jobs::schedule;
use crate::{Manifest, prepare::unchanged};
use hone_uci::openings::{Book, Opening, Schedule};
use hone_uci::rules::{GameResult, Termination};

/// The opening of a game by the ledger's number of plies, after a comparison of this number
/// with the PGN and with the moves of both engines.
///
/// # Errors
/// What differs, in words.
pub(super) fn of(game: &Replayed, result: &GameResult) -> Result<Opening, String> {
    let moves: Vec<&str> = game.moves.split_ascii_whitespace().collect();
    let (all, plies) = (moves.len(), result.plies);
    let after = usize::try_from(plies).ok().and_then(|n| all.checked_sub(n));
    let after = after.ok_or_else(|| format!("it has {all} plies, but the ledger has {plies}"))?;
    if let Some(count) = &game.ply_count {
        if *count != all.to_string() {
            return Err(format!("its PlyCount tag is `{count}`, but it has {all}"));
        }
        // Games with this tag have the comments too.
        if game.book_moves != after {
            return Err(format!(
                "the PGN marks {} of its {all} plies as the opening, but by the ledger these are {after}",
                game.book_moves
            ));
        }
    }
    check_moves(game, result)?;
    Ok(Opening {
        fen: game.fen.as_deref().map(Into::into),
        moves: moves.get(..after).unwrap_or_default().join(" ").into(),
    })
}

/// Checks that the engines' moves are those after the opening. The ledger also counts an
/// illegal move, and an answer that came too late.
fn check_moves(game: &Replayed, result: &GameResult) -> Result<(), String> {
    let [white, black] = result.effort.map(|effort| effort.moves);
    let (next, last) = match game.referee.turn() {
        Color::White => (white, black),
        Color::Black => (black, white),
    };
    let answers = match result.termination {
        Termination::IllegalMove => 1..=1,
        Termination::TimeForfeit => 0..=1,
        _ => 0..=0,
    };
    let extra = next.checked_sub(result.plies / 2);
    let fits = last == result.plies.div_ceil(2) && extra.is_some_and(|n| answers.contains(&n));
    if fits {
        Ok(())
    } else {
        Err(format!(
            "the ledger has {} plies, but {white} moves of White and {black} of Black",
            result.plies
        ))
    }
}

/// The openings of a run's pairs.
pub(super) struct Openings {
    schedule: Schedule,
    start: Start,
    /// Places of the schedule whose openings are checked in the book.
    places: u64,
}

/// The start of the games.
enum Start {
    Standard,
    Book(Book),
    /// The book is missing or has changed, or is read differently.
    Unknown,
}

/// Maximum number of openings of a missing book for which the order is computed: the number
/// comes from `run.toml`, which may be damaged.
const MAX_OPENINGS: usize = 1 << 26;

impl Openings {
    /// The openings of a run with pairs at the first `places` of its schedule. `None` if they
    /// cannot be determined.
    pub(super) fn of(manifest: &Manifest, places: u64) -> Option<Self> {
        let then = manifest.book.as_ref();
        let (start, count) = match (unchanged::same_book(manifest, Some(places)), then) {
            (Ok(None), None) => (Start::Standard, 1),
            // Another count: the same book, but read differently.
            (Ok(Some(book)), Some(then)) if book.len() == then.openings => {
                (Start::Book(book), then.openings)
            }
            (_, then) => (Start::Unknown, then?.openings),
        };
        let is_known = !matches!(start, Start::Unknown);
        (is_known || (1..=MAX_OPENINGS).contains(&count)).then(|| Self {
            schedule: schedule(&manifest.config.r#match, count),
            start,
            places,
        })
    }

    /// Checks that a pair has the opening at its place of the schedule: by its number and, if
    /// the book is available, by the start of both games.
    ///
    /// # Errors
    /// What differs, in words.
    pub(super) fn check(
        &self,
        place: u64,
        number: u64,
        played: Option<&Opening>,
    ) -> Result<(), String> {
        let index = self.schedule.index(place);
        let expected = (index as u64).saturating_add(1);
        if number != expected {
            return Err(format!(
                "the ledger has opening {number}, but by the order of the run it is {expected}"
            ));
        }
        let opening = match &self.start {
            Start::Standard => Opening::default(),
            Start::Book(book) if place < self.places => book.opening(index),
            Start::Book(_) | Start::Unknown => return Ok(()),
        };
        match played {
            Some(played) if *played != opening => Err(format!(
                "its games do not start from opening {number} of the book"
            )),
            _ => Ok(()),
        }
    }
}
